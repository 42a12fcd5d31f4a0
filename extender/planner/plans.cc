#include "extender/planner/plans.h"

#include <algorithm>

#include "extender/planner/free_in_all.h"
#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/solve_rank.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// What it costs to ask a group, beside the leaves that are looked at.
constexpr int64_t kAskWork = 400;

}  // namespace

// ---- the loop

void Plans::Settle(absl::Time now) {
  ShrinkSpare();
  // What of these groups runs is known now.
  for (const std::string& name : books_.owners.TakeEndedPlans()) {
    for (GroupId id : books_.groups.Named(name)) Mark(*books_.groups.Find(id));
  }
  for (;;) {
    books_.lifecycle.Run(now, *this);
    gains_.EndEvents();
    if (!planning_) return;
    if (FitNamed()) continue;
    if (books_.queue.empty()) return;
    // Nobody is solved before those are marked that may go before, all stand by the shares as they
    // are, and what was given up is free.
    const bool all = moved_.empty() && !IsFreeing() && !books_.named.seeks() && LookForGains();
    if (!books_.lifecycle.idle()) continue;
    if (!round_.IsOver()) books_.ledger.model().MakeTrees();  // a new one is a round's work
    if (!all || (round_.IsOver() && !round_.owes_solve())) return books_.queue.Cut();
    round_.TakeOwedSolve();
    SolveNext(now);
  }
}

void Plans::SolveNext(absl::Time now) {
  const int64_t before = round_.Done();
  Group* group = books_.groups.Find(*books_.queue.Take());
  round_.Spend(kAskWork);
  if (group != nullptr) Solve(now, *group);
  gains_.NoteSolved(round_.Done() - before);
}

void Plans::Mark(const Group& group) {
  const bool began = !planning_ && (group.Started() || group.released() > 0);
  const bool first = began || first_.contains(group.id());
  if (first) first_.insert(group.id());
  SolveRank rank = RankOf(group);
  if (first) rank.priority = kSystemPriority;
  books_.queue.Mark(group.id(), rank);
}

void Plans::Carry(absl::Time now, Group& group, GroupAction action) {
  NoteGates(group);
  books_.named.NoteUser(group);
  books_.shares.Note();
  EndVainReturns(group);
  if (books_.lines.Stands(group.id()) && !MayStand(group)) books_.lines.Leave(group.id());
  switch (action) {
    case GroupAction::kNothing:
      break;
    case GroupAction::kSolve:
      gains_.NoteMarked(group.id());
      Mark(group);
      break;
    case GroupAction::kArmGather:
      Arm(now, group, HoldReason::kGathering);
      break;
    case GroupAction::kArmStart:
      Arm(now, group, HoldReason::kStarting);
      // Calls may have come before it was whole.
      if (group.AllCalled()) books_.lifecycle.Fire(group.id(), GroupEvent::kCalled);
      break;
    case GroupAction::kArmRepair:
      Arm(now, group, HoldReason::kRepairing);
      break;
    case GroupAction::kDisarm:
      GiveBackOwn(group, [&] {
        Release(group, fmt::format("gang {}: its room is not needed", group.name()));
        group.DropSlots();
      });
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

// A member that goes and comes again gains no time, nor does who comes after one that has
// succeeded: the end stays where it is until there are more than ever, or nothing is held that has
// one.
void Plans::Arm(absl::Time now, Group& group, HoldReason reason) {
  absl::Time end = books_.ledger.EndOf(group.id());
  // Its own time is for members that are missing.
  const auto patience = [&](HoldReason why) {
    return why == HoldReason::kGathering ? group.sizing().Patience(options_.gather_timeout)
                                         : options_.gather_timeout;
  };
  if (group.Progressed() || end == absl::InfiniteFuture()) {
    end = now + patience(reason);
  } else {
    end += patience(reason) - patience(books_.ledger.ReasonOf(group.id()));
  }
  group.NoteProgress();
  books_.ledger.SetEnd(group.id(), reason, end);
}

// ---- solves

void Plans::Solve(absl::Time now, Group& group) {
  const bool again = gains_.TakeAgain(group.id());
  if (!IsReady(group)) return;
  if (MustWait(group)) return TellBehind(group);
  EnsureShapes(group);
  FreeSpares(group);
  if (again && !MayGain(group))  // others took it: the verdict is what it was
    return books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFailed);
  HoldPledged(now, group);
  const uint64_t gain = gains_.VersionOf(group);
  const uint64_t neighbours = books_.ledger.NeighbourGain(group.id());
  const bool tried = group.tried() == gain && group.tried_neighbours() == neighbours;
  const std::string early = WhyNotYet(group);
  const Verdict& last = group.verdict();
  // Nor has another one of the same.
  if (tried && last.none_joins && IsJoined(group, books_.owners))
    return books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFailed);
  if (!early.empty() && last.early && (last.fits || tried)) {
    if (last.fits) TellEarly(group, early, true);
    return;
  }
  group.NoteTried(gain, neighbours);
  std::vector<int32_t> wanted = group.WantedSlots();
  if (wanted.empty()) {
    if (group.plans() == 0) group.CountPlan();
    books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFound);
    return;
  }
  // What had started before a restart has its room before others are asked.
  const bool first = first_.erase(group.id()) > 0;
  if (!first && !books_.placer.IsShort(group)) return SolveOutside(group, wanted);
  Plan plan = Ask(group, wanted);
  if (!plan.placed() && plan.verdict.decided && LosesRest(group)) {
    if (IsFreeing()) return Mark(group);
    wanted = group.WantedSlots();
    plan = Ask(group, wanted);
  }
  if (plan.verdict.decided) {
    Conclude(now, group, std::move(plan), wanted);
  } else {
    SolveOutside(group, wanted);
  }
}

