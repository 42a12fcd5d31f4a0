// Room that Kueue's own scheduling has given to Workloads whose pods are not there yet.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "extender/planner/limits.h"
#include "tests/extender/planner/kueue_world.h"
#include "tests/support/catch.h"

namespace gangplan::kueue_room_test {

TEST_CASE("KueueRoom: a gang waits where Kueue has given the room, and takes it afterwards") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}));
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  const JobSpec job = kueue.Wait();
  CHECK(kueue.world.HoldCount() == 0);
  CHECK(kueue.world.Passed(JobPod(job, 0)).empty());
  kueue.Gone("w");
  CHECK(kueue.UsedOn(kFirstNode) == 0);
  kueue.world.Pass(absl::Seconds(5));
  CHECK(kueue.world.Passed(JobPod(job, 0)) == kFirstNode);
}

TEST_CASE("KueueRoom: a pod that comes takes its own room, and gives it back when it goes") {
  KueueWorld kueue(2);
  kueue.Tell(Placed("w", {{{kFirstNode}, 2}, {{kSecondNode}, 1}}, 4));
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  const PodFacts pod = PodOf("w", "w-0", 4);
  kueue.world.ShowBound(pod, kFirstNode);
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
  SECTION("it is deleted") {
    kueue.world.Delete(pod);
    CHECK(kueue.UsedOn(kFirstNode) == 8);
  }
  SECTION("it has failed, and is made anew") {
    kueue.world.ShowFinished(pod, kFirstNode, PodPhase::kFailed);
    CHECK(kueue.UsedOn(kFirstNode) == 8);
  }
  SECTION("it has succeeded, and needs nothing more") {
    kueue.world.ShowFinished(pod, kFirstNode);
    CHECK(kueue.UsedOn(kFirstNode) == 4);
  }
  SECTION("it is of another namespace's Workload of that name") {
    PodFacts other = PodOf("w", "other", 1);
    other.ns = "elsewhere";
    kueue.world.ShowBound(other, kSecondNode);
    CHECK(kueue.UsedOn(kSecondNode) == 5);
  }
  kueue.Gone("w");
}

TEST_CASE("KueueRoom: pods that need nothing any more, and pods elsewhere, are not waited for") {
  KueueWorld kueue(3);
  WorkloadFacts workload = Placed("w", {{{kFirstNode}, 1}, {{kSecondNode}, 1}}, 4);
  kueue.Tell(workload);
  workload.pod_sets[0].reclaimable = 1;
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  CHECK(kueue.UsedOn(kSecondNode) == 0);
  workload.pod_sets[0].reclaimable = 0;
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
  kueue.world.ShowBound(PodOf("w", "w-0", 4), kThirdNode);
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  CHECK(kueue.UsedOn(kSecondNode) == 0);
  kueue.world.Delete(PodOf("w", "w-0", 4));
  CHECK(kueue.UsedOn(kSecondNode) == 4);
}

