#include "extender/planner/victim_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "extender/planner/solve_queue.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan {

VictimSearch::Rank VictimSearch::RankOf(const Group& group) {
  return {group.priority(), group.object_priority()};
}

// Who was found running, and lacks somebody who has no room, binds for as long as that is so.
bool VictimSearch::Runs(const Group& group) {
  const bool none_waits = group.In(SlotState::kHeld) == 0 || group.live() == group.bound();
  const bool found = group.state() == GroupState::kBinding && none_waits;
  const bool whole =
      group.state() == GroupState::kRunning || group.state() == GroupState::kRepairing;
  return (whole || found) && group.bound() > 0 && group.In(SlotState::kPosting) == 0 &&
         group.stale().empty();
}

// Of pods of equal priority only the object's own one tells, and that counts from 1 on: so it is in
// Sakkara, whose word it is.
bool VictimSearch::GivesWay(const Group& group, const Group& to) {
  const Rank own = RankOf(group), other = RankOf(to);
  return own < other && (own.priority < other.priority || other.object_priority > 0);
}

int32_t VictimSearch::StaysFrom(const Group& to) { return to.priority(); }

bool VictimSearch::MayPreempt(const Group& group) const {
  const auto& sets = group.pod_sets().sets();
  const bool starts =
      group.suspended() ? !unready_.contains(group.id()) : group.live() >= group.Expected();
  return preempts_ && !group.Started() && !group.AnyUnsound() && starts &&
         std::none_of(sets.begin(), sets.end(),
                      [](const PodSet& set) { return set.never_preempts; });
}

void VictimSearch::Renew() {
  least_.reset();
  if (!preempts_) return;
  for (const auto& [id, group] : books_.groups.groups()) {
    if (group->bound() > 0 && (!least_ || RankOf(*group) < *least_)) least_ = RankOf(*group);
  }
}

bool VictimSearch::AnyBelow(const Group& group) const {
  if (!preempts_) return false;
  const bool any = (least_ && *least_ < RankOf(group)) || AnySingleBelow(group);
  return any && MayPreempt(group);
}

bool VictimSearch::MayAsk(absl::Time now, const Group& group) {
  const auto pause = pauses_.find(group.id());
  absl::Time until = pause == pauses_.end() ? absl::InfinitePast() : pause->second.until;
  if (now >= until) until = vain_.Until(group);
  if (now >= until) return true;
  due_.SetEarlier(group.id(), until);
  return false;
}

void VictimSearch::NoteInVain(absl::Time now, const Group& group) {
  pauses_[group.id()].others_went = false;
  vain_.Note(now, group);
}

void VictimSearch::NoteStarted(const Group& group) {
  const auto pause = pauses_.find(group.id());
  if (pause != pauses_.end()) pause->second.others_went = false;
  if (group.AnyRuns()) vain_.End(group);
}

void VictimSearch::NoteRoomLost(const Group& group) {
  const auto pause = pauses_.find(group.id());
  if (pause != pauses_.end() && pause->second.others_went) NoteInVain(ticked_, group);
}

std::string VictimSearch::WhyPauses(const Group& group) const {
  const absl::Time until = vain_.Until(group);
  if (until <= ticked_ || !MayPreempt(group)) return {};
  return fmt::format("; others have gone for it in vain, nobody else is asked to go before {}",
                     UtcText(until));
}

VictimSearch::Pause& VictimSearch::BeginPause(absl::Time now, GroupId group) {
  Pause& pause = pauses_[group];
  const absl::Duration next = SolveQueue::PauseAfter(kVictimPause, pause.times++);
  pause.until = now + std::min(next, kMaxVictimPause);
  return pause;
}

absl::Duration VictimSearch::StopTimeOf(const std::vector<Victim>& victims) const {
  int32_t longest = 0;
  for (const Victim& victim : victims) {
    const KnownPod* record = victim.pod.empty() ? nullptr : books_.pods.Find(victim.pod);
    if (record != nullptr) {
      const SinglePods::Pod* pod = books_.pods.singles().Find(record->single_on, *record);
      if (pod != nullptr) longest = std::max(longest, pod->grace);
    }
    const Group* group = books_.groups.Find(victim.id);
    if (group == nullptr) continue;
    for (const PodSet& set : group->pod_sets().sets()) longest = std::max(longest, set.grace);
  }
  return absl::Seconds(longest);
}

