#include "extender/planner/gates.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/pod_sets.h"
#include "extender/cluster/annotations.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/gate_pin.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Released, and bound nowhere yet.
bool WaitsReleased(const Member& member) {
  return member.live() && member.released && !member.runs;
}

}  // namespace

// ---- what becomes of the groups

void Gates::Follow(absl::Time now) {
  GateNews news = plans_.TakeGateNews();
  if (options_.use == GateUse::kNone) return;
  for (GroupId id : news.given_back) GivenBack(now, id);
  for (GroupId id : news.stuck) Stuck(now, id);
  for (const std::string& uid : news.refused) {
    const Group* group = Find(uid).group;
    if (group != nullptr)  // longer each time, until one of it is bound
      refused_.SetEarlier(uid, now + SolveQueue::PauseAfter(kRefusedFor, group->fruitless()));
  }
  for (const std::string& uid : std::exchange(overdue_, {})) LookAtWrite(now, uid);
  waiting_.merge(news.changed);
  while (!waiting_.empty() && MayWrite()) {
    const GroupId id = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    Look(now, id);
  }
}

// Who is not asked for by the scheduler is asked for by us.
void Gates::GivenBack(absl::Time now, GroupId id) {
  if (books_.groups.Find(id) != nullptr) ask_.SetEarlier(id, now + kFruitlessPause);
}

// Nodes that nobody was released to any more are no limit to the others.
void Gates::Look(absl::Time now, GroupId id) {
  Group* group = books_.groups.Find(id);
  if (group == nullptr) {
    told_.erase(id);
    stuck_.erase(id);
    return;
  }
  if (!group->stale().empty()) return;
  // While it is asked anew nobody knows.
  const bool asked = group->state() == GroupState::kNew || plans_.IsSolvedOutside(id);
  if (stuck_.contains(id) && !asked && !IsStuck(*group)) stuck_.erase(id);
  if (group->AnyPin() && !group->IsFixed()) plans_.Unpin(*group);
  if (books_.outbox.active()) {
    if (AnyElsewhere(*group) || (!stuck_.contains(id) && IsLeft(*group))) Stuck(now, id);
    if (group->AnyAstray()) DeleteAstray(*group);
  }
  if (books_.outbox.active() && group->gated() > 0 && MayRelease(*group)) ReleaseSome(*group);
}

bool Gates::MayRelease(const Group& group) const {
  if (!group.planned()) return false;
  if (group.AnyRuns() || group.sizing().OneByOne(options_.start_at_first_member)) return true;
  // The others would run without one that can never come.
  if (AnyElsewhere(group)) return false;
  return group.Complete() && group.In(SlotState::kEmpty) == 0;
}

// ---- releasing

void Gates::ReleaseSome(Group& group) {
  if (options_.verbs) ChooseNodes(group);
  for (int32_t slot = 0; slot < group.size(); ++slot) {
    const Member* member = group.At(slot);
    const bool goes = member != nullptr && member->gated &&
                      books_.nominations.MayGo(group, *member) &&
                      !writes_.contains(member->pod.uid);
    if (!goes) continue;
    if (sent_ >= kReleasesAtOnce) {
      waiting_.insert(group.id());
      return;
    }
    Release(group, slot);
  }
}

// Of pod sets of which nobody was released yet.
void Gates::ChooseNodes(Group& group) {
  for (int32_t index = 0; index < static_cast<int32_t>(group.pod_sets().sets().size()); ++index) {
    const PodSet& set = group.pod_sets().at(index);
    if (!set.known || !set.pin.empty()) continue;
    const std::vector<NodeIndex> nodes = group.HeldNodes(index);
    if (nodes.empty()) continue;
    const PinBy& by = options_.pins[static_cast<size_t>(group.topology())];
    plans_.SetPin(group, index,
                  PinGated(books_.ledger.model(),
                           {set.filter, OwnOver(set.own_rules, set.rules), nodes, group.size(),
                            by.levels_on_nodes, by.ours, group.topology()}));
  }
}

