// Members of gangs that run, and are made anew when they are gone: by StatefulSets, and so by
// LeaderWorkerSets. While such a pod stops its room is promised to its gang, so that nobody counts
// on it; in the step in which it counts nowhere any more that is a hold of its slot, as room for
// any repair: with the gang's end, at most gang.gatherTimeout. Of whoever gives way nothing is
// kept, nor where the node may not be used, nor of a pod that has failed by itself there. Members
// that are there and wait for room come before whoever may come.
#include <algorithm>
#include <iterator>

#include "extender/frontends/leader_worker.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plans.h"
#include "fmt/format.h"

namespace gangplan {

// Nothing where it counts nowhere, or its room is somebody else's, or it is only read anew. Before
// it leaves.
std::optional<Plans::Return> Plans::ReturnOf(const Group& group, const Member& member) const {
  const std::string& uid = member.pod.uid;
  const KnownPod& record = books_.pods.At(uid);
  const bool goes = record.leaving || books_.pods.Buried(uid);
  if (!record.late || !goes || member.slot < 0 || books_.groups.Retired(group.id())) return {};
  const NodeIndex node = books_.ledger.NodeOf(uid);
  const GroupId to = books_.yielding.PromisedTo(uid);
  if (node == kNoNode || (to != 0 && !IsReserved(to))) return {};
  const int32_t set = group.pod_sets().IndexOf(member.slot);
  return Return{{set, member.slot - group.pod_sets().at(set).first},
                books_.ledger.model().NodeName(node)};
}

// A replica goes with its leader, and what comes then is another run of it.
bool Plans::EndsRun(const Group& group, const std::string& uid) {
  return IsReplica(group.key()) && LeaderOf(group.key()) == uid;
}

bool Plans::LacksLeader(const Group& group) {
  if (!IsReplica(group.key())) return false;
  const auto leader = group.members().find(LeaderOf(group.key()));
  return leader == group.members().end() || !leader->second.runs;
}

// Whoever it lacks may come anew, and its namespace may hold room for that; nobody who is there
// lacks room, who would be asked for that instead. O(groups of the namespace that hold some for
// nobody).
bool Plans::MayGetAnew(const Group& group) const {
  if (group.WantsSlots() || !group.AnyRuns() || !group.AnyLive() ||
      group.state() == GroupState::kDone)
    return false;
  if (!group.stale().empty() || books_.yielding.EvictedFor(group.id()) != nullptr) return false;
  if (LacksLeader(group)) return false;
  if (group.owner() && books_.owners.IsGone(OwnerKeyOf(group))) return false;
  return books_.vacant.Refusal(group, books_.ledger).empty();
}

// It is empty, and the pod set lacks one more than those for whom room is kept: so many.
bool Plans::IsFor(const Group& group, const Place& place, int64_t kept) {
  const int32_t slot = VacantAt(group, place);
  if (slot < 0 || group.slot(slot).state != SlotState::kEmpty) return false;
  const PodSet& set = group.pod_sets().at(place.first);
  return place.second < set.claimed() && set.members + kept < set.claimed();
}

bool Plans::MayComeTo(const Group& group, const Place& place) const {
  return MayGetAnew(group) && IsFor(group, place, std::ssize(KeptPlaces(group, place.first)));
}

// It stands where the rules of its gang let it, beside those that are left.
bool Plans::StandsBeside(const Group& group, const Return& back) const {
  const NodeIndex node = books_.ledger.model().FindNode(back.node);
  const int32_t slot = VacantAt(group, back.place);
  return node != kNoNode && slot >= 0 && books_.placer.StandsBeside(group, slot, node);
}

void Plans::AwaitReturn(const Group& group, const std::string& uid, Return&& back) {
  if (!MayComeTo(group, back.place) || !StandsBeside(group, back)) return;
  // The first in line counts on the end of its gang: its room is found anew.
  if (books_.yielding.PromisedTo(uid) != 0) books_.lines.of(group.topology()).Unreserve();
  books_.yielding.Promise(uid, group.id());
  returns_.insert_or_assign({group.id(), uid}, std::move(back));
}

// Of its pods that stop some may not come again by now: their room is promised no more.
void Plans::EndVainReturns(const Group& group) {
  auto next = returns_.lower_bound({group.id(), std::string()});
  if (next == returns_.end() || next->first.first != group.id()) return;
  const bool any = MayGetAnew(group);
  std::map<int32_t, int64_t> kept;  // by pod set
  for (const Place& place : KeptPlaces(group)) ++kept[place.first];
  while (next != returns_.end() && next->first.first == group.id()) {
    const auto entry = next++;
    const Place& place = entry->second.place;
    if (any && IsFor(group, place, kept[place.first])) continue;
    books_.yielding.EndPromise(entry->first.second);
    returns_.erase(entry);
  }
}

void Plans::OnPodGone(absl::Time now, std::string_view uid) {
  if (returns_.empty()) return;
  const GroupId id = books_.yielding.PromisedTo(uid);
  const auto found = returns_.find({id, std::string(uid)});
  if (found == returns_.end() || books_.ledger.NodeOf(uid) != kNoNode) return;
  const Return back = std::move(found->second);
  returns_.erase(found);
  books_.yielding.EndPromise(uid);
  Group& group = *books_.groups.Find(id);
  if (MayReturn(group, back) && HoldReturn(now, group, back))
    books_.lifecycle.Fire(id, GroupEvent::kMembersChanged);  // it holds room, and is to be repaired
}

// The slot that waits for whoever comes anew. -1: there is none.
int32_t Plans::VacantAt(const Group& group, const Place& place) {
  const auto& sets = group.pod_sets().sets();
  if (!group.planned() || place.first >= std::ssize(sets)) return -1;
  const PodSet& set = group.pod_sets().at(place.first);
  const int32_t slot = set.first + place.second;
  if (!set.known || place.second >= set.count || group.At(slot) != nullptr) return -1;
  return slot;
}

bool Plans::MayReturn(const Group& group, const Return& back) const {
  const GroupState state = group.state();
  const bool runs = state == GroupState::kRunning || state == GroupState::kRepairing ||
                    state == GroupState::kBinding;
  return planning_ && runs && MayComeTo(group, back.place) && StandsBeside(group, back);
}

// False: its node has no room for it, or may not be used.
bool Plans::HoldReturn(absl::Time now, Group& group, const Return& back) {
  const int32_t slot = VacantAt(group, back.place);
  const NodeIndex node = books_.ledger.model().FindNode(back.node);
  EnsureShapes(group);
  const NodeAndSet place(node, back.place.first);
  Plan plan;
  plan.places = {{slot, node}};
  if (!FitOn(group, {&place, 1}) || !books_.placer.Allows(group, plan)) return false;
  ForgetFilled(group);
  const PodSet& set = group.pod_sets().at(back.place.first);
  books_.ledger.Hold({group.id(), slot}, node, set.shape, group.priority(), set.profile);
  group.SetHeld(slot, node);
  group.SetTorn(false);  // or it would not stand beside the others
  if (books_.ledger.EndOf(group.id()) == absl::InfiniteFuture())
    books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
  kept_places_[group.id()].insert(back.place);
  books_.named.NoteRoom(group, plan.nodes());
  books_.vacant.Count(group, books_.ledger);
  return true;
}

// The one that comes has other labels than the last one of its set, as each pod of a StatefulSet,
// or another template: where the node has room for that, and the namespace may hold as much for
// nobody, it stays its own. False: it is to be released.
bool Plans::HoldAnew(Group& group, int32_t slot) {
  const int32_t index = group.pod_sets().IndexOf(slot);
  const Place place(index, slot - group.pod_sets().at(index).first);
  const auto kept = kept_places_.find(group.id());
  if (kept == kept_places_.end() || !kept->second.contains(place)) return false;
  if (group.At(slot) != nullptr) return false;
  const HoldId hold{group.id(), slot};
  const NodeIndex node = group.slot(slot).node;
  const absl::Time end = books_.ledger.EndOf(group.id());
  books_.ledger.LiftOne(hold);
  EnsureShapes(group);
  Plan plan;
  plan.places = {{slot, node}};
  const bool fits = Fits(group, plan);
  const PodSet& set = group.pod_sets().at(index);
  books_.ledger.Hold(hold, node, set.shape, group.priority(), set.profile);
  books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, end);
  return fits && books_.vacant.Refusal(group, books_.ledger).empty();
}

