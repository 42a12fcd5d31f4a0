#include "extender/planner/named_reservations.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/group_room.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

// So many of its pods are where its users are, as far as that can be told by what these take.
// `apart`: on its nodes alone.
std::map<NodeIndex, int32_t> SeatsOf(const NamedRoom::Reservation& own,
                                     const std::vector<const Group*>& users, bool apart) {
  std::map<NodeIndex, ResourceList> used;
  for (const Group* group : users) {
    VisitRoom(*group, [&](NodeIndex node, const PodSet& set) {
      if (!apart || own.pods.contains(node)) AddResources(used[node], set.demand);
    });
  }
  std::map<NodeIndex, int32_t> seats;
  int32_t left = own.words.count;
  for (const auto& [node, amounts] : used) {
    int64_t pods = 0;
    for (const auto& [name, amount] : own.words.requests) {
      if (name == "pods") continue;
      pods = std::max(pods, (AmountOf(amounts, name) + amount - 1) / amount);
    }
    const auto here = static_cast<int32_t>(std::min<int64_t>(pods, left));
    if (here > 0) seats[node] = here;
    left -= here;
  }
  return seats;
}

}  // namespace

// ---- its life

void NamedReservations::BeginToPlan(absl::Time now) {
  if (entries_.empty()) return;
  seeks_by_ = now + kNamedSought;
  books_.named.SetSeeks(true);
}

void NamedReservations::Follow(absl::Time now) {
  if (entries_.empty()) return;
  for (auto next = entries_.begin(); next != entries_.end();) {
    auto& [name, entry] = *next++;
    if (entry.gone) {
      Finish(name, entry);
      entries_.erase(name);
      continue;
    }
    if (entry.unread || (entry.waits && live_ < kMaxReservations)) Read(now, name, entry);
  }
  for (auto& [account, found] : plans_.TakeNamedFound()) {
    if (asked_ == account) asked_ = 0;
    for (auto& [name, entry] : entries_)
      if (entry.account == account) Take(now, entry, found);
  }
  for (auto& [name, entry] : entries_)
    if (entry.account != 0) Look(now, name, entry);
  if (plans_.planning()) LookAtNext(now);
  Ask(now);
}

// It is over, it starts, something of it is to be told.
void NamedReservations::Look(absl::Time now, const std::string& name, Entry& entry) {
  const NamedRoom::Reservation& own = *books_.named.Find(entry.account);
  if (now >= own.words.until) return Finish(name, entry);
  const bool starts = now >= own.words.from;
  if (starts != own.started) {
    books_.named.SetStarted(entry.account, starts);
    entry.tells_start = starts;
    entry.avoid.clear();
    entry.drops = asked_ == entry.account;
    AskUsers(name);
  }
  if (entry.state == ReservationState::kKept && !books_.named.AnyToFit()) {
    if (std::exchange(entry.tells_plan, false)) TellPlanned(entry);
    if (std::exchange(entry.tells_start, false)) TellStart(entry, own);
  }
  if (auto wish = books_.named.TakeWish(entry.account); !wish.empty() && !starts) {
    entry.moves = now + SolveQueue::PauseAfter(kNamedMoves, entry.vain);
    entry.avoid = std::move(wish);
  }
}

// Is its place still the right one? One a turn: each costs O(its nodes). The one that has waited
// longest, of those for which room is kept by now.
void NamedReservations::LookAtNext(absl::Time now) {
  Entry* next = nullptr;
  for (auto& [name, entry] : entries_) {
    if (entry.account == 0 || now < entry.look) continue;
    const ReservationWords& words = books_.named.Find(entry.account)->words;
    const bool early = now < words.from - words.lead;
    if (!early && (next == nullptr || entry.look < next->look)) next = &entry;
  }
  if (next == nullptr) return;
  const NamedRoom::Reservation& own = *books_.named.Find(next->account);
  next->look = now + kNamedLook;
  const bool kept = next->state == ReservationState::kKept && !own.started && !next->seeks;
  const bool movable = kept && now >= next->moves;
  if (movable && !own.movable) AskWhoWaits();
  books_.named.SetMovable(next->account, movable);
  LookAtRoom(now, *next);
}

