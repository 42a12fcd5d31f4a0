// Groups of several pod sets: what is waited for, who gets which slot, leaders beside their
// workers.
#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/words.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/refuse_twice.h"
#include "tests/support/sentences.h"

namespace gangplan::pod_sets_test {
namespace {

constexpr std::string_view kIndex = "leaderworkerset.sigs.k8s.io/worker-index";

using Names = std::vector<std::string>;

// Bare pods of one gang: "leader=1,workers=4", or another list.
struct Ring {
  std::string list = "leader=1,workers=4";
  LabelSet words = {};  // on every pod

  PodFacts Pod(std::string_view set, int index, int64_t gpus) const {
    PodFacts pod = ForeignPod(fmt::format("{}-{}", set, index), gpus);
    SetWord(pod.annotations, kGroupWord, "ring");
    SetWord(pod.annotations, kPodSetsWord, list);
    SetWord(pod.annotations, kPodSetWord, set);
    SetWord(pod.annotations, kIndex, fmt::format("{}", index));
    for (const auto& [key, value] : words) SetWord(pod.annotations, key, value);
    return pod;
  }
};

// As a LeaderWorkerSet makes them: the leader is index 0, the workers 1, 2, ...
Ring LeaderWorkers() {
  return {.words = {{std::string(kKueueGroupName), "lw"},
                    {std::string(kKueueRequired), "example.com/rack"}}};
}

struct RingWorld : PlannerWorld {
  RingWorld() {
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
  }
  void ShowAll(const Ring& ring) {
    Show(ring.Pod("leader", 0, 6));
    for (int i = 1; i <= 4; ++i) Show(ring.Pod("workers", i, 2));
  }
};

TEST_CASE("Pod sets: the gang is placed when one pod of each was seen, all slots at once") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.Show(ring.Pod("workers", 2, 2));
  CHECK(world.StateOf("team/ring") == "Blocked");
  CHECK(world.HoldCount() == 0);
  CHECK(world.Refusal(ring.Pod("workers", 2, 2)) ==
        Sentence("no pod of a pod set", "ring", 5, "leader"));
  world.Show(ring.Pod("leader", 0, 6));
  CHECK(world.StateOf("team/ring") == "Gathering");
  CHECK(world.HoldCount() == 5);
  // 6 GPUs of one node for the leader, a worker beside it, three on the other node.
  const Names nodes = world.Nodes("team/ring");
  CHECK(nodes == Names{"b0-r0-n0", "b0-r0-n0", "b0-r0-n1", "b0-r0-n1", "b0-r0-n1"});
  const GroupReport report = world.Report("team/ring");
  CHECK(report.size == 5);
  CHECK(report.slots[0].pod_set == "leader");
  CHECK(report.slots[0].pod == "leader-0");
  CHECK(report.slots[1].pod_set == "workers");
  CHECK(report.slots[1].rank == 0);
  REQUIRE(report.pod_sets.size() == 2);
  CHECK(report.pod_sets[1].size == 4);
  CHECK(report.pod_sets[1].seen == 1);
  CHECK(report.place == "required rack");
}

TEST_CASE("Pod sets: Kueue's group shifts the index, also of a pod that came before its leader") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.Show(ring.Pod("workers", 2, 2));
  CHECK(world.Report("team/ring").slots.empty());
  world.Show(ring.Pod("leader", 0, 6));
  world.Show(ring.Pod("workers", 4, 2));
  const GroupReport report = world.Report("team/ring");
  CHECK(report.slots[2].pod == "workers-2");
  CHECK(report.slots[4].pod == "workers-4");
  CHECK(report.slots[3].pod == "");
}

