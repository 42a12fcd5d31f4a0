// A group's pod sets as members come and go: templates that are told anew, and another size.
#include <algorithm>

#include "extender/planner/group.h"
#include "fmt/format.h"

namespace gangplan {

bool Group::ForgetTemplates() {
  bool any = false;
  if (StaysEmpty()) return any;  // it has what its owner tells
  if (Started() || In(SlotState::kHeld) > 0) return any;
  const std::vector<PodSet>& sets = pod_sets_.sets();
  for (size_t i = 0; i < sets.size(); ++i) {
    const PodSet& set = sets[i];
    if (set.members > 0 || !set.known) continue;
    bool empty = true;
    for (int32_t s = set.first; planned() && s < set.first + set.count; ++s)
      empty = empty && slot(s).state == SlotState::kEmpty;
    if (!empty) continue;
    pod_sets_.Unlearn(static_cast<int32_t>(i));
    any = true;
  }
  const bool nothing_told = any && pod_sets_.unseen() == static_cast<int32_t>(sets.size());
  if (nothing_told) {
    DropSlots();
    pod_sets_.Clear();
    sized_by_owner_ = false;
  }
  return any;
}

void Group::Foretell(std::span<const Foretold> told) {
  ClearSlots();
  target_ = most_live_ = most_bound_ = whole_size_ = 0;
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
  for (const Foretold& one : told) priority_ = std::max(priority_, one.pod.priority);
  NoteCreated(told.front().pod.created);
  object_priority_ = told.front().spec.object_priority;
  sized_by_owner_ = told.front().spec.owner_sized && pod_sets_.sets().size() == 1;
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

void Group::Resize(int32_t count) {
  if (count == size()) target_ = 0;
  if (!planned()) {
    pod_sets_.Resize(count);
    return;
  }
  if (count > size()) {
    target_ = 0;
    const int32_t more = count - size();
    slots_.resize(static_cast<size_t>(count));
    may_be_free_ = ~0U;
    slots_in_[static_cast<size_t>(SlotState::kEmpty)] += more;
    vacant_ += more;
    pod_sets_.Resize(count);
    return;
  }
  target_ = count;
  Shrink();
}

// Slots go from the end, when they are empty; who waits there waits for another one.
void Group::Shrink() {
  while (target_ > 0 && size() > target_) {
    const int32_t last = size() - 1;
    if (slot(last).state != SlotState::kEmpty && slot(last).state != SlotState::kFinished) return;
    if (Member* member = MutableAt(last)) Seat(*member, -1);
    Count(slots_.back(), -1);
    slots_.pop_back();
    pod_sets_.Resize(last);
  }
  target_ = 0;
}

}  // namespace gangplan
