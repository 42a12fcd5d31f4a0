#include "extender/planner/plans.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/plan_words.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// A round does so much work: a solve costs its share of the tree, and something by itself.
constexpr int64_t kRoundWork = 100'000;
constexpr int64_t kSolveWork = 1'000;
constexpr int64_t kNoWork = 100;

}  // namespace

// ---- the loop

void Plans::Settle(absl::Time now) {
  for (int64_t work = kRoundWork;;) {
    books_.lifecycle.Run(now, *this);
    if (!planning_ || books_.queue.empty()) return;
    // Nobody is solved before those are marked that may go before.
    if (FireGained()) continue;
    if (work <= 0) {
      books_.queue.Cut();
      return;
    }
    Group* group = books_.groups.Find(*books_.queue.Take());
    if (group != nullptr) work -= Solve(now, *group);
  }
}

void Plans::Mark(const Group& group) {
  const bool first = !planning_ && group.Started();
  books_.queue.Mark(group.id(), first ? kSystemPriority : group.priority(),
                    group.object_priority());
}

void Plans::Carry(absl::Time now, Group& group, GroupAction action) {
  switch (action) {
    case GroupAction::kNothing:
      break;
    case GroupAction::kSolve:
      Mark(group);
      break;
    case GroupAction::kArmGather:
      Arm(now, group, HoldReason::kGathering);
      break;
    case GroupAction::kArmStart:
      Arm(now, group, HoldReason::kStarting);
      break;
    case GroupAction::kArmRepair:
      Arm(now, group, HoldReason::kRepairing);
      break;
    case GroupAction::kDisarm:
      Release(group, fmt::format("gang {}: its room is not needed", group.name()));
      group.DropSlots();
      break;
    case GroupAction::kRelease:
      GiveBack(now, group);
      break;
    case GroupAction::kGiveUp:
      GiveUp(now, group);
      break;
    case GroupAction::kAskCommit:
      books_.outbox.Push(CommitReady{group.id()});
      break;
  }
}

void Plans::Arm(absl::Time now, Group& group, HoldReason reason) {
  group.NoteProgress();
  books_.ledger.SetEnd(group.id(), reason, now + options_.gather_timeout);
}

// ---- solves

// What it cost, as a share of a round.
int64_t Plans::Solve(absl::Time now, Group& group) {
  if (!IsReady(group)) return kNoWork;
  EnsureShapes(group);
  const uint64_t gain = GainOf(group);
  const uint64_t neighbours = books_.ledger.NeighbourGain(group.id());
  const bool tried = group.tried() == gain && group.tried_neighbours() == neighbours;
  const std::string early = WhyNotYet(group);
  const Verdict& last = group.verdict();
  if (!early.empty() && last.early && (last.fits || tried)) {
    if (last.fits) TellEarly(group, early, true);
    return kNoWork;
  }
  group.NoteTried(gain, neighbours);
  std::vector<int32_t> wanted = group.WantedSlots();
  if (wanted.empty()) {
    if (group.plans() == 0) group.CountPlan();
    books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFound);
    return kNoWork;
  }
  const int64_t cost = kSolveWork + books_.ledger.model().tree().leaf_count();
  Plan plan = Ask(group, wanted);
  if (!plan.placed() && !group.Started() && group.In(SlotState::kHeld) > 0) {
    Release(group, fmt::format("gang {}: a planned node was lost, the gang is planned anew",
                               group.name()));
    wanted = group.WantedSlots();
    plan = Ask(group, wanted);
  }
  const bool waits = !plan.placed() && plan.verdict.outcome == Outcome::kWait;
  if (!plan.verdict.decided) {
    SolveOutside(group, wanted);
  } else if (waits && !early.empty()) {
    TellEarly(group, std::move(plan.verdict.reason), false);
  } else if (!waits || !TakeFromLesser(now, group, wanted)) {
    Conclude(now, group, std::move(plan));
  }
  return cost;
}

// Impossible is told at once, and a plan of which too few members exist is kept by nobody.
void Plans::Conclude(absl::Time now, Group& group, Plan plan) {
  if (!plan.placed()) {
    Fail(group, std::move(plan.verdict));
  } else if (const std::string early = WhyNotYet(group); !early.empty()) {
    TellEarly(group, early, true);
  } else {
    Found(now, group, plan);
  }
}

// It stays where it is until more members come, or more room where it does not fit.
void Plans::TellEarly(Group& group, std::string reason, bool fits) {
  group.SetVerdict({Outcome::kWait, std::move(reason), true, true, fits});
}

