#include "extender/planner/ladders.h"

#include <algorithm>

#include "extender/planner/limits.h"

namespace gangplan {
namespace {

// The last one that is due after so long.
size_t RungAfter(const std::vector<Rung>& ladder, absl::Duration waited) {
  size_t rung = 0;
  while (rung + 1 < ladder.size() && ladder[rung + 1].after <= waited) ++rung;
  return rung;
}

}  // namespace

void Ladders::Follow(absl::Time now) {
  for (GroupId id : plans_.TakeLaddersTold()) Watch(now, id);
}

void Ladders::Tick(absl::Time now) {
  for (const auto& [id, lost] : plans_.TakeLadderNews()) {
    if (lost || due_.Of(id) == absl::InfiniteFuture()) Watch(now, id);
  }
  for (GroupId id : due_.TakeDue(now, kWatchedAtOnce)) Watch(now, id);
}

// The oldest of its members that wait; where it is later, since when its owner is suspended. The
// infinite future: nobody waits.
absl::Time Ladders::WaitsSince(const Group& group) const {
  if (group.members().empty()) return group.waits_since().value_or(absl::InfiniteFuture());
  absl::Time oldest = absl::InfiniteFuture();
  for (const auto& [uid, member] : group.members()) {
    if (!member.live() || member.runs) continue;
    const int64_t created = books_.pods.At(uid).created;
    oldest = std::min(oldest, created > 0 ? absl::FromUnixSeconds(created) : member.seen);
  }
  return std::max(oldest, group.waits_since().value_or(absl::InfinitePast()));
}

void Ladders::Watch(absl::Time now, GroupId id) {
  due_.Clear(id);
  Group* group = books_.groups.Find(id);
  if (group == nullptr || group->ladder().empty()) return;
  if (group->IsWholePlan()) return due_.Set(id, now + kLadderRetry);  // it may come to nothing
  if (!group->Started() && group->start() != GroupStart::kComing) group->ForgetBoundBy();
  const std::vector<Rung>& ladder = group->ladder();
  const absl::Time since = WaitsSince(*group);
  const size_t rung = std::max(group->bound_by(), RungAfter(ladder, now - since));
  if (rung + 1 < ladder.size()) due_.Set(id, since + ladder[rung + 1].after);
  if (rung == group->rung()) return;
  group->SetRung(rung);
  if (group->WaitsForRoom()) plans_.AskAnew(id);
}

}  // namespace gangplan
