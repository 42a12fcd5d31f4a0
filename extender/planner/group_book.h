// The groups: found by the key of a spec, with their incarnations, and what each namespace claims.
// A group costs what its pods cost, but also a claim: so many groups, and so many members said to
// come, may one namespace have; all of them together are bounded too. Groups of owners that wait
// without pods are counted by themselves, against bounds as large: however many wait, the pods of
// others have their groups.
//
// Incarnations: a group of an owner ends with that owner's UID. One that is only a name begins anew
// when all its members have finished and a pod of another owner comes under it; the old one stays
// until its pods go, under a key of its own. Runs of a LeaderWorkerSet's replica have keys of their
// own from the beginning (replica_runs.h).
//
// Invariant: the claims of the namespaces are the sums over their groups.
// Thread rule: the planner's. Groups are named by id over calls; a pointer dies with Erase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/planner/claim_limits.h"
#include "extender/planner/group.h"
#include "topology/base/text_map.h"

namespace gangplan {

class GroupBook {
 public:
  using Groups = std::map<GroupId, std::unique_ptr<Group>>;

  explicit GroupBook(const ClaimLimits& limits) : limits_(limits) {}

  Group* Find(GroupId id);
  const Group* Find(GroupId id) const;
  // The newest incarnation of the key; null when there is none.
  Group* FindByKey(const GroupKey& key);
  const Group* FindByKey(const GroupKey& key) const;
  // By "namespace/name"; of several the newest. Null when there is none.
  Group* FindByName(std::string_view name);
  // All of them, in order of arrival.
  std::vector<GroupId> Named(std::string_view name) const;
  // Which have this owner, in order of arrival.
  std::vector<GroupId> OfOwner(std::string_view owner_uid) const;
  // It is not of the owner of its first pod, but of what that is a part of.
  void SetOwner(Group& group, const OwnerRef& owner);
  // The run of its name that has ended before the pod's own one begins; null: the pod begins none.
  const Group* RunBefore(const GroupSpec& spec, const PodFacts& pod);
  // The group that the pod is to join, made when there is none. ResourceExhausted, with a sentence
  // for people, when that would be beyond what its namespace, or all of them, may claim;
  // InvalidArgument when it alone would be.
  absl::StatusOr<Group*> GroupFor(const GroupSpec& spec, const PodFacts& pod) {
    return GroupFor(spec, pod, Claimant::kPods);
  }
  // Likewise of an owner that waits suspended, by a pod that it would make.
  absl::StatusOr<Group*> GroupForOwner(const GroupSpec& spec, const PodFacts& pod) {
    return GroupFor(spec, pod, Claimant::kOwner);
  }
  // From now on; whoever has more keeps it.
  void SetLimits(const ClaimLimits& limits) {
    limits_ = limits;
    ++room_version_;
  }
  // So many more of those may the namespace have, and all together.
  size_t RoomForOwners(std::string_view ns) const;
  size_t RoomForOwners() const;
  // Grows when there is more of that than before.
  uint64_t room_version() const { return room_version_; }
  // The group's size is another one now, or it has its first member, or its last one has left: what
  // it claims is counted anew.
  void CountClaim(const Group& group);
  // Its owner says so many more members of a pod set than it claims, 0 at least: as many of them as
  // its namespace may claim. Where these are fewer it is kept small until it is asked again.
  int64_t Grant(const Group& group, int32_t set, int64_t more);
  // The reason for people; empty: this pod set is not kept small.
  std::string WhyKeptSmall(const Group& group, int32_t set) const;
  // Those that are, after this one, so many at most.
  std::vector<GroupId> KeptSmall(GroupId after, size_t most) const;
  // Its members go over to the group that they make now: it is found by its id alone, until Erase,
  // is not among groups(), and claims nothing.
  void Retire(GroupId id);
  bool Retired(GroupId id) const { return retired_.contains(id); }
  bool AnyRetired() const { return !retired_.empty(); }
  void Erase(GroupId id);
  // Gives back memory of those that were erased: large ones take long. Once a tick.
  void FreeErased();
  // Something of it has changed: no member of it may be live any more, or some again.
  void NoteEnded(const Group& group);
  // The groups without a live member that have to go so that this one may come: of its namespace,
  // or one of any where all are too many; those that have succeeded as a whole first, of these the
  // oldest. Empty: they would not make place enough, or it is larger than any may be.
  // Of the oldest few hundred alone: a namespace at its limit asks for each pod beyond it.
  std::vector<GroupId> PlaceBy(const GroupSpec& spec) const;

  size_t size() const { return groups_.size(); }
  // In order of arrival.
  const Groups& groups() const { return groups_; }
  // Claims for which no place could be made, since start.
  void CountRefused() { ++refused_; }
  int64_t refused() const { return refused_; }

  std::string BrokenInvariant() const;

 private:
  enum class Claimant : uint8_t { kPods, kOwner };
  struct Claim {
    int32_t groups = 0;
    int64_t members = 0;
    friend bool operator==(const Claim&, const Claim&) = default;
  };
  using Claims = std::map<std::pair<std::string, Claimant>, Claim, std::less<>>;  // by namespace
  // What one group claims.
  struct Counted {
    Claimant by = Claimant::kPods;
    int64_t members = 0;
    friend bool operator==(const Counted&, const Counted&) = default;
  };

  static Group* In(const Groups& groups, GroupId id);
  static Claimant ClaimantOf(const Group& group);
  static bool HasEnded(const Group& group);
  void ForgetEnded(const Group& group);
  absl::StatusOr<Group*> GroupFor(const GroupSpec& spec, const PodFacts& pod, Claimant by);
  Claim ClaimOf(std::string_view ns, Claimant by) const;
  std::string BeyondClaim(std::string_view ns, int64_t more) const;
  size_t CountOf(Claimant by) const;
  absl::Status CheckGroups(std::string_view ns, Claimant by) const;
  void Count(const Group& group, const Counted& counted, int32_t sign);
  void Unlist(const Group& group);
  void UnlistOwner(const Group& group);

  // Nothing of it is live, and the pod is of no maker whose pods it had.
  static bool BeginsAnew(const Group& group, const PodFacts& pod);
  absl::Status CheckMembers(const GroupSpec& spec, const Group* group, Claimant by) const;

  ClaimLimits limits_;
  GroupId next_id_ = 1;
  Groups groups_;
  Groups retired_;
  std::vector<std::unique_ptr<Group>> erased_;  // whose memory is not given back yet
  std::map<GroupKey, GroupId> by_key_;
  std::map<std::string, std::set<GroupId>, std::less<>> by_name_;  // all incarnations
  TextMap<std::set<GroupId>> by_owner_;                            // by its UID
  Claims claims_;
  std::map<GroupId, Counted> counted_;
  std::map<std::pair<GroupId, int32_t>, int64_t> kept_small_;  // by pod set: what was not granted
  std::set<GroupId> ended_;                                    // as was noted last
  std::map<std::string, std::set<GroupId>, std::less<>> ended_in_;  // likewise, by namespace
  size_t owners_ = 0;                                               // groups that count as theirs
  uint64_t room_version_ = 0;
  int64_t refused_ = 0;
};

}  // namespace gangplan