// Sets the verdict when it is not.
bool Plans::IsReady(Group& group) {
  if (!group.stale().empty() || group.size() == 0 || IsSolvedOutside(group.id())) return false;
  // It was marked before it came to rest.
  if (group.state() == GroupState::kBlocked || group.state() == GroupState::kReleased) return false;
  // Some of it runs and its owner is not known yet: where it runs is not known, either.
  if (books_.owners.AwaitsPlan(group.key().ns, group.key().name)) return false;
  if (std::string fault = books_.placer.FaultOf(group); !fault.empty()) {
    Fail(group,
         {Outcome::kInvalid, fmt::format("gang {}: invalid: {}", group.name(), fault), true});
    return false;
  }
  if (!group.Placeable()) {
    Fail(group, {Outcome::kWait, group.UnseenText(), true});
    return false;
  }
  return true;
}

Plan Plans::Ask(Group& group, const std::vector<int32_t>& wanted) const {
  Plan plan = books_.placer.Place(group, wanted, Budget{kSolveSteps});
  group.AddSolverTime(plan.took);
  return plan;
}

void Plans::Found(absl::Time now, Group& group, const Plan& plan) {
  Take(now, group, plan);
  books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFound);
  NominateAll(group);
}

void Plans::Fail(Group& group, Verdict verdict) {
  group.SetVerdict(std::move(verdict));
  books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFailed);
}

// Room is held for all once enough of them are there, and not for too many that are not. Owners
// that make the next pod when the last one runs never have more than the first one. Empty: it may
// be held.
std::string Plans::WhyNotYet(const Group& group) const {
  if (group.Started() || group.planned() || options_.start_at_first_member) return {};
  const int64_t needed = (int64_t{group.size()} * options_.hold_from + 99) / 100;
  if (group.live() >= needed) return books_.vacant.Refusal(group, books_.ledger);
  return fmt::format(
      "gang {} of {}: {} of its members exist; room is held for all when {} do (gang.holdFrom)",
      group.name(), group.size(), group.live(), needed);
}

void Plans::EnsureShapes(Group& group) {
  DropShapes(group);
  for (size_t i = 0; i < group.pod_sets().sets().size(); ++i) {
    const PodSet& set = group.pod_sets().sets()[i];
    if (!set.known || set.shape >= 0) continue;
    const auto index = static_cast<int32_t>(i);
    group.SetShape(index, books_.ledger.AcquireShape(set.demand, set.filter));
    books_.ledger.Seek(group.id(), index, set.profile);
  }
}

std::vector<ShapeId> Plans::ShapesOf(const Group& group) const {
  std::vector<ShapeId> shapes;
  for (const PodSet& set : group.pod_sets().sets()) {
    if (set.shape >= 0) shapes.push_back(set.shape);
  }
  return shapes;
}

// What came free may be enough together with the room of those who give way, where no count grew.
bool Plans::MayTakeFromLesser(const Group& group) const {
  return least_held_ && group.priority() > *least_held_;
}

uint64_t Plans::GainOf(const Group& group) const {
  std::vector<ShapeId> shapes = ShapesOf(group);
  if (shapes.size() == 1 && MayTakeFromLesser(group)) shapes.push_back(shapes.front());
  return books_.ledger.model().Gain(shapes);
}

// A group that waits is asked again only when more of its shapes fit somewhere, and enough of them
// for it where its members must share a domain.
bool Plans::MayGain(const Group& group) const {
  const std::vector<ShapeId> shapes = ShapesOf(group);
  if (shapes.empty()) return false;
  if (books_.ledger.NeighbourGain(group.id()) != group.tried_neighbours()) return true;
  if (GainOf(group) == group.tried()) return false;
  if (MayTakeFromLesser(group)) return true;
  const auto leaves = books_.ledger.model().GainedLeaves(shapes, group.tried());
  return !leaves || books_.placer.MayProfit(group, *leaves);
}

void Plans::NoteLeastHeld() {
  least_held_.reset();
  for (GroupId id : books_.ledger.Below(kSystemPriority)) {
    const Group& group = *books_.groups.Find(id);
    if (group.Started()) continue;
    least_held_ = group.priority();
    return;
  }
}

