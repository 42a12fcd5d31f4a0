// Questions that are asked on copies of the model: what may take long, beside the lock, and what
// looks behind the room of lesser groups.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "extender/planner/known_ends.h"
#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "extender/planner/plans.h"
#include "extender/planner/solve_rank.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// Reads the counts that a copy takes, as long as `is_over` does not say that there was enough for
// one turn, and so much in any case as one shape costs that is new. False: there are more of them.
template <typename IsOver>
bool CountShapes(const Model& model, const Group& group, IsOver is_over) {
  const int64_t enough = model.work() + model.tree(group.topology()).leaf_count();
  for (const PodSet& set : group.pod_sets().sets()) {
    for (const CountKind kind : {CountKind::kNow, CountKind::kEmpty}) {
      if (is_over() && model.work() >= enough) return false;
      if (set.shape >= 0) model.Counts(set.shape, kind);
    }
  }
  return true;
}

}  // namespace

// ---- beside the lock

void Plans::Line(const Group& group) {
  line_.Mark(group.id(), group.key().ns, RankOf(group), books_.shares.on());
}

// With more steps where those of the last time were too few: the same would come of the same.
// REQUIRES: no other one is solved.
void Plans::Send(const Group& group, std::shared_ptr<SolveTask> task,
                 std::optional<Verdict> without) {
  task->steps = kCopySteps << std::min(group.undecided(), kMostDoubledSteps);
  outside_ = {group.id(), std::move(without), false, gains_.asked_all()};
  line_.Asked(group.id());
  round_.PutOffSolve();
  books_.outbox.Push(SolveOnCopy{std::move(task)});
}

void Plans::SolveOutside(Group& group, const std::vector<int32_t>& wanted) {
  StandInLine(group);
  const auto is_over = [this] { return round_.IsOver(); };
  if (outside_.group != 0 || !line_.empty() || !CountShapes(books_.ledger.model(), group, is_over))
    return Line(group);
  Send(group, books_.placer.CopyOf(group, wanted), std::nullopt);
}

// Its steps were of no use here before: a copy of how things are now is asked at once. Looks at one
// of them at least.
void Plans::SolveNextOutside() {
  const bool may = planning_ && moved_.empty() && !IsFreeing() && !books_.named.seeks() &&
                   !books_.named.wants_copy() && !books_.lines.AnyAsksNext();
  const auto is_over = [this] { return round_.IsOver(); };
  for (bool first = true; may && outside_.group == 0 && !line_.empty(); first = false) {
    if (!first && round_.IsOver()) return;
    const GroupId id = line_.Take();
    Group* group = books_.groups.Find(id);
    const bool ready = group != nullptr && IsReady(*group);
    const bool asks = ready && !MustWait(*group);
    if (asks) {
      EnsureShapes(*group);
      // It is still its turn, in the next one of the lock.
      if (!CountShapes(books_.ledger.model(), *group, is_over)) return Line(*group);
    }
    line_.Cut();  // the next one of its priority comes after it
    if (!asks) {
      line_.Forget(id);
      if (ready) TellBehind(*group);
      continue;
    }
    group->NoteTried(gains_.VersionOf(*group), books_.ledger.NeighbourGain(group->id()));
    const std::vector<int32_t> wanted = group->WantedSlots();
    if (wanted.empty()) {
      Mark(*group);
    } else {
      Send(*group, books_.placer.CopyOf(*group, wanted), std::nullopt);
    }
  }
}

void Plans::OnSolved(absl::Time now, const SolveTask& task) {
  const Outside asked = std::exchange(outside_, {});
  if (IsNamed(task.group)) return TakeNamed(task);
  answered_ = task.group;
  TakeSolved(now, task, asked);
  answered_ = 0;
  // What came free since the copy was taken was of no use to a group that did not wait yet.
  Group* group = books_.groups.Find(task.group);
  const bool waits = group != nullptr && outside_.group != group->id();
  const bool anew = asked.anew || asked.asked_all != gains_.asked_all();
  if (waits && (anew || (group->WantsSlots() && MayGain(*group))))
    books_.lifecycle.Fire(group->id(), GroupEvent::kCapacityGained);
  if (!round_.IsOver()) SolveNextOutside();  // else with the next turn
}

