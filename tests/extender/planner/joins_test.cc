// Who joins a gang that has started with its least number: in what steps, and after whom.
#include <map>
#include <set>

#include "tests/extender/planner/elastic_world.h"
#include "tests/extender/planner/gates_world.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/preemption_world.h"

namespace gangplan::joins_test {
namespace {

TEST_CASE("Joins: who joins as there is room comes in whole slices") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  world.Sync();
  JobSpec job = ElasticJob("2", 8);
  job.gpus = 2;
  job.place = "rack=pack!; node=pack factor=2";
  PodFacts half = ForeignPod("half", 6);  // room for one there
  world.ShowBound(half, NodeNameAt(0, 0, 2));
  PodFacts full = ForeignPod("full", 4);  // room for two there
  world.ShowBound(full, NodeNameAt(0, 0, 1));
  PodFacts none = ForeignPod("none", 2);  // room for three there
  world.ShowBound(none, NodeNameAt(0, 0, 0));
  const int shown = GENERATE(4, 8);
  INFO("shown " << shown);
  world.ShowJob(job, 0, shown);
  TryAll(world, job, {0, 1, 2, 3, 4, 5, 6, 7});
  for (int i = 0; i < 5; ++i) {
    world.Pass(absl::Seconds(1));
    TryAll(world, job, {0, 1, 2, 3, 4, 5, 6, 7});
  }
  std::map<std::string, int> on;
  for (const std::string& node : world.Nodes("team/train")) ++on[node];
  on.erase("-");
  for (const auto& [node, count] : on) {
    INFO(node << ": " << count);
    CHECK(count % 2 == 0);
  }
  CHECK(world.Report("team/train").bound == 4);
}

// Not a check of the machine: how much more one turn costs than the one question of before.

TEST_CASE("Joins: as many as there is room for have it at once") {
  const int32_t room = GENERATE(1, 2, 3, 4, 5, 6, 7);
  PlannerWorld world;
  world.Put(MakeNode(0, 0, 0, 8 + 8 * room));
  world.Sync();
  const PodFacts other = ForeignPod("other", 8 * room);
  world.ShowBound(other, NodeNameAt(0, 0, 0));
  const JobSpec job = ElasticJob("1", 8);
  world.ShowJob(job, 0, 8);
  REQUIRE(TryAll(world, job, {0}) == 1);
  world.Delete(other);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == room);
}

TEST_CASE("Joins: room of one who never asks ends, whatever the others do") {
  LivesWorld world(4);
  const bool finish = GENERATE(true, false);
  const JobSpec job = ElasticJob("1", 3);
  world.Register(job);
  world.Show(JobPod(job, 0));
  REQUIRE(TryAll(world, job, {0}) == 1);
  world.Show(JobPod(job, 1));  // nobody ever asks for it
  std::map<int, std::string> nodes;
  int held = 0;
  for (int next = 2; next < 62; ++next) {
    world.Show(JobPod(job, next));
    const std::string node = world.Passed(JobPod(job, next));
    REQUIRE(node != "");
    REQUIRE(world.Bind(JobPod(job, next), node).decision.held);
    REQUIRE(world.BindAll() == 1);
    world.Pass(absl::Minutes(2));
    held += world.HoldCount() > 0 ? 1 : 0;
    if (finish)
      world.ShowFinished(JobPod(job, next), node);
    else
      world.Delete(JobPod(job, next));
  }
  INFO("finish " << finish << ", held " << held << " of 60 times");
  CHECK(held < 10);
}

TEST_CASE("Joins: likewise of a Job with more completions than pods at once") {
  LivesWorld world(4);
  JobSpec job{.size = 3, .gpus = 8, .place = "rack=pack!", .indexed = false};
  job.left = 100;
  world.ShowJob(job, 0, 3);
  std::map<int, std::string> nodes;
  const auto ask = [&](int i) {
    nodes[i] = world.Passed(JobPod(job, i));
    REQUIRE(nodes[i] != "");
    REQUIRE(world.Bind(JobPod(job, i), nodes[i]).decision.held);
  };
  for (int i = 0; i < 3; ++i) ask(i);
  REQUIRE(world.BindAll() == 3);
  world.ShowFinished(JobPod(job, 1), nodes[1]);
  world.Show(JobPod(job, 3));  // nobody ever asks for it
  int held = 0, last = 2;
  for (int next = 4; next < 64; ++next) {
    world.ShowFinished(JobPod(job, last), nodes[last]);
    world.Show(JobPod(job, next));
    ask(next);
    REQUIRE(world.BindAll() == 1);
    last = next;
    world.Pass(absl::Minutes(2));
    held += world.HoldCount() > 0 ? 1 : 0;
  }
  INFO("held " << held << " of 60 times");
  CHECK(held < 10);
}

