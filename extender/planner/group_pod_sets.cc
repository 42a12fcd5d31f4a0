// A group's pod sets as members come and go: templates that are told anew, and another size.
#include <algorithm>
#include <optional>
#include <utility>

#include "extender/frontends/owner.h"
#include "extender/planner/gate_pin.h"
#include "extender/planner/group.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

bool IsHeld(const Slot& slot) {
  return slot.state == SlotState::kHeld || slot.state == SlotState::kPosting;
}

bool IsOver(const Slot& slot) {
  return slot.state == SlotState::kEmpty || slot.state == SlotState::kFinished;
}

// Whatever the number of members has become since.
std::string LeastDifference(const Sizing& group, const Sizing& told) {
  if (group.least == 0 || told.least == 0 || group.least == told.least) return {};
  return fmt::format("asks for at least {} members where the group has at least {}", told.least,
                     group.least);
}

// How long room waits for it is the first one's to say, and may have been changed since.
bool HaveTheSameLeast(const Sizing& a, const Sizing& b) {
  return a.least > 0 && a.least == b.least && a.at_least == b.at_least && a.list == b.list;
}

}  // namespace

// Under a name of its own a group is its owner's, whoever has told of that; and more may be there
// than the least number that its pods tell.
bool Group::IsSizedLike(const PodFacts& pod, const GroupSpec& spec) const {
  if (HaveTheSameLeast(sizing_, spec.sizing)) return true;
  if (!sizing_.by_owner || !spec.sizing.by_owner) return false;
  return !key_.incarnation.empty() || (owner_ && OwnerUidOf(pod) == owner_->uid);
}

bool Group::Add(const PodFacts& pod, const GroupSpec& told, absl::Time now) {
  Member member;
  member.pod = {pod.ns, pod.name, pod.uid};
  member.seen = now;
  member.judged = templates_;
  member.runs = !pod.node_name.empty();
  member.gated = pod.gated();
  member.may_disown = !pod.applied;
  const bool sound = told.kind == GroupSpec::Kind::kMember;
  // The owner's count says how many there are; the group may be waiting for fewer of them.
  const bool by_owner = sound && IsSizedLike(pod, told);
  const bool listed = by_owner && sizing_.list == OwnersList::kWhole && sizing_ == told.sizing;
  const std::optional<GroupSpec> own = listed ? pod_sets_.InOwnList(told) : std::nullopt;
  const GroupSpec& spec = own ? *own : told;
  const bool first = pod_sets_.empty();
  member.problem = sound ? LeastDifference(sizing_, spec.sizing) : spec.problem;
  if (member.sound()) member.problem = pod_sets_.Difference(pod, spec, by_owner);
  member.released = WasReleased(pod);
  member.own_node = OwnNodeOf(pod);
  if (member.sound() && IsAstray(pod, spec)) member.problem = std::string(kAstray);
  member.misfit = sound && !member.sound() ? Misfit::kUnlikeGang : spec.misfit;
  bool news = false;
  if (member.sound()) {
    member.pod_set = spec.pod_set;
    member.rank = spec.rank;
    member.indexed = spec.indexed;
    member.nice = spec.nice;
    nice_by_owner_ = 0;
    member.held = spec.hold.has_value();
    if (spec.hold) hold_ = *spec.hold;
    held_by_owner_ = false;
    // What was foretold of the only pod set may have been wrong; of several the others stay.
    if (pod_sets_.only_foretold() && pod_sets_.sets().size() == 1) priority_ = pod.priority;
    news = pod_sets_.Learn(pod, spec);
    if (news) priority_ = std::max(priority_, pod.priority);
    if (news) object_priority_ = spec.object_priority;
    if (news && Started()) NoteTried(0, 0);
    if (first) TakeSizing(spec);
    TakePin(pod, spec);
  } else {
    tell_ = true;
  }
  if (suspended()) start_ = GroupStart::kStarted;  // by somebody else
  std::string maker = MakerUidOf(pod);
  if (!maker.empty() && member.sound() && makers_.size() < kMaxMakers)
    makers_.insert(std::move(maker));
  if (first_seen_ || members_.empty()) first_seen_ = std::min(first_seen_.value_or(now), now);
  Count(members_.emplace(pod.uid, std::move(member)).first->second, 1);
  // Members that were there before the ties were known get the slots of their ranks.
  if (news && pod_sets_.unseen() == 0 && pod_sets_.Tie()) {
    for (auto& [uid, one] : members_) {
      if (one.slot >= 0 && slot(one.slot).state == SlotState::kEmpty) Seat(one, -1);
    }
  }
  return news;
}

