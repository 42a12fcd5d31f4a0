// What has become of groups since the start: each change of their state, with why it waits. Of the
// kMaxHistoryGroups that have changed last, the last kMaxHistoryLines of each; by name, so that
// what runs again under its name goes on. A restart begins anew.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/planner/life.h"

namespace gangplan {

struct HistoryLine {
  absl::Time at;
  GroupState state = GroupState::kNew;
  int32_t bound = 0;
  int32_t size = 0;
  std::string why;  // of one that waits; cut to kMaxHistoryWhyBytes
};
struct GroupHistory {
  std::deque<HistoryLine> lines;  // the oldest first
  int64_t dropped = 0;            // older ones that are not kept
};

class History {
 public:
  // The group "namespace/name" is like this now: a line of its own where its state or why it waits
  // is another one. One that waits for the same after it was only looked at anew (New) has
  // not changed: what was noted of that in between goes. O(log groups).
  void Note(const std::string& name, HistoryLine line);
  // "namespace/name"; null: nothing is known of it. Until the next Note.
  const GroupHistory* Of(std::string_view name) const;

 private:
  struct Entry {
    int64_t turn = 0;  // of its last change
    GroupHistory history;
  };

  int64_t turn_ = 0;
  std::map<std::string, Entry, std::less<>> groups_;
  std::map<int64_t, std::string> by_turn_;
};

}  // namespace gangplan