TEST_CASE("KueueRoom: what has succeeded under an earlier quota is of no room of this one") {
  KueueWorld kueue(2);
  const auto done = [&](const char* name, int64_t started) {
    PodFacts pod = PodOf("w", name, 4);
    pod.run.started = started;
    kueue.world.ShowFinished(pod, kFirstNode);
  };
  WorkloadFacts workload = Placed("w", {{{kFirstNode}, 2}}, 4);
  workload.pod_sets[0].all = 4;
  workload.pod_sets[0].reclaimable = 2;
  workload.quota_since = 1'000;
  for (const char* name : {"w-0", "w-1"}) done(name, 900);
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  done("w-2", 1'100);
  workload.pod_sets[0].reclaimable = 3;
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  // Another quota, for the one that is left.
  WorkloadFacts last = Placed("w", {{{kSecondNode}, 1}}, 4);
  last.pod_sets[0].all = 4;
  last.pod_sets[0].reclaimable = 3;
  last.quota_since = 1'200;
  kueue.Tell(last);
  CHECK(kueue.UsedOn(kFirstNode) == 0);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
}

TEST_CASE("KueueRoom: a pod set that shrinks waits for no more than it has") {
  KueueWorld kueue(2);
  WorkloadFacts workload = Placed("w", {{{kFirstNode}, 2}, {{kSecondNode}, 2}}, 4);
  workload.pod_sets[0].all = 4;
  kueue.Tell(workload);
  for (const char* name : {"w-0", "w-1"}) kueue.world.ShowBound(PodOf("w", name, 4), kFirstNode);
  kueue.world.ShowBound(PodOf("w", "w-2", 4), kSecondNode);
  CHECK(kueue.UsedOn(kSecondNode) == 8);
  workload.pod_sets[0].all = 3;
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
  // Nobody knows how many it has, as where it may be admitted in part.
  workload.pod_sets[0].all = 0;
  workload.pod_sets[0].reclaimable = 1;
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
}

TEST_CASE("KueueRoom: another assignment takes the place of the old one whole") {
  KueueWorld kueue(2);
  kueue.Tell(Placed("w", {{{kFirstNode}, 2}}, 4));
  kueue.Tell(Placed("w", {{{kSecondNode}, 1}}, 2));
  CHECK(kueue.UsedOn(kFirstNode) == 0);
  CHECK(kueue.UsedOn(kSecondNode) == 2);
  WorkloadFacts lost = Placed("w", {{{kSecondNode}, 1}}, 2);
  lost.quota = false;
  kueue.Tell(lost);
  CHECK(kueue.UsedOn(kSecondNode) == 0);
}

TEST_CASE("KueueRoom: planned room gives way to Kueue's, and the gang is planned anew whole") {
  KueueWorld kueue(3);
  const JobSpec job = kueue.Wait(2);
  REQUIRE(kueue.world.HoldCount() == 2);
  const std::vector<std::string> before = kueue.world.Nodes("team/train");
  kueue.Tell(Placed("w", {{{before.front()}, 1}}));
  kueue.world.Pass(absl::Seconds(2));
  CHECK(kueue.world.HoldCount() == 2);
  const std::vector<std::string> after = kueue.world.Nodes("team/train");
  CHECK(std::find(after.begin(), after.end(), before.front()) == after.end());
  // And where nothing is left for it, it has nothing.
  kueue.Tell(Placed("v", {{{after.front()}, 1}}));
  kueue.world.Pass(absl::Seconds(2));
  CHECK(kueue.world.HoldCount() == 0);
  CHECK(kueue.world.Passed(JobPod(job, 0)).empty());
}

TEST_CASE("KueueRoom: a gang whose Bindings are on their way is not torn") {
  KueueWorld kueue(2);
  const JobSpec job = kueue.Wait(2);
  for (int i = 0; i < 2; ++i) {
    const std::string node = kueue.world.Passed(JobPod(job, i));
    REQUIRE(kueue.world.Bind(JobPod(job, i), node).decision.held);
  }
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}));
  CHECK(kueue.world.BindAll() == 2);
  CHECK(kueue.world.StateOf("team/train") == "Running");
}

TEST_CASE("KueueRoom: a pod that comes into its own room takes none from a planned gang") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}, 4));
  const JobSpec job = kueue.Wait(1, 4);
  REQUIRE(kueue.world.HoldCount() == 1);
  kueue.world.ShowBound(PodOf("w", "w-0", 4), kFirstNode);
  CHECK(kueue.world.HoldCount() == 1);
  CHECK(kueue.world.Passed(JobPod(job, 0)) == kFirstNode);
}

TEST_CASE("KueueRoom: other pods are kept off, a pod of the Workload and the system's are not") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}));
  CHECK(kueue.world.Filter(PodOf("w", "w-0")).passed == std::vector<int32_t>{0});
  const FilterDecision own = kueue.world.Filter(ForeignPod("plain", 1));
  CHECK(own.passed.empty());
  CHECK(own.text == "room is held for a gang, or is that of Kueue's Workload team/w");
  PodFacts other = ForeignPod("other", 1);
  other.ns = "elsewhere";
  CHECK(kueue.world.Filter(other).text ==
        "room is held for a gang, or is that of another namespace's Workload of Kueue's");
  CHECK(kueue.world.Filter(ForeignPod("system", 1, 2'000'000'000)).passed ==
        std::vector<int32_t>{0});
  PodFacts small = ForeignPod("small", 0);
  CHECK(kueue.world.Filter(small).passed == std::vector<int32_t>{0});
}

TEST_CASE("KueueRoom: a pod of the Workload that our scheduler binds takes its own room, once") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}, 4));
  const JobSpec job = kueue.Wait(1, 4);
  REQUIRE(kueue.world.HoldCount() == 1);
  PodFacts other = ForeignPod("other", 4);
  kueue.world.Show(other);
  CHECK(kueue.world.Bind(other, kFirstNode).decision.error ==
        "room on b0-r0-n0 is held for a gang, or is that of Kueue's Workload team/w");
  const PodFacts pod = PodOf("w", "w-0", 4);
  kueue.world.Show(pod);
  REQUIRE(kueue.world.Passed(pod) == kFirstNode);
  REQUIRE(kueue.world.Bind(pod, kFirstNode).decision.held);
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  kueue.world.Show(pod);  // the watch is behind
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  SECTION("it is bound") { CHECK(kueue.world.BindAll() == 1); }
  SECTION("it is not, and its room is its Workload's again") {
    const auto posts = kueue.world.Take<BindingWrite>();
    REQUIRE(posts.size() == 1);
    kueue.world.Settle(posts[0], BindOutcome::kRefused, "forbidden");
    CHECK(kueue.world.Filter(ForeignPod("late", 4)).passed.empty());
  }
  CHECK(kueue.UsedOn(kFirstNode) == 4);
  CHECK(kueue.world.HoldCount() == 1);
}

