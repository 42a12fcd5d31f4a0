// The groups: found by the key of a spec, with their incarnations, and what each namespace claims.
// A group costs what its pods cost, but also a claim: so many groups, and so many members said to
// come, may one namespace have; all of them together are bounded too.
//
// Incarnations: a group of an owner ends with that owner's UID. One that is only a name begins anew
// when all its members have finished and a pod of another owner comes under it; the old one stays
// until its pods go, under a key of its own.
//
// Invariant: the claims of the namespaces are the sums over their groups.
// Thread rule: the planner's. Groups are named by id over calls; a pointer dies with Erase.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/planner/group.h"
#include "topology/base/text.h"

namespace gangplan {

// What one namespace may claim.
struct ClaimLimits {
  int32_t groups = 2'000;
  int64_t members = 200'000;  // of all its groups, said to come
};

class GroupBook {
 public:
  explicit GroupBook(const ClaimLimits& limits) : limits_(limits) {}

  Group* Find(GroupId id);
  const Group* Find(GroupId id) const;
  // The newest incarnation of the key; null when there is none.
  Group* FindByKey(const GroupKey& key);
  // By "namespace/name"; of several the newest. Null when there is none.
  Group* FindByName(std::string_view name);
  // All of them, in order of arrival.
  std::vector<GroupId> Named(std::string_view name) const;
  // Whose first pod was of this owner, in order of arrival.
  std::vector<GroupId> OfOwner(std::string_view owner_uid) const;
  // The group that the pod is to join, made when there is none. ResourceExhausted, with a sentence
  // for people, when that would be beyond what its namespace, or all of them, may claim.
  absl::StatusOr<Group*> GroupFor(const GroupSpec& spec, const PodFacts& pod);
  // That the namespace may have one group more.
  absl::Status CheckGroups(std::string_view ns) const;
  // The group's size is another one now: what it claims is counted anew.
  void CountClaim(const Group& group);
  void Erase(GroupId id);
  // Gives back memory of those that were erased: large ones take long. Once a tick.
  void FreeErased();
  // The oldest group of the namespace, or of any when all are too many, of which no member is live;
  // 0: there is none.
  GroupId OldestEnded(std::string_view ns) const;

  size_t size() const { return groups_.size(); }
  // In order of arrival.
  const std::map<GroupId, std::unique_ptr<Group>>& groups() const { return groups_; }
  // Claims for which no place could be made, since start.
  void CountRefused() { ++refused_; }
  int64_t refused() const { return refused_; }

  std::string BrokenInvariant() const;

 private:
  struct Claim {
    int32_t groups = 0;
    int64_t members = 0;
  };

  // Nothing of it is live, and the pod is not of the owner whose pods it had.
  static bool BeginsAnew(const Group& group, const PodFacts& pod);
  absl::Status CheckMembers(const GroupSpec& spec, const Group* group) const;

  const ClaimLimits limits_;
  GroupId next_id_ = 1;
  std::map<GroupId, std::unique_ptr<Group>> groups_;
  std::vector<std::unique_ptr<Group>> erased_;  // whose memory is not given back yet
  std::map<GroupKey, GroupId> by_key_;
  std::map<std::string, std::set<GroupId>, std::less<>> by_name_;  // all incarnations
  TextMap<std::set<GroupId>> by_owner_;                            // by the UID of the first pod's
  std::map<std::string, Claim, std::less<>> claims_;               // by namespace
  std::map<GroupId, int64_t> counted_;                             // members claimed by each group
  int64_t refused_ = 0;
};

}  // namespace gangplan