void Plans::TakeSolved(absl::Time now, const SolveTask& task, const Outside& asked) {
  Group* group = books_.groups.Find(task.group);
  if (group == nullptr || !group->stale().empty()) return;
  group->AddSolverTime(task.solved.took);
  const bool ends = group->start() == GroupStart::kEnding;
  const bool yields = books_.yielding.EvictedFor(group->id()) != nullptr;
  const bool kept_back = !WhyKeptBack(*group).empty();
  if (ends || yields || kept_back || !books_.placer.WouldAsk(*group, task)) return Mark(*group);
  if (!task.ends && MustWait(*group)) return TellBehind(*group);
  Plan plan = books_.placer.PlanOf(*group, task);
  if (task.ends) {
    TakeForeseen(*group, task, std::move(plan));
    if (group->state() == GroupState::kNew) Mark(*group);  // room came free, and it was not asked
    return;
  }
  if (task.victims) return TakeAnswer(now, *group, task, std::move(plan), *asked.without);
  if (!plan.placed() && !plan.verdict.decided) return Undecided(now, *group, asked, plan);
  if (asked.without) return TakeBehind(now, *group, plan, *asked.without);
  if (plan.placed() && !Fits(*group, plan)) {
    // Those who came meanwhile may be lesser ones; else its turn comes once more.
    const bool may = WhyNotYet(*group).empty();
    if (!may || !TakeFromLesser(now, *group, plan)) Line(*group);
    return;
  }
  if (plan.verdict.hope_open) group->CountUndecided();  // the next question has more steps
  Conclude(now, *group, std::move(plan), task.wanted);
}

void Plans::Undecided(absl::Time now, Group& group, const Outside& asked, const Plan& plan) {
  group.CountUndecided();
  books_.queue.Pause(group.id(),
                     now + SolveQueue::PauseAfter(kUndecidedPause, group.undecided() - 1));
  Mark(group);
  Fail(group, asked.without.value_or(plan.verdict));
}

// All of it at once. O(places x log places).
bool Plans::Fits(const Group& group, const Plan& plan) const {
  if (!books_.placer.Allows(group, plan)) return false;
  std::vector<NodeAndSet> places;
  places.reserve(plan.places.size());
  for (const auto& [slot, node] : plan.places)
    places.emplace_back(node, group.pod_sets().IndexOf(slot));
  std::sort(places.begin(), places.end());
  for (std::span<const NodeAndSet> left = places; !left.empty();) {
    const auto other = std::find_if(left.begin(), left.end(), [&](const NodeAndSet& place) {
      return place.first != left.front().first;
    });
    const auto here = static_cast<size_t>(other - left.begin());
    if (!FitOn(group, left.first(here))) return false;
    left = left.subspan(here);
  }
  return true;
}

// `places`: all of one node, by pod set. Counts nothing: while holds are lifted that would look as
// if room had come free before it does.
bool Plans::FitOn(const Group& group, std::span<const NodeAndSet> places) const {
  const Model& model = books_.ledger.model();
  const NodeIndex node = places.front().first;
  ResourceList sum;
  int32_t last = -1;
  for (const auto& [on, index] : places) {
    const PodSet& set = group.pod_sets().at(index);
    AddResources(sum, set.demand);
    if (index != last && !model.MayUse(node, set.shape)) return false;
    last = index;
  }
  return model.HasRoom(node, sum);
}

// ---- behind the room of lesser groups

// Whose room it may have: that of groups of lesser priority, unless it is a reservation's, which is
// not its own; what such groups keep for what they may lose; and what is kept for the first in line
// where that does not come later for it. Who is whole, or runs in part, may be gone in time.
std::vector<GroupId> Plans::GiveWayTo(absl::Time now, const Group& group) {
  std::vector<GroupId> accounts = lesser_.Below(group.topology(), group.priority(), round_.spent());
  const auto* own = books_.named.RoomOf(group);
  std::erase_if(accounts, [&](GroupId id) {
    const Group* lesser = books_.groups.Find(id);
    const auto* room = lesser == nullptr ? nullptr : books_.named.RoomOf(*lesser);
    return room != nullptr && room != own;
  });
  for (const GroupId lesser : books_.ledger.SparingBelow(group.priority())) {
    const Group* one = books_.groups.Find(lesser);
    const bool same = one != nullptr && one->topology() == group.topology();
    if (same && lesser != group.id()) accounts.push_back(SparesFor(lesser));
  }
  if (const auto kept = Passable(now, group)) accounts.push_back(*kept);
  const bool mends = group.Started() && !OnlyJoins(group, books_.owners);
  const int64_t end = IsWhole(group) || mends ? EndOfNew(now, group, options_.gather_timeout) : 0;
  for (const GroupId named : books_.named.OpenTo(group, end)) accounts.push_back(named);
  return accounts;
}

// Of a question that is answered in the turn itself.
int64_t Plans::WorkOf(const SolveTask& task) {
  const int64_t shapes = std::ssize(task.shapes);
  return task.snapshot.tree().leaf_count() + kLookWork * std::ssize(task.behind) * shapes;
}

