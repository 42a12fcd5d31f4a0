#include "extender/planner/reservations.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "extender/planner/ending_pods.h"
#include "extender/planner/known_ends.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

// So often maintenance may be in the way of what was found before all of its nodes are left out.
constexpr int kAvoidedTries = 3;

// By index, up to the last of them.
std::vector<bool> NodesOf(const Plan& plan) {
  std::vector<bool> nodes;
  for (const auto& [slot, node] : plan.places) {
    if (static_cast<size_t>(node) >= nodes.size()) nodes.resize(static_cast<size_t>(node) + 1);
    nodes[static_cast<size_t>(node)] = true;
  }
  return nodes;
}

// InfiniteFuture: nobody knows.
absl::Time BeginsAt(absl::Time now, std::optional<int64_t> by) {
  if (!by) return absl::InfiniteFuture();
  return std::max(now, absl::FromUnixSeconds(*by));
}

bool IsAmong(const std::vector<bool>& nodes, NodeIndex node) {
  return node >= 0 && static_cast<size_t>(node) < nodes.size() && nodes[static_cast<size_t>(node)];
}

}  // namespace

// ---- begin

// What leaves room by then: pods whose end is known, gangs that end though they have not begun yet,
// gangs that are awaited whenever they go, and whatever is going already. O(slots).
Reservations::Ends Reservations::AwaitEnds(absl::Time now, const Group& reader,
                                           const Plans::Foreseen& found,
                                           KeptRoom::Draft& draft) const {
  Ends ends{reader.name()};
  const std::vector<bool> wanted = NodesOf(found.plan);
  for (const std::string& uid : books_.pods.stopping()) draft.Await(uid);
  AwaitForeign(now, found, wanted, draft, ends);
  const std::set<GroupId> awaited(found.awaited.begin(), found.awaited.end());
  const int64_t seconds = absl::ToUnixSeconds(now);
  const VictimSearch::Returning returning = VictimSearch::ReturningPods(books_);
  for (const auto& [id, group] : books_.groups.groups()) {
    const bool all = awaited.contains(id) || books_.yielding.EvictedFor(id) != nullptr;
    for (int32_t i = 0; i < static_cast<int32_t>(group->slots().size()); ++i) {
      const Slot& slot = group->slot(i);
      if (!IsAmong(wanted, slot.node)) continue;
      const bool in_time = slot.ends > seconds && (!found.by || slot.ends <= *found.by);
      const bool goes = slot.state == SlotState::kBound && (all || in_time);
      if (goes && slot.member() != nullptr) draft.Await(slot.member()->pod.uid);
      if (slot.taken() && GivesInTime(found, *group, i, draft)) ends.let_in.insert(id);
      if (goes || slot.taken()) ends.NoteGang(*group, slot.ends);
    }
    GiveSpares(now, found, *group, awaited.contains(id), draft, ends);
    GiveRest(now, found, returning, *group, all, draft, ends);
  }
  GiveNamed(found, draft, ends);
  return ends;
}

// What it keeps for what it may lose goes with the last of it, whenever that is where it is
// awaited.
void Reservations::GiveSpares(absl::Time now, const Plans::Foreseen& found, const Group& group,
                              bool all, KeptRoom::Draft& draft, Ends& ends) const {
  const GroupId spares = SparesFor(group.id());
  if (books_.ledger.HoldCount(spares) == 0) return;
  const int64_t end = EndSearch::LastEndOf(group);
  const bool in_time = end > absl::ToUnixSeconds(now) && (!found.by || end <= *found.by);
  if (!all && !in_time) return;
  for (const PromisedRoom& room : books_.ledger.RoomOf({spares})) {
    if (!draft.Give(room.node, books_.ledger.model().demand(room.shape))) continue;
    ends.given[spares].push_back(room.node);
    ends.NoteGang(group, static_cast<uint32_t>(end));
  }
}

// What its pods that stop leave to a gang goes with the gang, and of one that is awaited whenever
// it goes what it holds for whoever comes anew.
void Reservations::GiveRest(absl::Time now, const Plans::Foreseen& found,
                            const VictimSearch::Returning& returning, const Group& group, bool all,
                            KeptRoom::Draft& draft, Ends& ends) const {
  const auto stops = returning.find(group.id());
  const int64_t end = all || stops == returning.end() ? 0 : EndSearch::LastEndOf(group);
  const bool in_time = end > absl::ToUnixSeconds(now) && (!found.by || end <= *found.by);
  if (stops != returning.end() && (all || in_time)) {
    for (const std::string_view uid : stops->second) draft.GiveReturn(uid);
    ends.NoteGang(group, static_cast<uint32_t>(end));
  }
  if (!all) return;
  for (NodeIndex node : draft.GiveVacant(group)) ends.given[group.id()].push_back(node);
}

