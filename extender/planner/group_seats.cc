// Which slot a member gets: its own, by its rank, else the best one of its pod set.
#include <algorithm>
#include <map>
#include <tuple>

#include "extender/frontends/front_end.h"
#include "extender/planner/group.h"

namespace gangplan {

// False: there are some, or nobody knows how many there are to be.
bool Group::BeginSlots() {
  if (planned() || size() == 0) return false;
  slots_.resize(static_cast<size_t>(size()));
  slots_in_ = {size()};
  vacant_ = size();
  may_be_free_ = ~0U;
  return true;
}

void Group::MakeSlots() {
  if (BeginSlots()) SeatAll();
}

void Group::SetHeld(std::span<const std::pair<int32_t, NodeIndex>> places) {
  const bool anew = BeginSlots();
  for (const auto& [slot, node] : places) SetHeld(slot, node);
  if (anew) SeatAll();
}

// Of a vacant slot: one with a node, then any; where one has succeeded only when there is no other.
int Group::Worth(int32_t index) const {
  return 2 - static_cast<int>(slot(index).state != SlotState::kHeld) -
         static_cast<int>(slot(index).state == SlotState::kFinished);
}

// Where rank 0 is kept for one member, the others take it last.
int32_t Group::SlotInTurn(const PodSet& set, int32_t rank) const {
  const int32_t from = pod_sets_.front_end()->keeps_rank_zero() ? 1 : 0;
  return set.first + (rank + from) % set.count;
}

// The vacant slots of the set, the best one last, or that one alone. O(slots of the set).
std::vector<int32_t> Group::FreeSlotsOf(const PodSet& set, size_t wanted) const {
  std::vector<int32_t> free;
  if (wanted == 1) {
    if (const int32_t best = BestSlotOf(set); best >= 0) free.push_back(best);
    return free;
  }
  for (int32_t rank = set.count - 1; rank >= 0; --rank) {
    const int32_t i = SlotInTurn(set, rank);
    if (At(i) == nullptr) free.push_back(i);
  }
  std::stable_sort(free.begin(), free.end(),
                   [&](int32_t a, int32_t b) { return Worth(a) < Worth(b); });
  return free;
}

// Without a list of all of them. -1: there is none.
int32_t Group::BestSlotOf(const PodSet& set) const {
  int32_t best = -1;
  for (int32_t rank = 0; rank < set.count; ++rank) {
    const int32_t i = SlotInTurn(set, rank);
    if (At(i) != nullptr || (best >= 0 && Worth(i) <= Worth(best))) continue;
    best = i;
    if (Worth(i) == 2) break;
  }
  return best;
}

// -1: it has none, or it is taken.
int32_t Group::FreeOwnSlot(const Member& member) const {
  const int32_t own = OwnSlot(member);
  return own >= 0 && At(own) == nullptr ? own : -1;
}

// A member's own rank first, that of one that has succeeded last. -1: every slot of its pod set is
// taken.
int32_t Group::FreeSlotFor(const Member& member) const {
  const auto over = [this](int32_t index) { return slot(index).state == SlotState::kFinished; };
  const int32_t own = FreeOwnSlot(member);
  if (own >= 0 && !over(own)) return own;
  const int32_t best = BestSlotOf(pod_sets_.at(member.pod_set));
  return own >= 0 && over(best) ? own : best;
}

void Group::AssignSlot(Member& member, int32_t index) {
  if (slot(index).state == SlotState::kFinished) Put(index, SlotState::kEmpty, kNoNode);
  Seat(member, index);
}

// Who waits in a pod set that may have a free slot: no more than there are slots.
std::vector<Member*> Group::Seatable() {
  std::vector<Member*> waiting;
  const int32_t most = vacant_ + In(SlotState::kFinished);
  for (int32_t set = 0; set < static_cast<int32_t>(pod_sets_.sets().size()); ++set) {
    if ((may_be_free_ >> set & 1U) == 0) continue;
    auto turn = slotless_.lower_bound(SeatTurn{set, false, absl::InfinitePast(), {}, {}});
    for (int32_t left = most; left > 0 && turn != slotless_.end() && turn->pod_set == set; --left) {
      ++seat_looks_;
      waiting.push_back(&members_.find(turn->uid)->second);
      ++turn;
    }
  }
  return waiting;
}

std::vector<std::string> Group::AssignSlots() {
  if (slotless_.empty() || vacant_ + In(SlotState::kFinished) == 0) return {};
  std::vector<std::string> assigned;
  for (const Member* member : SeatInTurn(Seatable())) assigned.push_back(member->pod.uid);
  return assigned;
}

// REQUIRES: nobody is seated, and the slots are new. Whose own slot nobody else asks for has it,
// whatever the turn.
void Group::SeatAll() {
  std::vector<int32_t> asked(slots_.size());
  std::vector<Member*> live, others;
  live.reserve(members_.size());
  const auto ask = [&](const Member& member) {
    const int32_t own = OwnSlot(member);
    return own < 0 ? nullptr : &asked[static_cast<size_t>(own)];
  };
  for (auto& [uid, member] : members_) {
    if (!member.live()) continue;
    live.push_back(&member);
    if (int32_t* of_slot = ask(member); of_slot != nullptr) ++*of_slot;
  }
  for (Member* member : live) {
    if (const int32_t* of_slot = ask(*member); of_slot != nullptr && *of_slot == 1) {
      AssignSlot(*member, OwnSlot(*member));
    } else {
      others.push_back(member);
    }
  }
  SeatInTurn(others);
  for (const Member* member : others) {
    if (member->slot < 0) slotless_.insert(SeatTurn::Of(*member));
  }
}

// Ranks first; then first seen, first slot; pods seen at one moment by name. Who got a slot, in
// this order.
std::vector<Member*> Group::SeatInTurn(std::vector<Member*> waiting) {
  using Turn = std::tuple<bool, absl::Time, std::string_view, std::string_view, Member*>;
  std::vector<Turn> turns;
  turns.reserve(waiting.size());
  for (Member* member : waiting) {
    turns.emplace_back(OwnSlot(*member) < 0, member->seen, member->pod.name, member->pod.uid,
                       member);
  }
  std::sort(turns.begin(), turns.end());
  std::map<int32_t, std::vector<int32_t>> free;  // by pod set, looked for once
  std::vector<Member*> seated;
  seated.reserve(waiting.size());
  for (const Turn& turn : turns) {
    Member* member = std::get<Member*>(turn);
    const int32_t set = member->pod_set;
    if ((may_be_free_ >> set & 1U) == 0) continue;
    int32_t index = FreeOwnSlot(*member);
    if (index < 0) {
      const auto [of, added] = free.try_emplace(set);
      if (added) of->second = FreeSlotsOf(pod_sets_.at(set), waiting.size());
      std::vector<int32_t>& left = of->second;
      while (!left.empty() && At(left.back()) != nullptr) left.pop_back();
      if (left.empty()) {
        may_be_free_ &= ~(1U << set);
        continue;
      }
      index = left.back();
    }
    AssignSlot(*member, index);
    seated.push_back(member);
  }
  return seated;
}

}  // namespace gangplan
