// Gangs that are to start anew: who has its turn, while it is asked whether all of one may go.
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/restarts_world.h"
#include "tests/support/catch.h"

namespace gangplan::restarts_turns_test {
namespace {

// It is looked at again between the questions and the first eviction.
TEST_CASE("restarts: a gang that is whole again while its pods are asked about stays") {
  AnewWorld world(MakeNodes(1, 2, 3));
  world.RunJob(kTrain);
  const std::string node = world.Nodes("team/train")[2];
  world.Lose(kTrain, 2);
  world.Wait(kRestartTimeout + absl::Seconds(2));  // asked, and the answers are on their way
  world.Put(MakeNode(0, node[4] - '0', node[7] - '0'));
  world.Pass(absl::Seconds(1));
  world.FilterAndBind(JobPod(kTrain, 2, 1));
  REQUIRE(world.BindAll() == 1);
  REQUIRE(world.StateOf("team/train") == "Running");
  world.Wait(absl::Hours(1));  // it runs, whole, for an hour
  CHECK(world.AnswerAll() == Names{});
}

TEST_CASE("restarts: who stood by meanwhile does not evict what runs, whole, when it acts again") {
  AnewWorld world(MakeNodes(1, 2, 3));
  world.RunJob(kTrain);
  const std::string node = world.Nodes("team/train")[2];
  const PodFacts again = world.Lose(kTrain, 2);
  world.Wait(kRestartTimeout + absl::Seconds(2));
  for (const PodDelete& one : world.Take<PodDelete>())  // the connection is lost with the lease
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt,
                                absl::UnavailableError("no route"));
  world.planner().SetActive(world.now(), false);
  world.Put(MakeNode(0, node[4] - '0', node[7] - '0'));
  PodFacts bound = world.On(again, node);
  SetWord(bound.annotations, "gangplan.io/plan", "train.1");
  world.Show(bound);  // by the other one
  REQUIRE(world.StateOf("team/train") == "Running");
  world.Wait(absl::Hours(2));
  world.planner().SetActive(world.now(), true);
  world.Wait(absl::Seconds(5));
  CHECK(world.AnswerAll() == Names{});
}

// Of two that lost a member each the one would have room when the other goes.
TEST_CASE("restarts: of two gangs that lack room one goes when that makes the other whole") {
  AnewWorld world(MakeNodes(1, 1, 3));
  JobSpec one{.name = "one", .size = 3, .gpus = 4, .place = "rack=pack!"};
  JobSpec two = one;
  two.name = "two";
  // One member of each on each node.
  for (const JobSpec& job : {one, two}) {
    world.Register(job);
    for (int i = 0; i < 3; ++i) {
      world.Show(BoundByUs(job, i, NodeNameAt(0, 0, i), i));
    }
    world.Pass(absl::Seconds(1));
    REQUIRE(world.StateOf("team/" + job.name) == "Running");
  }
  world.ForgetEffects();
  world.DeleteNode(NodeNameAt(0, 0, 2));
  for (const JobSpec& job : {one, two}) {
    world.Delete(world.On(JobPod(job, 2), NodeNameAt(0, 0, 2)));
    world.Show(JobPod(job, 2, 1));
  }
  world.Wait(kRestartTimeout + absl::Seconds(2));
  const Names gone = world.AnswerAll();
  CHECK(gone.size() == 2);  // of one of them
}

// Nobody was touched.
TEST_CASE("restarts: what was refused before anybody was touched is no time that it started anew") {
  AnewWorld world(MakeNodes(1, 2, 3), Restarting(1));
  world.RunJob(kTrain);
  world.Lose(kTrain, 2);
  world.ForgetEffects();
  for (int i = 0; i < 700; ++i) {  // the right to patch pods is missing
    world.Pass(absl::Seconds(1));
    for (const PodDelete& one : world.Take<PodDelete>()) {
      REQUIRE(one.how == PodDelete::How::kTry);
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    }
    for (const PodMark& one : world.Take<PodMark>())
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt,
                                  absl::PermissionDeniedError("no"));
  }
  for (const EventNote& note : world.Take<EventNote>()) {
    INFO(note.note);
    CHECK(note.note.find("it has started anew 1 of 1 times") == std::string::npos);
  }
}