bool Group::ForgetTemplates() {
  bool any = false;
  if (StaysEmpty()) return any;  // it has what its owner tells
  if (Started() || In(SlotState::kHeld) > 0) return any;
  const std::vector<PodSet>& sets = pod_sets_.sets();
  for (size_t i = 0; i < sets.size(); ++i) {
    const PodSet& set = sets[i];
    if (set.members > 0 || !set.known || set.last) continue;
    bool empty = true;
    for (int32_t s = set.first; planned() && s < set.first + set.count; ++s)
      empty = empty && slot(s).state == SlotState::kEmpty;
    if (!empty) continue;
    pod_sets_.Unlearn(static_cast<int32_t>(i));
    any = true;
  }
  const auto told = [](const PodSet& set) { return set.known && !(set.last && set.members == 0); };
  if (any && std::none_of(sets.begin(), sets.end(), told)) {
    DropSlots();
    for (size_t i = 0; i < sets.size(); ++i) {
      if (sets[i].last) pod_sets_.Unlearn(static_cast<int32_t>(i));
    }
    pod_sets_.Clear();
    TakeSizing({});
  }
  return any;
}

void Group::Foretell(std::span<const Foretold> told) {
  ClearSlots();
  most_live_ = most_bound_ = whole_size_ = 0;
  begun_.reset();
  whole_.reset();
  waits_since_.reset();
  bound_by_ = 0;
  const auto sets = static_cast<int32_t>(pod_sets_.sets().size());
  for (int32_t set = 0; set < sets; ++set) pod_sets_.Unlearn(set);
  pod_sets_.Clear();
  for (const Foretold& one : told) pod_sets_.Foretell(one);
  if (pod_sets_.unseen() == 0) pod_sets_.Tie();
  priority_ = told.front().pod.priority;
  held_by_owner_ = false;
  nice_by_owner_ = 0;
  for (const Foretold& one : told) {
    nice_by_owner_ = std::max(nice_by_owner_, one.spec.nice);
    priority_ = std::max(priority_, one.pod.priority);
    held_by_owner_ |= one.spec.hold.has_value();
    if (one.spec.hold) hold_ = *one.spec.hold;
  }
  NoteCreated(told.front().pod.created);
  object_priority_ = told.front().spec.object_priority;
  TakeSizing(told.front().spec);
  start_ = GroupStart::kSuspended;
}

// By other rules it was not tried yet.
void Group::SetRung(size_t rung) {
  if (rung == pod_sets_.rung()) return;
  pod_sets_.SetRung(rung);
  NoteTried(0, 0);
}

void Group::NoteBoundBy(size_t rung) {
  bound_by_ = std::max(bound_by_, rung);
  SetRung(std::max(bound_by_, this->rung()));
}

std::string Group::NextRungText() const {
  const size_t next = rung() + 1;
  if (next >= ladder().size()) return {};
  return fmt::format("; after {} of waiting \"{}\" will do",
                     absl::FormatDuration(ladder()[next].after), ladder()[next].place);
}

bool Group::AwaitsLast(std::string_view name) const {
  const int32_t set = pod_sets_.Find(name);
  return !planned() && (pod_sets_.empty() || (set >= 0 && !pod_sets_.at(set).known));
}