TEST_CASE("KueueRoom: who waits is told of a Workload of its own namespace by its name alone") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}));
  const JobSpec job = kueue.Wait();
  CHECK(kueue.world.Refusal(JobPod(job, 0))
            .find("that of Kueue's Workload team/w, whose pods are to come") != std::string::npos);
  kueue.Gone("w");
  WorkloadFacts other = Placed("secret", {{{kFirstNode}, 1}});
  other.ns = "elsewhere";
  kueue.Tell(other);
  const std::string text = kueue.world.Refusal(JobPod(job, 0));
  CHECK(text.find("another namespace's Workload of Kueue's") != std::string::npos);
  CHECK(text.find("secret") == std::string::npos);
}

TEST_CASE("KueueRoom: pods of a Workload that counts give way to nobody: their room is no gain") {
  KueueWorld kueue(1);
  PodFacts pod = PodOf("w", "w-0");
  kueue.world.ShowBound(pod, kFirstNode);
  PodFacts high = ForeignPod("high", 8, 100);
  const std::vector<PreemptCandidate> candidates = {{kFirstNode, {pod.uid}}};
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}));
  SECTION("while it counts") {
    CHECK(kueue.world.planner().Preempt(kueue.world.now(), high, candidates).empty());
    PodFacts system = ForeignPod("system", 8, 2'000'000'000);
    CHECK(kueue.world.planner().Preempt(kueue.world.now(), system, candidates) ==
          std::vector<int32_t>{0});
  }
  SECTION("once it is over they are as any others") {
    kueue.Gone("w");
    CHECK(kueue.world.planner().Preempt(kueue.world.now(), high, candidates) ==
          std::vector<int32_t>{0});
  }
}

TEST_CASE(
    "KueueRoom: nobody is evicted beside a pod that stops and whose Workload takes its room") {
  const bool over = GENERATE(false, true);
  KueueWorld kueue(1);
  PodFacts pod = PodOf("w", "w-0", 4);
  kueue.world.ShowBound(pod, kFirstNode);
  kueue.Single("low", 4, kFirstNode);
  kueue.Tell(Placed("w", {{{kFirstNode}, 1}}, 4));
  if (over) kueue.Gone("w");
  pod.node_name = kFirstNode;
  kueue.world.ShowTerminating(pod);
  kueue.Ask(8);
  CHECK(kueue.TryAll() == (over ? std::vector<std::string>{"low"} : std::vector<std::string>()));
}

TEST_CASE("KueueRoom: a Workload that is not admitted counts for a while") {
  KueueWorld kueue(1);
  WorkloadFacts workload = Placed("w", {{{kFirstNode}, 1}});
  workload.admitted = false;
  workload.quota_since = absl::ToUnixSeconds(kueue.world.now());
  kueue.Tell(workload);
  kueue.world.Pass(kKueueRoomUnadmittedFor - absl::Seconds(1));
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  SECTION("until its time is over") {
    kueue.world.Pass(absl::Seconds(1));
    CHECK(kueue.UsedOn(kFirstNode) == 0);
    kueue.Tell(workload);
    CHECK(kueue.UsedOn(kFirstNode) == 0);
    workload.quota_since = absl::ToUnixSeconds(kueue.world.now());
    kueue.Tell(workload);
    CHECK(kueue.UsedOn(kFirstNode) == 8);
  }
  SECTION("or it is admitted, and has no end then") {
    workload.admitted = true;
    kueue.Tell(workload);
    kueue.world.Pass(absl::Hours(1));
    CHECK(kueue.UsedOn(kFirstNode) == 8);
  }
}

TEST_CASE("KueueRoom: nothing counts of what our own plans place") {
  KueueWorld kueue(1);
  WorkloadFacts workload = Placed("train", {{{kFirstNode}, 1}});
  PodFacts& pod = workload.pod_sets[0].pod;
  const JobSpec job{.name = "train", .size = 1, .gpus = 8, .place = "rack=pack!"};
  pod.scheduler_name = JobPod(job, 0).scheduler_name;
  SECTION("by the words of its template") { pod.annotations = JobPod(job, 0).annotations; }
  SECTION("it has a check, which may be ours") { workload.checks = {{"room", {}, "", {}}}; }
  SECTION("its template cannot be read") { pod.fault = "bad"; }
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 0);
}

