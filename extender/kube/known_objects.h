// What mirrors of several kinds have in common: the objects that are known, and a word on those for
// which there is no room. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "topology/base/steady_map.h"
#include "topology/base/text.h"

namespace gangplan {

// The known objects by name, each with the list that last had it.
template <typename Value>
class Known {
 public:
  struct Entry {
    Value value;
    uint64_t list = 0;
  };

  Known(std::string kind, size_t most) : kind_(std::move(kind)), most_(most) {}

  void BeginList() { ++list_; }
  // Null when the object is not known.
  Entry* Find(std::string_view name) { return entries_.Find(name); }
  void Touch(std::string_view name) {
    if (Entry* entry = Find(name)) entry->list = list_;
  }
  absl::Status Put(std::string_view name, Value value) {
    if (Entry* entry = Find(name)) {
      *entry = {std::move(value), list_};
      return absl::OkStatus();
    }
    if (full()) {
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("there are more than {} objects of kind {}", most_, kind_)));
    }
    *entries_.Make(name).first = {std::move(value), list_};
    return absl::OkStatus();
  }
  void Erase(std::string_view name) { entries_.Erase(name); }
  bool full() const { return entries_.size() >= most_; }

  // Removes what the present list did not have; its values in the order of their names.
  std::vector<std::pair<std::string, Value>> TakeUnlisted() {
    std::vector<std::pair<std::string, Value>> gone;
    entries_.EraseIf([&](std::string_view name, Entry& entry) {
      if (entry.list == list_) return false;
      gone.emplace_back(name, std::move(entry.value));
      return true;
    });
    std::sort(gone.begin(), gone.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return gone;
  }

 private:
  const std::string kind_;
  const size_t most_;
  uint64_t list_ = 0;
  SteadyMap<Entry> entries_;
};

// How many are known of each namespace.
class NamespaceCounts {
 public:
  size_t In(const std::string& ns) const {
    const auto it = counts_.find(ns);
    return it == counts_.end() ? 0 : it->second;
  }
  void Add(const std::string& ns) { ++counts_[ns]; }
  // REQUIRES: one of it was added.
  void Remove(const std::string& ns) {
    const auto it = counts_.find(ns);
    if (--it->second == 0) counts_.erase(it);
  }

 private:
  std::map<std::string, size_t> counts_;
};

// What had no room for an object since the last list began: a namespace, or all together (""). What
// is told of each: once, until a list has left out none there.
class LeftOut {
 public:
  void BeginList() { full_.clear(); }
  void EndList() {
    std::erase_if(told_, [this](const std::string& place) { return !full_.contains(place); });
  }
  void Add(const std::string& place, const absl::Status& why) {
    full_.insert(place);
    if (told_.insert(place).second)
      warnings_.push_back(fmt::format("{}: those beyond are left out", Message(why)));
  }
  const std::set<std::string>& full() const { return full_; }
  std::vector<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

 private:
  std::set<std::string> full_;
  std::set<std::string> told_;
  std::vector<std::string> warnings_;
};

}  // namespace gangplan