void VictimSearch::NoteTooLate(GroupId group, absl::Duration stop) {
  Pause& pause = pauses_[group];
  pause.stop = std::max(pause.stop, stop);
  pause.until = absl::InfinitePast();
}

void VictimSearch::Forget(GroupId group) {
  pauses_.erase(group);
  unready_.erase(group);
  due_.Clear(group);
}

void VictimSearch::KeepFirst(std::vector<const Group*>& groups) {
  std::sort(groups.begin(), groups.end(), [](const Group* a, const Group* b) {
    return std::make_pair(RankOf(*a), -a->id()) < std::make_pair(RankOf(*b), -b->id());
  });
  KeepSome(groups);
}

void VictimSearch::KeepSome(std::vector<const Group*>& groups) {
  int64_t pods = 0;
  const auto end = std::find_if(groups.begin(), groups.end(), [&](const Group* one) {
    return (pods += one->bound()) > kMaxVictimPods;
  });
  groups.erase(end, groups.end());
}

VictimSearch::Promised VictimSearch::PromisedBeside(const Group& group) const {
  Promised promised;
  books_.yielding.VisitPromised([&](std::string_view uid, GroupId to) {
    if (!IsKept(to) || to == ReservedFor(group.id())) return;
    const KnownPod* record = books_.pods.Find(uid);
    const Group* other = record == nullptr ? nullptr : books_.groups.Find(record->group);
    const Member* member = other == nullptr ? nullptr : other->Find(uid);
    if (member != nullptr && member->slot >= 0) promised[other->id()].insert(member->slot);
  });
  return promised;
}

std::vector<int32_t> VictimSearch::SurplusBeside(const Group& group,
                                                 const Promised& promised) const {
  std::vector<int32_t> surplus = SurplusOf(group, books_.owners);
  const auto slots = promised.find(group.id());
  if (slots != promised.end())
    std::erase_if(surplus, [&](int32_t i) { return slots->second.contains(i); });
  return surplus;
}

// Who is promised to others in part goes for nobody else, but for what it can do without. True:
// there was somebody without that.
bool VictimSearch::DropPromised(const Promised& promised, std::vector<const Group*>& below,
                                int64_t& work) const {
  const size_t dropped = std::erase_if(below, [&](const Group* one) {
    if (!promised.contains(one->id())) return false;
    work += kLookWork + one->bound();
    return SurplusBeside(*one, promised).empty();
  });
  return dropped > 0;
}

std::vector<const Group*> VictimSearch::Below(const Group& group) const {
  std::vector<const Group*> below;
  for (const auto& [id, other] : books_.groups.groups()) {
    const bool spared = books_.yielding.Spared(id) || books_.yielding.EvictedFor(id) != nullptr;
    if (!spared && WouldYield(*other, group)) below.push_back(other.get());
  }
  KeepFirst(below);
  return below;
}

int32_t VictimSearch::LeafOf(const SolveTask& task, std::string_view uid) const {
  const NodeIndex node = books_.ledger.NodeOf(uid);
  const TopologyIndex topology = task.snapshot.topology();
  return node == kNoNode ? -1 : books_.ledger.model().LeafOfNode(topology, node);
}

void VictimSearch::Free(SolveTask& task, std::string_view uid) const {
  const int32_t leaf = LeafOf(task, uid);
  if (leaf < 0) return;
  task.snapshot.Freed(leaf, task.snapshot.AmountsOf(*books_.pods.At(uid).requests), 1);
}

// Kueue takes the room of some again.
std::vector<std::string_view> VictimSearch::StoppingPods(const Books& books, GroupId group) {
  std::vector<std::string_view> pods;
  for (const std::string& uid : books.pods.stopping()) {
    if (pods.size() == kMaxStoppingPods) break;
    pods.push_back(uid);
  }
  KueueRoom::Leaving leaving(books.kueue);
  for (const std::string_view uid : pods) leaving.Go(uid);
  std::erase_if(pods, [&](std::string_view uid) {
    return books.yielding.IsPromisedBeside(uid, group) || leaving.TakenAgain(uid) != nullptr;
  });
  return pods;
}

