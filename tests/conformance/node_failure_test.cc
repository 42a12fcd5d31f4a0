#include "tests/conformance/node_failure.h"

#include "tests/support/catch.h"

namespace gangplan::node_failure_test {
namespace {

using Mark = NodeVerdict::Mark;

constexpr NodeFailureGates kDefault;

ObservedNode ReadyNode() { return {"n1", true, ObservedNode::Ready{true, 0}, {}}; }
ObservedNode NotReadyNode(int64_t seconds = 0) {
  return {"n1", true, ObservedNode::Ready{false, seconds}, {}};
}
ObservedNode TaintedNode(TaintEffect effect = TaintEffect::kNoExecute) {
  ObservedNode node = ReadyNode();
  node.taints = {{"key", "", effect}};
  return node;
}

AssignedPod Bound(PodPhase phase = PodPhase::kRunning) { return {"n1", "n1", false, phase, false}; }
AssignedPod Pinned() { return {"", "n1", false, PodPhase::kPending, false}; }

// Placed on n1 and n2.
PlacedGroup Group(std::vector<AssignedPod> pods = {}) {
  PlacedGroup group;
  group.admitted = true;
  group.pod_sets = {{{"n1", "n2"}, {}}};
  group.pods = std::move(pods);
  return group;
}

Mark MarkOf(const ObservedNode& node, const PlacedGroup& group,
            const NodeFailureGates& gates = kDefault) {
  return JudgeNode(node, group, gates).mark;
}

TEST_CASE("A node that is gone or has no Ready condition has failed at once") {
  const ObservedNode gone{"n1", false, {}, {}};
  const ObservedNode unknown{"n1", true, {}, {}};
  for (const ObservedNode& node : {gone, unknown}) {
    CHECK(MarkOf(node, Group({Bound()})) == Mark::kAdd);
    CHECK(JudgeNode(node, Group({Pinned()}), kDefault).failed_pods.empty());
    PlacedGroup elsewhere = Group({Pinned()});
    elsewhere.pod_sets[0].nodes = {"n2"};
    CHECK(JudgeNode(node, elsewhere, kDefault) == NodeVerdict());
  }
}

TEST_CASE("A node that is not ready has failed once nobody there is alive") {
  CHECK(MarkOf(NotReadyNode(), Group({Bound()})) == Mark::kKeep);
  CHECK(MarkOf(NotReadyNode(), Group({Bound(PodPhase::kSucceeded), Bound()})) == Mark::kKeep);
  CHECK(MarkOf(NotReadyNode(), Group()) == Mark::kAdd);
  CHECK(MarkOf(NotReadyNode(), Group({Bound(PodPhase::kFailed)})) == Mark::kAdd);
  CHECK(MarkOf(NotReadyNode(), Group({Bound(PodPhase::kSucceeded)})) == Mark::kAdd);
  AssignedPod leaving = Bound();
  leaving.terminating = true;
  CHECK(MarkOf(NotReadyNode(), Group({leaving})) == Mark::kAdd);
  AssignedPod elsewhere = Bound();
  elsewhere.node = "n2";
  CHECK(MarkOf(NotReadyNode(), Group({elsewhere})) == Mark::kAdd);
}

TEST_CASE("By the delay: a node that is not ready long enough has failed, whoever is alive") {
  NodeFailureGates gates;
  gates.wait_for_pods = false;
  CHECK(JudgeNode(NotReadyNode(29), Group({Bound(), Pinned()}), gates) ==
        NodeVerdict{Mark::kKeep, {}, 1});
  CHECK(JudgeNode(NotReadyNode(30), Group({Bound(), Pinned()}), gates) ==
        NodeVerdict{Mark::kAdd, {}, {}});
}

TEST_CASE("By the delay or by the pods, whichever comes first") {
  NodeFailureGates gates;
  gates.not_ready_for_delay = true;
  CHECK(JudgeNode(NotReadyNode(10), Group({Bound(), Pinned()}), gates) ==
        NodeVerdict{Mark::kKeep, {}, 20});
  CHECK(JudgeNode(NotReadyNode(10), Group(), gates) == NodeVerdict{Mark::kAdd, {}, 20});
  CHECK(JudgeNode(NotReadyNode(30), Group({Bound(), Pinned()}), gates) ==
        NodeVerdict{Mark::kAdd, {}, {}});
  CHECK(JudgeNode(NotReadyNode(30), Group({Bound()}), kDefault) == NodeVerdict());
}

TEST_CASE("A taint fails a node as being not ready does, while taints count") {
  NodeFailureGates gates;
  gates.taints = false;
  for (TaintEffect effect : {TaintEffect::kNoExecute, TaintEffect::kNoSchedule}) {
    CHECK(MarkOf(TaintedNode(effect), Group()) == Mark::kAdd);
    CHECK(MarkOf(TaintedNode(effect), Group({Bound()})) == Mark::kKeep);
    CHECK(MarkOf(TaintedNode(effect), Group(), gates) == Mark::kKeep);
  }
  CHECK(MarkOf(TaintedNode(TaintEffect::kPreferNoSchedule), Group()) == Mark::kKeep);
  gates.taints = true;
  gates.wait_for_pods = false;
  CHECK(MarkOf(TaintedNode(), Group({Bound()}), gates) == Mark::kAdd);
}

TEST_CASE("A taint that is tolerated fails no node, one that is for a time waits for the pods") {
  Toleration any;
  any.key = "key";
  any.exists = true;
  PlacedGroup group = Group();
  group.pod_sets[0].tolerations = {{any, false}};
  CHECK(MarkOf(TaintedNode(), group) == Mark::kKeep);
  group.pod_sets[0].tolerations = {{any, true}};
  CHECK(MarkOf(TaintedNode(), group) == Mark::kAdd);
  group.pods = {Bound()};
  CHECK(MarkOf(TaintedNode(), group) == Mark::kKeep);
  NodeFailureGates gates;
  gates.wait_for_pods = false;
  CHECK(MarkOf(TaintedNode(), group, gates) == Mark::kKeep);
}

TEST_CASE("Only the pod sets on the node are asked what they tolerate") {
  Toleration everything;
  everything.exists = true;
  PlacedGroup group = Group();
  group.pod_sets[0].tolerations = {{everything, false}};
  group.pod_sets.push_back({{"n2"}, {}});
  CHECK(MarkOf(TaintedNode(), group) == Mark::kKeep);
  group.pod_sets[1].nodes = {"n1"};
  CHECK(MarkOf(TaintedNode(), group) == Mark::kAdd);
}

TEST_CASE("A node that recovers loses its mark") {
  PlacedGroup group = Group({Bound()});
  group.unhealthy_nodes = {"n1"};
  CHECK(MarkOf(ReadyNode(), group) == Mark::kClear);
  CHECK(MarkOf(NotReadyNode(), group) == Mark::kClear);
  group.pods.clear();
  CHECK(MarkOf(NotReadyNode(), group) == Mark::kKeep);
}

TEST_CASE("A second failed node evicts, an evicted or finished group gets no mark") {
  PlacedGroup group = Group({Pinned()});
  group.unhealthy_nodes = {"n2"};
  CHECK(JudgeNode(NotReadyNode(), group, kDefault) == NodeVerdict{Mark::kEvict, {}, {}});
  group.evicted = true;
  CHECK(JudgeNode(NotReadyNode(), group, kDefault) == NodeVerdict());
  group = Group({Pinned()});
  group.finished = true;
  CHECK(JudgeNode(NotReadyNode(), group, kDefault) == NodeVerdict());
}

TEST_CASE("Pods that are stuck on a closed node are failed, and no others") {
  AssignedPod gated = Pinned();
  gated.gated = true;
  AssignedPod done = Pinned();
  done.phase = PodPhase::kFailed;
  AssignedPod other = Pinned();
  other.pinned_to = "n2";
  const PlacedGroup group = Group({Bound(), gated, Pinned(), done, other, Pinned()});
  const ObservedNode closed = TaintedNode(TaintEffect::kNoSchedule);
  CHECK(JudgeNode(closed, group, kDefault).failed_pods == std::vector<size_t>{2, 5});
  CHECK(JudgeNode(TaintedNode(TaintEffect::kNoExecute), group, kDefault).failed_pods.empty());
  CHECK(JudgeNode(NotReadyNode(), group, kDefault).failed_pods.empty());
  CHECK(JudgeNode(ReadyNode(), group, kDefault).failed_pods.empty());
}

TEST_CASE("Pods pinned to a node that is none of the group's are failed") {
  PlacedGroup group = Group({Pinned()});
  group.pod_sets[0].nodes = {"n2"};
  for (const ObservedNode& node : {ReadyNode(), NotReadyNode(), TaintedNode()})
    CHECK(JudgeNode(node, group, kDefault) == NodeVerdict{Mark::kKeep, {0}, {}});
  group.admitted = false;
  CHECK(JudgeNode(ReadyNode(), group, kDefault).failed_pods.size() == 1);
  group.evicted = true;
  CHECK(JudgeNode(ReadyNode(), group, kDefault) == NodeVerdict());
}

}  // namespace
}  // namespace gangplan::node_failure_test
