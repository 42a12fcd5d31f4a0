// Members of gangs that run, and are made anew when they are gone: by StatefulSets, and so by
// LeaderWorkerSets. While such a pod stops its room is promised to its gang, so that nobody counts
// on it; in the step in which it counts nowhere any more that is a hold of its slot, as room for
// any repair: with the gang's end, at most gang.gatherTimeout. Of whoever gives way nothing is
// kept, nor where the node may not be used, nor of a pod that has failed by itself there.
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
  if (node == kNoNode || books_.yielding.PromisedTo(uid) != 0) return {};
  const int32_t set = group.pod_sets().IndexOf(member.slot);
  return Return{{set, member.slot - group.pod_sets().at(set).first},
                books_.ledger.model().NodeName(node)};
}

// A replica goes with its leader, and what comes then is another run of it. The leader has its
// first slot.
bool Plans::EndsRun(const Group& group, int32_t slot) {
  return slot == 0 && IsReplica(group.key());
}

void Plans::AwaitReturn(const Group& group, const std::string& uid, Return&& back) {
  const bool replica = IsReplica(group.key());
  if (!group.AnyRuns() || books_.yielding.EvictedFor(group.id()) != nullptr) return;
  if (replica && (group.At(0) == nullptr || !group.At(0)->runs)) return;
  books_.yielding.Promise(uid, group.id());
  returns_.insert_or_assign({group.id(), uid}, std::move(back));
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
  if (MayReturn(group, back)) HoldReturn(now, group, back);
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
  if (!planning_ || !runs || !group.AnyRuns() || !group.stale().empty() || group.torn())
    return false;
  if (books_.yielding.EvictedFor(group.id()) != nullptr) return false;
  if (group.owner() && books_.owners.IsGone(OwnerKeyOf(group))) return false;
  const int32_t slot = VacantAt(group, back.place);
  if (slot < 0 || group.slot(slot).state != SlotState::kEmpty) return false;
  const PodSet& set = group.pod_sets().at(back.place.first);
  return back.place.second < set.claimed() && set.members < set.claimed() &&
         books_.vacant.Refusal(group, books_.ledger).empty();
}

void Plans::HoldReturn(absl::Time now, Group& group, const Return& back) {
  const int32_t slot = VacantAt(group, back.place);
  const NodeIndex node = books_.ledger.model().FindNode(back.node);
  if (node == kNoNode) return;
  EnsureShapes(group);
  const NodeAndSet place(node, back.place.first);
  Plan plan;
  plan.places = {{slot, node}};
  if (!FitOn(group, {&place, 1}) || !books_.placer.Allows(group, plan)) return;
  const PodSet& set = group.pod_sets().at(back.place.first);
  books_.ledger.Hold({group.id(), slot}, node, set.shape, group.priority(), set.profile);
  group.SetHeld(slot, node);
  if (books_.ledger.EndOf(group.id()) == absl::InfiniteFuture())
    books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
  kept_places_[group.id()].insert(back.place);
  books_.named.NoteRoom(group, plan.nodes());
  books_.vacant.Count(group, books_.ledger);
}

// The one that comes has other labels than the last one of its set, as each pod of a StatefulSet,
// or another template: where the node has room for that it stays its own. False: it is to be
// released.
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
  return fits;
}

// Those that are still kept for nobody, ascending; the others are forgotten.
std::vector<Plans::Place> Plans::KeptPlaces(const Group& group) {
  const auto kept = kept_places_.find(group.id());
  if (kept == kept_places_.end()) return {};
  std::erase_if(kept->second, [&](const Place& place) {
    const int32_t slot = VacantAt(group, place);
    return slot < 0 || group.slot(slot).state != SlotState::kHeld;
  });
  std::vector<Place> places(kept->second.begin(), kept->second.end());
  if (places.empty()) kept_places_.erase(kept);
  return places;
}

// Whose pods still stop: what they leave is anybody's.
void Plans::ForgetReturns(GroupId id) {
  auto next = returns_.lower_bound({id, std::string()});
  while (next != returns_.end() && next->first.first == id) {
    books_.yielding.EndPromise(next->first.second);
    next = returns_.erase(next);
  }
}

void Plans::EndReturns(Group& group, std::string_view why) {
  ForgetReturns(group.id());
  for (const Place& place : KeptPlaces(group)) ReleaseSlot(group, VacantAt(group, place), why);
  kept_places_.erase(group.id());
  books_.vacant.Count(group, books_.ledger);
}

// The pod set is to have fewer slots: what is kept beyond these goes, and what is beyond the
// members that it may still get, the highest rank first.
void Plans::EndReturnsBeyond(Group& group, int32_t set, int32_t count, std::string_view why) {
  std::vector<Place> places = KeptPlaces(group);
  std::erase_if(places, [set](const Place& place) { return place.first != set; });
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
    EndReturns(group, fmt::format("gang {}: its owner is gone", group.name()));
    books_.lifecycle.Fire(id, GroupEvent::kMembersChanged);
  }
}

}  // namespace gangplan
