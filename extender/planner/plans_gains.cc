// Who waits is looked through when something came free, or may be had that could not: who may gain
// by it is asked once more, and nobody else.
#include "extender/planner/limits.h"
#include "extender/planner/plans.h"

namespace gangplan {

std::vector<ShapeId> Plans::ShapesOf(const Group& group) const {
  std::vector<ShapeId> shapes;
  for (const PodSet& set : group.pod_sets().sets()) {
    if (set.shape >= 0) shapes.push_back(set.shape);
  }
  return shapes;
}

// Two where any room may help, not only where a count of it grew.
std::vector<ShapeId> Plans::GainingShapes(const Group& group) const {
  std::vector<ShapeId> shapes = ShapesOf(group);
  if (shapes.size() == 1 && MayTakeFromLesser(group)) shapes.push_back(shapes.front());
  return shapes;
}

uint64_t Plans::GainOf(const Group& group) const {
  return books_.ledger.model().Gain(GainingShapes(group));
}

// A group that waits is asked again only when more of its shapes fit somewhere, and enough of them
// for it where its members must share a domain. What is of no use now will be of use when more
// comes free beside it, and not before.
bool Plans::MayGain(Group& group) {
  const std::vector<ShapeId> shapes = GainingShapes(group);
  if (shapes.empty()) return false;
  const uint64_t neighbours = books_.ledger.NeighbourGain(group.id());
  if (neighbours != group.tried_neighbours()) return true;
  const uint64_t gain = GainOf(group);
  if (gain == group.tried()) return false;
  const auto leaves = books_.ledger.model().GainedLeaves(shapes, group.tried());
  if (!leaves) return true;
  if (victims_search_.MayGain(group)) return true;
  LesserRoom* lesser = MayTakeFromLesser(group) ? &lesser_ : nullptr;
  if (books_.placer.MayProfit(group, *leaves, lesser, spent_)) return true;
  group.NoteTried(gain, neighbours);
  return false;
}

// False: there is nothing new. All are looked at then, from the first on.
bool Plans::BeginPass() {
  if (!AnyNews()) return false;
  gain_version_ = GainVersion();
  line_version_ = books_.lines.version();
  Pass pass{0, std::exchange(ask_anew_, false), std::exchange(yields_, false),
            books_.vacant.TakeFreed()};
  outside_.anew |= pass.anew || pass.yields;
  lesser_.Renew(spent_);
  victims_search_.Renew();
  if (pass_) {
    pass.anew |= pass_->anew;
    pass.yields |= pass_->yields;
    pass.claims.merge(pass_->claims);
  }
  pass_ = std::move(pass);
  pass_work_ = 0;
  return true;
}

bool Plans::LookForGains() {
  if (books_.queue.empty() && !pass_) looks_ = 0;
  if (looks_ < kMostLooks && BeginPass()) ++looks_;
  if (!pass_) return true;
  const int64_t before = Done();
  const bool all = LookOn();
  pass_work_ += Done() - before;
  if (all) pass_.reset();
  solve_work_ = 0;
  return all;
}

// False: the round is over.
bool Plans::LookOn() {
  const auto& groups = books_.groups.groups();
  for (auto next = groups.upper_bound(pass_->last); next != groups.end(); ++next) {
    if (RoundIsOver() && !std::exchange(owes_look_, false)) return false;
    pass_->last = next->first;
    spent_ += kLookWork;
    Look(*next->second);
  }
  return true;
}

// It is asked once more when it may go where it could not: for room that came free, or for whatever
// the pass is about.
void Plans::Look(Group& group) {
  if (!group.WaitsForRoom()) return;
  // One that was marked and has come to rest since is not asked when its turn comes.
  const bool asked = books_.queue.Waits(group.id()) && group.state() != GroupState::kBlocked;
  if (asked) {
    if (pass_->anew) again_.erase(group.id());  // whatever room there is
    return;
  }
  if (MustWait(group)) return pass_->anew ? group.MarkBehind() : void();
  const Verdict& last = group.verdict();
  const bool told_wait = last.outcome == Outcome::kWait;
  const bool early = last.early && pass_->claims.contains(group.key().ns);
  const bool yields = pass_->yields && MayTakeFromLesser(group);
  const bool anew =
      early || last.behind || last.short_in_all || (told_wait && (pass_->anew || yields));
  if (!anew && !MayGain(group)) return;
  const bool blocked = group.state() == GroupState::kBlocked;
  if (!anew && blocked && last.decided && !last.early && told_wait) gained_.insert(group.id());
  books_.lifecycle.Fire(group.id(), GroupEvent::kCapacityGained);
}

bool Plans::MayTakeFromLesser(const Group& group) const {
  return lesser_.YieldsTo(group.priority()) || victims_search_.AnyBelow(group);
}

bool Plans::AnyNews() const {
  return GainVersion() != gain_version_ || ask_anew_ || yields_ || books_.vacant.any_freed() ||
         books_.lines.version() != line_version_;
}

}  // namespace gangplan
