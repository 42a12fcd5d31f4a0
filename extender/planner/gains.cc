#include "extender/planner/gains.h"

#include <utility>

#include "extender/planner/limits.h"

namespace gangplan {

// Two where any room may help, not only where a count of it grew.
std::vector<ShapeId> Gains::ShapesOf(const Group& group) const {
  std::vector<ShapeId> shapes;
  for (const PodSet& set : group.pod_sets().sets()) {
    if (set.shape >= 0) shapes.push_back(set.shape);
  }
  if (shapes.size() == 1 && MayTakeFromLesser(group)) shapes.push_back(shapes.front());
  return shapes;
}

uint64_t Gains::VersionOf(const Group& group) const {
  return books_.ledger.model().Gain(ShapesOf(group));
}

bool Gains::MayGain(Group& group) {
  const std::vector<ShapeId> shapes = ShapesOf(group);
  if (shapes.empty()) return false;
  const uint64_t neighbours = books_.ledger.NeighbourGain(group.id());
  if (neighbours != group.tried_neighbours()) return true;
  const uint64_t gain = VersionOf(group);
  if (gain == group.tried()) return false;
  const auto leaves = books_.ledger.model().GainedLeaves(shapes, group.tried());
  if (!leaves) return true;
  if (victims_.MayGain(group)) return true;
  LesserRoom* lesser = MayTakeFromLesser(group) ? &lesser_ : nullptr;
  if (books_.placer.MayProfit(group, *leaves, lesser, round_.spent())) return true;
  group.NoteTried(gain, neighbours);
  return false;
}

bool Gains::MayTakeFromLesser(const Group& group) const {
  return lesser_.YieldsTo(group.priority()) || victims_.AnyBelow(group);
}

bool Gains::AnyNews() const {
  return Version() != gain_version_ || ask_all_ || yields_ || books_.vacant.any_freed() ||
         books_.lines.version() != line_version_;
}

// False: there is nothing new. All are looked at then, from the first on.
bool Gains::Begin() {
  if (!AnyNews()) return false;
  gain_version_ = Version();
  line_version_ = books_.lines.version();
  Pass pass{0, std::exchange(ask_all_, false), std::exchange(yields_, false),
            books_.vacant.TakeFreed()};
  if (pass.all || pass.yields) ++asked_all_;
  lesser_.Renew(round_.spent());
  victims_.Renew();
  if (pass_) {
    pass.all |= pass_->all;
    pass.yields |= pass_->yields;
    pass.claims.merge(pass_->claims);
  }
  pass_ = std::move(pass);
  pass_work_ = 0;
  return true;
}

bool Gains::Look(absl::FunctionRef<bool(const Group&)> must_wait) {
  if (books_.queue.empty() && !pass_) looks_ = 0;
  if (looks_ < kMostLooks && Begin()) ++looks_;
  if (!pass_) return true;
  const int64_t before = round_.Done();
  const bool all = LookOn(must_wait);
  pass_work_ += round_.Done() - before;
  if (all) pass_.reset();
  solve_work_ = 0;
  return all;
}

// False: the round is over.
bool Gains::LookOn(absl::FunctionRef<bool(const Group&)> must_wait) {
  const auto& groups = books_.groups.groups();
  for (auto next = groups.upper_bound(pass_->last); next != groups.end(); ++next) {
    if (round_.IsOver() && !round_.TakeOwedLook()) return false;
    pass_->last = next->first;
    round_.Spend(kLookWork);
    Group& group = *next->second;
    if (group.WaitsForRoom()) LookAt(group, must_wait);
  }
  return true;
}

// It is asked once more when it may go where it could not: for room that came free, or for whatever
// the pass is about.
void Gains::LookAt(Group& group, absl::FunctionRef<bool(const Group&)> must_wait) {
  // One that was marked and has come to rest since is not asked when its turn comes.
  const bool asked = books_.queue.Waits(group.id()) && group.state() != GroupState::kBlocked;
  if (asked) {
    if (pass_->all) again_.erase(group.id());  // whatever room there is
    return;
  }
  if (must_wait(group)) return pass_->all ? group.MarkBehind() : void();
  const Verdict& last = group.verdict();
  const bool told_wait = last.outcome == Outcome::kWait;
  const bool early = last.early && pass_->claims.contains(group.key().ns);
  const bool yields = pass_->yields && MayTakeFromLesser(group);
  const bool anew =
      early || last.behind || last.short_in_all || (told_wait && (pass_->all || yields));
  if (!anew && !MayGain(group)) return;
  const bool blocked = group.state() == GroupState::kBlocked;
  if (!anew && blocked && last.decided && !last.early && told_wait) gained_.insert(group.id());
  books_.lifecycle.Fire(group.id(), GroupEvent::kCapacityGained);
}

void Gains::NoteMarked(GroupId group) {
  again_.erase(group);
  if (gained_.erase(group) > 0) again_.insert(group);
}

void Gains::NoteSolved(int64_t work) {
  solve_work_ += work;
  if (solve_work_ >= pass_work_) looks_ = 0;
}

}  // namespace gangplan