// Impossible is told at once, and a plan of which too few members exist is kept by nobody. Who
// finds no room of its own looks behind that of lesser groups. REQUIRES: it is decided.
void Plans::Conclude(absl::Time now, Group& group, Plan plan, const std::vector<int32_t>& wanted) {
  if (!plan.placed() && LosesRest(group))
    return IsFreeing() ? Mark(group) : SolveOutside(group, group.WantedSlots());
  const std::string early = WhyNotYet(group);
  const bool waits = plan.verdict.outcome == Outcome::kWait;
  if (!early.empty() && (plan.placed() || waits)) {
    TellEarly(group, plan.placed() ? early : std::move(plan.verdict.reason), plan.placed());
  } else if (plan.placed()) {
    const bool fewer = group.verdict().most_joins > 0;
    Found(now, group, plan);
    if (fewer) Mark(group);  // and the rest
  } else if (AskFewer(group, wanted.size())) {
    return;
  } else if (!waits || !(AskForLesser(now, group, plan.verdict, wanted) ||
                         AskForVictims(now, group, plan.verdict, wanted))) {
    plan.verdict.none_joins = waits && IsJoined(group, books_.owners);
    Fail(group, std::move(plan.verdict));
  }
}

// Who comes after a gang of at least so many has started joins it as far as there is room: half of
// those that wait, half of that, or one, a question each. True: it is asked for fewer.
bool Plans::AskFewer(Group& group, size_t asked) {
  if (!group.Started() || !group.sizing().at_least) return false;
  const int32_t fewer = FewerThan(group, books_.owners, static_cast<int32_t>(asked));
  if (fewer == 0) return false;
  group.LimitJoins(fewer);
  Mark(group);
  return true;
}

// The rest of a plan of which a node was lost is of no use where it does not help: it is given up,
// and the group is asked anew, where that is much when all of it is free. So is what a group that
// has started keeps for members that may come, where those that are there have no room.
bool Plans::LosesRest(Group& group) {
  const bool keeps = !KeptPlaces(group).empty() && !OnlyJoins(group, books_.owners);
  if (group.Started() ? !keeps : group.In(SlotState::kHeld) == 0) return false;
  GiveBackOwn(group, [&] {
    if (group.Started())
      return EndKept(group, fmt::format("gang {}: others of it need its room", group.name()));
    Release(group, fmt::format("gang {}: a planned node was lost, the gang is planned anew",
                               group.name()));
  });
  return true;
}

