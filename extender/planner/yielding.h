// Who gives way to whom: groups that are evicted, groups that wait for what these leave, and the
// pods whose room is promised. Facts that several classes ask for; Evictions and Preemptions alone
// change them, but that Plans promises a gang that runs the room of its own member, until it is
// made anew.
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/annotations.h"
#include "extender/frontends/group_spec.h"
#include "extender/planner/ledger.h"
#include "extender/planner/limits.h"
#include "extender/planner/timers.h"
#include "extender/planner/told_gang.h"
#include "fmt/format.h"
#include "topology/base/steady_map.h"
#include "topology/pod_facts.h"

namespace gangplan {

class Yielding {
 public:
  // --- Groups that are evicted: whole, and none of it gets a node before the last pod has stopped.
  void Evict(GroupId group, std::string_view for_whom) {
    evicted_[group] = for_whom;
    stuck_.erase(group);
  }
  void EndEviction(GroupId group) {
    evicted_.erase(group);
    stuck_.erase(group);
  }
  // Nothing has come of it for a while: what runs of it still does not go, as far as anybody knows.
  void SetStuck(GroupId group, bool stuck) {
    if (stuck) {
      stuck_.insert(group);
    } else {
      stuck_.erase(group);
    }
  }
  bool IsStuck(GroupId group) const { return stuck_.contains(group); }
  // The name of the gang that it gives way to; null: it does not.
  const std::string* EvictedFor(GroupId group) const {
    const auto found = evicted_.find(group);
    return found == evicted_.end() ? nullptr : &found->second;
  }
  // For people; who gives way to itself starts anew.
  static std::string WhyEvicted(std::string_view group, std::string_view whom) {
    if (group == whom) return fmt::format("gang {} is evicted as a whole, to start anew", group);
    return fmt::format("gang {} gives way to {} of greater priority", group, ToldTo(group, whom));
  }
  const std::map<GroupId, std::string>& evicted() const { return evicted_; }
  // It may not be evicted, as was found out, and is not asked about again before that time.
  void Spare(GroupId group, absl::Time until) { spared_.Set(group, until); }
  bool Spared(GroupId group) const { return spared_.Of(group) != absl::InfiniteFuture(); }
  // Likewise of pods of no gang; so many (kMaxSparedPods) are remembered.
  void SparePod(std::string_view uid, absl::Time until) {
    if (spared_pods_.size() < kMaxSparedPods) *spared_pods_.Make(uid).first = until;
  }
  bool PodSpared(std::string_view uid) const { return spared_pods_.contains(uid); }
  bool AnySpared() const { return !spared_.empty() || spared_pods_.size() > 0; }
  void EndSparing(absl::Time now) {
    spared_.TakeDue(now);
    spared_pods_.EraseIf([&](std::string_view, absl::Time until) { return until <= now; });
  }
  // A member of some group: where it runs, and bears the mark of an eviction that another instance
  // has begun, that is to be done; where it does not, or not any more, it is not. `active`: this
  // one marks pods, too.
  void NoteMarkOf(const PodFacts& pod, bool active) {
    if (active && own_marks_.contains(pod.uid)) return;
    const std::string* whom = FindLabel(pod.annotations, kEvictedForAnnotation);
    if (whom == nullptr || pod.node_name.empty()) return ForgetMarkOf(pod.uid);
    marked_[pod.uid] = whom->substr(0, kMaxToldName);
  }
  void ForgetMarkOf(const std::string& uid) { marked_.erase(uid); }
  // This instance has marked the pod, or has taken that back: what the watch shows of it, until it
  // is gone, is nobody else's word.
  void NoteOwnMark(const std::string& uid) { own_marks_.insert(uid); }
  void ForgetOwnMark(const std::string& uid) { own_marks_.erase(uid); }
  void ForgetOwnMarks() { own_marks_.clear(); }  // another instance marks from here on
  std::map<std::string, std::string> TakeMarked() { return std::exchange(marked_, {}); }
  bool AnyMarked() const { return !marked_.empty(); }

  // --- Gangs that were evicted for their own good, and are not planned for a while.
  using Makers = std::set<std::string, std::less<>>;  // UIDs
  // Under a name that several use one after the other each of them rests for itself; those of one
  // gang, whichever comes first the next time, rest together.
  static std::vector<std::string> RestNamesOf(const GroupKey& gang, const Makers& makers) {
    if (!gang.incarnation.empty() || makers.empty()) return {gang.LastingName()};
    std::vector<std::string> names;
    for (const std::string& uid : makers) names.push_back(gang.LastingName() + uid);
    return names;
  }
  void Rest(const std::string& rest_name, std::string why) {
    resting_.insert_or_assign(rest_name, std::move(why));
  }
  void EndRest(const std::string& rest_name) { resting_.erase(rest_name); }
  // For people; null: it does not rest. O(makers) while some gang does.
  const std::string* WhyRests(const GroupKey& gang, const Makers& makers) const {
    if (resting_.empty()) return nullptr;
    for (const std::string& name : RestNamesOf(gang, makers)) {
      const auto found = resting_.find(name);
      if (found != resting_.end()) return &found->second;
    }
    return nullptr;
  }

  // --- Groups that wait for what others leave, and why, for people.
  void Await(GroupId group, std::string why) { awaiting_[group] = std::move(why); }
  void EndAwaiting(GroupId group) { awaiting_.erase(group); }
  const std::string* WhyAwaits(GroupId group) const {  // null: it does not
    const auto found = awaiting_.find(group);
    return found == awaiting_.end() ? nullptr : &found->second;
  }

  // --- Groups for which others were to give way and may not: why, for people, behind what else
  // they wait for. Until somebody else gives way, or nobody does after that time.
  void NoteAgainst(GroupId group, std::string why, absl::Time until) {
    against_[group] = {std::move(why), until};
  }
  void EndAgainst(GroupId group, absl::Time now = absl::InfiniteFuture()) {
    const auto found = against_.find(group);
    if (found != against_.end() && found->second.second <= now) against_.erase(found);
  }
  const std::string* WhyAgainst(GroupId group) const {  // null: nobody knows of anything
    const auto found = against_.find(group);
    return found == against_.end() ? nullptr : &found->second.first;
  }

  // --- Pods whose room is a group's once they have stopped.
  void Promise(std::string_view uid, GroupId to) { *promised_.Make(uid).first = to; }
  void EndPromise(std::string_view uid) { promised_.Erase(uid); }
  GroupId PromisedTo(std::string_view uid) const {  // 0: to nobody
    const GroupId* to = promised_.Find(uid);
    return to == nullptr ? 0 : *to;
  }
  // visit(uid, to) for each of them, in no order that means anything.
  template <typename Visit>
  void VisitPromised(Visit visit) const {
    promised_.VisitAll(visit);
  }
  // It is promised, and to another group. What the group awaits as the first in line is its own.
  bool IsPromisedBeside(std::string_view uid, GroupId group) const {
    const GroupId to = PromisedTo(uid);
    return to != 0 && to != ReservedFor(group);
  }

 private:
  std::map<GroupId, std::string> evicted_;
  std::set<GroupId> stuck_;
  Timers<GroupId> spared_;
  SteadyMap<absl::Time> spared_pods_;
  std::map<std::string, std::string> marked_;   // UIDs, and for whom
  std::set<std::string> own_marks_;             // UIDs
  std::map<std::string, std::string> resting_;  // by RestNamesOf
  std::map<GroupId, std::string> awaiting_;
  std::map<GroupId, std::pair<std::string, absl::Time>> against_;
  SteadyMap<GroupId> promised_;
};

}  // namespace gangplan
