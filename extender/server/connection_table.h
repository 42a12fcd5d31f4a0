// Every open connection of a listener: its socket, whose it is, what it has in memory, and the call
// that is being served on it. This is how a held call learns that its peer is gone, how a stop
// wakes idle connections, and how those that only wait for their peer give way to others.
//
// A connection serves a call from its last byte to the end of its route; at all other times it
// waits for its peer: for a request, for the rest of one, or until the peer takes the reply. Where
// a connection or bytes are wanted beyond the limits, one that waits is ended: of the address that
// has most connections the one that waits longest.
//
// A connection that carries several calls at once (HTTP/2) has an entry more for each of them, and
// what is said here of a connection goes for that. Each counts as a connection, since it takes a
// thread, in place of the one that carries them; neither gives way to anybody.
//
// Under TLS a connection is a stranger's until it is admitted. Strangers are ended before anybody
// else is, and make their handshakes in turns (HandshakeTurns).
//
// Invariants: an entry's descriptor is open for as long as the entry is in the table: its owner
// calls Close before it closes the descriptor, so a descriptor that was reused is never taken for
// the old one. An entry serves one call at a time. Call ids are unique in the process.
//
// Thread rule: any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/server/handshake_turns.h"
#include "extender/server/limits.h"
#include "topology/base/mutex.h"

namespace gangplan {

struct TableLimits {
  int connections = 0;
  size_t body_bytes = 0;  // of all connections together
  int handshakes = kMaxHandshakes;
};

class ConnectionTable {
 public:
  explicit ConnectionTable(const TableLimits& limits)
      : limits_(limits), turns_(limits.handshakes) {}

  // The new connection's id; another one may be ended for it. Nothing when all of them serve calls,
  // or once ShutdownAll was called. O(connections) at the limit.
  std::optional<int64_t> Open(int socket, const std::string& peer_address, bool stranger = false);
  // So many bytes of those that are kept for it are kept no longer.
  void DropBytes(int64_t connection, size_t bytes);
  // A call more on this connection; nothing as for Open. Closed before the connection is.
  std::optional<int64_t> OpenCarried(int64_t connection);
  // Its peer wants no reply any more, as if it had closed its side.
  void Abandon(int64_t carried);
  // Of a stranger: waits until it may make its handshake. False: `deadline` passed before, or it
  // was ended.
  bool AwaitHandshake(int64_t connection, absl::Time deadline);
  // It has shown who it is, and is no stranger any more.
  void Admit(int64_t connection);
  // So many bytes more of a request count for this connection until EndRequest or DropBytes;
  // another one may be ended for them. False: that is beyond the limit.
  bool KeepBytes(int64_t connection, size_t bytes);
  // The request is whole. Returns the id of the call that begins.
  int64_t BeginCall(int64_t connection);
  // Its route has ended; the reply goes out.
  void EndRoute(int64_t connection);
  // The reply, or a refusal, has gone out, or the connection has failed.
  void EndRequest(int64_t connection);
  void Close(int64_t connection);

  // Ids of the running calls whose peer has closed its side, ascending. One poll over their
  // sockets, outside the lock. A peer that only ends its own sending counts as gone.
  std::vector<int64_t> ClosedCalls() const;

  // No call is running and no reply is going out; false when `timeout` passed before.
  bool WaitUntilIdle(absl::Duration timeout) const;

  // Ends reading and writing on every socket, and lets no connection in any more.
  void ShutdownAll();

  int connections() const;  // without those that were ended for others
  int calls() const;
  size_t body_bytes() const;  // likewise

 private:
  struct Peer {
    int connections = 0;
    int strangers = 0;  // of these
  };
  using Addresses = std::map<std::string, Peer>;
  struct Entry {
    int socket = -1;
    Addresses::iterator address;  // of the peer, until it is ended for others
    int64_t call = 0;             // 0: none
    int64_t carrier = 0;          // 0: it is a connection itself
    int carried = 0;              // entries of which it is the carrier
    bool counts = true;           // among the connections: those it carries do in its place
    bool abandoned = false;
    bool stranger = false;
    bool in_route = false;
    bool ended = false;  // for others
    int64_t since = 0;   // who has waited for less has a greater one
    size_t body_bytes = 0;
  };

  bool HasRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t Insert(Entry entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Count(Entry& entry, bool counts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends one that waits; false: nobody does. `asking`: of those that have bytes, but this one.
  bool EndLongestWaiting(const Entry* asking) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountNoMore(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndForOthers(int64_t connection, Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const TableLimits limits_;
  HandshakeTurns turns_;  // of strangers; asked under our lock, awaited without
  mutable Mutex mutex_;
  mutable std::condition_variable_any idle_;
  absl::flat_hash_map<int64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // Of connections that were not ended for others:
  Addresses addresses_ ABSL_GUARDED_BY(mutex_);
  int live_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t body_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int calls_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_connection_ ABSL_GUARDED_BY(mutex_) = 1;
  int64_t moment_ ABSL_GUARDED_BY(mutex_) = 0;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gangplan
