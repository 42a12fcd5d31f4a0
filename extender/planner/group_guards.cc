// What the life table's guards ask of a group, and how it has gone. Reads, but for the notes.
#include <algorithm>

#include "algorithms/rank_units.h"
#include "extender/cluster/annotations.h"
#include "extender/frontends/front_end.h"
#include "extender/planner/gate_pin.h"
#include "extender/planner/group.h"
#include "extender/planner/unit_cuts.h"
#include "fmt/format.h"

namespace gangplan {

bool Group::Started() const { return AnyRuns() || In(SlotState::kPosting) > 0; }

bool Group::AnyRuns() const { return In(SlotState::kBound) > 0 || AnyFinished(); }

bool Group::Complete() const {
  if (planned()) return vacant_ == VacantLast();
  return size() > 0 &&
         std::all_of(pod_sets_.sets().begin(), pod_sets_.sets().end(),
                     [](const PodSet& set) { return set.members >= set.count || set.last; });
}

int32_t Group::Expected() const {
  int32_t expected = size();
  for (const PodSet& set : pod_sets_.sets())
    expected -= static_cast<int32_t>(set.last && set.members == 0);
  return expected;
}

bool Group::AllBound() const {
  const int32_t open = holds() + wanting_ + unasked_;
  return planned() && open == 0 && In(SlotState::kBound) + In(SlotState::kFinished) >= claimed();
}

bool Group::AllThereRun() const {
  const int32_t open = holds() - VacantLast(true) + wanting_ + unasked_;
  const int32_t settled = In(SlotState::kBound) + In(SlotState::kFinished);
  return planned() && open == 0 && settled > 0 && settled + VacantLast() >= claimed();
}

bool Group::AllCalled() const {
  const bool all_held = planned() && In(SlotState::kEmpty) == 0 && holds() > 0;
  return all_held && in_bind_ > 0 && in_bind_ == holds() - VacantLast();
}

bool Group::AllAsked() const { return live_ > 0 && asked_ == live_; }

bool Group::AllFinished() const { return planned() && In(SlotState::kFinished) == size(); }

bool Group::WaitsForRoom() const {
  switch (state_) {
    case GroupState::kNew:
    case GroupState::kBlocked:
      return true;
    case GroupState::kBinding:
    case GroupState::kRepairing:
      return WantsSlots();
    default:
      return false;
  }
}

std::vector<int32_t> Group::WantedSlots() const {
  std::vector<int32_t> wanted;
  const bool started = Started();
  if (started && !planned()) return wanted;  // all that is left is over
  const auto waits = [&](int32_t i) {
    const Member* member = At(i);
    return slot(i).state == SlotState::kEmpty && member != nullptr && !member->gave_back;
  };
  const auto any_waits = [&](const PodSet& set) {
    int32_t i = set.first;
    while (i < set.first + set.count && !waits(i)) ++i;
    return i < set.first + set.count;
  };
  // Units of ranks go through all pod sets.
  const auto& sets = pod_sets_.sets();
  const bool of_unit = started && std::any_of(sets.begin(), sets.end(), [&](const PodSet& set) {
                         return InSlices(set) && CountsRanks(set.rules) && any_waits(set);
                       });
  for (const PodSet& set : sets) {
    const bool all = !started || (InSlices(set) && (of_unit || any_waits(set)));
    for (int32_t i = set.first; i < set.first + set.count; ++i) {
      const bool empty = !planned() || slot(i).state == SlotState::kEmpty;
      if (empty && (all || waits(i))) wanted.push_back(i);
    }
  }
  const auto most = static_cast<size_t>(verdict_.most_joins);
  if (!started || most == 0 || wanted.size() <= most) return wanted;
  if (const UnitCuts cuts(pod_sets_, slots_); cuts.counts())
    wanted = cuts.InTurn(std::move(wanted));
  wanted.resize(most);
  std::sort(wanted.begin(), wanted.end());
  return wanted;
}

std::vector<NodeIndex> Group::HeldNodes(int32_t set) const {
  const PodSet& own = pod_sets_.at(set);
  std::vector<NodeIndex> nodes;
  for (int32_t i = own.first; i < own.first + own.count; ++i) {
    if (slot(i).state == SlotState::kHeld) nodes.push_back(slot(i).node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

bool Group::InSlices(const PodSet& set) const {
  if (!set.known || relaxed()) return false;
  if (CountsRanks(set.rules)) return true;
  return set.front_end->keeps_slices_whole() &&
         std::any_of(set.rules.begin(), set.rules.end(),
                     [](const auto& rule) { return rule && rule->factor; });
}

bool Group::WantsSlots() const {
  if (Started()) return wanting_ > 0;
  return !planned() || In(SlotState::kEmpty) > 0;
}

bool Group::StandsOn(NodeIndex node) const {
  return std::any_of(slots_.begin(), slots_.end(), [node](const Slot& slot) {
    const bool runs = slot.state == SlotState::kBound || slot.state == SlotState::kPosting;
    return runs && slot.node == node;
  });
}

std::string Group::UnseenText() const {
  std::string names;
  for (const PodSet& set : pod_sets_.sets()) {
    if (!set.known && set.count > 0) names += (names.empty() ? "" : ", ") + set.name;
  }
  return fmt::format(
      "gang {} of {}: no pod of pod set{} {} was seen yet; the gang is placed when "
      "one pod of each is there",
      name_, size(), pod_sets_.unseen() == 1 ? "" : "s", names);
}

// Where more may join, others come after those that have succeeded, for as long as it runs.
int32_t Group::BoundAtOnce() const {
  return bound() + (sizing_.at_least ? 0 : In(SlotState::kFinished));
}

// Who has no slot brings it no further.
bool Group::Progressed() const {
  return live_ - slotless() > most_live_ || BoundAtOnce() > most_bound_;
}

void Group::NoteProgress() {
  most_live_ = std::max(most_live_, live_ - slotless());
  most_bound_ = std::max(most_bound_, BoundAtOnce());
}

// ---- of members that were released from their gates

bool Group::IsAstray(const PodFacts& pod, const GroupSpec& spec) const {
  const auto* pin = SharedPinOf(pod);
  if (pod_sets_.empty() || pin == nullptr) return false;
  const PodSet& set = pod_sets_.at(spec.pod_set);
  return !set.pin.empty() && set.pin != *pin;
}

// The first one that was released to nodes says where the others go.
void Group::TakePin(const PodFacts& pod, const GroupSpec& spec) {
  const auto* pin = SharedPinOf(pod);
  if (pin == nullptr || !pod_sets_.at(spec.pod_set).pin.empty()) return;
  SetPin(spec.pod_set, *pin, *FindLabel(pod.annotations, kPinnedAnnotation));
  repinned_ = true;
}

void Group::SetPin(int32_t set, std::vector<NodeSelectorTerm> terms, std::string words) {
  pod_sets_.SetPin(set, std::move(terms), std::move(words));
}

bool Group::AnyPin() const {
  const auto& sets = pod_sets_.sets();
  return std::any_of(sets.begin(), sets.end(), [](const PodSet& set) { return !set.pin.empty(); });
}

// ---- how it went

void Group::SetVerdict(Verdict verdict) {
  tell_ = (tell_ || verdict_.reason != verdict.reason) && verdict.outcome != Outcome::kPlaced;
  verdict_ = std::move(verdict);
}

void Group::NoteTried(uint64_t gain, uint64_t neighbours) {
  if (gain != tried_ || neighbours != tried_neighbours_) {
    verdict_.none_joins = false;
    verdict_.most_joins = 0;
  }
  tried_ = gain;
  tried_neighbours_ = neighbours;
}

bool Group::TakeTold() { return std::exchange(tell_, false); }

void Group::MarkBegun() {
  if (Started()) return;
  if (!first_seen_) {
    for (const auto& [uid, member] : members_)
      first_seen_ = std::min(first_seen_.value_or(member.seen), member.seen);
  }
  if (first_seen_) begun_ = std::min(begun_.value_or(*first_seen_), *first_seen_);
}

GroupPast Group::past() const {
  return {plans_,      solver_time_, begun_, whole_,  fruitless_,
          whole_size_, told_nice_,   wait_,  quality_};
}

void Group::SetPast(const GroupPast& past) {
  plans_ = past.plans;
  solver_time_ = past.solver_time;
  begun_ = past.begun;
  whole_ = past.whole;
  fruitless_ = past.fruitless;
  whole_size_ = past.whole_size;
  told_nice_ = past.told_nice;
  wait_ = past.wait;
  quality_ = past.quality;
}

void Group::NoteStartedWith(int32_t members) {
  if (whole_size_ == 0) whole_size_ = members;
}

void Group::LimitWhole(int32_t most) { whole_size_ = std::min(whole_size_, most); }

void Group::SetState(GroupState state, absl::Time now) {
  state_ = state;
  if (state == GroupState::kRunning || state == GroupState::kDone) {
    wait_ = {};
  } else {
    if (!wait_.from) wait_.from = now;
    wait_.planned |= state == GroupState::kPlanned || state == GroupState::kGathering;
  }
  if (state != GroupState::kRunning) return;
  verdict_ = {};  // it waits for nothing
  lost_ = false;
  // Where more may join, it is whole with fewer, too, when some are lost.
  whole_size_ = sizing_.at_least ? std::max(whole_size_, claimed() - given_up_) : claimed();
  ++times_whole_;
  if (!whole_) whole_ = now;
}

}  // namespace gangplan
