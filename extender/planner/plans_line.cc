// Who stands in line for room, and who may pass: the operator's queue.mode.
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/known_ends.h"
#include "extender/planner/least.h"
#include "extender/planner/plans.h"
#include "extender/planner/solve_rank.h"
#include "fmt/format.h"

namespace gangplan {

// Who has begun, or holds room, had its turn: what it lacks comes first of its rank.
SolveRank Plans::RankOf(const Group& group) const {
  SolveRank rank = SolveRankOf(group);
  if (!books_.shares.on()) return rank;
  const bool begun = group.Started() || group.holds() > 0;
  if (!begun || OnlyJoins(group, books_.owners)) rank.share = books_.shares.Of(group);
  return rank;
}

SolveQueue::Place Plans::PlaceOf(const Group& group) const {
  return SolveQueue::PlaceOf(group.id(), RankOf(group));
}

// Those whose share is another one by now, so many in a turn.
void Plans::FollowShares(absl::Time now) {
  if (moved_.empty()) moved_ = books_.shares.Count(now);
  for (size_t done = 0; done < kPlacedAnew && !moved_.empty(); ++done) {
    const GroupId id = moved_.back();
    moved_.pop_back();
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) continue;
    if (books_.queue.Waits(id) && !first_.contains(id)) Mark(*group);
    if (line_.Waits(id)) Line(*group);
    if (books_.lines.Stands(id)) books_.lines.Stand(PlaceOf(*group), group->topology());
  }
}

// Who has begun, or holds room, had its turn, but for those who join it then: they come after all
// of their priority. Whose pods may go to certain nodes only, or to a reservation's, can give
// nobody anything by waiting.
bool Plans::MustWait(const Group& group) const {
  if (options_.queue_mode == QueueMode::kGreedy) return false;
  const RoomLine& line = books_.lines.of(group.topology());
  if (line.reserved() != nullptr) return false;
  if (group.IsFixed() || books_.named.RoomOf(group) != nullptr) return false;
  SolveQueue::Place place = PlaceOf(group);
  if (OnlyJoins(group, books_.owners)) {
    place.share = place.created = INT64_MAX;
  } else if (group.Started() || group.holds() > 0) {
    return false;
  }
  return line.AnyBefore(place);
}

void Plans::SetOptions(const PlanOptions& options) {
  if (options.queue_mode == QueueMode::kGreedy) books_.lines.LeaveAll();
  options_ = options;
  round_.SetMost(options.round_work);
  victims_search_.SetPreempts(options.preempts, options.preempts_pods);
  victims_search_.Renew();
  NoteShrunk();
}

void Plans::TellBehind(Group& group) {
  const std::string_view until =
      options_.queue_mode == QueueMode::kStrict
          ? "nobody passes them (queue.mode: strict)"
          : "it is still asked which room to keep for the first of them (queue.mode: backfill)";
  Verdict verdict{Outcome::kWait,
                  fmt::format("gang {} of {}: others that wait for room come before it, and {}; "
                              "gangplan explain tells its place",
                              group.name(), group.size(), until),
                  true};
  verdict.behind = true;
  Fail(group, std::move(verdict));
}

// All of it is there, or is made when it has room, and nothing of it has begun.
bool Plans::IsWhole(const Group& group) {
  return !group.Started() && !group.AnyUnsound() && group.Placeable() &&
         (group.suspended() || group.live() >= group.Expected());
}

void Plans::StandInLine(const Group& group) {
  if (options_.queue_mode == QueueMode::kGreedy) return;
  const bool stands = MayStand(group) && !group.IsFixed() &&
                      books_.named.RoomOf(group) == nullptr &&
                      books_.yielding.EvictedFor(group.id()) == nullptr;
  if (stands) {
    books_.lines.Stand(PlaceOf(group), group.topology());
  } else {
    books_.lines.Leave(group.id());
  }
}

