// Who stands in line for room, and who may pass: the operator's queue.mode.
#include "extender/planner/plans.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

SolveQueue::Place PlaceOf(const Group& group) {
  return SolveQueue::PlaceOf(group.id(),
                             {group.priority(), group.object_priority(), group.created()});
}

}  // namespace

// Who has begun, or holds room, had its turn; whose pods may go to certain nodes only can give
// nobody anything by waiting.
bool Plans::MustWait(const Group& group) const {
  if (options_.queue_mode != QueueMode::kStrict) return false;
  if (group.Started() || group.holds() > 0 || group.IsFixed()) return false;
  return books_.line.AnyBefore(PlaceOf(group));
}

void Plans::TellBehind(Group& group) {
  Verdict verdict{Outcome::kWait,
                  fmt::format("gang {} of {}: others that wait for room come before it, and nobody "
                              "passes them (queue.mode: strict); gangplan explain tells its place",
                              group.name(), group.size()),
                  true};
  verdict.behind = true;
  Fail(group, std::move(verdict));
}

// All of it is there, or is made when it has room, and nothing of it has begun.
bool Plans::IsWhole(const Group& group) {
  return !group.Started() && !group.AnyUnsound() && group.Placeable() &&
         (group.suspended() || group.live() >= group.size());
}

void Plans::StandInLine(const Group& group) {
  if (options_.queue_mode == QueueMode::kGreedy) return;
  const bool stands = IsWhole(group) && group.holds() == 0 && !group.IsFixed() &&
                      books_.yielding.EvictedFor(group.id()) == nullptr;
  if (stands) {
    books_.line.Stand(PlaceOf(group));
  } else {
    books_.line.Leave(group.id());
  }
}

// What was told of it says that it waits for room.
void Plans::StandAsTold(const Group& group) {
  const Verdict& told = group.verdict();
  if (told.outcome == Outcome::kWait && told.decided && !told.early) {
    StandInLine(group);
  } else {
    books_.line.Leave(group.id());
  }
}

}  // namespace gangplan