// It stays known until a pod of it comes, whatever the others do.
void Group::ForetellLast(const Foretold& told) {
  const bool ours = told.spec.kind == GroupSpec::Kind::kMember && told.spec.key == key_;
  if (!ours || told.spec.sizing.list != OwnersList::kWhole) return;
  const PodSetCount& own = told.spec.pod_sets[static_cast<size_t>(told.spec.pod_set)];
  if (own.count != 1 || !AwaitsLast(own.name)) return;
  if (pod_sets_.empty()) {
    TakeSizing(told.spec);
    pod_sets_.ForetellLast(told);
  } else if (sizing_.list == OwnersList::kWhole) {
    Foretold here = told;
    if (auto spec = pod_sets_.InOwnList(told.spec)) here.spec = *std::move(spec);
    pod_sets_.ForetellLast(here);
  }
  priority_ = std::max(priority_, told.pod.priority);
}

// `held`: those for which room is held.
int32_t Group::VacantLast(bool held) const {
  int32_t vacant = 0;
  for (const PodSet& set : pod_sets_.sets()) {
    const bool vacates = planned() && set.last && set.count == 1;
    if (!vacates || !slot(set.first).open() || At(set.first) != nullptr) continue;
    vacant += static_cast<int32_t>(!held || slot(set.first).state == SlotState::kHeld);
  }
  return vacant;
}

bool Group::LearnRuntime(int32_t set, int64_t room_taken) {
  const bool news = pod_sets_.LearnRuntime(set, room_taken);
  if (news) NoteTried(0, 0);
  return news;
}

bool Group::AppendSet(std::string_view name) {
  if (pod_sets_.sets().size() == kMaxPodSets) return false;
  pod_sets_.Append(name);
  return true;
}

void Group::Resize(int32_t index, int32_t count) {
  const PodSet& set = pod_sets_.at(index);
  const int32_t more = count - set.count;
  if (planned() && more < 0) {
    pod_sets_.SetSpare(index, -more);
    return Shrink(index);
  }
  if (planned()) AddSlots(set.first + set.count, more);
  pod_sets_.Resize(index, count);
}

// Those behind them get other numbers.
void Group::AddSlots(int32_t at, int32_t more) {
  if (at < size()) Renumber(at, more);
  slots_.insert(slots_.begin() + at, static_cast<size_t>(more), Slot());
  may_be_free_ = ~0U;
  slots_in_[static_cast<size_t>(SlotState::kEmpty)] += more;
  vacant_ += more;
}

void Group::ShrinkSpare() {
  for (size_t i = pod_sets_.sets().size(); i-- > 0;) Shrink(static_cast<int32_t>(i));
}

// Slots go from the end of their set, when they are empty and nothing is held behind them; who
// waits there waits for another one.
void Group::Shrink(int32_t index) {
  if (!planned() || index < 0 || pod_sets_.at(index).spare == 0) return;
  const PodSet& set = pod_sets_.at(index);
  const int32_t end = set.first + set.count;
  int32_t first = end;
  // Where the members are counted, one that has succeeded counts by its slot.
  const auto goes = [&](const Slot& slot) {
    return sizing_.at_least ? slot.state == SlotState::kEmpty : IsOver(slot);
  };
  while (first > end - set.spare && goes(slot(first - 1))) --first;
  if (first == end || std::any_of(slots_.begin() + end, slots_.end(), IsHeld)) return;
  TakeSlots(first, end);
  const int32_t spare = set.spare - (end - first);
  pod_sets_.Resize(index, set.count - (end - first));
  pod_sets_.SetSpare(index, spare);
}

void Group::TakeSlots(int32_t first, int32_t end) {
  for (int32_t i = first; i < end; ++i) {
    if (Member* member = MutableAt(i)) Seat(*member, -1);
    Count(slot(i), -1);
  }
  if (end < size()) Renumber(end, first - end);
  slots_.erase(slots_.begin() + first, slots_.begin() + end);
}

// Who has a slot from this one on has one that is `by` later.
void Group::Renumber(int32_t from, int32_t by) {
  for (auto& [uid, member] : members_) {
    if (member.slot >= from) member.slot += by;
  }
}

}  // namespace gangplan
