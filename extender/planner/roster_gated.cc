// Pods that wait behind a gate and are no members: the scheduler asks for none of them, so they are
// told here why nobody releases them, and judged again where that may change.
#include <algorithm>

#include "extender/frontends/owner.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/roster.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace gangplan {
namespace {

constexpr std::string_view kPairTopic = "pair ";  // and the name of its scheduler

std::string WaitsText(const PodFacts& pod) {
  return fmt::format("pod {}/{} waits behind the scheduling gate {}", pod.ns, pod.name,
                     pod.gates.gang ? kGangGate : kKueueTopologyGate);
}

// One Event is enough for all pods of an owner.
std::string OwnerTopic(std::string_view what, const PodFacts& pod) {
  const std::string owner = OwnerUidOf(pod);
  return fmt::format("{} {}", what, owner.empty() ? pod.uid : owner);
}

}  // namespace

// The gate is ours, and we do not take it away, or not yet. Those of others are none of our
// business.
void Roster::LeaveToOthers(absl::Time now, const PodFacts& pod) {
  if (!pod.gates.gang) return;
  if (settings_.gates != GateUse::kNone) {
    const std::string why = WaitsText(pod) +
                            ", and behind one of somebody else: it is planned when "
                            "that has gone (spec.schedulingGates)";
    return books_.left.Leave(now, pod, {OwnerTopic("others", pod), why, {}});
  }
  const std::string why =
      WaitsText(pod) +
      ", and Gangplan's configuration says that it takes none away, so nobody will "
      "release it: have groups.gates set to gangplan, or take the gate away";
  books_.left.Leave(now, pod, {OwnerTopic("off", pod), why, kLeftToldAfter});
}

std::string Roster::OtherScheduler(const PodFacts& pod) const {
  if (NamesUs(pod, options_)) return {};
  return fmt::format("names the scheduler \"{}\", while Gangplan plans for {}", pod.scheduler_name,
                     fmt::join(options_.scheduler_names, ", "));
}

// By another pair's plan.
void Roster::NotePair(const PodFacts& pod) {
  if (IsOfOtherPair(pod) && BoundByPlan(pod) && pairs_.size() < kMaxKnownPairs)
    pairs_.insert(pod.scheduler_name);
}

// What it was to wait for nobody knows: it is not let go alone.
void Roster::LeaveForeign(absl::Time now, const PodFacts& pod) {
  const std::string owner = OwnerKey(pod.ns, OwnerUidOf(pod));
  const std::string other = OtherScheduler(pod);
  // What its owner may say is read again, and the pod waits for it.
  if (other.empty() && !owner.empty() && books_.owners.Failing(owner)) return LeaveUnread(now, pod);
  std::string what;
  if (other.empty()) {
    const OwnerFacts* facts = books_.owners.Facts(owner);
    const bool read = owner.empty() || (facts != nullptr && facts->unread == Unread::kNo);
    what = fmt::format(
        "{} says of which gang it is, so nobody will release it: annotate it with "
        "{}gangplan.io/group and gangplan.io/size, or take the gate away",
        read ? "neither it nor its owner" : "its owner cannot be read, and nothing else",
        owner.empty() ? "" : "gangplan.io/place, or with ");
  } else if (IsOfOtherPair(pod)) {
    const std::string why =
        fmt::format("{}, and {}: the Gangplan of that scheduler releases it, if it has one",
                    WaitsText(pod), other);
    const std::string topic = fmt::format("{}{}", kPairTopic, pod.scheduler_name);
    return books_.left.Leave(now, pod, {OwnerTopic(topic, pod), why, kUnknownPairToldAfter});
  } else {
    what = fmt::format(
        "{}, so nobody will release it: make it anew with another spec.schedulerName, or take the "
        "gate away",
        other);
  }
  const std::string why = fmt::format("{}, and {}", WaitsText(pod), what);
  books_.left.Leave(now, pod, {OwnerTopic("foreign", pod), why, kLeftToldAfter});
}

void Roster::LeaveUnread(absl::Time now, const PodFacts& pod) {
  const OwnerRef owner = OwnerOf(pod).value_or(OwnerRef());
  const bool denied = books_.owners.Denied(OwnerKey(pod.ns, owner.uid));
  const std::string why = fmt::format(
      "{}, and its owner, {} {}, which may say of which gang it is, could not be read yet{}",
      WaitsText(pod), owner.kind, owner.name,
      denied ? ": Gangplan is not allowed to get it" : ", which is tried again and again");
  books_.left.Leave(now, pod, {OwnerTopic("unread", pod), why, kOwnerRecheck});
}

void Roster::LeaveRefused(absl::Time now, const PodFacts& pod, const GroupSpec& spec,
                          const absl::Status& why) {
  const std::string text =
      absl::IsInvalidArgument(why)
          ? fmt::format("{}, and {}", WaitsText(pod), Message(why))
          : fmt::format(
                "{}, and its gang is one too many: {}. It is looked at again every {} s: "
                "let others end, or have the limit raised",
                WaitsText(pod), Message(why), absl::ToInt64Seconds(kClaimRetry));
  const std::string topic =
      fmt::format("refused {}/{} {}", spec.key.ns, spec.key.name, spec.key.incarnation);
  books_.left.LeaveForNow(now, pod, {topic, text, kLeftToldAfter}, kClaimRetry);
}

// Where the group has no owner, its own Event is on a pod of it.
void Roster::LeaveUnsound(absl::Time now, const PodFacts& pod, const Group& group) {
  const std::string why = fmt::format("{} and is no member of gang {}: {}", WaitsText(pod),
                                      group.name(), group.Find(pod.uid)->problem);
  std::optional<absl::Duration> told;
  if (group.owner()) told = kLeftToldAfter;
  books_.left.Leave(now, pod, {fmt::format("unsound {}", group.id()), why, told});
}

void Roster::JudgeLeft(absl::Time now) {
  for (const auto& [topic, pod] : books_.left.TakeAgain(now, kMaxJudgedAnew)) {
    const KnownPod* record = books_.pods.Find(pod.uid);
    if (record == nullptr || record->group != 0) continue;
    Judge(now, pod);
    if (record->group != 0) books_.left.Hurry(now, topic);
  }
}

void Roster::TellLeft(absl::Time now) {
  const std::optional<LeftGated::Told> told = books_.left.TakeTold(now);
  if (!told) return;
  // What a pair that is known waits for, that one tells.
  const bool theirs = std::any_of(pairs_.begin(), pairs_.end(), [&](const std::string& scheduler) {
    return told->topic.starts_with(fmt::format("{}{} ", kPairTopic, scheduler));
  });
  if (theirs) return;
  books_.outbox.Push(
      EventNote{told->pod.ns, AsObject(told->pod), true, kGateStays, kPlanAction, told->why});
}

// ---- who was released

PodFacts Roster::NotReleased(PodFacts pod) {
  std::erase_if(pod.annotations, [](const auto& one) { return one.first == kPinnedAnnotation; });
  return pod;
}

// Anybody may write that a pod was released to its nodes. It was not where nobody is, and where it
// was new and without a gate while we knew all pods.
bool Roster::MayHaveReleased(std::string_view uid) const {
  if (settings_.gates == GateUse::kNone) return false;
  const KnownPod* record = books_.pods.Find(uid);
  if (record != nullptr) return !record->never_released;
  return loading_ || !books_.outbox.active();  // another one may have released it
}

}  // namespace gangplan
