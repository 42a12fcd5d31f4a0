// Which running groups, and pods of no group, give way to one that waits, as a question by itself:
// who they are, where their pods stand, and what these take of it that the newcomer asks for. The
// search is that of algorithms/victims.h; here it is told in what changes from one question to the
// next, so that each costs what differs and no more. A pod of no group is a victim of one pod.
//
// Thread rule: one caller at a time, on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/victims.h"

namespace gangplan {

// Who goes, by the planner's number.
struct Victim {
  int64_t id = 0;                   // 0: a pod of no group
  std::vector<int32_t> slots = {};  // its members in these alone, ascending; empty: all of it
  std::string pod = {};             // the UID of that pod
};

class VictimQuestion {
 public:
  // So many pods that take these amounts, on one leaf.
  struct Freed {
    int32_t leaf = 0;
    const std::vector<int64_t>* amounts = nullptr;
    int64_t times = 0;  // less than 0: they are back
  };
  using Change = std::vector<Freed>;
  // Where the newcomer goes, or why it does not, after one more change.
  using Place = std::function<PlacementResult(const Change&)>;

  // `priority`: the newcomer's; groups that may go are below. `hosts` as in VictimsRequest.
  VictimQuestion(int64_t priority, std::vector<Tree::Range> hosts)
      : priority_(priority), hosts_(std::move(hosts)) {}

  // Amounts that pods take, by column of the snapshot; its number.
  size_t AddAmounts(std::vector<int64_t> amounts);
  // A group that may go, without pods so far; `id` is the planner's.
  void AddGroup(int64_t id, std::string name, int64_t priority);
  // Members of such a group that it can do without, in these slots: where it has been added with
  // the others, all of it goes or these alone.
  void AddSurplus(int64_t id, std::string name, int64_t priority, std::vector<int32_t> slots);
  // A pod of the last of them stands on the leaf. O(1).
  void AddPod(int32_t leaf, size_t amounts);
  // So much of the leaf is free, too, when the last of them has gone, and it is no pod that goes.
  void AddRoom(int32_t leaf, size_t amounts) {
    AddPod(leaf, amounts);
    --groups_.back().pods;
  }
  // A pod of no group that may go, and stands on the leaf. O(1), and nothing of its own is
  // allocated: thousands are told under the lock, and become victims on the copy.
  void AddSingle(std::string_view uid, int64_t priority, int32_t leaf, size_t amounts);
  // What a member of the newcomer takes, of its largest pod set.
  void SetUnit(std::vector<int64_t> amounts) { unit_ = std::move(amounts); }
  // How many of them fit on the leaf, after one more change.
  using Fit = std::function<int64_t(const Freed&)>;
  // Of the pods of no group of one priority those go first, where that is all the same, of whom the
  // fewest make room for a member: without it the first set may have many times the pods that it
  // needs. Before Find; leaves all as it was. O(such pods x Fit).
  void OrderSingles(const Fit& fit);
  bool empty() const { return groups_.empty() && told_.empty(); }

  // From now on those of this priority and above stay.
  void SetPriority(int64_t priority) { priority_ = priority; }
  void Find(const Place& place);
  VictimsResult result;                 // by Find
  std::vector<Victim> Victims() const;  // by name
  std::vector<int64_t> Ids() const;     // of these, the groups

 private:
  struct Part {
    int32_t leaf = 0;
    size_t amounts = 0;
    int32_t pods = 0;
  };
  // A pod of no group, as it was told; its UID is a piece of `uids_`.
  struct Told {
    int64_t priority = 0;
    int32_t leaf = 0;
    uint32_t amounts = 0;
    uint32_t uid_begin = 0, uid_bytes = 0;
  };

  void TakeTold();
  Change Move(std::span<const int32_t> gone);
  void Add(size_t group, int sign, Change& change) const;
  Freed FreedBy(size_t single, int64_t times) const;
  int64_t WorthOf(size_t single) const;
  void OrderOn(std::span<const size_t> singles, const Fit& fit);

  int64_t priority_ = 0;
  std::vector<Tree::Range> hosts_;
  std::vector<RunningGroup> groups_;
  std::vector<Victim> victims_;
  std::vector<std::vector<Part>> parts_;
  std::vector<std::vector<int64_t>> amounts_;
  std::vector<int64_t> unit_;
  std::vector<Told> told_;  // until TakeTold
  std::string uids_;        // likewise, one after the other
  std::vector<bool> gone_;  // as the last question had it
};

}  // namespace gangplan