TEST_CASE("KueueRoom: pods that ask us count as Kueue's until one of them is a gang's member") {
  KueueWorld kueue(1);
  WorkloadFacts workload = Placed("train", {{{kFirstNode}, 1}});
  const JobSpec job{.name = "train", .size = 1, .gpus = 8, .place = "rack=pack!"};
  workload.pod_sets[0].pod.scheduler_name = JobPod(job, 0).scheduler_name;
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  SECTION("a plain pod of it goes there") {
    CHECK(kueue.world.Filter(PodOf("train", "train-0")).passed == std::vector<int32_t>{0});
  }
  SECTION("its gang is planned there") {
    kueue.world.Register(job);
    PodFacts member = JobPod(job, 0);
    SetWord(member.annotations, "kueue.x-k8s.io/workload", "train");
    SetWord(member.labels, "kueue.x-k8s.io/podset", "main");
    kueue.world.Show(member);
    kueue.world.Pass(absl::Seconds(2));
    CHECK(kueue.world.Passed(member) == kFirstNode);
    CHECK(kueue.UsedOn(kFirstNode) == 0);
    kueue.world.Delete(member);
    CHECK(kueue.UsedOn(kFirstNode) == 8);
  }
}

TEST_CASE("KueueRoom: room in a rack stands where it is free, and moves only when it must") {
  KueueWorld kueue(3);
  kueue.Single("full", 8, kFirstNode);
  WorkloadFacts workload = Placed("w", {{{"b0", "r0"}, 1}, {{"b9", "r9"}, 1}});
  auto& placement = *workload.pod_sets[0].placement;
  placement.levels.clear();
  for (const Level& level : kueue.world.planner().model().topologies()[0].levels) {
    if (placement.levels.size() < 2) placement.levels.push_back(level.label);
  }
  const NodeFacts node = MakeNode(0, 0, 0);
  placement.domains[0].values.clear();
  for (const std::string& label : placement.levels)
    placement.domains[0].values.push_back(*FindLabel(node.labels, label));
  kueue.Tell(workload);
  CHECK(kueue.UsedOn(kFirstNode) == 8);
  CHECK(kueue.UsedOn(kSecondNode) == 8);
  CHECK(kueue.UsedOn(kThirdNode) == 0);
  kueue.Single("more", 4, kSecondNode);
  kueue.world.Pass(kKueueTurn * 2);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
  CHECK(kueue.UsedOn(kThirdNode) == 8);
  kueue.world.ShowBound(PodOf("w", "w-0"), kThirdNode);
  CHECK(kueue.UsedOn(kThirdNode) == 8);
  CHECK(kueue.UsedOn(kSecondNode) == 4);
  kueue.Gone("w");
}

TEST_CASE("KueueRoom: the node may come later, go, and be called otherwise than its hostname") {
  KueueWorld kueue(1);
  kueue.Tell(Placed("w", {{{"host-1"}, 1}, {{"late"}, 1}}, 4));
  NodeFacts node = MakeNode(0, 0, 7);
  node.name = "named";
  std::erase_if(node.labels, [](const auto& one) { return one.first == "kubernetes.io/hostname"; });
  SetWord(node.labels, "kubernetes.io/hostname", "host-1");
  std::sort(node.labels.begin(), node.labels.end());
  kueue.world.Put(node);
  CHECK(kueue.UsedOn("named") == 4);
  kueue.world.DeleteNode("named");
  kueue.world.Put(node);
  CHECK(kueue.UsedOn("named") == 4);
  node.allocatable = {{"cpu", 1000}};
  kueue.world.Put(node);
  CHECK(kueue.UsedOn("named") == 0);
  kueue.Gone("w");
}

TEST_CASE("KueueRoom: the order of what is told changes nothing") {
  std::string first;
  for (uint32_t seed = 0; seed < 24; ++seed) {
    KueueWorld kueue(3);
    std::vector<std::function<void()>> events;
    events.push_back([&] { kueue.Tell(Placed("a", {{{kFirstNode}, 2}, {{kSecondNode}, 1}}, 2)); });
    events.push_back([&] { kueue.Tell(Placed("b", {{{kThirdNode}, 3}}, 1)); });
    events.push_back([&] { kueue.world.ShowBound(PodOf("a", "a-0", 2), kFirstNode); });
    events.push_back([&] { kueue.world.ShowBound(PodOf("b", "b-0", 1), kThirdNode); });
    events.push_back([&] { kueue.world.ShowFinished(PodOf("b", "b-1", 1), kThirdNode); });
    events.push_back([&] { kueue.Single("plain", 1, kSecondNode); });
    std::shuffle(events.begin(), events.end(), std::mt19937(seed));
    for (const auto& event : events) event();
    const std::string told = kueue.world.planner().model().Fingerprint();
    if (first.empty()) first = told;
    CHECK(told == first);
    CHECK(kueue.UsedOn(kThirdNode) == 2);
  }
}

}  // namespace gangplan::kueue_room_test