// Those of the pod set that are still kept for nobody, ascending; -1: of all of them.
std::vector<Plans::Place> Plans::KeptPlaces(const Group& group, int32_t set) const {
  std::vector<Place> places;
  const auto kept = kept_places_.find(group.id());
  if (kept == kept_places_.end()) return places;
  for (const Place& place : kept->second) {
    if (set >= 0 && place.first != set) continue;
    const int32_t slot = VacantAt(group, place);
    if (slot >= 0 && group.slot(slot).state == SlotState::kHeld) places.push_back(place);
  }
  return places;
}

// Places whose room was given back, or is a pod's by now: what is held there from here on is that
// of a plan.
void Plans::ForgetFilled(const Group& group) {
  const auto kept = kept_places_.find(group.id());
  if (kept == kept_places_.end()) return;
  std::erase_if(kept->second, [&](const Place& place) {
    if (place.first >= std::ssize(group.pod_sets().sets())) return true;
    const PodSet& set = group.pod_sets().at(place.first);
    const bool there = group.planned() && place.second < set.count;
    return !there || group.slot(set.first + place.second).state != SlotState::kHeld;
  });
  if (kept->second.empty()) kept_places_.erase(kept);
}

// Whose pods still stop: what they leave is anybody's.
void Plans::ForgetReturns(GroupId id) {
  auto next = returns_.lower_bound({id, std::string()});
  while (next != returns_.end() && next->first.first == id) {
    books_.yielding.EndPromise(next->first.second);
    next = returns_.erase(next);
  }
}