void Gates::Release(const Group& group, int32_t slot) {
  const PodSet& set = group.pod_sets().Of(slot);
  PodRelease release;
  release.pod = group.At(slot)->pod;
  release.disown = group.At(slot)->may_disown;
  release.kueue = options_.use == GateUse::kGangplanAndKueue;
  Pin pin{set.pin, set.pin_words, {}};
  std::string node;
  if (!options_.verbs) {
    node = books_.ledger.model().NodeName(group.slot(slot).node);
    pin = PinToOne(set.filter, node);
    release.annotations = plans_.Annotations(group, slot);
  }
  if (!pin.terms.empty()) SetLabel(release.annotations, kPinnedAnnotation, std::move(pin.words));
  release.required_terms = std::move(pin.terms);
  const std::string uid = release.pod.uid;
  Send(uid, std::move(release), std::move(node));
}

// ---- where it was released to there is no room

// It has a while to find some there, longer each time.
void Gates::Stuck(absl::Time now, GroupId id) {
  Group* group = books_.groups.Find(id);
  if (group == nullptr || !books_.outbox.active() || group->verdict().kept_back) return;
  const auto [since, first] = stuck_.try_emplace(id, now);
  const absl::Time until = since->second + kFruitlessPause;
  if (now < until) return look_.SetEarlier(id, until);
  if (AnyForeseen(*group)) return look_.SetEarlier(id, now + kReleaseRetry);
  stuck_.erase(since);
  DeleteReleased(*group);
}

// Who was released to its own node has room also without a slot there, where it is not in the way
// of a plan for all.
bool Gates::LacksRoom(const Group& group, const Member& member) const {
  if (!WaitsReleased(member)) return false;
  const bool empty = member.slot < 0 || group.slot(member.slot).state == SlotState::kEmpty;
  if (member.own_node.empty()) return empty;
  if (empty) {
    return group.state() == GroupState::kBlocked ||
           !plans_.HasPledge(member.pod.uid, books_.pods.At(member.pod.uid));
  }
  const Slot& slot = group.slot(member.slot);
  return slot.state == SlotState::kHeld &&
         books_.ledger.model().NodeName(slot.node) != member.own_node;
}

bool Gates::IsStuck(const Group& group) const {
  return std::any_of(group.members().begin(), group.members().end(),
                     [&](const auto& entry) { return LacksRoom(group, entry.second); });
}

// It has no plan, and some of it came out of the gate after that was told: the write was on its
// way.
bool Gates::IsLeft(const Group& group) const {
  const Verdict& last = group.verdict();
  const bool told = last.decided && !last.early && last.outcome != Outcome::kInvalid;
  return group.state() == GroupState::kBlocked && told && group.Placeable() &&
         group.released() > 0 && IsStuck(group);
}

// Some member was released to its own node, and its room is not there.
bool Gates::AnyElsewhere(const Group& group) const {
  if (!group.AnyApart()) return false;
  return std::any_of(group.members().begin(), group.members().end(), [&](const auto& entry) {
    return !entry.second.own_node.empty() && LacksRoom(group, entry.second);
  });
}

// Of some that lacks room we know what we have written, and not its version, so that nothing can be
// of that one alone.
bool Gates::AnyForeseen(const Group& group) const {
  return std::any_of(group.members().begin(), group.members().end(), [&](const auto& entry) {
    return LacksRoom(group, entry.second) && books_.pods.At(entry.first).foreseen;
  });
}

// Or may be soon.
bool Gates::IsBound(const std::string& uid) const {
  return books_.pods.At(uid).bound || books_.desk.AttemptOf(uid) != nullptr;
}

void Gates::DeleteReleased(const Group& group) {
  for (const auto& [uid, member] : group.members()) {
    if (LacksRoom(group, member)) Delete(group, member);
  }
}

void Gates::DeleteAstray(const Group& group) {
  for (const auto& [uid, member] : group.members()) {
    if (member.problem == kAstray) Delete(group, member);
  }
}