TEST_CASE("Joins: in a strict line they come after who stands there") {
  PlannerWorld world(With(QueueMode::kStrict));
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  const JobSpec runs = Whole("runs", 3);
  Run(world, runs);
  const JobSpec job = ElasticJob("1", 4, "elastic");
  world.ShowJob(job, 0, 1);
  REQUIRE(TryAll(world, job, {0}) == 1);
  const JobSpec first = Whole("first", 3);
  world.ShowJob(first, 0, 3);
  world.Pass(absl::Seconds(1));
  for (int i = 1; i < 4; ++i) world.Show(JobPod(job, i));  // later than that one
  const std::vector<std::string> nodes = world.Nodes("team/runs");
  for (int i = 0; i < 2; ++i) {
    world.Delete(JobPod(runs, i));
    world.Pass(absl::Seconds(1));
  }
  CHECK(TryAll(world, job, {1, 2, 3}) == 0);
}

// A gang of at least one that has four, and fills the cluster; another one is first in line.
struct Filled : LivesWorld {
  JobSpec job = ElasticJob("1", 4, "elastic");

  Filled() : LivesWorld(4, With(QueueMode::kStrict)) {
    ShowJob(job, 0, 4);
    for (int i = 0; i < 4; ++i) {
      TryAll(*this, job, {0, 1, 2, 3});
      Pass(absl::Seconds(1));
    }
    REQUIRE(Report("team/elastic").bound == 4);
    ShowJob(Whole("first", 3), 0, 3);
    Pass(absl::Seconds(1));
  }
  void Scale(int32_t size) {
    job.size = size;
    Say(*this, job);
  }
};

TEST_CASE_METHOD(Filled, "Joins: who replaces a lost one waits for nobody, whichever that was") {
  const int lost = GENERATE(1, 3);
  const bool before = GENERATE(false, true);  // the old one has gone
  INFO("lost " << lost << ", made anew before: " << before);
  if (before) Show(JobPod(job, lost, 1));
  Delete(JobPod(job, lost));
  Pass(absl::Seconds(1));
  if (!before) Show(JobPod(job, lost, 1));
  CHECK(TryAll(*this, job, {lost}, 1) == 1);
}

TEST_CASE_METHOD(Filled, "Joins: who comes after its Job was scaled down replaces nobody") {
  const int gone = GENERATE(1, 3);
  const bool told = GENERATE(false, true);  // before the pod goes
  INFO("gone " << gone << ", told before: " << told);
  if (told) Scale(3);
  Delete(JobPod(job, gone));
  if (!told) Scale(3);
  Pass(absl::Seconds(1));
  Scale(4);
  Show(JobPod(job, gone, 1));
  CHECK(TryAll(*this, job, {gone}, 1) == 0);
}

TEST_CASE_METHOD(Filled, "Joins: who comes after a gang has started anew replaces nobody") {
  const auto cordon = [&](int index, bool cordoned) {
    NodeFacts node = MakeNode(0, 0, index);
    node.unschedulable = cordoned;
    Put(node);
  };
  for (int i = 0; i < 4; ++i) cordon(i, true);
  for (int i = 0; i < 3; ++i) Delete(JobPod(job, i));
  for (int i = 0; i < 3; ++i) Show(JobPod(job, i, 1));
  Delete(JobPod(job, 3));
  Show(JobPod(job, 3, 1));
  REQUIRE(Report("team/elastic").bound == 0);
  cordon(0, false);
  REQUIRE(TryAll(*this, job, {0, 1, 2, 3}, 1) == 1);
  cordon(1, false);
  CHECK(TryAll(*this, job, {0, 1, 2, 3}, 1) == 0);
  for (int i = 2; i < 4; ++i) cordon(i, false);
  Pass(absl::Seconds(1));
  CHECK(Nodes("team/first").size() == 3);
}

TEST_CASE_METHOD(Halves, "Joins: with backfill they stay out of what is kept") {
  // One node is free in each rack; one of them is kept for "waits", in the rack of "hour".
  for (int i = 0; i < 40; ++i) {
    Some();
  }
  INFO(Of(waits).reason);
  JobSpec job = ElasticJob("1", 4, "elastic");
  job.place = "block=pack";
  ShowJob(job, 0, 1);
  Some();
  REQUIRE(TryAll(*this, job, {0}) == 1);  // in the other rack
  CHECK(RackOf(job) != RackOf(hour));
  Show(JobPod(job, 1));
  Some();
  CHECK(TryAll(*this, job, {1}) == 0);
  End(hour);
  Some();
  CHECK(TryAll(*this, job, {1}) == 0);
  Some();
  CHECK(HasRoom(waits));
}

