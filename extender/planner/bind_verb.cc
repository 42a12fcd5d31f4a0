// Bind: a member's call waits for its gang, a foreign pod's is written at once, when the watch has
// shown the pod. A member goes to the node of its plan alone, whoever calls; for a foreign pod the
// scheduler should have asked where it may go, and what filter looks at is looked at again.
#include <algorithm>
#include <optional>
#include <utility>

#include "extender/planner/firm_room.h"
#include "extender/planner/limits.h"
#include "extender/planner/verbs.h"

namespace gangplan {
namespace {

constexpr std::string_view kAnotherCall = "the scheduler has sent another call for this pod";

}  // namespace

BindDecision SchedulerVerbs::Bind(absl::Time now, const Readiness& ready, CallId call,
                                  const PodRef& pod, std::string_view node, absl::Time received) {
  if (!ready.not_ready.empty()) return {false, ready.not_ready};
  KnownPod* record = books_.pods.Find(pod.uid);
  if (record == nullptr) return {false, "gangplan does not know this pod"};
  early_.Answer(pod.uid, kAnotherCall);
  if (record->bound) {
    const std::string& own = books_.ledger.model().NodeName(books_.ledger.NodeOf(pod.uid));
    if (own == node) return {false, ""};
    return {false, fmt::format("the pod is already bound to {}", own)};
  }
  if (!ready.recovering.empty()) return {false, ready.recovering};
  if (!record->confirmed) return HoldEarly(now, {call, pod, std::string(node), received});
  if (record->group != 0)
    return BindMember(now, call, *books_.groups.Find(record->group), pod.uid, node, received);
  if (record->leaving) return {false, std::string(kIsLeaving)};
  if (!record->foreign()) return {false, "gangplan does not know this pod's group yet"};
  // Once: a scheduler that is set up to ask it of other pods alone (managedResources) calls again.
  const bool asked = record->asked || !asks_;
  record->asked = true;
  if (!asked)
    return {false, "the scheduler has not asked gangplan where this pod may go; it is tried again"};
  return BindForeign(now, call, pod, node, received);
}

BindDecision SchedulerVerbs::HoldEarly(absl::Time now, EarlyCall call) {
  const absl::Time until = std::min(books_.desk.NotAfter(call.received), now + kUnconfirmedFor);
  if (now >= until) return {false, "the call came too late to be held"};
  early_.Hold(std::move(call), until);
  return {true, ""};
}

void SchedulerVerbs::OnShown(absl::Time now, const Readiness& ready, std::string_view uid) {
  const std::optional<EarlyCall> call = early_.Take(uid);
  if (!call) return;
  BindDecision decision = Bind(now, ready, call->id, call->pod, call->node, call->received);
  if (!decision.held) books_.outbox.Push(AnswerCall{call->id, std::move(decision.error)});
}

BindDecision SchedulerVerbs::BindForeign(absl::Time now, CallId call, const PodRef& pod,
                                         std::string_view node_name, absl::Time received) {
  const KnownPod& record = books_.pods.At(pod.uid);
  const BindingAttempt* attempt = books_.desk.AttemptOf(pod.uid);
  if (attempt != nullptr && attempt->open()) return {false, "a Binding of this pod is on its way"};
  if (attempt != nullptr && attempt->node == node_name) return {false, ""};  // proved
  const absl::Time not_after = books_.desk.NotAfter(received);
  if (now >= not_after) return {false, "the call came too late to be written"};
  const NodeIndex node = books_.ledger.model().FindNode(node_name);
  if (node != kNoNode && books_.ledger.model().ForeignLabels(node) != nullptr) {
    return {false, fmt::format("node {} is not one of this scheduler's nodes ({})", node_name,
                               options_.nodes)};
  }
  if (!IsOurs(node_name)) return {false, fmt::format("node {} does not exist", node_name)};
  if (attempt != nullptr)
    return {false, fmt::format("the pod is already bound to {}", attempt->node)};
  // The scheduler's view may be older than ours: a hold, another one's pod, a Binding on its way.
  const ResourceList beside =
      FirmRoom(books_, record.priority).With(node, *record.requests);  // and what is held so
  ResourceList open = books_.ledger.Yielding(node, record.priority);
  AddResources(open, books_.kueue.OpenTo(pod.uid, record.priority, node_name));
  if (!books_.ledger.HasRoomWith(node, beside, open)) {
    const bool held = books_.ledger.HasHolds(node);
    if (IsKueues(node)) {
      return {false, fmt::format("room on {} is held for a gang, or is that of {}", node_name,
                                 books_.kueue.ToldTo(pod.ns, {std::string(node_name)}))};
    }
    return {false, held ? fmt::format("room on {} is held for a gang", node_name)
                        : fmt::format("no room is left on {}", node_name)};
  }
  books_.desk.Hold({call, absl::InfiniteFuture()}, {pod, std::string(node_name), {}, not_after});
  books_.kueue.NoteBinding(pod.uid, node_name);
  books_.kueue.Fit(false, node_name);
  books_.ledger.PutPod(pod.uid, node_name, *record.requests, record.profile);
  books_.desk.Write({pod.uid});
  plans_.CheckNode(node);
  return {true, ""};
}

BindDecision SchedulerVerbs::BindMember(absl::Time now, CallId call, Group& group,
                                        const std::string& uid, std::string_view node,
                                        absl::Time received) {
  const auto refuse = [&](std::string_view why) {
    return BindDecision{false, fmt::format("gang {}: {}", group.name(), why)};
  };
  plans_.DropCall(group, uid, kAnotherCall);
  const Member& member = *group.Find(uid);
  if (!member.sound() || member.slot < 0) return refuse("the pod has no slot");
  if (member.deleted) return refuse("the pod is being deleted, to be made anew");
  const Slot& slot = group.slot(member.slot);
  const bool held = slot.state == SlotState::kHeld;
  const bool open = slot.state == SlotState::kHeld && books_.desk.AttemptOf(uid) != nullptr;
  if (open || (slot.state == SlotState::kPosting && !books_.nominations.MayGo(group, member)))
    return refuse("the pod's Binding is on its way");
  const bool here = held || slot.state == SlotState::kPosting;
  if (!here || books_.ledger.model().NodeName(slot.node) != node) {
    books_.refusals.Disturb(books_.ledger.model().FindNode(node));
    return refuse("the plan has changed, the pod goes to another node");
  }
  if (!plans_.Stands(group, member.slot)) {
    plans_.CheckNode(slot.node);
    return refuse("the planned node was lost");
  }
  // Those in doubt alone come here: the others have no room, so none of them may begin by itself.
  if (!group.stale().empty() && !group.AnyRuns())
    return refuse(fmt::format("{}; its Bindings in doubt are read first", group.stale()));
  const bool alone = group.AnyRuns() || group.sizing().OneByOne(options_.start_at_first_member);
  const HeldCall call_held{call, books_.desk.CallOff(received, alone ? 1 : group.size())};
  if (now >= call_held.call_off) return refuse("the call came too late to be held");
  books_.desk.Hold(call_held, plans_.BindingOf(group, member, books_.desk.NotAfter(received)));
  group.SetInBind(uid, true);
  books_.waker.StopRenewing(uid);
  if (alone) {
    plans_.Post(group, uid);
    books_.lifecycle.Fire(group.id(), GroupEvent::kCommitted);
  } else {  // also while Bindings are in doubt, and none is known to be written
    books_.lifecycle.Fire(group.id(), GroupEvent::kCalled);
  }
  return {true, ""};
}

}  // namespace gangplan
