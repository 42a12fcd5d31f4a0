#include "extender/server/connection_table.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "absl/container/flat_hash_set.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

std::atomic<int64_t> last_call_id{0};

}  // namespace

std::optional<int64_t> ConnectionTable::Open(int socket) {
  MutexLock lock(mutex_);
  if (shut_down_) return std::nullopt;
  const int64_t connection = next_connection_++;
  entries_[connection].socket = socket;
  return connection;
}

int64_t ConnectionTable::BeginCall(int64_t connection) {
  const int64_t call = ++last_call_id;
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  GANGPLAN_CHECK(entry.call == 0);
  entry.call = call;
  ++calls_;
  return call;
}

void ConnectionTable::EndCall(int64_t connection) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  GANGPLAN_CHECK(entry.call != 0);
  entry.call = 0;
  if (--calls_ == 0) idle_.notify_all();
}

void ConnectionTable::Close(int64_t connection) {
  MutexLock lock(mutex_);
  GANGPLAN_CHECK(entries_.at(connection).call == 0);
  entries_.erase(connection);
}

std::vector<int64_t> ConnectionTable::ClosedCalls() const {
  std::vector<pollfd> sockets;
  std::vector<int64_t> calls;
  {
    MutexLock lock(mutex_);
    sockets.reserve(static_cast<size_t>(calls_));
    calls.reserve(static_cast<size_t>(calls_));
    for (const auto& [connection, entry] : entries_) {
      if (entry.call == 0) continue;
      sockets.push_back({entry.socket, POLLRDHUP, 0});
      calls.push_back(entry.call);
    }
  }
  std::vector<int64_t> closed;
  if (::poll(sockets.data(), sockets.size(), 0) <= 0) return closed;
  for (size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents != 0) closed.push_back(calls[i]);
  }
  // A call that ended meanwhile may have lent its descriptor to another connection: only calls
  // that still run had their own descriptor all the time.
  MutexLock lock(mutex_);
  absl::flat_hash_set<int64_t> running;
  running.reserve(static_cast<size_t>(calls_));
  for (const auto& [connection, entry] : entries_) running.insert(entry.call);
  const auto ended = [&running](int64_t call) { return !running.contains(call); };
  closed.erase(std::remove_if(closed.begin(), closed.end(), ended), closed.end());
  std::sort(closed.begin(), closed.end());
  return closed;
}

bool ConnectionTable::WaitUntilIdle(absl::Duration timeout) const {
  const absl::Duration bounded = std::min(timeout, absl::Hours(24 * 365));  // no overflow below
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(bounded);
  MutexLock lock(mutex_);
  while (calls_ != 0) {
    if (idle_.wait_until(mutex_, deadline) == std::cv_status::timeout) return calls_ == 0;
  }
  return true;
}

void ConnectionTable::ShutdownAll() {
  MutexLock lock(mutex_);
  shut_down_ = true;
  for (const auto& [connection, entry] : entries_) ::shutdown(entry.socket, SHUT_RDWR);
}

int ConnectionTable::connections() const {
  MutexLock lock(mutex_);
  return static_cast<int>(entries_.size());
}

int ConnectionTable::calls() const {
  MutexLock lock(mutex_);
  return calls_;
}

}  // namespace gangplan
