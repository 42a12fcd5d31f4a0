#include "extender/planner/preemptions.h"

#include <algorithm>
#include <utility>

#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// What is kept stands beside nobody: it is no pod, and the plan's own pods are judged when they
// come.
const ProfileRef& Nobody() {
  static const auto& nobody = *new ProfileRef(std::make_shared<const PodProfile>());
  return nobody;
}

// What of `need` is left without `given`; nothing below 0.
ResourceList Without(const ResourceList& need, const ResourceList& given) {
  ResourceList rest;
  for (const auto& [name, amount] : need) {
    const int64_t left = amount - std::min(amount, AmountOf(given, name));
    if (left > 0) rest.push_back({name, left});
  }
  return rest;
}

}  // namespace

// ---- begin

// Who is to go runs still, and the plan is that of the group as it is.
bool Preemptions::MayBegin(const Group& group, const Plans::Victims& found) const {
  return IsWanted(&group, found.plan) && plans_.MayPreempt(group) &&
         std::all_of(found.groups.begin(), found.groups.end(), [&](GroupId id) {
           const Group* victim = books_.groups.Find(id);
           return victim != nullptr && VictimSearch::WouldYield(*victim, group) &&
                  books_.yielding.EvictedFor(id) == nullptr && !evictions_.Knows(id);
         });
}

// From the top, by name: another node may have its index when it is gone.
std::vector<std::string> Preemptions::UnitsOf(NodeIndex node) const {
  const std::vector<std::string_view> units = books_.placer.UnitsOf(node);
  return {units.begin(), units.end()};
}

// The plan is of the templates as they are, and its nodes stand where they did and may be used.
// O(places x levels): asked before each eviction and at the end.
bool Preemptions::Stands(const Group& group, const Preemption& preemption) const {
  const Model& model = books_.ledger.model();
  const auto& places = preemption.plan.places;
  return std::all_of(places.begin(), places.end(), [&](const auto& place) {
    const auto& [slot, node] = place;
    const ShapeId shape = group.pod_sets().Of(slot).shape;
    return shape >= 0 && model.MayUse(node, shape) &&
           UnitsOf(node) == preemption.sites.at(node).units;
  });
}

void Preemptions::Begin(absl::Time now, const Group& group, Plans::Victims found) {
  const GroupId id = group.id();
  if (preemptions_.contains(id)) return;
  if (!MayBegin(group, found)) return plans_.AskAnew(id);
  Preemption preemption;
  preemption.plan = std::move(found.plan);
  preemption.victims = std::move(found.groups);
  preemption.end = now + patience_;
  preemption.why = group.verdict().reason;
  for (const auto& [slot, node] : preemption.plan.places) {
    const auto [site, added] = preemption.sites.try_emplace(node);
    if (added) site->second = {group.pod_sets().IndexOf(slot), {}, UnitsOf(node)};
    AddResources(site->second.need, group.pod_sets().Of(slot).demand);
  }
  RoomByNode given = AwaitPods(preemption);
  if (!KeepRest(group, preemption, std::move(given))) {
    books_.ledger.ReleaseOpen(KeptFor(id));
    return plans_.AskAnew(id);
  }
  for (const auto& [uid, pod] : preemption.awaited) books_.yielding.Promise(uid, id);
  books_.yielding.Await(id, WhyAwaits(group, preemption));
  Preemption& begun = preemptions_[id] = std::move(preemption);
  begun.asked = {begun.victims.begin(), begun.victims.end()};
  for (GroupId victim : begun.victims) evictions_.Check(now, victim, group.name());
  plans_.AskAnew(id);  // it is told what it waits for
}

// The pods on its nodes that go: those of the victims, and, where room is lacking without them,
// those that go already and are promised to nobody. Returns what they leave.
Preemptions::RoomByNode Preemptions::AwaitPods(Preemption& preemption) const {
  RoomByNode given;
  const auto await = [&](std::string_view uid) {
    const auto site = preemption.sites.find(books_.ledger.NodeOf(uid));
    if (site == preemption.sites.end() || books_.yielding.PromisedTo(uid) != 0) return;
    const auto& [node, wants] = *site;
    const RequestsRef requests = books_.pods.At(uid).requests;
    if (books_.ledger.model().HasRoom(node, Without(wants.need, given[node]))) return;
    if (preemption.awaited.emplace(uid, Awaited{node, requests}).second)
      AddResources(given[node], *requests);
  };
  const auto await_group = [&](GroupId id) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) return;
    for (const auto& [uid, member] : group->members()) {
      if (member.runs && !member.finished) await(uid);
    }
  };
  for (GroupId victim : preemption.victims) await_group(victim);
  for (const auto& [evicted, whom] : books_.yielding.evicted()) await_group(evicted);
  for (const std::string& uid : books_.pods.stopping()) await(uid);
  return given;
}

// What the plan takes beyond what these pods leave is free: it is kept from now on. False: it is
// not free any more.
bool Preemptions::KeepRest(const Group& group, Preemption& preemption, RoomByNode given) {
  for (const auto& [node, site] : preemption.sites) {
    const ResourceList rest = Without(site.need, given[node]);
    if (!rest.empty() && !Keep(group, preemption, node, rest)) return false;
  }
  return true;
}

// False: there is no room for it.
bool Preemptions::Keep(const Group& group, Preemption& preemption, NodeIndex node,
                       const ResourceList& room) {
  const PodSet& set = group.pod_sets().at(preemption.sites.at(node).pod_set);
  const ShapeId shape = books_.ledger.AcquireShape(room, set.Where());
  const bool fits =
      books_.ledger.model().MayUse(node, shape) && books_.ledger.model().HasRoom(node, room);
  if (fits) {
    const GroupId account = KeptFor(group.id());
    books_.ledger.Hold({account, preemption.kept++}, node, shape, group.priority(), Nobody());
    books_.ledger.SetEnd(account, HoldReason::kPreempting, preemption.end);
  }
  books_.ledger.ReleaseShape(shape);
  return fits;
}

