// Who makes a TLS handshake: so many connections at once, since each takes memory for a peer that
// has shown no certificate. Who comes beyond waits for a turn, as the members of a large gang do
// whose calls come all at once. A turn goes to the address that has fewest of them, there to who
// came first. Where all are taken, one that has had its turn for longer than `grace` is ended for
// an address that has fewer of them: whoever opens connections and says nothing keeps no other
// address out.
//
// Invariant: somebody waits only where all turns are taken.
//
// Cost: O(addresses that have a turn or wait) for each that asks or ends.
//
// Thread rule: any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/server/limits.h"
#include "topology/base/mutex.h"

namespace gangplan {

class HandshakeTurns {
 public:
  explicit HandshakeTurns(int limit, absl::Duration grace = kHandshakeGrace)
      : limit_(limit), grace_(grace) {}

  // `connection`: a greater one came later. Its socket is open until End.
  void Ask(int64_t connection, int socket, const std::string& address);
  // Waits for the turn that it asked for. False: `deadline` passed before, or it was ended.
  bool Await(int64_t connection, absl::Time deadline);
  // Its socket was ended: it waits no more.
  void Drop(int64_t connection);
  // Its handshake is over, or it has left the line.
  void End(int64_t connection);
  // Nobody waits any more.
  void Stop();

  int running() const;  // turns that are taken

 private:
  struct Peer {
    int places = 0;
    std::set<int64_t> waits;
    std::set<int64_t> runs;  // but those that were ended
  };
  using Peers = std::map<std::string, Peer>;
  struct Place {
    int socket = -1;
    Peers::iterator peer;
    absl::Time turn = absl::InfiniteFuture();  // its beginning
    bool ended = false;
    std::condition_variable_any wake;

    bool has_turn() const { return turn != absl::InfiniteFuture(); }
  };

  void GrantNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeRoomFor(const Peer& asking) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndPlace(int64_t connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Leave(Peer& peer, int64_t connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int limit_;
  const absl::Duration grace_;
  mutable Mutex mutex_;
  Peers peers_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, Place> places_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gangplan