TEST_CASE(
    "Pod sets: the pods of a JobSet's Jobs get the slots of their Jobs, one after the other") {
  RingWorld world;
  const Ring ring{.list = "leader=1,workers=4",
                  .words = {{std::string(kKueueUnconstrained), "true"}}};
  for (int job = 1; job >= 0; --job) {
    for (int index = 0; index < 2; ++index) {
      PodFacts pod = ring.Pod("workers", 2 * job + index, 2);
      SetWord(pod.labels, "batch.kubernetes.io/job-completion-index", fmt::format("{}", index));
      SetWord(pod.labels, "jobset.sigs.k8s.io/job-index", fmt::format("{}", job));
      SetWord(pod.labels, "jobset.sigs.k8s.io/replicatedjob-replicas", "2");
      world.Show(pod);
    }
  }
  world.Show(ring.Pod("leader", 0, 6));
  const GroupReport report = world.Report("team/ring");
  REQUIRE(report.slots.size() == 5);
  for (size_t rank = 0; rank < 4; ++rank)
    CHECK(report.slots[rank + 1].pod == fmt::format("workers-{}", rank));
}

TEST_CASE("Pod sets: without a group of Kueue's the index is the rank") {
  RingWorld world;
  Ring ring{.words = {{std::string(kKueueUnconstrained), "true"}}};
  world.Show(ring.Pod("leader", 0, 6));
  world.Show(ring.Pod("workers", 3, 2));
  CHECK(world.Report("team/ring").slots[4].pod == "workers-3");
  ring.words.emplace_back(kKueueIndexOffset, "2");
  RingWorld shifted;
  shifted.Show(ring.Pod("workers", 3, 2));
  shifted.Show(ring.Pod("leader", 2, 6));
  CHECK(shifted.Report("team/ring").slots[2].pod == "workers-3");
  CHECK(shifted.Report("team/ring").slots[0].pod == "leader-2");
}

TEST_CASE("Pod sets: all start together and are told their rank within the pod set") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.ShowAll(ring);
  CHECK(world.StateOf("team/ring") == "Planned");
  for (int i = 1; i <= 4; ++i) world.FilterAndBind(ring.Pod("workers", i, 2));
  CHECK(world.Take<BindingWrite>().empty());
  world.FilterAndBind(ring.Pod("leader", 0, 6));
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 5);
  CHECK(posts[0].pod.name == "leader-0");
  for (size_t i = 0; i < posts.size(); ++i) {
    const std::string* rank = FindLabel(posts[i].annotations, kAssignedRankAnnotation);
    REQUIRE(rank != nullptr);
    CHECK(*rank == fmt::format("{}", i == 0 ? 0 : i - 1));
  }
}

TEST_CASE("Pod sets: a pod gets a slot of its own pod set only") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.ShowAll(ring);
  const PodFacts second = ring.Pod("leader", 7, 6);
  world.Show(second);
  CHECK(world.Refusal(second) == Sentence("too many members of a pod set", "ring", 1, "leader"));
}

TEST_CASE("Pod sets: what differs within a pod set, or in the list, is told") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.ShowAll(ring);
  CHECK(world.Refusal(ring.Pod("workers", 9, 3)) == Sentence("other resources", "ring"));
  const Ring longer{.list = "leader=1,workers=5", .words = ring.words};
  CHECK(world.Refusal(longer.Pod("workers", 10, 2)) ==
        Sentence("another list of pod sets", "ring", longer.list, ring.list));
  Ring other = ring;
  SetWord(other.words, kKueueGroupName, "another");
  CHECK(world.Refusal(other.Pod("workers", 11, 2)) == Sentence("other words of Kueue", "ring"));
}

TEST_CASE("Pod sets: a group that breaks Kueue's rules is invalid, until its pods are mended") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  const Ring preferred{.words = {{std::string(kKueueGroupName), "lw"},
                                 {std::string(kKueuePreferred), "example.com/rack"}}};
  world.Show(ring.Pod("workers", 1, 2));
  const PodFacts wrong = preferred.Pod("leader", 0, 6);
  world.Show(wrong);
  CHECK(world.StateOf("team/ring") == "Blocked");
  CHECK(world.Report("team/ring").outcome == Outcome::kInvalid);
  CHECK(world.Refusal(ring.Pod("workers", 1, 2)) ==
        Sentence("pod sets of one group differ", "ring", "leader", "lw"));
  world.Delete(wrong);
  PodFacts right = ring.Pod("leader", 0, 6);
  right.uid = "uid-right";
  world.Show(right);
  CHECK(world.StateOf("team/ring") == "Gathering");
}

