#include "tests/conformance/node_failure.h"

#include <algorithm>

namespace gangplan {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsPlacedOn(const PlacedGroup& group, const std::string& node) {
  return std::any_of(group.pod_sets.begin(), group.pod_sets.end(),
                     [&](const AssignedPodSet& set) { return Contains(set.nodes, node); });
}

bool HasPodAlive(const PlacedGroup& group, const std::string& node) {
  return std::any_of(group.pods.begin(), group.pods.end(), [&](const AssignedPod& pod) {
    return pod.node == node && !pod.terminating && pod.phase != PodPhase::kSucceeded &&
           pod.phase != PodPhase::kFailed;
  });
}

bool IsStuckOn(const AssignedPod& pod, const std::string& node) {
  return pod.pinned_to == node && pod.node.empty() && pod.phase == PodPhase::kPending && !pod.gated;
}

std::vector<size_t> StuckPods(const PlacedGroup& group, const std::string& node) {
  std::vector<size_t> stuck;
  for (size_t i = 0; i < group.pods.size(); ++i)
    if (IsStuckOn(group.pods[i], node)) stuck.push_back(i);
  return stuck;
}

// How well the pods on a node bear its taints, the worst first.
enum class Bearing { kNot, kForATime, kForGood };

Bearing BearingOf(const Taint& taint, const std::vector<TimedToleration>& tolerations) {
  NodeFacts node;
  node.taints = {taint};
  NodeFilter all;
  NodeFilter lasting;
  for (const TimedToleration& timed : tolerations) {
    all.tolerations.push_back(timed.toleration);
    if (!timed.for_a_time) lasting.tolerations.push_back(timed.toleration);
  }
  if (ToleratesTaints(lasting, node)) return Bearing::kForGood;
  return ToleratesTaints(all, node) ? Bearing::kForATime : Bearing::kNot;
}

Bearing BearingOf(const ObservedNode& node, const PlacedGroup& group) {
  Bearing worst = Bearing::kForGood;
  for (const AssignedPodSet& set : group.pod_sets) {
    if (!Contains(set.nodes, node.name)) continue;
    for (const Taint& taint : node.taints)
      worst = std::min(worst, BearingOf(taint, set.tolerations));
  }
  return worst;
}

NodeVerdict Marked(const ObservedNode& node, const PlacedGroup& group) {
  NodeVerdict verdict;
  if (group.evicted || group.finished) return verdict;
  const std::vector<std::string>& marked = group.unhealthy_nodes;
  verdict.mark = marked.empty()                ? NodeVerdict::Mark::kAdd
                 : Contains(marked, node.name) ? NodeVerdict::Mark::kKeep
                                               : NodeVerdict::Mark::kEvict;
  return verdict;
}

NodeVerdict Cleared(const ObservedNode& node, const PlacedGroup& group) {
  NodeVerdict verdict;
  if (Contains(group.unhealthy_nodes, node.name)) verdict.mark = NodeVerdict::Mark::kClear;
  return verdict;
}

// The node has failed when `at_once`, else when nobody alive is left on it.
NodeVerdict Failing(const ObservedNode& node, const PlacedGroup& group, bool at_once) {
  const bool failed = at_once || !HasPodAlive(group, node.name);
  return failed ? Marked(node, group) : Cleared(node, group);
}

// Until the delay is over; nothing when only the pods decide.
std::optional<int64_t> SecondsLeft(const ObservedNode& node, const NodeFailureGates& gates) {
  if (node.ready->ready || (gates.wait_for_pods && !gates.not_ready_for_delay)) return std::nullopt;
  return kNodeFailureDelaySeconds - node.ready->seconds_since_change;
}

NodeVerdict JudgeNotReady(const ObservedNode& node, const PlacedGroup& group,
                          const NodeFailureGates& gates) {
  if (!gates.wait_for_pods) return Marked(node, group);
  const std::optional<int64_t> left = SecondsLeft(node, gates);
  NodeVerdict verdict = Failing(node, group, left && *left <= 0);
  if (left && *left > 0) verdict.look_again_seconds = left;
  return verdict;
}

NodeVerdict JudgeTaints(const ObservedNode& node, const PlacedGroup& group,
                        const NodeFailureGates& gates) {
  const Bearing bearing = gates.taints ? BearingOf(node, group) : Bearing::kForGood;
  if (bearing == Bearing::kForGood) return Cleared(node, group);
  if (bearing == Bearing::kNot && !gates.wait_for_pods) return Marked(node, group);
  NodeVerdict verdict = Failing(node, group, false);
  const bool closed_only =
      std::none_of(node.taints.begin(), node.taints.end(),
                   [](const Taint& taint) { return taint.effect == TaintEffect::kNoExecute; });
  const bool given_up = group.evicted || verdict.mark == NodeVerdict::Mark::kEvict;
  if (closed_only && !given_up) verdict.failed_pods = StuckPods(group, node.name);
  return verdict;
}

// Pods that came late to a place that is no longer the group's.
NodeVerdict JudgeForeign(const ObservedNode& node, const PlacedGroup& group) {
  NodeVerdict verdict = Cleared(node, group);
  verdict.failed_pods = StuckPods(group, node.name);
  return verdict;
}

bool HasPinnedPod(const PlacedGroup& group, const std::string& node) {
  return std::any_of(group.pods.begin(), group.pods.end(),
                     [&](const AssignedPod& pod) { return pod.pinned_to == node; });
}

}  // namespace

NodeVerdict JudgeNode(const ObservedNode& node, const PlacedGroup& group,
                      const NodeFailureGates& gates) {
  if (group.finished) return {};
  const bool placed = IsPlacedOn(group, node.name);
  const bool admitted = placed && group.admitted;
  if (!node.exists || !node.ready) return admitted ? Marked(node, group) : NodeVerdict();
  const std::optional<int64_t> left = SecondsLeft(node, gates);
  if (!gates.wait_for_pods && left && *left > 0) return {NodeVerdict::Mark::kKeep, {}, left};
  if (!admitted && (group.evicted || !HasPinnedPod(group, node.name))) return {};
  if (!placed) return JudgeForeign(node, group);
  return node.ready->ready ? JudgeTaints(node, group, gates) : JudgeNotReady(node, group, gates);
}

}  // namespace gangplan