std::vector<std::string_view> VictimSearch::GoingPods(GroupId group) const {
  std::vector<std::string_view> pods = StoppingPods(books_, group);
  for (const auto& [id, whom] : books_.yielding.evicted()) {
    const Group* evicted = books_.groups.Find(id);
    if (evicted == nullptr) continue;
    for (const auto& [uid, member] : evicted->members()) {
      if (MayLeave(books_, id, member) && !books_.yielding.IsPromisedBeside(uid, group))
        pods.push_back(uid);
    }
  }
  return pods;
}

void VictimSearch::FreeGoing(SolveTask& task) const {
  for (const std::string_view uid : GoingPods(task.group)) Free(task, uid);
}

// Node by node, the least of all: so none of its groups goes where these are enough.
void VictimSearch::AddSurplus(const Group& group, const std::vector<int32_t>& slots,
                              SolveTask& task) const {
  VictimQuestion& question = *task.victims;
  const PodSet& set = group.pod_sets().sets().front();  // who can do without some has one
  const size_t amounts = question.AddAmounts(task.snapshot.AmountsOf(set.demand));
  std::map<int32_t, std::vector<int32_t>> by_leaf;
  for (const int32_t i : slots) {
    const NodeIndex node = group.slot(i).node;
    by_leaf[books_.ledger.model().LeafOfNode(task.snapshot.topology(), node)].push_back(i);
  }
  for (auto& [leaf, some] : by_leaf) {
    if (leaf < 0) continue;
    const size_t pods = some.size();
    std::string name =
        fmt::format("{}/{}/{:06}", group.name(), group.key().incarnation, some.front());
    question.AddSurplus(group.id(), std::move(name), 0, std::move(some));
    for (size_t i = 0; i < pods; ++i) question.AddPod(leaf, amounts);
  }
}