// ---- what goes on

void Preemptions::OnPodGone(std::string_view uid) {
  if (!books_.yielding.AnyPromised()) return;
  const GroupId id = books_.yielding.PromisedTo(uid);
  if (id == 0 || books_.ledger.NodeOf(uid) != kNoNode) return;
  books_.yielding.EndPromise(uid);
  const auto found = preemptions_.find(id);
  if (found == preemptions_.end()) return;
  Preemption& preemption = found->second;
  const auto pod = preemption.awaited.find(uid);
  const Group* group = books_.groups.Find(id);
  if (pod == preemption.awaited.end()) return;
  const Awaited gone = pod->second;
  preemption.awaited.erase(pod);
  if (IsWanted(group, preemption.plan)) Keep(*group, preemption, gone.node, *gone.requests);
}

// It still waits for what was found: its size is the plan's, and it has no other room.
bool Preemptions::IsWanted(const Group* group, const Plan& plan) const {
  return group != nullptr && group->stale().empty() && !group->Started() && group->holds() == 0 &&
         group->size() == static_cast<int32_t>(plan.places.size());
}

void Preemptions::End(GroupId id, Preemption& preemption) {
  books_.ledger.ReleaseOpen(KeptFor(id));
  for (const auto& [uid, pod] : preemption.awaited) books_.yielding.EndPromise(uid);
  books_.yielding.EndAwaiting(id);
  for (GroupId victim : preemption.victims) evictions_.Cancel(victim);
}

void Preemptions::TakeNews() {
  for (const auto& [victim, news] : evictions_.TakeNews()) {
    for (auto& [id, preemption] : preemptions_) {
      std::vector<GroupId>& victims = preemption.victims;
      if (std::find(victims.begin(), victims.end(), victim) == victims.end()) continue;
      preemption.asked.erase(victim);
      if (news == Evictions::News::kRefused) preemption.refused = true;
      if (news != Evictions::News::kToldAll) continue;
      if (victims.front() == victim) preemption.telling = false;
      std::erase(victims, victim);
    }
  }
}

// The next victim, one after the other. True: it is over.
bool Preemptions::GoOn(absl::Time now, GroupId id, Preemption& preemption) {
  const Group* group = books_.groups.Find(id);
  const bool lost = lost_.contains(KeptFor(id));
  if (now >= preemption.end) {  // of these nobody could tell in time whether they may go
    for (GroupId silent : preemption.asked) books_.yielding.Spare(silent, now + kSparedFor);
    return true;
  }
  if (!IsWanted(group, preemption.plan) || preemption.refused || lost) return true;
  if (preemption.victims.empty()) return preemption.awaited.empty();
  if (preemption.telling || !preemption.asked.empty()) return false;
  const Group* victim = books_.groups.Find(preemption.victims.front());
  // One that was deleted meanwhile goes by itself.
  const bool goes = victim != nullptr && (victim->bound() + victim->In(SlotState::kPosting) == 0 ||
                                          VictimSearch::WouldYield(*victim, *group));
  if (!goes || !plans_.MayPreempt(*group) || !Stands(*group, preemption)) return true;
  preemption.telling = true;
  evictions_.Begin(now, victim->id(), WhyEvicted(*victim, *group, preemption));
  return false;
}

void Preemptions::Follow(absl::Time now) {
  for (auto& [id, found] : plans_.TakeVictims()) {
    const Group* group = books_.groups.Find(id);
    if (group != nullptr) Begin(now, *group, std::move(found));
  }
  evictions_.Follow(now);
  TakeNews();
  lost_ = plans_.TakeKeptLost();
  for (auto next = preemptions_.begin(); next != preemptions_.end();) {
    auto& [id, preemption] = *next;
    if (!GoOn(now, id, preemption)) {
      ++next;
      continue;
    }
    const GroupId ended = id;
    const Group* group = books_.groups.Find(ended);
    const bool free = preemption.victims.empty() && preemption.awaited.empty() &&
                      IsWanted(group, preemption.plan) && Stands(*group, preemption);
    const Plan plan = std::move(preemption.plan);
    End(ended, preemption);
    next = preemptions_.erase(next);
    if (group == nullptr) continue;
    if (free) {
      plans_.TakePlan(now, ended, plan);
    } else {
      plans_.AskAnew(ended);
    }
  }
}

// ---- for people

std::string Preemptions::WhyEvicted(const Group& victim, const Group& group,
                                    const Preemption& preemption) const {
  return fmt::format(
      "gang {} of {}, priority {}, gives way as a whole to gang {} of {}, priority {}, which would "
      "wait otherwise: {}",
      victim.name(), victim.bound(), victim.priority(), group.name(), group.size(),
      group.priority(), preemption.why);
}

std::string Preemptions::WhyAwaits(const Group& group, const Preemption& preemption) const {
  std::string whom;
  for (size_t i = 0; i < preemption.victims.size(); ++i) {
    if (i == kToldVictims) {
      whom += fmt::format(" and {} more", preemption.victims.size() - i);
      break;
    }
    whom +=
        fmt::format("{}{}", i == 0 ? "" : ", ", books_.groups.Find(preemption.victims[i])->name());
  }
  if (whom.empty())
    return fmt::format("gang {} of {}: it has room when pods that are stopping have gone",
                       group.name(), group.size());
  return fmt::format("gang {} of {}: it has room when what gives way to it has stopped: {}",
                     group.name(), group.size(), whom);
}

}  // namespace gangplan
