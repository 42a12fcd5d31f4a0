#include "extender/planner/group_book.h"

#include <algorithm>
#include <utility>

#include "extender/frontends/owner.h"
#include "extender/planner/limits.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Groups that have ended are looked at, the oldest first, to make place for one.
constexpr size_t kMaxEndedLooked = 256;

}  // namespace

Group* GroupBook::In(const Groups& groups, GroupId id) {
  const auto it = groups.find(id);
  return it == groups.end() ? nullptr : it->second.get();
}

Group* GroupBook::Find(GroupId id) {
  Group* group = In(groups_, id);
  return group != nullptr || retired_.empty() ? group : In(retired_, id);
}

const Group* GroupBook::Find(GroupId id) const {
  const Group* group = In(groups_, id);
  return group != nullptr || retired_.empty() ? group : In(retired_, id);
}

Group* GroupBook::FindByKey(const GroupKey& key) {
  auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : Find(it->second);
}

const Group* GroupBook::FindByKey(const GroupKey& key) const {
  auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : Find(it->second);
}

std::vector<GroupId> GroupBook::Named(std::string_view name) const {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

Group* GroupBook::FindByName(std::string_view name) {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : Find(*it->second.rbegin());
}

std::vector<GroupId> GroupBook::OfOwner(std::string_view owner_uid) const {
  auto it = by_owner_.find(owner_uid);
  if (it == by_owner_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

bool GroupBook::BeginsAnew(const Group& group, const PodFacts& pod) {
  if (!group.key().incarnation.empty() || group.AnyLive() || group.finished() == 0) return false;
  if (pod.finished()) return false;
  const std::string uid = MakerUidOf(pod);
  // After a restart what is bound may be of the same run, while some of that is not over.
  const bool bound = !pod.node_name.empty();
  if (bound && (uid.empty() || group.finished() < group.size())) return false;
  return uid.empty() || !group.HadPodsOf(uid);
}

const Group* GroupBook::RunBefore(const GroupSpec& spec, const PodFacts& pod) {
  const Group* found = FindByKey(spec.key);
  return found != nullptr && BeginsAnew(*found, pod) ? found : nullptr;
}

void GroupBook::SetOwner(Group& group, const OwnerRef& owner) {
  if (group.owner() == owner) return;
  UnlistOwner(group);
  group.owner_ = owner;
  by_owner_[owner.uid].insert(group.id());
}

GroupBook::Claimant GroupBook::ClaimantOf(const Group& group) {
  return group.StaysEmpty() && group.members().empty() ? Claimant::kOwner : Claimant::kPods;
}

GroupBook::Claim GroupBook::ClaimOf(std::string_view ns, Claimant by) const {
  const auto it = claims_.find({std::string(ns), by});
  return it == claims_.end() ? Claim{} : it->second;
}

size_t GroupBook::CountOf(Claimant by) const {
  return by == Claimant::kOwner ? owners_ : groups_.size() - owners_;
}

size_t GroupBook::RoomForOwners() const { return kMaxGroups - std::min(kMaxGroups, owners_); }

size_t GroupBook::RoomForOwners(std::string_view ns) const {
  const int32_t more = limits_.groups - ClaimOf(ns, Claimant::kOwner).groups;
  return std::min(RoomForOwners(), static_cast<size_t>(std::max(more, 0)));
}

absl::Status GroupBook::CheckGroups(std::string_view ns, Claimant by) const {
  const std::string_view what =
      by == Claimant::kOwner ? "Jobs and JobSets that wait suspended" : "groups";
  if (CountOf(by) >= kMaxGroups) {
    return absl::ResourceExhaustedError(
        ToAbsl(fmt::format("gangplan already keeps {} {}, its limit", kMaxGroups, what)));
  }
  if (ClaimOf(ns, by).groups >= limits_.groups) {
    return absl::ResourceExhaustedError(
        ToAbsl(fmt::format("namespace {} already has {} {}, the most that one may have "
                           "(limits.namespace.groups)",
                           ns, limits_.groups, what)));
  }
  return absl::OkStatus();
}

// Of a group that has told none so far, or, without any, other ones. `group`: null when there is
// none.
absl::Status GroupBook::CheckMembers(const GroupSpec& spec, const Group* group, Claimant by) const {
  const int64_t members = MembersOf(spec.pod_sets);
  if (members > limits_.members) {
    return absl::InvalidArgumentError(
        ToAbsl(fmt::format("the groups of namespace {} may have {} members in all "
                           "(limits.namespace.claimedMembers), and this one alone asks for {}: it "
                           "starts when it is smaller, or that limit is raised",
                           spec.key.ns, limits_.members, members)));
  }
  const int64_t more = members - (group == nullptr ? 0 : int64_t{group->claimed()});
  // Without what there is now: a text that changes all the time would be told each time.
  if (more > 0 && ClaimOf(spec.key.ns, by).members + more > limits_.members) {
    return absl::ResourceExhaustedError(ToAbsl(BeyondClaim(spec.key.ns, more)));
  }
  return absl::OkStatus();
}

std::string GroupBook::BeyondClaim(std::string_view ns, int64_t more) const {
  return fmt::format(
      "the groups of namespace {} may have {} members in all (limits.namespace.claimedMembers), "
      "and {} more would be above that",
      ns, limits_.members, more);
}

int64_t GroupBook::Grant(const Group& group, int32_t set, int64_t more) {
  const Claim claim = ClaimOf(group.key().ns, ClaimantOf(group));
  const int64_t room = std::max<int64_t>(limits_.members - claim.members, 0);
  if (more <= room) {
    kept_small_.erase({group.id(), set});
  } else {
    kept_small_[{group.id(), set}] = more;
  }
  return std::min(more, room);
}

std::string GroupBook::WhyKeptSmall(const Group& group, int32_t set) const {
  const auto more = kept_small_.find({group.id(), set});
  return more == kept_small_.end() ? std::string() : BeyondClaim(group.key().ns, more->second);
}

std::vector<GroupId> GroupBook::KeptSmall(GroupId after, size_t most) const {
  std::vector<GroupId> some;
  auto next = kept_small_.lower_bound({after + 1, 0});
  for (; next != kept_small_.end() && some.size() < most; ++next) some.push_back(next->first.first);
  return some;
}

absl::StatusOr<Group*> GroupBook::GroupFor(const GroupSpec& spec, const PodFacts& pod,
                                           Claimant by) {
  Group* found = FindByKey(spec.key);
  const bool there = found != nullptr && !BeginsAnew(*found, pod);
  if (there && found->size() > 0 && !found->StaysEmpty()) return found;
  if (there) by = ClaimantOf(*found);
  absl::Status claim = there ? absl::OkStatus() : CheckGroups(spec.key.ns, by);
  claim.Update(CheckMembers(spec, there ? found : nullptr, by));
  if (!claim.ok()) return claim;
  if (there) return found;
  const GroupId id = next_id_++;
  auto group = std::make_unique<Group>(id, spec.key, OwnerOf(pod));
  Group* raw = group.get();
  if (by == Claimant::kOwner) raw->SetStart(GroupStart::kSuspended);
  by_key_[spec.key] = id;
  by_name_[raw->name()].insert(id);
  if (raw->owner()) by_owner_[raw->owner()->uid].insert(id);
  groups_.emplace(id, std::move(group));
  CountClaim(*raw);
  return raw;
}

void GroupBook::Count(const Group& group, const Counted& counted, int32_t sign) {
  const auto claim = claims_.try_emplace({group.key().ns, counted.by}).first;
  claim->second.groups += sign;
  claim->second.members += sign * counted.members;
  if (claim->second.groups == 0) claims_.erase(claim);
  if (counted.by != Claimant::kOwner) return;
  owners_ += static_cast<size_t>(sign);
  room_version_ += sign < 0 ? 1 : 0;
}

void GroupBook::CountClaim(const Group& group) {
  if (retired_.contains(group.id())) return;
  const Counted now{ClaimantOf(group), group.claimed()};
  const auto [before, added] = counted_.try_emplace(group.id(), now);
  if (!added && before->second == now) return;
  if (!added) Count(group, std::exchange(before->second, now), -1);
  Count(group, now, 1);
}

void GroupBook::Unlist(const Group& group) {
  const GroupId id = group.id();
  Count(group, counted_.extract(id).mapped(), -1);
  ForgetEnded(group);
  kept_small_.erase(kept_small_.lower_bound({id, 0}), kept_small_.lower_bound({id + 1, 0}));
  // An incarnation that was followed by another one is found by its id only.
  if (auto key = by_key_.find(group.key()); key != by_key_.end() && key->second == id)
    by_key_.erase(key);
  auto name = by_name_.find(group.name());
  name->second.erase(id);
  if (name->second.empty()) by_name_.erase(name);
  UnlistOwner(group);
}

void GroupBook::UnlistOwner(const Group& group) {
  if (!group.owner()) return;
  auto owner = by_owner_.find(group.owner()->uid);
  owner->second.erase(group.id());
  if (owner->second.empty()) by_owner_.erase(owner);
}

void GroupBook::Retire(GroupId id) {
  auto it = groups_.find(id);
  if (it == groups_.end()) return;
  Unlist(*it->second);
  retired_.insert(groups_.extract(it));
}

void GroupBook::Erase(GroupId id) {
  Retire(id);
  auto it = retired_.find(id);
  if (it == retired_.end()) return;
  erased_.push_back(std::move(it->second));
  retired_.erase(it);
}

void GroupBook::FreeErased() {
  for (int64_t left = kFreedAtOnce; left > 0 && !erased_.empty(); --left) {
    left = erased_.back()->FreeSome(left);
    if (left > 0) erased_.pop_back();
  }
}

bool GroupBook::HasEnded(const Group& group) {
  const bool problems = group.members().size() != static_cast<size_t>(group.finished());
  return !group.StaysEmpty() && !group.AnyLive() && group.holds() == 0 && !problems;
}

void GroupBook::ForgetEnded(const Group& group) {
  if (ended_.erase(group.id()) == 0) return;
  const auto in = ended_in_.find(group.key().ns);
  in->second.erase(group.id());
  if (in->second.empty()) ended_in_.erase(in);
}

void GroupBook::NoteEnded(const Group& group) {
  if (retired_.contains(group.id())) return;
  if (!HasEnded(group)) return ForgetEnded(group);
  if (ended_.insert(group.id()).second) ended_in_[group.key().ns].insert(group.id());
}

std::vector<GroupId> GroupBook::PlaceBy(const GroupSpec& spec) const {
  const bool any = CountOf(Claimant::kPods) >= kMaxGroups;
  const Claim claim = ClaimOf(spec.key.ns, Claimant::kPods);
  const int64_t asked = MembersOf(spec.pod_sets);
  const bool full = any || claim.groups >= limits_.groups;
  int64_t members = claim.members + asked - limits_.members;
  if (asked > limits_.members || (!full && members <= 0)) return {};  // never, or it has its place
  const auto in = ended_in_.find(spec.key.ns);
  if (!any && in == ended_in_.end()) return {};
  // One of others frees no members here.
  const bool own = in != ended_in_.end() && (members > 0 || !any);
  if (!own && members > 0) return {};
  std::vector<GroupId> place;
  for (const bool whole : {true, false}) {
    size_t looks = 0;
    for (GroupId id : own ? in->second : ended_) {
      if (++looks > kMaxEndedLooked) break;
      const Group& group = *Find(id);
      if (!HasEnded(group) || group.AllFinished() != whole) continue;
      place.push_back(id);
      members -= group.claimed();
      if (members <= 0) return place;
    }
  }
  return {};
}

std::string GroupBook::BrokenInvariant() const {
  Claims claims;
  for (const auto& [id, group] : groups_) {
    if (std::string broken = group->BrokenInvariant(); !broken.empty()) return broken;
    Claim& claim = claims[{group->key().ns, ClaimantOf(*group)}];
    ++claim.groups;
    claim.members += group->claimed();
  }
  return claims == claims_ ? std::string() : "group book: claims are miscounted";
}

}  // namespace gangplan