VictimSearch::Ranks VictimSearch::RanksOf(const std::vector<const Group*>& groups,
                                          const std::vector<Single>& singles) {
  Ranks ranks;
  for (const Group* group : groups) ranks.push_back(RankOf(*group));
  for (const Single& single : singles) {
    if (ranks.empty() || ranks.back() != Rank{single.pod->priority, 0})
      ranks.push_back({single.pod->priority, 0});
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

int64_t VictimSearch::NumberOf(const Ranks& ranks, const Rank& rank) {
  return std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
}

VictimSearch::Returning VictimSearch::ReturningPods(const Books& books) {
  Returning returning;
  size_t looked = 0;
  for (const std::string& uid : books.pods.stopping()) {
    if (++looked > kMaxStoppingPods) break;
    const GroupId to = books.yielding.PromisedTo(uid);
    if (to != 0 && !IsKept(to)) returning[to].push_back(uid);
  }
  return returning;
}

// They lie set by set, so what a pod takes is looked up once for each.
void VictimSearch::AddSlots(const Group& group, const std::vector<int32_t>& surplus,
                            SolveTask& task) const {
  const Model& model = books_.ledger.model();
  VictimQuestion& question = *task.victims;
  for (const PodSet& set : group.pod_sets().sets()) {
    const size_t amounts = question.AddAmounts(task.snapshot.AmountsOf(set.demand));
    for (int32_t i = set.first; i < set.first + set.count; ++i) {
      const Slot& slot = group.slot(i);
      const bool held = slot.state == SlotState::kHeld && slot.member() == nullptr;
      if (slot.state != SlotState::kBound && !held) continue;
      if (std::binary_search(surplus.begin(), surplus.end(), i)) continue;
      const int32_t leaf = model.LeafOfNode(task.snapshot.topology(), slot.node);
      if (leaf < 0) continue;
      held ? question.AddRoom(leaf, amounts) : question.AddPod(leaf, amounts);
    }
  }
}

// With the last of it goes what it keeps for what it may lose. To a group that others are evicted
// for it is given by itself (spares.h).
void VictimSearch::AddSpares(const Group& group, SolveTask& task) const {
  const GroupId spares = SparesFor(group.id());
  if (books_.ledger.HoldCount(spares) == 0) return;
  const Model& model = books_.ledger.model();
  for (const PromisedRoom& room : books_.ledger.RoomOf({spares})) {
    const int32_t leaf = model.LeafOfNode(task.snapshot.topology(), room.node);
    if (leaf < 0) continue;
    const size_t amounts =
        task.victims->AddAmounts(task.snapshot.AmountsOf(model.demand(room.shape)));
    task.victims->AddRoom(leaf, amounts);
  }
}

void VictimSearch::AddGroups(const std::vector<const Group*>& groups, const Ranks& ranks,
                             const Returning& returning, SolveTask& task, int64_t& work,
                             const Promised* promised) const {
  VictimQuestion& question = *task.victims;
  for (const Group* one : groups) {
    const Group& group = *one;
    const int64_t rank = NumberOf(ranks, RankOf(group)) + (promised != nullptr ? 1 : 0);
    std::vector<int32_t> surplus;
    if (promised != nullptr) surplus = SurplusBeside(group, *promised);
    if (!surplus.empty()) AddSurplus(group, surplus, task);
    if (promised != nullptr && promised->contains(group.id())) continue;
    question.AddGroup(group.id(), group.name() + "/" + group.key().incarnation, rank);
    AddSlots(group, surplus, task);
    work += kLookWork + group.bound();
    if (promised == nullptr) AddSpares(group, task);
    const auto stops = returning.find(group.id());
    if (stops == returning.end()) continue;
    for (const std::string_view uid : stops->second) {
      const int32_t leaf = LeafOf(task, uid);
      if (leaf < 0) continue;
      const ResourceList& requests = *books_.pods.At(uid).requests;
      question.AddRoom(leaf, question.AddAmounts(task.snapshot.AmountsOf(requests)));
    }
  }
}

// ---- the questions

// Who gives way comes before all others in the order of going.
int64_t VictimSearch::AddAll(const Group& group, SolveTask& task, std::vector<Single>& singles,
                             int64_t& work) const {
  std::vector<const Group*> running;
  for (const auto& [id, other] : books_.groups.groups()) {
    const bool goes = id == group.id() || books_.yielding.EvictedFor(id) != nullptr;
    if (!goes && Runs(*other) && other->topology() == group.topology())
      running.push_back(other.get());
  }
  KeepFirst(running);
  int32_t from = 0;
  bool promised = false;
  singles = SinglesBelow(group, task, from, promised, work);
  const Ranks ranks = RanksOf(running, singles);
  AddGroups(running, ranks, ReturningPods(books_), task, work);
  AddSingles(singles, ranks, task);
  const auto stays = std::find_if(running.begin(), running.end(),
                                  [&](const Group* other) { return !GivesWay(*other, group); });
  if (stays != running.end()) return NumberOf(ranks, RankOf(**stays));
  return static_cast<int64_t>(ranks.size());
}

std::shared_ptr<SolveTask> VictimSearch::Ask(absl::Time now, const Group& group,
                                             const std::vector<int32_t>& wanted, int64_t& work) {
  std::vector<const Group*> below = Below(group);
  const Promised promised = PromisedBeside(group);
  bool dropped = DropPromised(promised, below, work);
  const bool any_single = AnySingleBelow(group);
  const std::vector<std::string_view> going = GoingPods(group.id());
  // Who is spared, or promised to others, may be asked about later, and nobody says so then.
  const auto ask_later = [&](absl::Duration if_dropped) {
    if (books_.yielding.AnySpared()) due_.SetEarlier(group.id(), now + kSparedFor);
    if (dropped) due_.SetEarlier(group.id(), now + if_dropped);
  };
  const auto nobody = [&]() -> std::shared_ptr<SolveTask> {
    ask_later(kMaxVictimPause);
    return nullptr;
  };
  if (below.empty() && !any_single && going.empty()) {
    if (dropped) BeginPause(now, group.id());
    return nobody();
  }
  std::shared_ptr<SolveTask> task =
      books_.placer.VictimCopyOf(group, wanted, std::numeric_limits<int64_t>::max());
  Pause& pause = BeginPause(now, group.id());
  std::vector<Single> singles;
  if (any_single) singles = SinglesBelow(group, *task, pause.from, dropped, work);
  const Ranks ranks = RanksOf(below, singles);
  AddGroups(below, ranks, ReturningPods(books_), *task, work, &promised);
  AddSingles(singles, ranks, *task, true);
  for (const std::string_view uid : going) Free(*task, uid);
  if (going.empty() && task->victims->empty()) return nobody();
  if (pause.stop > absl::ZeroDuration())
    books_.placer.AvoidMaintenance(group, now + pause.stop, *task);
  ask_later(kSparedFor);
  return task;
}

}  // namespace gangplan
