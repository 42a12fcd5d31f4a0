// What owners say of their groups: sizes and words that change while pods wait or run.
#include <algorithm>
#include <limits>

#include "extender/frontends/gangplan/runtime.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "extender/planner/limits.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/roster.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

// What has succeeded and is gone is not waited for, where the group is the owner's alone.
// REQUIRES: the owner says a size.
int64_t SlotsToStart(const Group& group, const OwnerFacts& owner) {
  if (!owner.left || group.key().incarnation.empty()) return *owner.size;
  return std::min(*owner.size, std::max<int64_t>(*owner.left, 1));
}

// Of a gang that runs: nobody lets go for what has succeeded.
int64_t SlotsToKeep(const Group& group, const OwnerFacts& owner, int32_t least) {
  if (!owner.left) return *owner.size;
  return std::min(*owner.size, std::max<int64_t>(*owner.left + group.finished(), least));
}

}  // namespace

void Roster::OnOwner(absl::Time now, std::string_view owner_uid,
                     const absl::StatusOr<OwnerFacts>& owner) {
  const OwnerBook::Read read = books_.owners.OnRead(now, owner_uid, owner);
  JudgeRead(now);
  if (read.changed) OwnerChanged(now, owner_uid, read);
}

// A pod that one controller has left may be taken by another one.
void Roster::TakeController(KnownPod& record, const PodFacts& pod) {
  if (record.owner_uid == OwnerUidOf(pod)) return;
  books_.owners.DropUser(record.owner_uid, pod.uid);
  record.owner_uid = books_.owners.AddUser(pod);
}

void Roster::JudgeRead(absl::Time now) {
  for (const PodFacts& pod : books_.owners.TakeRead(kJoinedAtOnce)) {
    plans_.Spend(kJoinWork);
    const KnownPod* record = books_.pods.Find(pod.uid);
    if (record != nullptr && record->group == 0) Judge(now, pod);
    // Whose plan had bound it may have waited for it.
    const Group* group = books_.groups.FindByName(NameInNamespace(pod.ns, PlanNameOf(pod)));
    if (group != nullptr) books_.lifecycle.Fire(group->id(), GroupEvent::kCapacityGained);
  }
}

// A group that has its size from its owner and has not started has as many slots as the owner has
// use for.
void Roster::FollowOwner(absl::Time now, GroupId id) {
  Group* group = books_.groups.Find(id);
  if (group == nullptr || group->Started() || !group->owner()) return;
  recheck_.SetEarlier(id, now + kOwnerRecheck);
  const OwnerFacts* owner = SizedBy(*group);
  if (owner != nullptr) TakeSize(*group, SlotsToStart(*group, *owner));
}

// Null: the group has its size from its own words, or nobody knows the owner's.
const OwnerFacts* Roster::SizedBy(const Group& group) const {
  if (!group.sized_by_owner()) return nullptr;
  const OwnerFacts* owner = books_.owners.Facts(group.owner()->uid);
  return owner == nullptr || !owner->size ? nullptr : owner;
}

void Roster::TakeSize(Group& group, int64_t size) {
  if (size != group.claimed() && size >= 1 && size <= kMaxGroupSize)
    plans_.Resize(group, static_cast<int32_t>(size));
}

// After a restart a gang that runs has the owner's full size, also where some have succeeded and
// are gone.
void Roster::DropSpareSlots() {
  for (const auto& [id, group] : books_.groups.groups()) {
    const bool runs = group->owner() && group->Started();
    const OwnerFacts* owner = runs ? SizedBy(*group) : nullptr;
    if (owner != nullptr)
      TakeSize(*group, SlotsToKeep(*group, *owner, group->live() + group->finished()));
  }
}

// Another size is that of its group, where the group has its size from it; other words are read by
// groups that have not started. What has no member yet is read with its first one.
void Roster::OwnerChanged(absl::Time now, std::string_view owner_uid, const OwnerBook::Read& read) {
  for (GroupId id : books_.groups.OfOwner(owner_uid)) {
    FollowOwner(now, id);
    Group& group = *books_.groups.Find(id);
    const OwnerFacts* owner = read.resized && group.Started() ? SizedBy(group) : nullptr;
    if (owner != nullptr) TakeSize(group, SlotsToKeep(group, *owner, group.claimed()));
    if (read.resized && group.AnyUnsound()) {
      group.MarkUntold();
      plans_.KeepUntold(id);
    }
    if (read.other_words && !group.Started() && !group.members().empty())
      MakeStale(group, "its owner says something else now");
  }
  ReadStale();
}

// Of one whose kubelet has not told when it started: it has only just been bound.
void Roster::NoteEnd(absl::Time now, const PodFacts& pod) {
  const KnownPod* record = books_.pods.Find(pod.uid);
  if (record == nullptr) return;
  constexpr int64_t kLast = std::numeric_limits<uint32_t>::max();  // the year 2106
  const int64_t taken = record->bound ? RoomTaken(pod, books_.owners.Facts(record->owner_uid)) : 0;
  int64_t started = absl::ToUnixSeconds(now);
  if (pod.run.started > 0) started = pod.run.started;
  const bool known = taken > 0 && pod.run.started == 0 && record->ends != 0;
  const int64_t ends = known ? record->ends : taken == 0 ? 0 : std::min(started + taken, kLast);
  books_.pods.NoteEnd(pod.uid, static_cast<uint32_t>(ends));
  plans_.NoteEnd(*record, pod.uid);
}

}  // namespace gangplan
