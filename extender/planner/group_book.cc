#include "extender/planner/group_book.h"

#include <algorithm>

#include "extender/frontends/owner.h"
#include "extender/planner/limits.h"
#include "topology/base/text.h"

namespace gangplan {

Group* GroupBook::Find(GroupId id) {
  auto it = groups_.find(id);
  return it == groups_.end() ? nullptr : it->second.get();
}

const Group* GroupBook::Find(GroupId id) const {
  auto it = groups_.find(id);
  return it == groups_.end() ? nullptr : it->second.get();
}

Group* GroupBook::FindByKey(const GroupKey& key) {
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
  const std::string_view uid = OwnerUidOf(pod);
  // After a restart what is bound may be of the same run, while some of that is not over.
  const bool bound = !pod.node_name.empty();
  if (bound && (uid.empty() || group.finished() < group.size())) return false;
  return uid.empty() || !group.HadPodsOf(uid);
}

absl::Status GroupBook::CheckGroups(std::string_view ns) const {
  if (groups_.size() >= kMaxGroups) {
    return absl::ResourceExhaustedError(
        ToAbsl(fmt::format("gangplan already keeps {} groups, its limit", kMaxGroups)));
  }
  auto it = claims_.find(ns);
  if (it != claims_.end() && it->second.groups >= limits_.groups) {
    return absl::ResourceExhaustedError(
        ToAbsl(fmt::format("namespace {} already has {} groups, the most that one may have "
                           "(limits.namespace.groups)",
                           ns, limits_.groups)));
  }
  return absl::OkStatus();
}

// Of a group that has told none so far, or, without any, other ones. `group`: null when there is
// none.
absl::Status GroupBook::CheckMembers(const GroupSpec& spec, const Group* group) const {
  auto it = claims_.find(spec.key.ns);
  const Claim claim = it == claims_.end() ? Claim{} : it->second;
  const int64_t more =
      MembersOf(spec.pod_sets) - (group == nullptr ? 0 : int64_t{group->claimed()});
  if (more > 0 && claim.members + more > limits_.members) {
    return absl::ResourceExhaustedError(ToAbsl(fmt::format(
        "namespace {} has groups of {} members in all, and {} more would be above {}, the most "
        "that one may claim (limits.namespace.claimedMembers)",
        spec.key.ns, claim.members, more, limits_.members)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Group*> GroupBook::GroupFor(const GroupSpec& spec, const PodFacts& pod) {
  Group* found = FindByKey(spec.key);
  const bool there = found != nullptr && !BeginsAnew(*found, pod);
  if (there && found->size() > 0 && !found->StaysEmpty()) return found;
  absl::Status claim = there ? absl::OkStatus() : CheckGroups(spec.key.ns);
  claim.Update(CheckMembers(spec, there ? found : nullptr));
  if (!claim.ok()) return claim;
  if (there) return found;
  const GroupId id = next_id_++;
  auto group = std::make_unique<Group>(id, spec.key, OwnerOf(pod));
  Group* raw = group.get();
  by_key_[spec.key] = id;
  by_name_[raw->name()].insert(id);
  if (raw->owner()) by_owner_[raw->owner()->uid].insert(id);
  ++claims_[spec.key.ns].groups;
  groups_.emplace(id, std::move(group));
  return raw;
}

void GroupBook::CountClaim(const Group& group) {
  int64_t& counted = counted_[group.id()];
  claims_[group.key().ns].members += group.claimed() - counted;
  counted = group.claimed();
}

void GroupBook::Erase(GroupId id) {
  auto it = groups_.find(id);
  if (it == groups_.end()) return;
  const Group& group = *it->second;
  auto claim = claims_.find(group.key().ns);
  --claim->second.groups;
  auto counted = counted_.find(id);
  if (counted != counted_.end()) {
    claim->second.members -= counted->second;
    counted_.erase(counted);
  }
  if (claim->second.groups == 0) claims_.erase(claim);
  // An incarnation that was followed by another one is found by its id only.
  if (auto key = by_key_.find(group.key()); key != by_key_.end() && key->second == id)
    by_key_.erase(key);
  auto name = by_name_.find(group.name());
  name->second.erase(id);
  if (name->second.empty()) by_name_.erase(name);
  if (group.owner()) {
    auto owner = by_owner_.find(group.owner()->uid);
    owner->second.erase(id);
    if (owner->second.empty()) by_owner_.erase(owner);
  }
  erased_.push_back(std::move(it->second));
  groups_.erase(it);
}

void GroupBook::FreeErased() {
  for (int64_t left = kFreedAtOnce; left > 0 && !erased_.empty(); --left) {
    left = erased_.back()->FreeSome(left);
    if (left > 0) erased_.pop_back();
  }
}

GroupId GroupBook::OldestEnded(std::string_view ns) const {
  const bool any = groups_.size() >= kMaxGroups;
  for (const auto& [id, group] : groups_) {
    if (group->StaysEmpty() || (!any && group->key().ns != ns)) continue;
    const bool problems = group->members().size() != static_cast<size_t>(group->finished());
    if (!group->AnyLive() && group->holds() == 0 && !problems) return id;
  }
  return 0;
}

std::string GroupBook::BrokenInvariant() const {
  std::map<std::string, Claim, std::less<>> claims;
  for (const auto& [id, group] : groups_) {
    if (std::string broken = group->BrokenInvariant(); !broken.empty()) return broken;
    Claim& claim = claims[group->key().ns];
    ++claim.groups;
    claim.members += group->claimed();
  }
  const bool same = std::equal(claims.begin(), claims.end(), claims_.begin(), claims_.end(),
                               [](const auto& a, const auto& b) {
                                 return a.first == b.first && a.second.groups == b.second.groups &&
                                        a.second.members == b.second.members;
                               });
  return same ? std::string() : "group book: claims are miscounted";
}

}  // namespace gangplan
