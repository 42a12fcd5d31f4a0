// Deadlines by key: each key has one at most. Setting, clearing and taking what is due cost
// O(log n), so that a tick costs what is due and not what waits. Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace gangplan {

template <typename Key>
class Timers {
 public:
  // Replaces the key's deadline; InfiniteFuture clears it.
  void Set(const Key& key, absl::Time at) {
    Clear(key);
    if (at == absl::InfiniteFuture()) return;
    at_.emplace(key, at);
    order_.emplace(at, key);
  }
  // The earlier one of the key's deadline and `at`.
  void SetEarlier(const Key& key, absl::Time at) {
    if (at < Of(key)) Set(key, at);
  }
  void Clear(const Key& key) {
    auto it = at_.find(key);
    if (it == at_.end()) return;
    order_.erase({it->second, key});
    at_.erase(it);
  }
  // InfiniteFuture when there is none.
  absl::Time Of(const Key& key) const {
    auto it = at_.find(key);
    return it == at_.end() ? absl::InfiniteFuture() : it->second;
  }
  // Takes out whatever is due, earliest first, then by key: so many at most.
  std::vector<Key> TakeDue(absl::Time now, size_t most = std::numeric_limits<size_t>::max()) {
    std::vector<Key> due;
    while (due.size() < most && !order_.empty() && order_.begin()->first <= now) {
      due.push_back(order_.begin()->second);
      at_.erase(due.back());
      order_.erase(order_.begin());
    }
    return due;
  }
  // Those whose deadline comes before `at`, in the order of TakeDue; they stay.
  std::vector<Key> Before(absl::Time at) const {
    std::vector<Key> keys;
    for (const auto& [deadline, key] : order_) {
      if (deadline >= at) break;
      keys.push_back(key);
    }
    return keys;
  }
  // Of all keys; InfiniteFuture when there is none.
  absl::Time Next() const {
    return order_.empty() ? absl::InfiniteFuture() : order_.begin()->first;
  }
  bool empty() const { return at_.empty(); }
  size_t size() const { return at_.size(); }

 private:
  absl::flat_hash_map<Key, absl::Time> at_;  // never walked
  std::set<std::pair<absl::Time, Key>> order_;
};

}  // namespace gangplan
