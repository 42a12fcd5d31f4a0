// Pods of no gang that run and give way, each by itself, to a gang of greater priority.
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/single_victims_world.h"
#include "tests/support/catch.h"

namespace gangplan::single_victims_test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("Single victims: a pod of no gang goes, and no more than is needed") {
  OneRack rack;
  PlannerWorld& world = rack.world;
  const PodFacts web = rack.Single("web", 4, kFirstNode, -10);
  const PodFacts other = rack.Single("other", 4, kFirstNode, -10);
  rack.Single("great", 8, kSecondNode, 200);
  const JobSpec high = rack.Ask(4);
  const std::string why = world.Refusal(JobPod(high, 0));
  const auto tries = world.Take<PodDelete>();
  REQUIRE(tries.size() == 1);
  const PodFacts& goes = tries[0].pod.name == "web" ? web : other;
  const PodFacts& stays = tries[0].pod.name == "web" ? other : web;
  CHECK(why == fmt::format("gang team/high of 1: it has room when what gives way to it has "
                           "stopped: pod team/{}",
                           goes.name));
  CHECK(tries[0].how == PodDelete::How::kTry);
  CHECK(tries[0].pod.ns == "team");
  CHECK(tries[0].pod.uid == goes.uid);
  CHECK(tries[0].together == std::vector<std::string>{goes.uid});  // budgets are asked about it
  rack.Tell(tries[0]);
  CHECK(rack.EvictAll() == Names{goes.name});
  CHECK(world.Take<PodMark>().empty());
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == kPodPreempted);
  CHECK(notes[0].regarding.kind == "Pod");
  CHECK(notes[0].regarding.name == goes.name);
  CHECK(notes[0].note.find(fmt::format("pod team/{}, priority -10, gives way to gang team/high of "
                                       "1, priority 100, which would wait otherwise: gang "
                                       "team/high",
                                       goes.name)) == 0);
  world.ShowTerminating(goes);
  CHECK(world.Nodes("team/high").empty());  // its time to stop is awaited
  world.Delete(goes);
  CHECK(world.Nodes("team/high") == Names{kFirstNode});
  CHECK(rack.EvictAll().empty());
  CHECK(world.Filter(ForeignPod("late", 4, 3), {kFirstNode}).passed.empty());
  CHECK(world.FilterAndBind(JobPod(high, 0)) == kFirstNode);
  CHECK(world.BindAll() == 1);
  world.Show(stays);
}

TEST_CASE("Single victims: one that is gone before its eviction is answered is told of, too") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  const PodFacts pod = rack.Single("web", 8, kFirstNode, -10);
  rack.Ask(8);
  rack.TryAll();
  const auto evictions = rack.evictions.empty() ? world.Take<PodDelete>() : rack.evictions;
  REQUIRE(evictions.size() == 1);
  world.Take<EventNote>();
  world.Delete(pod);
  rack.Tell(evictions[0]);
  const auto notes = world.Take<EventNote>();
  const auto told = std::find_if(notes.begin(), notes.end(), [](const EventNote& note) {
    return note.reason == kPodPreempted;
  });
  REQUIRE(told != notes.end());
  CHECK(told->regarding.name == "web");
  CHECK(told->note.starts_with("pod team/web, priority -10, gives way to gang team/high"));
}

TEST_CASE("Single victims: who stays, whatever waits") {
  OneRack rack(1);
  PodFacts pod = ForeignPod("stays", 8);
  SECTION("an equal") { pod.priority = 100; }
  SECTION("a greater one") { pod.priority = 101; }
  SECTION("of a DaemonSet, whose next one is there at once") {
    pod.controller = OwnerRef{"apps/v1", "DaemonSet", "agent", "uid-agent"};
  }
  SECTION("of a kubelet's file, by its owner") {
    pod.controller = OwnerRef{"v1", "Node", kFirstNode, "uid-node"};
  }
  SECTION("of a kubelet's file, by its word") {
    SetWord(pod.annotations, "kubernetes.io/config.mirror", "1");
  }
  SECTION("part of a gang that others place") { pod.scheduling_group = "theirs"; }
  SECTION("part of a gang by its words, which another scheduler places") {
    pod.scheduler_name = "another";
    SetWord(pod.annotations, "gangplan.io/group", "theirs");
    SetWord(pod.annotations, "gangplan.io/size", "1");
  }
  SECTION("part of a gang that another scheduler keeps by its own words") {
    const std::string_view key = GENERATE("pod-group-name", "yunikorn.apache.org/task-group-name");
    pod.scheduler_name = "another";
    SetWord(pod.annotations, key, "theirs");
  }
  SECTION("part of what its controller starts together") {
    pod.controller = OwnerRef{"kubeflow.org/v1", "PyTorchJob", "train", "uid-train"};
  }
  SECTION("part of what its labels tell, whoever has made it, or of what Kueue has admitted") {
    const std::string_view key = GENERATE(
        "jobset.sigs.k8s.io/replicatedjob-name", "training.kubeflow.org/job-role",
        "leaderworkerset.sigs.k8s.io/name", "kueue.x-k8s.io/managed", "kueue.x-k8s.io/podset");
    pod.controller = OwnerRef{"batch/v1", "Job", "train-0", "uid-train"};
    SetWord(pod.labels, key, "true");
  }
  SECTION("of which something cannot be read") { pod.fault = "spec.priority: no number"; }
  rack.world.ShowBound(pod, kFirstNode);
  rack.Ask(8);
  CHECK(rack.world.Take<PodDelete>().empty());
}