// What reservations by name keep goes when they are over. O(nodes of theirs).
void Reservations::GiveNamed(const Plans::Foreseen& found, KeptRoom::Draft& draft,
                             Ends& ends) const {
  for (const auto& [account, one] : books_.named.all()) {
    const int64_t end = absl::ToUnixSeconds(one.words.until);
    if (!one.over && found.by && end > *found.by) continue;
    for (const auto& [node, room] : one.held) {
      if (!draft.Give(node, room)) continue;
      ends.given[account].push_back(node);
      ends.Note("a reservation", static_cast<uint32_t>(end));
    }
  }
}

// Pods of no gang.
void Reservations::AwaitForeign(absl::Time now, const Plans::Foreseen& found,
                                const std::vector<bool>& wanted, KeptRoom::Draft& draft,
                                Ends& ends) const {
  VisitEnding(books_.pods, now, [&](uint32_t end, const std::string& uid) {
    if (found.by && end > *found.by) return false;
    if (IsAmong(wanted, books_.ledger.NodeOf(uid))) {
      draft.Await(uid);
      ends.Note("a pod of no gang", end);
    }
    return true;
  });
}

// Of a slot that has room. True: that is free in time, as it was when that was asked, and needed.
bool Reservations::GivesInTime(const Plans::Foreseen& found, const Group& group, int32_t slot,
                               KeptRoom::Draft& draft) const {
  const int64_t end = EndSearch::EndOfHolds(asked_at_, books_.ledger, group);
  const bool in_time = end != 0 && (!found.by || end <= *found.by);
  return in_time && draft.Give(group.slot(slot).node, group.pod_sets().Of(slot).demand);
}

// A later one each time, and at last all.
void Reservations::Avoid(const Group& group, absl::Time begins) {
  if (avoids_.group != group.id()) avoids_ = {group.id(), begins, 0};
  avoids_.begins = std::max(avoids_.begins, begins);
  if (++avoids_.times > kAvoidedTries) avoids_.begins = absl::InfiniteFuture();
}

void Reservations::Begin(absl::Time now, const Group& group, Plans::Foreseen found) {
  const absl::Time begins = BeginsAt(now, found.by);
  if (books_.placer.MeetsMaintenance(group, begins, found.plan)) return Avoid(group, begins);
  avoids_ = {};
  if (!found.plan.placed() || !KeptRoom::IsWanted(&group, found.plan)) {
    return KeepNothing(group, now + kReservedAgain,
                       "no room can be kept for it: pods of no gang, of which nobody knows when "
                       "they end, stand where it would go, or maintenance comes before its own "
                       "end, or it is not decided where that is");
  }
  KeptRoom::Draft draft(books_, group, found.plan);
  Ends ends = AwaitEnds(now, group, found, draft);
  const absl::Time end = now + kReservedFor;
  if (!kept_.Keep(ReservedFor(group.id()), std::move(draft), HoldReason::kReserving, end)) {
    if (++tries_ >= kReservedTries)
      KeepNothing(group, now + kReservedLook, "others take what is found for it, again and again");
    return;
  }
  tries_ = 0;
  reservation_ = {group.id(),
                  true,
                  std::move(ends.let_in),
                  std::move(ends.given),
                  end,
                  now + kReservedLook,
                  books_.ledger.model().gain_version(),
                  found.by};
  line().Reserve({group.id(), found.by.value_or(0), Text(group, found, ends)});
  if (found.by) AskWhoMayPass(group);
}

// More may be kept than before, or for longer: who is gone in time may go there now.
void Reservations::AskWhoMayPass(const Group& first) {
  for (const auto& [id, group] : books_.groups.groups()) {
    const bool waits = group->state() == GroupState::kBlocked && id != first.id() &&
                       group->topology() == topology_;
    if (waits && RoomTakenBy(*group) > 0) plans_.AskAnew(id);
  }
}

void Reservations::KeepNothing(const Group& group, absl::Time end, std::string why) {
  tries_ = 0;
  reservation_ = {group.id(), false, {}, {}, end, end};
  line().Reserve({group.id(), 0, std::move(why), false});
}

// ---- what goes on

// Some of it is lost, or it may be found better by now.
bool Reservations::IsOver(absl::Time now, const Group* head) const {
  const Reservation& own = *reservation_;
  const bool others = head == nullptr || head->id() != own.group;
  if (others || now >= own.end || line().reserved() == nullptr) return true;
  if (!own.keeps) return false;
  const GroupId account = ReservedFor(own.group);
  const bool awaits = books_.yielding.WhyAwaits(own.group) != nullptr;
  if (awaits || kept_.HasLost(account) || !kept_.IsWantedBy(head, account)) return true;
  const auto given_back = [&](const auto& one) { return books_.ledger.HoldCount(one.first) == 0; };
  if (std::any_of(own.given.begin(), own.given.end(), given_back)) return true;
  return std::any_of(own.let_in.begin(), own.let_in.end(), [&](GroupId id) {
    const Group* one = books_.groups.Find(id);
    return one == nullptr || one->holds() == 0;
  });
}