// What was told of it says that it waits for room.
void Plans::StandAsTold(const Group& group) {
  const Verdict& told = group.verdict();
  const bool of_room = !told.early && !told.short_in_all && !told.kept_back && !told.hope_open;
  if (told.outcome == Outcome::kWait && told.decided && of_room) {
    StandInLine(group);
  } else {
    books_.lines.Leave(group.id());
  }
}

// ---- what is kept for the first one

void Plans::NoteEnd(const KnownPod& record, std::string_view uid) {
  Group* group = record.group == 0 ? nullptr : books_.groups.Find(record.group);
  const Member* member = group == nullptr ? nullptr : group->Find(uid);
  const bool bound = member != nullptr && member->slot >= 0 &&
                     group->slot(member->slot).state == SlotState::kBound;
  if (bound) group->SetEnds(member->slot, record.ends);
}

bool Plans::AskWhen(absl::Time now, GroupId id, std::optional<absl::Time> begins) {
  Group* group = books_.groups.Find(id);
  // Whatever it is to be asked otherwise comes before.
  const bool rests = planning_ && group->stale().empty() &&
                     group->state() == GroupState::kBlocked && !books_.queue.Waits(id);
  const bool may = outside_.group == 0 && !books_.lifecycle.Awaits(id);
  books_.lines.of(group->topology()).SetAsksNext(rests && !may);
  if (!rests || !may) return false;
  EnsureShapes(*group);
  auto task = ends_search_.Ask(now, *group, group->WantedSlots(), round_.spent());
  if (begins) books_.placer.AvoidMaintenance(*group, *begins, *task);
  Send(*group, std::move(task), std::nullopt);
  return true;
}

void Plans::TakeForeseen(Group& group, const SolveTask& task, Plan plan) {
  std::vector<GroupId> awaited;
  if (!task.ends->by) awaited = task.victims->Ids();
  foreseen_[group.id()] = {std::move(plan), task.ends->by, std::move(awaited)};
}

std::map<GroupId, Plans::Foreseen> Plans::TakeForeseen(TopologyIndex topology) {
  std::map<GroupId, Foreseen> taken;
  for (auto next = foreseen_.begin(); next != foreseen_.end();) {
    const Group* group = books_.groups.Find(next->first);
    const auto entry = next++;
    if (group != nullptr && group->topology() != topology) continue;
    taken.insert(foreseen_.extract(entry));
  }
  return taken;
}

// The account of what is kept for the first in line, where this is that one, or runs and has lost a
// member, or is gone before that one is to have its room, however late it starts: a gang of which
// all pods are there within the time that room is held for it, one that is still to be started
// within twice that.
std::optional<GroupId> Plans::Passable(absl::Time now, const Group& group) const {
  const RoomLine::Reservation* kept = books_.lines.of(group.topology()).reserved();
  if (kept == nullptr || books_.ledger.HoldCount(ReservedFor(kept->group)) == 0)
    return std::nullopt;
  const int64_t end = EndOfNew(now, group, options_.gather_timeout);
  const bool in_time = IsWhole(group) && end > 0 && kept->by > 0 && end <= kept->by;
  const bool runs = group.Started() && !OnlyJoins(group, books_.owners);
  if (kept->group != group.id() && !in_time && !runs) return std::nullopt;
  return ReservedFor(kept->group);
}

// Who has not begun waits for as long as its words say so, and for a while after it was evicted for
// its own good. Empty: it does not.
std::string Plans::WhyKeptBack(const Group& group) const {
  if (group.Started()) return {};
  if (const std::string* rest = books_.yielding.WhyRests(group.key(), group.makers())) return *rest;
  if (const std::string* hold = group.hold()) {
    return fmt::format("gang {} of {} is held ({}: {}): it is planned when that word is gone",
                       group.name(), group.size(), kHoldWord, *hold);
  }
  return books_.named.WhyNot(group);
}

}  // namespace gangplan