TEST_CASE("Single victims: nobody where preemption is never, or the gang may not") {
  SECTION("never") {
    OneRack rack(1, PlannerWorld::Options());
    rack.Single("web", 8, kFirstNode);
    rack.Ask(8);
    CHECK(rack.world.Take<PodDelete>().empty());
  }
  SECTION("its pods' word") {
    OneRack rack(1);
    rack.Single("web", 8, kFirstNode);
    JobSpec high = Gang("high", 100, 1);
    rack.world.Register(high);
    PodFacts pod = JobPod(high, 0);
    pod.never_preempts = true;
    rack.world.Show(pod);
    CHECK(rack.world.Take<PodDelete>().empty());
  }
  SECTION("it fits nowhere, whoever goes") {
    OneRack rack(1);
    rack.Single("web", 8, kFirstNode);
    rack.Ask(9);
    CHECK(rack.world.Take<PodDelete>().empty());
  }
  SECTION("there is room") {
    OneRack rack(1);
    rack.Single("web", 4, kFirstNode);
    rack.Ask(4);
    CHECK(rack.world.Take<PodDelete>().empty());
    CHECK(rack.world.Nodes("team/high") == Names{kFirstNode});
  }
}

TEST_CASE("Single victims: nobody where gangs alone give way, until that is another one") {
  PlannerOptions options = Preempting();
  options.preempts_pods = false;
  OneRack rack(1, options);
  PlannerWorld& world = rack.world;
  rack.Single("web", 8, kFirstNode);
  rack.Ask(8);
  world.Pass(kMaxVictimPause);
  CHECK(world.Take<PodDelete>().empty());
  options.preempts_pods = true;
  world.planner().Reconfigure(world.now(), options);
  world.Pass(kMaxVictimPause);
  CHECK(rack.TryAll() == std::vector<std::string>{"web"});
}

TEST_CASE("Single victims: a Job's pod is a gang's where each Job is one") {
  PlannerOptions options = Preempting();
  options.all_jobs = GENERATE(false, true);
  OneRack rack(1, options);
  PlannerWorld& world = rack.world;
  PodFacts batch = ForeignPod("batch", 8, 0);
  batch.controller = OwnerRef{"batch/v1", "Job", "batch", "job-uid"};
  world.ShowBound(batch, kFirstNode);
  rack.Ask(8);
  CHECK(rack.TryAll().empty() == options.all_jobs);
}

TEST_CASE("Single victims: the driver that owns a gang's members stays") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  const PodFacts driver = rack.Single("driver", 8, kFirstNode);
  PodFacts executor = JobPod(Gang("high", 100, 1), 0);
  executor.requests = driver.requests;
  executor.controller = OwnerRef{"v1", "Pod", "driver", driver.uid};
  SetWord(executor.annotations, "gangplan.io/group", "app");
  SetWord(executor.annotations, "gangplan.io/size", "1");
  world.Show(executor);
  world.Pass(kMaxVictimPause);
  REQUIRE(world.StateOf("team/app") == "Blocked");
  CHECK(rack.TryAll().empty());
}

TEST_CASE("Single victims: the least priority goes, then the fewest pods") {
  OneRack rack;
  SECTION("the least priority, however many they are") {
    for (int i = 0; i < 8; ++i) rack.Single(fmt::format("least-{}", i), 1, kSecondNode, -5);
    rack.Single("one", 8, kFirstNode, 0);
    rack.Ask(8);
    CHECK(rack.TryAll().size() == 8);
  }
  SECTION("one for eight of its like") {
    for (int i = 0; i < 8; ++i) rack.Single(fmt::format("small-{}", i), 1, kSecondNode);
    rack.Single("zone", 8, kFirstNode);
    rack.Ask(8);
    CHECK(rack.TryAll() == Names{"zone"});
  }
  SECTION("beside what is free") {
    rack.Single("half", 4, kFirstNode);
    rack.Single("tiny", 1, kFirstNode);
    for (int i = 0; i < 8; ++i) rack.Single(fmt::format("small-{}", i), 1, kSecondNode);
    rack.Ask(7);
    CHECK(rack.TryAll() == Names{"half"});
  }
  SECTION("a gang of lower priority before a pod of a greater one, and the other way round") {
    const int32_t priority = GENERATE(1, 20);
    JobSpec low = Gang("low", 10, 1);
    rack.Single("web", 8, kSecondNode, priority);
    rack.world.ShowJob(low, 0, 1);
    rack.world.FilterAndBind(JobPod(low, 0));
    REQUIRE(rack.world.BindAll() == 1);
    rack.world.ForgetEffects();
    rack.Ask(8);
    CHECK(rack.TryAll() == Names{priority == 1 ? "web" : "low-0-0"});
  }
}

TEST_CASE("Single victims: a gang and pods of none give way together, the pods first") {
  OneRack rack;
  PlannerWorld& world = rack.world;
  JobSpec low = Gang("low", 10, 1);
  const PodFacts web = rack.Single("web", 8, kSecondNode);
  world.ShowJob(low, 0, 1);
  PodFacts member = JobPod(low, 0);
  member.node_name = world.FilterAndBind(member);
  REQUIRE(world.BindAll() == 1);
  world.ForgetEffects();
  const JobSpec high = rack.Ask(8, 2);
  CHECK(world.Refusal(JobPod(high, 0)) ==
        "gang team/high of 2: it has room when what gives way to it has stopped: team/low, pod "
        "team/web");
  CHECK(rack.TryAll() == Names{"low-0-0", "web"});
  REQUIRE(rack.evictions.size() == 1);
  CHECK(rack.evictions[0].pod.name == "web");
  CHECK(rack.EvictAll() == Names{"low-0-0", "web"});
  rack.Stop(web);
  rack.Stop(member);
  CHECK(world.Nodes("team/high") == Names{kFirstNode, kSecondNode});
}

}  // namespace
}  // namespace gangplan::single_victims_test