TEST_CASE("Pod sets: our own words are the same on all, and never beside Kueue's") {
  RingWorld world;
  const Ring ours{.words = {{std::string(kPlaceWord), "rack=pack!"}}};
  world.Show(ours.Pod("leader", 0, 6));
  CHECK(world.Refusal(LeaderWorkers().Pod("workers", 1, 2)) ==
        Sentence("words of ours and of Kueue", "ring", "required rack", "leader", "rack=pack!"));
  const Ring soft{.words = {{std::string(kPlaceWord), "rack=pack"}}};
  CHECK(world.Refusal(soft.Pod("workers", 2, 2)) ==
        Sentence("another place", "ring", "rack=pack", "rack=pack!"));
  world.Show(ours.Pod("workers", 3, 2));
  CHECK(world.Report("team/ring").outcome == Outcome::kPlaced);
  CHECK(world.Nodes("team/ring") ==
        Names{"b0-r0-n0", "b0-r0-n1", "b0-r0-n1", "b0-r0-n1", "b0-r0-n1"});
}

TEST_CASE("Pod sets: one without a topology word goes anywhere beside one with Kueue's") {
  RingWorld world;
  world.Show(Ring{}.Pod("leader", 0, 8));
  world.Show(LeaderWorkers().Pod("workers", 1, 2));
  // The group name stands on one pod set alone.
  CHECK(world.Report("team/ring").outcome == Outcome::kInvalid);
  RingWorld loose;
  const Ring rack{.words = {{std::string(kKueueRequired), "example.com/rack"}}};
  loose.Show(Ring{}.Pod("leader", 0, 8));
  loose.Show(rack.Pod("workers", 1, 4));
  CHECK(loose.StateOf("team/ring") == "Gathering");
  CHECK(loose.Report("team/ring").place == "leader: no rule; workers: required rack");
}

TEST_CASE("Pod sets: room that is short is told with the pod set that finds none") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.Show(ring.Pod("leader", 0, 8));
  world.Show(ring.Pod("workers", 1, 3));
  const GroupReport report = world.Report("team/ring");
  CHECK(report.reason == Sentence("impossible beside a leader", "ring", "workers", 1, "leader", 4));
  CHECK_THAT(report.evidence,
             StartsWith("  pod set leader, beside 4 of workers: asked: room for 1 member in one "
                        "rack\n"));
  CHECK_THAT(report.evidence, ContainsText("\n  pod set workers, beside 1 of leader: asked: "));
}

TEST_CASE("Pod sets: a lost leader is replaced in the rack of its workers") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.ShowAll(ring);
  for (int i = 1; i <= 4; ++i) world.FilterAndBind(ring.Pod("workers", i, 2));
  world.FilterAndBind(ring.Pod("leader", 0, 6));
  CHECK(world.BindAll() == 5);
  CHECK(world.StateOf("team/ring") == "Running");
  const std::string rack = DomainOf(world.Nodes("team/ring")[0], 1);
  world.Delete(ring.Pod("leader", 0, 6));
  CHECK(world.StateOf("team/ring") == "Repairing");
  PodFacts again = ring.Pod("leader", 0, 6);
  again.uid = "uid-again";
  world.Show(again);
  CHECK(DomainOf(world.FilterAndBind(again), 1) == rack);
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/ring") == "Running");
}