// The room that it gives back was in what it was asked with: no gain of its own.
void Plans::GiveBackOwn(Group& group, absl::FunctionRef<void()> give) {
  if (books_.ledger.HoldCount(group.id()) == 0) return give();
  const auto gains = [&] {
    return std::pair(gains_.VersionOf(group), books_.ledger.NeighbourGain(group.id()));
  };
  const bool up_to_now = gains() == std::pair(group.tried(), group.tried_neighbours());
  give();
  if (!up_to_now) return;
  const auto [gain, neighbours] = gains();
  group.NoteTried(gain, neighbours);
}

// It stays where it is until more members come, or more room where it does not fit.
void Plans::TellEarly(Group& group, std::string reason, bool fits) {
  group.SetVerdict({Outcome::kWait, std::move(reason), true, true, fits});
  books_.lines.Leave(group.id());
}

// Sets the verdict when it is not. `though_asked`: also while a copy of it is solved.
bool Plans::IsReady(Group& group, bool though_asked) {
  if (!group.stale().empty() || group.size() == 0) return false;
  if (const std::string* whom = books_.yielding.EvictedFor(group.id()); whom != nullptr) {
    Fail(group, {Outcome::kWait,
                 Yielding::WhyEvicted(group.name(), *whom) +
                     ": it is planned again when its last pod is on its way out",
                 true});
    return false;
  }
  if (group.start() == GroupStart::kEnding) {  // it rests until it is known whether it ends
    books_.lines.Leave(group.id());
    books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFailed);
    return false;
  }
  if (line_.Waits(group.id())) Line(group);  // its priority may be another one now
  if (IsSolvedOutside(group.id()) && !though_asked) return false;
  // It was marked before it came to rest.
  const GroupState state = group.state();
  if (state == GroupState::kBlocked || state == GroupState::kReleased || state == GroupState::kDone)
    return false;
  // Some of it runs and its owner is not known yet: where it runs is not known, either.
  if (books_.owners.AwaitsPlan(group.name())) return false;
  if (std::string fault = books_.placer.FaultOf(group); !fault.empty()) {
    Fail(group,
         {Outcome::kInvalid, fmt::format("gang {}: invalid: {}", group.name(), fault), true});
    return false;
  }
  if (!group.Placeable()) {
    Fail(group, {Outcome::kWait, group.UnseenText(), true});
    return false;
  }
  if (std::string why = WhyKeptBack(group); !why.empty()) {
    Verdict verdict{Outcome::kWait, std::move(why), true};
    verdict.kept_back = true;
    Fail(group, std::move(verdict));
    return false;
  }
  if (std::string why = ShortInAll(group); !why.empty()) {
    Verdict verdict{Outcome::kWait, std::move(why), true};
    verdict.short_in_all = true;
    Fail(group, std::move(verdict));
    return false;
  }
  return true;
}

// Its owner wants so much free in the cluster before any of it starts. What its members ask for is
// there where they have room, and only what is beyond that is looked for. Empty: it is there.
std::string Plans::ShortInAll(const Group& group) {
  if (group.Started() || group.holds() > 0 || !group.owner()) return {};
  const OwnerFacts* owner = books_.owners.Facts(OwnerKeyOf(group));
  if (owner == nullptr || owner->min_resources.empty()) return {};
  ResourceList beyond = owner->min_resources;
  std::erase_if(beyond, [&](const ResourceAmount& one) {
    return one.amount <= group.pod_sets().Asked(one.name);
  });
  round_.Spend(books_.ledger.model().node_count() * std::ssize(beyond) / kFreeSummedAtOnce);
  const std::string lack = LackInAll(books_.ledger.model(), beyond);
  if (lack.empty()) return {};
  return fmt::format("gang {} of {}: {} {} wants {} (spec.minResources)", group.name(),
                     group.size(), owner->ref.kind, owner->ref.name, lack);
}

// Room does: the group's turn comes when all of that is free, and nobody is to give way before.
bool Plans::ComesFree(Group& group) {
  if (!IsFreeing()) return false;
  Mark(group);
  return true;
}