// They have room on each of these nodes still: it did not go to their own gangs, or elsewhere.
bool Reservations::StillGives(const Given& given) const {
  return std::all_of(given.begin(), given.end(), [&](const auto& one) {
    const auto& [account, nodes] = one;
    return std::all_of(nodes.begin(), nodes.end(), [&, id = account](NodeIndex node) {
      const std::vector<GroupId> there = books_.ledger.GroupsOn(node);
      return std::binary_search(there.begin(), there.end(), id);
    });
  });
}

void Reservations::End() {
  if (reservation_->keeps) kept_.End(ReservedFor(reservation_->group));
  reservation_.reset();
  line().Unreserve();
}

// All of it is free, or something else has come free that may do as well.
void Reservations::GoOn(absl::Time now) {
  Reservation& own = *reservation_;
  if (!own.keeps) return;
  const GroupId account = ReservedFor(own.group);
  if (kept_.AllGone(account) && own.let_in.empty() && own.given.empty()) {
    const GroupId group = own.group;
    const bool stands = kept_.Stands(*books_.groups.Find(group), account);
    const Plan plan = kept_.PlanOf(account);
    End();
    return stands ? plans_.TakePlan(now, group, plan) : plans_.AskAnew(group);
  }
  if (now < own.look) return;
  own.look = now + kReservedLook;
  const Group& group = *books_.groups.Find(own.group);
  const bool kept_off = books_.placer.MeetsMaintenance(group, BeginsAt(now, own.by),
                                                       kept_.PlanOf(account));  // a word came late
  if (kept_off || !StillGives(own.given) || !kept_.Stands(group, account)) return End();
  const uint64_t gain = books_.ledger.model().gain_version();
  if (gain == own.gain_version) return;
  own.gain_version = gain;
  plans_.AskAnew(own.group);
}

void Reservations::SetReserves(bool reserves) {
  reserves_ = reserves;
  if (reserves) return;
  line().SetAsksNext(false);
  if (reservation_) End();
  asked_ = 0;
  plans_.TakeForeseen(topology_);
}

void Reservations::Follow(absl::Time now) {
  if (!reserves_) return;
  line().SetAsksNext(false);
  const std::optional<GroupId> first = line().head();
  const Group* head = first ? books_.groups.Find(*first) : nullptr;
  if (reservation_ && IsOver(now, head)) End();
  for (auto& [id, found] : plans_.TakeForeseen(topology_)) {
    if (!reservation_ && head != nullptr && head->id() == id) Begin(now, *head, std::move(found));
  }
  if (asked_ != 0 && !plans_.IsSolvedOutside(asked_)) asked_ = 0;
  if (reservation_) return GoOn(now);
  if (head == nullptr || asked_ != 0) return;
  if (const std::string* why = books_.yielding.WhyAwaits(head->id()); why != nullptr)
    return KeepNothing(*head, now + kReservedLook, *why);
  std::optional<absl::Time> begins;
  if (avoids_.group == head->id()) begins = avoids_.begins;
  if (!plans_.AskWhen(now, head->id(), begins)) return;
  asked_ = head->id();
  asked_at_ = now;
}

// ---- for people

// The last ones first, so many at most.
std::string Reservations::Ends::Text() const {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [name, end] : last) order.emplace_back(-int64_t{end}, name);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (const auto& [end, name] : order) names.push_back(name);
  if (names.empty()) return "what stops there has gone";
  const bool more = names.size() > kToldEnds;
  if (more) names.resize(kToldEnds);
  return fmt::format("{}{} {} ended", fmt::join(names, ", "), more ? " and others" : "",
                     names.size() > 1 || more ? "have" : "has");
}

std::string Reservations::Text(const Group& group, const Plans::Foreseen& found,
                               const Ends& ends) const {
  std::string text = fmt::format("room for {} is kept in {} as it comes free: ", group.size(),
                                 books_.placer.DomainText(found.plan.nodes()));
  if (!found.by) {
    text += fmt::format("when {}, and nobody has told when that is", ends.Text());
  } else if (*found.by == 0) {
    text += "when pods that are stopping have gone";
  } else {
    text += fmt::format("by {} at the latest, when {}", UtcText(absl::FromUnixSeconds(*found.by)),
                        ends.Text());
  }
  return text;
}

}  // namespace gangplan