void Gates::Delete(const Group& group, const Member& member) {
  const std::string& uid = member.pod.uid;
  const KnownPod& record = books_.pods.At(uid);
  if (IsBound(uid) || record.leaving || writes_.contains(uid)) return;
  const bool anew = record.controlled;
  Tell(group, member.pod,
       fmt::format("gang {} of {}: the nodes that its pods were released to have no room for it "
                   "any more: those that wait {}",
                   group.name(), group.size(),
                   anew ? "are deleted, to be made anew"
                        : "have to be deleted, and made again, by whoever made them"));
  if (!anew) return;
  books_.groups.Find(group.id())->SetDeleted(uid, true);
  Send(uid, PodDelete{member.pod});
}

// ---- time

void Gates::Tick(absl::Time now) {
  for (std::string& uid : due_.TakeDue(now)) overdue_.insert(std::move(uid));
  for (const std::string& uid : refused_.TakeDue(now)) LookAtRefused(now, uid);
  for (GroupId id : ask_.TakeDue(now)) AskForGated(now, id);
  for (GroupId id : look_.TakeDue(now)) {
    waiting_.insert(id);
    if (stuck_.contains(id) && books_.groups.Find(id) != nullptr) plans_.AskAnew(id);
  }
  const bool active = books_.outbox.active();
  if (!std::exchange(was_active_, active) && active) BeginToWrite();
}

// The scheduler never asks for who is gated: the gate is the question; and for nobody where it does
// not ask us.
void Gates::AskForGated(absl::Time now, GroupId id) {
  Group* group = books_.groups.Find(id);
  if (group == nullptr || group->gated() + group->released() == 0) return;
  bool later = false;
  for (const auto& [uid, member] : group->members()) {
    const bool ours = member.gated || (!options_.verbs && WaitsReleased(member));
    if (!ours || !member.live()) continue;
    group->SetAsked(uid, now);
    later = later || member.gave_back;
  }
  if (later) ask_.Set(id, now + kFruitlessPause);
  books_.lifecycle.Fire(id, GroupEvent::kAsked);
}

// What the scheduler does not take where it was released to may be refused there for good, for what
// nobody here knows of. It does not say so again while it says the same.
void Gates::LookAtRefused(absl::Time now, const std::string& uid) {
  const auto [record, group, member] = Find(uid);
  if (member == nullptr || !WaitsReleased(*member) || record->pledge.empty()) return;
  if (record->facts == nullptr || record->facts->scheduler_words.empty()) return;
  refused_.SetEarlier(uid, now + SolveQueue::PauseAfter(kRefusedFor, group->fruitless() + 1));
  if (!books_.nominations.MayGo(*group, *member)) return;
  const NodeIndex node = group->slot(member->slot).node;
  if (books_.ledger.model().NodeName(node) != record->pledge) return;
  const std::string& words = record->facts->scheduler_words;
  group->CountFruitless();
  books_.refusals.Learn(group->id(), member->pod_set, node, now + kAvoidFor, words);
  Tell(*group, member->pod,
       fmt::format("gang {} of {}: the scheduler has not bound its pods to the nodes that they "
                   "were released to for a while: they are planned elsewhere. It says: {}",
                   group->name(), group->size(), words));
  plans_.MoveSlot(*group, uid);
}

// What an instance that nobody asked has left.
void Gates::BeginToWrite() {
  for (const auto& [id, group] : books_.groups.groups()) {
    const bool ours = group->gated() + group->released() > 0 || group->AnyPin();
    if (ours && options_.use != GateUse::kNone) waiting_.insert(id);
    if (group->released() > 0 && group->WaitsForRoom()) plans_.AskAnew(id);
  }
}

// On its owner, or on the pod of one that is nobody's; once, until something else is to be said.
void Gates::Tell(const Group& group, const PodRef& pod, std::string text) {
  if (std::exchange(told_[group.id()], text) == text) return;
  const OwnerRef regarding = group.owner().value_or(AsObject(pod));
  books_.outbox.Push(
      EventNote{group.key().ns, regarding, true, kGangWaiting, kPlanAction, std::move(text)});
}

}  // namespace gangplan