Plan Plans::Ask(Group& group, const std::vector<int32_t>& wanted) {
  round_.Spend(books_.ledger.model().tree(group.topology()).leaf_count() +
               2 * books_.placer.KeptOff(group));
  Plan plan = books_.placer.Place(group, wanted, Budget{kSolveSteps});
  group.AddSolverTime(plan.took);
  return plan;
}

void Plans::Found(absl::Time now, Group& group, const Plan& plan) {
  group.ForgetUndecided();
  books_.queue.NoteFound(group.id());
  books_.yielding.EndAgainst(group.id());
  books_.lines.Leave(group.id());
  Take(now, group, plan);
  books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFound);
  if (group.suspended()) start_news_.placed.insert(group.id());
  NoteGates(group);
  books_.nominations.SendAll(group);
}

void Plans::Fail(Group& group, Verdict verdict) {
  const bool stands = group.bound() + group.In(SlotState::kPosting) > 0;
  const bool never = verdict.outcome == Outcome::kImpossible && (group.HasLost() || !stands);
  if (group.start() != GroupStart::kByItself && (never || !group.Started()))
    start_news_.blocked.insert(group.id());
  const bool tried = verdict.decided && verdict.outcome != Outcome::kInvalid && group.Placeable();
  if (tried && group.released() > 0) gate_news_.stuck.insert(group.id());
  if (tried && verdict.outcome == Outcome::kWait && !verdict.behind && !verdict.kept_back)
    WishForRoom(group);
  NoteLadder(group, false);
  if (tried) TellAgainst(group, verdict);
  if (tried && !verdict.behind) verdict.reason += group.NextRungText();
  group.SetVerdict(std::move(verdict));
  StandAsTold(group);
  books_.lifecycle.Fire(group.id(), GroupEvent::kPlanFailed);
}

// Room is held for all once enough of them are there, and not for too many that are not. Owners
// that make the next pod when the last one runs never have more than the first one. Empty: it may
// be held.
std::string Plans::WhyNotYet(const Group& group) const {
  if (group.Started() || group.planned()) return {};
  if (options_.start_at_first_member && group.sizing().OneByOne(true)) return {};
  const bool by_itself = group.sizing().OneByOne(false);  // its pods may wait for each other
  const int64_t needed = (int64_t{group.Expected()} * options_.hold_from + 99) / 100;
  if (by_itself || group.live() >= needed || group.StaysEmpty())
    return books_.vacant.Refusal(group, books_.ledger);
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
    group.SetShape(index, books_.ledger.AcquireShape(group.topology(), set.demand, set.Where()));
    books_.ledger.Seek(group.id(), index, set.profile);
  }
}

void Plans::Take(absl::Time now, Group& group, const Plan& plan) {
  const bool whole = !group.Started() && group.In(SlotState::kHeld) == 0;
  if (whole || group.plans() == 0) group.CountPlan();
  group.SetAnswered(WaitAnswer::kNone);
  round_.Spend(kSlotWork * static_cast<int64_t>(plan.places.size()));
  ForgetFilled(group);
  for (const auto& [slot, node] : plan.places) {
    const PodSet& set = group.pod_sets().Of(slot);
    books_.ledger.Hold({group.id(), slot}, node, set.shape, group.priority(), set.profile);
  }
  group.SetHeld(plan.places);
  books_.named.NoteRoom(group, plan.nodes());
  group.SetQuality(plan.quality);
  for (const auto& [slot, node] : plan.places) {
    const Member* member = group.At(slot);
    if (member != nullptr) KeepPledgeOf(*member);
  }
  lesser_.Note(group);
  if (books_.ledger.EndOf(group.id()) == absl::InfiniteFuture()) {
    books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
  }
  group.SetTorn(group.Started() && books_.placer.IsTorn(group));
  const bool told = group.unasked() > 0 && group.verdict().given_up;
  if (!told) group.SetVerdict(group.unasked() == 0 ? Verdict() : GivenUp(group, group.unasked()));
  books_.vacant.Count(group, books_.ledger);
}

}  // namespace gangplan