// Where it is, is that still the place? What is free elsewhere may be enough by now.
void NamedReservations::LookAtRoom(absl::Time now, Entry& entry) {
  const NamedRoom::Reservation& own = *books_.named.Find(entry.account);
  if (entry.state == ReservationState::kAhead) {
    entry.state = ReservationState::kSought;
    entry.seeks = true;
    return;
  }
  if (entry.seeks) return;
  const absl::Time by = absl::FromUnixSeconds(entry.by.value_or(0));
  const bool late = !entry.known_end || by > own.words.from || now > by;
  const bool lacks = late && own.missing > 0;
  const bool sought = entry.state == ReservationState::kSought;
  const bool due = now >= entry.again;
  const bool lost =
      (due || entry.why.empty()) && !StandsAll(entry, own);  // and was not in vain just now
  entry.seeks = lost || (due && (sought || lacks));
}

std::string NamedReservations::PlaceOf(NodeIndex node) const {
  return fmt::format("{}", fmt::join(books_.placer.UnitsOf(node), "/"));
}

// Its nodes take its pods still, are where they were, and no maintenance comes before it is over.
bool NamedReservations::StandsAll(const Entry& entry, const NamedRoom::Reservation& own) const {
  const ShapeId shape = own.group->pod_sets().at(0).shape;
  Plan plan;
  for (auto place = entry.places.begin(); const auto& [node, pods] : own.pods) {
    if (place == entry.places.end() || *place++ != PlaceOf(node)) return false;
    if (shape < 0 || !books_.ledger.model().MayUse(node, shape)) return false;
    if (books_.ledger.model().LeafOfNode(own.words.topology, node) < 0) return false;
    plan.places.emplace_back(0, node);
  }
  return own.started || !books_.placer.MeetsMaintenance(*own.group, own.words.from, plan);
}

// The first one by name that is to be asked about. One that has started keeps what its users have,
// but for those who have begun elsewhere, where there is no place for it with them.
void NamedReservations::Ask(absl::Time now) {
  if (now > seeks_by_) books_.named.SetSeeks(false);
  if (asked_ != 0 || !plans_.planning()) return;
  const auto next = std::find_if(entries_.begin(), entries_.end(), [](const auto& one) {
    return one.second.account != 0 && (one.second.seeks || !one.second.avoid.empty());
  });
  if (next == entries_.end()) {
    books_.named.SetSeeks(false);
    return books_.named.SetWantsCopy(false);
  }
  Entry& entry = next->second;
  const NamedRoom::Reservation& own = *books_.named.Find(entry.account);
  auto group = GroupOf(entry, own.words);
  std::map<NodeIndex, int32_t> seats;
  if (own.started) seats = SeatsOf(own, books_.named.UsersOf(own), entry.apart);
  if (!seats.empty()) group->MakeSlots();
  int32_t slot = 0;
  for (const auto& [node, pods] : seats)
    for (int32_t i = 0; i < pods; ++i) group->SetHeld(slot++, node);
  plans_.SetNamed(entry.account, std::move(group));
  if (slot == own.words.count) {
    Plans::Foreseen found;
    found.plan.verdict.outcome = Outcome::kPlaced;
    found.by = 0;
    return Take(now, entry, found);
  }
  // Its users go where maintenance is to be only where they tell that they have ended by then.
  absl::Time begins = absl::InfiniteFuture();
  if (entry.to_be_empty) begins = std::max(now, own.words.from);
  if (plans_.AskWhere(now, entry.account, begins, entry.avoid)) asked_ = entry.account;
}