// Who preempts is not kept off by a question that nobody answers. Without repair.onFailure
// "a" is spared after gang.gatherTimeout, and "b" goes (preemption_life_test.cc).
TEST_CASE("restarts: a gang of greater priority takes another set while nobody can tell of one") {
  PlannerOptions options = Restarting();
  options.repair.on_failure = GENERATE(OnFailure::kWait, OnFailure::kRestart);
  options.preempts = true;
  AnewWorld world(MakeNodes(1, 2, 2), options);
  JobSpec a = Gang("a", 1), b = Gang("b", 5), high = Gang("high", 100, 1);
  world.RunJob(a);
  world.RunJob(b);
  world.Lose(a, 1);
  const auto silent = [&] {  // what is asked of "a" is answered by a fault
    for (const PodDelete& one : world.Take<PodDelete>()) {
      const bool of_a = one.pod.name.starts_with("a-");
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt,
                                  of_a ? absl::UnavailableError("webhook") : absl::OkStatus());
    }
  };
  for (int i = 0; i < 310; ++i) {
    world.Pass(absl::Seconds(1));
    silent();
  }
  world.ShowJob(high, 0, 1);
  int seconds = 0;
  bool any = false;
  for (; seconds < 1800 && !any; ++seconds) {
    world.Pass(absl::Seconds(1));
    silent();
    any = !world.Take<PodMark>().empty();
  }
  INFO("restarts " << (options.repair.on_failure == OnFailure::kRestart) << ": " << seconds
                   << " s; " << world.Report("team/high").reason);
  CHECK(any);
}

// A JobSet that starts all its pods anew is the same gang.
TEST_CASE("restarts: a JobSet that is started anew counts on") {
  AnewWorld world(MakeNodes(1, 2, 3), Restarting(1));
  JobSpec job = kTrain;
  job.leader_gpus = 8;
  job.in_set = true;
  world.Register(job);
  int evicted = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto pod = [&](int index, int life) {
      PodFacts made = JobPod(job, index, attempt * 10 + life);
      SetWord(made.labels, "jobset.sigs.k8s.io/restart-attempt", fmt::format("{}", attempt));
      return made;
    };
    std::vector<PodFacts> pods;
    for (int i = 0; i < 3; ++i) pods.push_back(pod(i, 0));
    world.Run(pods);
    world.Wait(absl::Seconds(2));
    const Names nodes = world.Nodes("team/train");
    const NodeFacts lost = MakeNode(0, nodes[2][4] - '0', nodes[2][7] - '0');
    world.DeleteNode(lost.name);
    world.Delete(world.On(pods[2], lost.name));
    world.Show(pod(2, 1));
    world.Wait(kRestartTimeout + absl::Seconds(5));
    evicted += world.AnswerAll().empty() ? 0 : 1;
    // Its Jobs have failed, and the JobSet makes all of them anew.
    for (int i = 0; i < 2; ++i)
      world.Delete(world.On(pods[static_cast<size_t>(i)], nodes[static_cast<size_t>(i)]));
    world.Delete(pod(2, 1));
    world.Put(lost);
  }
  CHECK(evicted == 1);
}

