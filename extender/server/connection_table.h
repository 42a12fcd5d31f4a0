// Every open connection of a listener: its socket, and the call that is being served on it. This
// is how a held call learns that its peer is gone, and how a stop wakes idle connections.
//
// Invariants: an entry's descriptor is open for as long as the entry is in the table: its owner
// calls Close before it closes the descriptor, so a descriptor that was reused is never taken for
// the old one. One connection serves one call at a time. Call ids are unique in the process.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

class ConnectionTable {
 public:
  // The new connection's id; nothing once ShutdownAll was called.
  std::optional<int64_t> Open(int socket);
  // Returns the id of the call that begins on this connection.
  int64_t BeginCall(int64_t connection);
  void EndCall(int64_t connection);
  void Close(int64_t connection);

  // Ids of the running calls whose peer has closed its side, ascending. One poll over their
  // sockets, outside the lock. A peer that only ends its own sending counts as gone.
  std::vector<int64_t> ClosedCalls() const;

  // No call is running; false when `timeout` passed before.
  bool WaitUntilIdle(absl::Duration timeout) const;

  // Ends reading and writing on every socket, and lets no connection in any more.
  void ShutdownAll();

  int connections() const;
  int calls() const;

 private:
  struct Entry {
    int socket = -1;
    int64_t call = 0;  // 0: idle
  };

  mutable Mutex mutex_;
  mutable std::condition_variable_any idle_;
  absl::flat_hash_map<int64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  int calls_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_connection_ ABSL_GUARDED_BY(mutex_) = 1;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gangplan