// Where it would go if they held nothing; `without`: what it is told if that does not help, either.
// False: there is nobody who would give way.
bool Plans::AskForLesser(absl::Time now, Group& group, const Verdict& without,
                         const std::vector<int32_t>& wanted) {
  const std::vector<GroupId> lesser = GiveWayTo(now, group);
  if (lesser.empty() || MayGain(group)) return false;  // it is asked anew for what has come free
  if (ComesFree(group)) return true;
  const bool own = answered_ == group.id();
  // The copy takes as long as several turns that are over: one of its own.
  const bool late = round_.IsOver() && !own;
  const bool here = books_.placer.IsShort(group) && !late;
  const bool free = outside_.group == 0 && (line_.empty() || own) && !late;
  std::shared_ptr<SolveTask> task;
  if (here || free) {
    books_.ledger.WithoutNeighbours(
        lesser, [&] { task = books_.placer.CopyOf(group, wanted, books_.ledger.RoomOf(lesser)); });
  }
  if (here) {
    round_.Spend(WorkOf(*task));
    task->Run(kSolveSteps);
    group.AddSolverTime(task->solved.took);
    const Plan plan = books_.placer.PlanOf(group, *task);
    if (plan.placed() || plan.verdict.decided) {
      TakeBehind(now, group, plan, without);
      return true;
    }
  }
  if (free) {
    Send(group, std::move(task), without);
  } else {
    Line(group);
  }
  return true;
}

void Plans::TakeBehind(absl::Time now, Group& group, const Plan& plan, const Verdict& without) {
  if (!plan.placed()) {
    if (!AskForVictims(now, group, without, group.WantedSlots())) Fail(group, without);
  } else if (const std::string early = WhyNotYet(group); !early.empty()) {
    TellEarly(group, early, true);
  } else if (!TakeFromLesser(now, group, plan)) {
    Mark(group);
  }
}

// Those of them that hold room on the plan's nodes; all of them where their pods rule nodes out for
// others.
std::vector<GroupId> Plans::InTheWay(absl::Time now, const Group& group, const Plan& plan) {
  std::vector<GroupId> lesser = GiveWayTo(now, group);
  if (!books_.ledger.neighbours().silent()) return lesser;
  std::set<NodeIndex> nodes;
  for (const auto& [slot, node] : plan.places) nodes.insert(node);
  std::set<GroupId> on_nodes;
  for (NodeIndex node : nodes) {
    for (GroupId id : books_.ledger.GroupsOn(node)) on_nodes.insert(id);
  }
  std::erase_if(lesser, [&](GroupId id) { return !on_nodes.contains(id); });
  return lesser;
}

// They are lifted, and those of them that do not stand in its way come back. False: the plan does
// not fit without them, either.
bool Plans::TakeFromLesser(absl::Time now, Group& group, const Plan& plan) {
  std::vector<GroupId> lifted = InTheWay(now, group, plan);
  const std::vector<NodeIndex> named = LiftNamed(lifted, plan);
  std::map<GroupId, std::vector<Ledger::Lifted>> holds;
  for (GroupId id : lifted) {
    holds[id] = books_.ledger.Lift(id);
    round_.Spend(2 * kSlotWork * static_cast<int64_t>(holds[id].size()));
  }
  const bool fits = Fits(group, plan);
  if (fits) Found(now, group, plan);
  std::reverse(lifted.begin(), lifted.end());  // the greatest priority first, then the oldest
  for (GroupId id : lifted) {
    const bool back = books_.ledger.PutBack(id, holds[id]);
    if (back) continue;
    if (IsKept(id)) {  // it is kept anew before anybody else passes; spares look for others
      books_.lines.of(group.topology()).Unreserve();
    } else {
      GiveWay(*books_.groups.Find(id), holds[id], group);
    }
  }
  books_.named.FitAt(named);
  return fits;
}

void Plans::GiveWay(Group& lesser, const std::vector<Ledger::Lifted>& holds, const Group& group) {
  const std::string why = Yielding::WhyEvicted(lesser.name(), group.name());
  std::vector<int32_t> slots;
  for (const Ledger::Lifted& hold : holds) {
    if (const Member* member = lesser.At(hold.slot)) DropCall(lesser, member->pod.uid, why);
    slots.push_back(hold.slot);
  }
  ForgetNodes(lesser, slots);
  books_.vacant.Forget(lesser);
  books_.lifecycle.Fire(lesser.id(), GroupEvent::kSlotLost);
}

}  // namespace gangplan
