// What mirrors of several kinds have in common: the objects that are known, and the shares that
// namespaces have of them. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "extender/kube/mirror.h"
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

// What of the known objects goes to whom: of one namespace so many and so many bytes at most, so
// that it keeps no other one out, and a word on those for which there is no room.
class Shares {
 public:
  // `plural`: of the objects, for messages.
  Shares(std::string plural, const MirrorLimits& most) : plural_(std::move(plural)), most_(most) {}

  // What one of this namespace takes, which is counted (`Add`) and not any more (`Remove`). Of an
  // empty namespace there is no share.
  void Add(const std::string& ns, size_t bytes) { Count(ns, 1, bytes); }
  void Remove(const std::string& ns, size_t bytes) {
    Count(ns, size_t{0} - 1, size_t{0} - bytes);
    if (!ns.empty() && taken_.at(ns).objects == 0) taken_.erase(ns);
  }
  // Whether there is room for one more, or for one that is known and is now as large: that one is
  // judged by the share of its namespace alone, so that others cannot push it out. No: it is left
  // out, and that is told.
  bool Takes(const std::string& ns, size_t bytes, bool is_known = false);
  // There is none for another reason.
  void LeaveOut(const absl::Status& why, size_t bytes) { LeaveOut("", bytes, why); }

  void BeginList() { full_.clear(); }
  void EndList() {
    std::erase_if(told_, [this](const std::string& place) { return !full_.contains(place); });
  }
  // Some were left out, of which one has room by now.
  bool WantsList() const;
  std::vector<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

 private:
  struct Taken {
    size_t objects = 0;
    size_t bytes = 0;
  };

  void Count(const std::string& ns, size_t objects, size_t bytes);
  bool Fits(const std::string& ns, size_t bytes) const { return WhyNot(ns, bytes).second.ok(); }
  // Whose share is full, and why; OK: nobody's.
  std::pair<std::string, absl::Status> WhyNot(const std::string& ns, size_t bytes) const;
  void LeaveOut(const std::string& place, size_t bytes, const absl::Status& why);

  const std::string plural_;
  const MirrorLimits most_;
  Taken all_;
  std::map<std::string, Taken> taken_;
  // Since the last list began: what had no room for an object, a namespace or all together (""),
  // with the least bytes of one that was left out.
  std::map<std::string, size_t> full_;
  std::set<std::string> told_;  // until a list has left out none there
  std::vector<std::string> warnings_;
};

}  // namespace gangplan