void Plans::EndKept(Group& group, std::string_view why) {
  for (const Place& place : KeptPlaces(group)) ReleaseSlot(group, VacantAt(group, place), why);
  kept_places_.erase(group.id());
}

void Plans::EndReturns(Group& group, std::string_view why) {
  ForgetReturns(group.id());
  EndKept(group, why);
}

// The pod set is to have fewer slots: what is kept beyond these goes, and what is beyond the
// members that it may still get, the highest rank first.
void Plans::EndReturnsBeyond(Group& group, int32_t set, int32_t count, std::string_view why) {
  const std::vector<Place> places = KeptPlaces(group, set);
  auto left = std::ssize(places);
  for (auto next = places.rbegin(); next != places.rend(); ++next) {
    if (next->second < count && group.pod_sets().at(set).members + left <= count) return;
    ReleaseSlot(group, VacantAt(group, *next), why);
    --left;
  }
}

void Plans::OnOwnerGone(std::string_view owner_key) {
  if (returns_.empty() && kept_places_.empty()) return;
  for (GroupId id : books_.groups.OfOwner(UidOf(owner_key))) {
    Group& group = *books_.groups.Find(id);
    if (OwnerKeyOf(group) != owner_key) continue;  // of another namespace
    EndReturns(group, fmt::format("gang {}: its owner is gone", group.name()));
    books_.lifecycle.Fire(id, GroupEvent::kMembersChanged);
  }
}

void Plans::GiveUpRoom(GroupId id) {
  Group& group = *books_.groups.Find(id);
  ForgetReturns(id);
  const std::string why = fmt::format("gang {}: it is to give way", group.name());
  for (const HoldId& hold : books_.ledger.HoldsOf(id)) {
    if (group.slot(hold.slot).state == SlotState::kHeld) ReleaseSlot(group, hold.slot, why);
  }
  kept_places_.erase(id);
  books_.lifecycle.Fire(id, GroupEvent::kMembersChanged);
}

}  // namespace gangplan