// A JobSet whose replicated Jobs start in order is one gang for each of them.
TEST_CASE("restarts: a JobSet is not suspended for one of its gangs while another one runs") {
  PlannerOptions options = Restarting();
  options.suspended_jobs = true;
  AnewWorld world(MakeNodes(1, 2, 3), options);
  JobSpec job = kTrain;
  job.leader_gpus = 1;
  job.in_set = true;
  job.size = 3;
  OwnerFacts owner = JobOwner(job);
  owner.in_order = true;
  owner.pod_sets = {{"leader", 1, 1, {}, {{"gangplan.io/place", "rack=pack!"}}},
                    {"workers", 1, 2, {}, {{"gangplan.io/place", "rack=pack!"}}}};
  world.Register(owner);
  world.Run({JobPod(job, 0)});
  world.Run({JobPod(job, 1), JobPod(job, 2)});
  REQUIRE(world.StateOf("team/train-workers") == "Running");
  REQUIRE(world.StateOf("team/train-leader") == "Running");
  const Names nodes = world.Nodes("team/train-workers");
  for (int n = 0; n < 3; ++n) {  // no other room in this rack
    const std::string name = NodeNameAt(0, nodes[1][4] - '0', n);
    if (name != nodes[0] && name != nodes[1]) world.DeleteNode(name);
  }
  world.DeleteNode(nodes[1]);
  world.Delete(world.On(JobPod(job, 2), nodes[1]));
  world.Show(JobPod(job, 2, 1));
  world.Wait(kRestartTimeout + absl::Seconds(5));
  INFO(world.Report("team/train-workers").reason);
  world.AnswerAll();
  const auto writes = world.Take<JobWrite>();
  for (const JobWrite& write : writes) CHECK_FALSE(write.suspend);
}

// What was begun there cannot be ended: one has gone, and no other may be evicted or deleted.
TEST_CASE("restarts: an eviction that does not come on keeps nobody from starting anew for ever") {
  AnewWorld world(MakeNodes(1, 4, 3));
  const JobSpec other{.name = "other", .size = 3, .gpus = 8, .place = "rack=pack!"};
  world.RunJob(kTrain);
  world.RunJob(other);
  world.Lose(kTrain, 2);
  bool asked = false, lost = false;
  int gone = 0;
  for (int i = 0; i < 1'200 && !asked; ++i) {
    world.Pass(absl::Seconds(1));
    for (const PodMark& one : world.Take<PodMark>())
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    for (const PodDelete& one : world.Take<PodDelete>()) {
      asked |= one.pod.name.starts_with("other-");
      const bool goes = one.how == PodDelete::How::kTry || gone++ == 0;
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt,
                                  goes ? absl::OkStatus() : absl::PermissionDeniedError("403"));
    }
    if (gone > 1 && !std::exchange(lost, true)) world.Lose(other, 2);
  }
  CHECK(gone > 1);
  CHECK(asked);
}

// A webhook of one namespace fails, so that each eviction there is answered by a fault.
TEST_CASE("restarts: pods of which nobody can tell keep no places from the gangs of others") {
  PlannerWorld world(Restarting());
  constexpr int kGangs = 50;
  for (int i = 0; i < kGangs; ++i) world.AddNodes({MakeNode(0, i, 0), MakeNode(0, i, 1)});
  std::vector<JobSpec> jobs;
  for (int i = 0; i < kGangs; ++i) {
    jobs.push_back({.name = fmt::format("g{}", i), .size = 2, .gpus = 8, .place = "rack=pack!"});
    world.Register(jobs.back());
    for (int k = 0; k < 2; ++k) {
      world.Show(BoundByUs(jobs.back(), k, NodeNameAt(0, i, k), k));
    }
  }
  world.Sync();
  for (int i = 0; i < kGangs; ++i) {
    const JobSpec& job = jobs[static_cast<size_t>(i)];
    world.DeleteNode(NodeNameAt(0, i, 1));
    world.Delete(BoundByUs(job, 1, NodeNameAt(0, i, 1), 1));
    world.Show(JobPod(job, 1, 1));
  }
  bool evicted = false;
  for (int i = 0; i < 1200 && !evicted; ++i) {
    world.Pass(absl::Seconds(1));
    for (const PodDelete& one : world.Take<PodDelete>()) {
      const bool abuser = one.pod.name != "g49-0-0";
      evicted |= one.how != PodDelete::How::kTry;
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt,
                                  abuser ? absl::UnavailableError("500") : absl::OkStatus());
    }
  }
  CHECK(evicted);  // the last one
}

}  // namespace
}  // namespace gangplan::restarts_turns_test