bool Plans::FireGained() {
  const uint64_t version =
      books_.ledger.model().gain_version() + books_.ledger.neighbours().version();
  bool any = false;
  const bool shrunk = std::exchange(shrunk_, false);
  const bool claims = books_.vacant.version() != vacant_version_;
  vacant_version_ = books_.vacant.version();
  if (version == gain_version_ && !shrunk && !claims) return any;
  gain_version_ = version;
  NoteLeastHeld();
  for (const auto& [id, group] : books_.groups.groups()) {
    if (!group->WaitsForRoom() || books_.queue.Waits(id)) continue;
    const bool told_wait = group->verdict().outcome == Outcome::kWait;
    const bool early = claims && group->verdict().early;
    if (!early && !(shrunk && told_wait) && !MayGain(*group)) continue;
    books_.lifecycle.Fire(id, GroupEvent::kCapacityGained);
    any = true;
  }
  return any;
}

void Plans::Take(absl::Time now, Group& group, const Plan& plan) {
  const bool whole = !group.Started() && group.In(SlotState::kHeld) == 0;
  if (whole || group.plans() == 0) group.CountPlan();
  group.MakeSlots();
  for (const auto& [slot, node] : plan.places) {
    const PodSet& set = group.pod_sets().Of(slot);
    books_.ledger.Hold({group.id(), slot}, node, set.shape, group.priority(), set.profile);
    group.SetHeld(slot, node);
    if (const Member* member = group.At(slot)) books_.waker.Reset(member->pod.uid);
  }
  if (books_.ledger.EndOf(group.id()) == absl::InfiniteFuture()) {
    books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
  }
  group.SetVerdict({});
  books_.vacant.Count(group, books_.ledger);
}

// ---- solves outside the lock

void Plans::SolveOutside(Group& group, const std::vector<int32_t>& wanted) {
  if (outside_ != 0) {
    if (in_line_.insert(group.id()).second) line_.push_back(group.id());
    return;
  }
  outside_ = group.id();
  books_.outbox.Push(SolveOnCopy{books_.placer.CopyOf(group, wanted)});
}

// Its steps were of no use here before: a copy of how things are now is asked at once.
void Plans::SolveNextOutside() {
  while (outside_ == 0 && !line_.empty()) {
    const GroupId id = line_.front();
    line_.pop_front();
    in_line_.erase(id);
    Group* group = books_.groups.Find(id);
    if (group == nullptr || !IsReady(*group)) continue;
    EnsureShapes(*group);
    group->NoteTried(GainOf(*group), books_.ledger.NeighbourGain(id));
    const std::vector<int32_t> wanted = group->WantedSlots();
    if (wanted.empty()) {
      Mark(*group);
    } else {
      SolveOutside(*group, wanted);
    }
  }
}

void Plans::OnSolved(absl::Time now, const SolveTask& task) {
  outside_ = 0;
  TakeSolved(now, task);
  SolveNextOutside();
}

void Plans::TakeSolved(absl::Time now, const SolveTask& task) {
  Group* group = books_.groups.Find(task.group);
  if (group == nullptr || !group->stale().empty()) return;
  // A shape is missing where a template was told anew.
  const bool asked = std::all_of(group->pod_sets().sets().begin(), group->pod_sets().sets().end(),
                                 [](const PodSet& set) { return !set.known || set.shape >= 0; });
  const bool same = asked && books_.placer.SameTree(task) && group->WantedSlots() == task.wanted;
  Plan plan = same ? books_.placer.PlanOf(*group, task) : Plan{};
  group->AddSolverTime(task.solved.took);
  if (same && !plan.placed()) {
    if (!plan.verdict.decided) {
      group->CountUndecided();
      books_.queue.Pause(group->id(),
                         now + SolveQueue::PauseAfter(kUndecidedPause, group->undecided() - 1));
      Mark(*group);
    }
    Fail(*group, std::move(plan.verdict));
  } else if (same && Fits(*group, plan)) {
    Conclude(now, *group, std::move(plan));
  } else {
    Mark(*group);
  }
}

// All of it at once. O(places).
bool Plans::Fits(const Group& group, const Plan& plan) const {
  if (!books_.placer.NeighboursAllow(group, plan)) return false;
  const Model& model = books_.ledger.model();
  std::map<NodeIndex, ResourceList> asked;
  return std::all_of(plan.places.begin(), plan.places.end(), [&](const auto& place) {
    const PodSet& set = group.pod_sets().Of(place.first);
    ResourceList& sum = asked[place.second];
    AddResources(sum, set.demand);
    return model.MayUse(place.second, set.shape) && model.HasRoom(place.second, sum);
  });
}

}  // namespace gangplan
