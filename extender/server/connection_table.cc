#include "extender/server/connection_table.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

std::atomic<int64_t> last_call_id{0};

}  // namespace

std::optional<int64_t> ConnectionTable::Open(int socket, const std::string& peer_address,
                                             bool stranger) {
  MutexLock lock(mutex_);
  if (!HasRoom()) return std::nullopt;
  const auto address = addresses_.try_emplace(peer_address).first;
  const int64_t connection = Insert({.socket = socket, .address = address, .stranger = stranger});
  if (stranger) turns_.Ask(connection, socket, peer_address);
  return connection;
}

std::optional<int64_t> ConnectionTable::OpenCarried(int64_t connection) {
  MutexLock lock(mutex_);
  Entry& carrier = entries_.at(connection);
  if (carrier.ended || shut_down_) return std::nullopt;
  if (carrier.carried > 0 && !HasRoom()) return std::nullopt;
  ++carrier.carried;
  const Entry carried{.socket = carrier.socket, .address = carrier.address, .carrier = connection};
  const int64_t id = Insert(carried);
  Count(entries_.at(connection), false);
  return id;
}

void ConnectionTable::Abandon(int64_t carried) {
  MutexLock lock(mutex_);
  entries_.at(carried).abandoned = true;
}

bool ConnectionTable::HasRoom() {
  if (shut_down_) return false;
  return live_ < limits_.connections || EndLongestWaiting(nullptr);
}

int64_t ConnectionTable::Insert(Entry entry) {
  const int64_t id = next_connection_++;
  entry.since = ++moment_;
  entry.counts = false;
  entry.address->second.strangers += entry.stranger;
  Count(entries_.emplace(id, entry).first->second, true);
  return id;
}

// An address of which none counts is forgotten.
void ConnectionTable::Count(Entry& entry, bool counts) {
  const int change = static_cast<int>(counts) - static_cast<int>(entry.counts);
  entry.counts = counts;
  live_ += change;
  entry.address->second.connections += change;
  if (entry.address->second.connections == 0) addresses_.erase(entry.address);
}

bool ConnectionTable::AwaitHandshake(int64_t connection, absl::Time deadline) {
  return turns_.Await(connection, deadline);
}

void ConnectionTable::Admit(int64_t connection) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  if (!entry.stranger) return;
  entry.stranger = false;
  entry.since = ++moment_;
  if (!entry.ended) --entry.address->second.strangers;
  turns_.End(connection);
}

bool ConnectionTable::EndLongestWaiting(const Entry* asking) {
  // No stranger, fewer connections of the address, or waiting for less, is further back.
  const auto place = [](const Entry& entry) {
    const Peer& peer = entry.address->second;
    return std::tuple(entry.stranger, entry.stranger ? peer.strangers : peer.connections,
                      -entry.since);
  };
  std::pair<const int64_t, Entry>* found = nullptr;
  for (auto& one : entries_) {
    const Entry& entry = one.second;
    if (entry.in_route || entry.ended || !entry.counts || entry.carrier != 0) continue;
    if (asking != nullptr && (&entry == asking || entry.body_bytes == 0)) continue;
    if (found == nullptr || place(entry) > place(found->second)) found = &one;
  }
  if (found == nullptr) return false;
  EndForOthers(found->first, found->second);
  return true;
}

void ConnectionTable::CountNoMore(Entry& entry) {
  body_bytes_ -= entry.body_bytes;
  entry.address->second.strangers -= entry.stranger;
  Count(entry, false);
}

void ConnectionTable::EndForOthers(int64_t connection, Entry& entry) {
  ::shutdown(entry.socket, SHUT_RDWR);
  if (entry.stranger) turns_.Drop(connection);
  CountNoMore(entry);
  entry.ended = true;
}

bool ConnectionTable::KeepBytes(int64_t connection, size_t bytes) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  entry.body_bytes += bytes;
  if (entry.ended) return false;
  body_bytes_ += bytes;
  while (body_bytes_ > limits_.body_bytes) {
    if (!EndLongestWaiting(&entry)) return false;
  }
  return true;
}

void ConnectionTable::DropBytes(int64_t connection, size_t bytes) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  if (!entry.ended) body_bytes_ -= bytes;
  entry.body_bytes -= bytes;
}

int64_t ConnectionTable::BeginCall(int64_t connection) {
  const int64_t call = ++last_call_id;
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  GANGPLAN_CHECK(entry.call == 0);
  entry.call = call;
  entry.in_route = true;
  ++calls_;
  return call;
}

void ConnectionTable::EndRoute(int64_t connection) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  GANGPLAN_CHECK(entry.in_route);
  entry.in_route = false;
  entry.since = ++moment_;
}

void ConnectionTable::EndRequest(int64_t connection) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  GANGPLAN_CHECK(!entry.in_route);
  if (!entry.ended) body_bytes_ -= entry.body_bytes;
  entry.body_bytes = 0;
  entry.since = ++moment_;
  if (std::exchange(entry.call, 0) != 0 && --calls_ == 0) idle_.notify_all();
}

void ConnectionTable::Close(int64_t connection) {
  MutexLock lock(mutex_);
  Entry& entry = entries_.at(connection);
  GANGPLAN_CHECK(entry.call == 0 && entry.body_bytes == 0 && entry.carried == 0);
  if (entry.carrier != 0) {
    Entry& carrier = entries_.at(entry.carrier);
    carrier.since = ++moment_;
    if (--carrier.carried == 0) Count(carrier, true);
  }
  if (!entry.ended) CountNoMore(entry);
  if (entry.stranger) turns_.End(connection);
  entries_.erase(connection);
}

std::vector<int64_t> ConnectionTable::ClosedCalls() const {
  std::vector<pollfd> sockets;
  std::vector<int64_t> calls;
  std::vector<int64_t> closed;
  {
    MutexLock lock(mutex_);
    sockets.reserve(static_cast<size_t>(calls_));
    calls.reserve(static_cast<size_t>(calls_));
    for (const auto& [connection, entry] : entries_) {
      if (entry.call == 0) continue;
      if (entry.abandoned) {
        closed.push_back(entry.call);
        continue;
      }
      sockets.push_back({entry.socket, POLLRDHUP, 0});
      calls.push_back(entry.call);
    }
  }
  ::poll(sockets.data(), sockets.size(), 0);
  for (size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents != 0) closed.push_back(calls[i]);
  }
  if (closed.empty()) return closed;
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
  turns_.Stop();
  for (const auto& [connection, entry] : entries_) ::shutdown(entry.socket, SHUT_RDWR);
}

int ConnectionTable::connections() const {
  MutexLock lock(mutex_);
  return live_;
}

int ConnectionTable::calls() const {
  MutexLock lock(mutex_);
  return calls_;
}

size_t ConnectionTable::body_bytes() const {
  MutexLock lock(mutex_);
  return body_bytes_;
}

}  // namespace gangplan