TEST_CASE("Joins: two gangs share what comes free, and nothing is held for nobody") {
  LivesWorld world(6);
  const JobSpec a = ElasticJob("2", 6, "a"), b = ElasticJob("2", 6, "b");
  world.ShowJob(a, 0, 6);
  world.ShowJob(b, 0, 6);
  for (int round = 0; round < 6; ++round) {
    TryAll(world, a, {0, 1, 2, 3, 4, 5});
    TryAll(world, b, {0, 1, 2, 3, 4, 5});
    world.Pass(absl::Seconds(1));
  }
  CHECK(world.Report("team/a").bound + world.Report("team/b").bound == 6);
  CHECK(world.Report("team/b").bound >= 2);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Joins: behind gates they are released as they fit") {
  GatesWorld world(GatesWorld::Gated(GateUse::kGangplan));
  world.AddNodes({MakeNode(0, 0, 2)});  // three nodes in one rack
  for (int i = 0; i < 2; ++i) world.DeleteNode(NodeNameAt(0, 1, i));
  const bool alone = GENERATE(true, false);
  const JobSpec job = ElasticJob("2", 4);
  world.Register(job);
  world.ShowGated(job, 0, alone ? 2 : 4);
  std::map<std::string, PodFacts> pods;
  for (int i = 0; i < 4; ++i) pods[JobPod(job, i).uid] = GatesWorld::Behind(JobPod(job, i));
  // Releases are written, and who is released is asked for; how many were bound.
  const auto round = [&] {
    for (const PodRelease& release : world.Take<PodRelease>()) {
      world.Tell(release);
      PodFacts& pod = pods.at(release.pod.uid);
      pod = GatesWorld::After(pod, release);
      world.Show(pod);
    }
    for (const auto& [uid, pod] : pods) {
      if (!pod.gated()) Try(world, pod);
    }
    return world.BindAll();
  };
  int bound = 0;
  for (int i = 0; i < 20; ++i) {
    if (alone && i == 5) world.ShowGated(job, 2, 4);
    const int now = round();
    if (bound == 0 && now > 0) CHECK(now >= 2);
    bound += now;
    world.Pass(absl::Seconds(1));
  }
  INFO("alone " << alone << ": " << world.Report("team/train").reason);
  CHECK(bound == 3);
  world.AddNodes({MakeNode(0, 0, 3)});
  for (int i = 0; i < 10; ++i) {
    world.Pass(absl::Seconds(1));
    bound += round();
  }
  CHECK(bound == 4);
}

TEST_CASE("Joins: a gang that preempts asks for its number, and gives way as a whole") {
  PlannerWorld world(Preempting());
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  JobSpec low = ElasticJob("2", 4, "low");
  low.priority = 1;
  world.ShowJob(low, 0, 4);
  TryAll(world, low, {0, 1, 2, 3});
  TryAll(world, low, {0, 1, 2, 3});
  REQUIRE(world.Report("team/low").bound == 4);
  JobSpec high = ElasticJob("3", 4, "high");
  high.priority = 100;
  world.ShowJob(high, 0, 4);
  for (const PodDelete& one : world.Take<PodDelete>())
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  world.Pass(absl::Seconds(1));
  std::set<std::string> evicted;
  for (int i = 0; i < 20; ++i) {
    for (const PodMark& one : world.Take<PodMark>())
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    for (const PodDelete& one : world.Take<PodDelete>()) {
      evicted.insert(one.pod.name);
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    }
    world.Pass(absl::Seconds(1));
  }
  CHECK(evicted.size() == 4);
  const std::vector<std::string> nodes = world.Nodes("team/low");
  for (int i = 0; i < 4; ++i) {
    PodFacts pod = JobPod(low, i);
    pod.node_name = NodeNameAt(0, 0, i);
    world.Delete(pod);
  }
  for (int i = 0; i < 4; ++i) world.Show(JobPod(low, i, 1));
  for (int round = 0; round < 5; ++round) {
    world.Pass(absl::Seconds(1));
    TryAll(world, low, {0, 1, 2, 3}, 1);
    TryAll(world, high, {0, 1, 2, 3});
  }
  CHECK(world.Report("team/high").bound >= 2);
  CHECK(world.Report("team/low").bound != 1);
}

TEST_CASE("Joins: a gang that gives way goes pod by pod, though its Job has a switch") {
  PlannerWorld world(Suspending());
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  JobSpec low = Gang("low", 1);
  SetWord(low.words, "gangplan.io/start", "2");
  world.ShowJob(low, 0, 2);
  REQUIRE(TryAll(world, low, {0, 1}) == 2);
  world.ForgetEffects();
  world.ShowJob(Gang("high", 100), 0, 2);
  size_t deletes = 0, writes = 0;
  for (int i = 0; i < 20; ++i) {
    for (const PodMark& one : world.Take<PodMark>())
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    for (const PodDelete& one : world.Take<PodDelete>()) {
      ++deletes;
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    }
    writes += world.Take<JobWrite>().size();
    world.Pass(absl::Seconds(1));
  }
  CHECK(deletes >= 2);
  CHECK(writes == 0);
}

}  // namespace
}  // namespace gangplan::joins_test