TEST_CASE("Pod sets: after a restart each pod is found in its pod set at its rank") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.ShowAll(ring);
  const Names before = world.Nodes("team/ring");
  std::vector<PodFacts> pods;
  pods.push_back(ring.Pod("leader", 0, 6));
  for (int i = 4; i >= 1; --i) pods.push_back(ring.Pod("workers", i, 2));
  for (const PodFacts& pod : pods) world.FilterAndBind(pod);
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  const bool leader_lives = GENERATE(true, false);
  for (const PodFacts& pod : pods) {
    if (pod.name == "workers-3" || (!leader_lives && pod.name == "leader-0")) continue;
    for (const BindingWrite& post : posts) {
      if (post.pod.uid != pod.uid) continue;
      PodFacts bound = pod;
      for (const auto& [key, value] : post.annotations) SetWord(bound.annotations, key, value);
      world.ShowBound(bound, post.node);
    }
  }
  world.Show(ring.Pod("workers", 3, 2));
  world.Sync();
  CHECK(world.StateOf("team/ring") == "Binding");
  Names after = world.Nodes("team/ring");
  if (!leader_lives) after[0] = before[0];
  CHECK(after == before);
  CHECK(world.Report("team/ring").slots[3].pod == "workers-3");
}

TEST_CASE("Pod sets: after a restart the workers are repaired without a leader that nobody shows") {
  RingWorld world;
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  const Ring ring{.list = "leader=1,workers=2", .words = {{"gangplan.io/place", "rack=pack!"}}};
  PodFacts bound = ring.Pod("workers", 0, 2);
  SetWord(bound.annotations, kAssignedRankAnnotation, "0");
  SetWord(bound.annotations, kPlanAnnotation, "ring.1");
  world.ShowBound(bound, "b0-r1-n0");
  world.Show(ring.Pod("workers", 1, 2));
  world.Sync();
  CHECK(world.Nodes("team/ring") == Names{"-", "b0-r1-n0", "b0-r1-n0"});
}

TEST_CASE("Pod sets: room is given back when the members of one do not come in time") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.Show(ring.Pod("leader", 0, 6));
  world.Pass(absl::Minutes(10));
  CHECK(world.StateOf("team/ring") == "Blocked");  // nothing is held: nothing ends
  world.Show(ring.Pod("workers", 1, 2));
  CHECK(world.HoldCount() == 5);
  world.Pass(absl::Minutes(5));
  CHECK(world.StateOf("team/ring") == "Released");
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Pod sets: the last pod of one that leaves before the start takes its template along") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  const PodFacts leader = ring.Pod("leader", 0, 16);  // no node has that many
  world.Show(leader);
  world.Show(ring.Pod("workers", 1, 2));
  CHECK(world.Report("team/ring").outcome == Outcome::kImpossible);
  world.Delete(leader);
  CHECK(world.Refusal(ring.Pod("workers", 1, 2)) ==
        Sentence("no pod of a pod set", "ring", 5, "leader"));
  PodFacts smaller = ring.Pod("leader", 0, 6);
  smaller.uid = "uid-smaller";
  world.Show(smaller);
  CHECK(world.StateOf("team/ring") == "Gathering");
}

TEST_CASE("Pod sets: the greatest priority is the group's") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  PodFacts leader = ring.Pod("leader", 0, 6);
  leader.priority = 10;
  world.Show(ring.Pod("workers", 1, 2));
  world.Show(leader);
  const std::string node = world.Nodes("team/ring")[0];
  CHECK(world.Refusal(ForeignPod("equal", 6, 10), {node}) == Sentence("held for a gang"));
  CHECK(world.Passed(ForeignPod("greater", 6, 11), {node}) == node);
}

TEST_CASE("Pod sets: a node that one pod set cannot use is left to the others") {
  RingWorld world;
  const Ring ring = LeaderWorkers();
  world.ShowAll(ring);
  const Names nodes = world.Nodes("team/ring");
  PodFacts leader = ring.Pod("leader", 0, 6);
  leader.nominated_node_name = nodes[0];
  RefuseTwice(world, leader, {"b0-r1-n0", "b0-r1-n1"});
  const Names after = world.Nodes("team/ring");
  CHECK(after[0] != nodes[0]);
  CHECK(DomainOf(after[0], 1) == DomainOf(after[1], 1));
}

}  // namespace
}  // namespace gangplan::pod_sets_test