void NamedReservations::Take(absl::Time now, Entry& entry, const Plans::Foreseen& found) {
  const NamedRoom::Reservation& own = *books_.named.Find(entry.account);
  const bool with_all = std::exchange(entry.to_be_empty, false);
  if (std::exchange(entry.drops, false)) return;
  if (!found.plan.placed() && !found.plan.verdict.decided && found.plan.verdict.reason.empty())
    return;  // something has changed: it is asked once more
  const bool in_time = found.by && *found.by <= absl::ToUnixSeconds(own.words.from);
  entry.to_be_empty =
      !with_all && !(found.plan.placed() && in_time) && books_.placer.AnyMaintenance();
  if (entry.to_be_empty) return;  // with these nodes it is asked once more
  const bool moves = !std::exchange(entry.avoid, {}).empty();
  const bool in_vain = moves && !entry.seeks && !(found.plan.placed() && in_time);
  entry.vain = in_vain ? entry.vain + 1 : 0;
  if (in_vain) return;  // it stays where it is
  const bool nowhere = !found.plan.placed() && entry.state != ReservationState::kKept;
  entry.seeks = nowhere && own.group->planned() && !entry.apart;
  entry.apart |= entry.seeks;
  if (entry.seeks) return;
  // What was to be free at once may have gone to others meanwhile.
  const bool at_once = found.by && absl::FromUnixSeconds(*found.by) <= now;
  entry.again = now + (at_once ? kNamedLook : kNamedAgain);
  if (!found.plan.placed()) {
    entry.why = found.plan.verdict.reason;
    if (entry.state == ReservationState::kKept) return;
    if (entry.told != entry.why)
      Tell(entry, true, kReservationShort,
           fmt::format("no room is found for reservation {}: {}", entry.object.name, entry.why));
    entry.told = entry.why;
    return;
  }
  std::map<NodeIndex, int32_t> pods;
  for (const Slot& slot : own.group->slots())
    if (slot.taken()) ++pods[slot.node];
  for (const auto& [slot, node] : found.plan.places) ++pods[node];
  entry.places.clear();
  for (const auto& [node, count] : pods) entry.places.push_back(PlaceOf(node));
  // What it leaves may have been promised to the first in line.
  if (pods != own.pods) books_.lines.of(own.words.topology).Unreserve();
  books_.named.Place(entry.account, std::move(pods));
  const bool first = std::exchange(entry.state, ReservationState::kKept) != ReservationState::kKept;
  entry.look = now;
  entry.known_end = found.by.has_value();
  entry.by = found.by;
  entry.why.clear();
  SetDomain(entry);
  entry.tells_start |= own.started && first;
  entry.tells_plan = !own.started;
}

void NamedReservations::SetDomain(Entry& entry) {
  std::vector<NodeIndex> nodes;
  for (const auto& [node, pods] : books_.named.Find(entry.account)->pods) nodes.push_back(node);
  entry.domain = nodes.empty() ? std::string() : books_.placer.DomainText(nodes);
}

// It is over, or its object is gone.
void NamedReservations::Finish(const std::string& name, Entry& entry) {
  const NamedRoom::Reservation* own = books_.named.Find(entry.account);
  if (own != nullptr) {
    if (!entry.gone)
      Tell(entry, false, kReservationEnded,
           fmt::format("reservation {} is over: what of its room nobody uses is given back; gangs "
                       "that run there stay",
                       name));
    plans_.SetNamed(entry.account, nullptr);
    books_.lines.of(own->words.topology).Unreserve();  // nobody passes before the first is asked
    books_.named.End(entry.account);
    AskUsers(name);
    if (asked_ == entry.account) asked_ = 0;
    --live_;
  }
  Entry over;
  over.object = std::move(entry.object);
  over.problem = std::move(entry.problem);
  over.unread = entry.unread;
  over.gone = entry.gone;
  over.state = ReservationState::kOver;
  entry = std::move(over);
}

// It may be moved for one of them by now.
void NamedReservations::AskWhoWaits() {
  for (const auto& [id, group] : books_.groups.groups())
    if (group->state() == GroupState::kBlocked && group->WaitsForRoom()) plans_.AskAnew(id);
}

// Whether they may go, and where, is another matter now.
void NamedReservations::AskUsers(const std::string& name) {
  for (const auto& [id, group] : books_.groups.groups()) {
    if (group->pod_sets().reservation() == name) plans_.AskAnew(id);
  }
}

}  // namespace gangplan
