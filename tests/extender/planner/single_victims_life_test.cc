// Pods of no gang that give way while the cluster changes: budgets keep some, answers do not come,
// another instance goes on.
#include "extender/cluster/kept_by_budget.h"
#include "extender/planner/advice_question.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/single_victims_world.h"
#include "tests/support/catch.h"

namespace gangplan::single_victims_life_test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("Single victims: whom a budget keeps stays, with all that it keeps, and others go") {
  OneRack rack(3);
  PlannerWorld& world = rack.world;
  std::vector<std::string> kept;
  for (const char* node : {kFirstNode, kSecondNode}) {
    for (int i = 0; i < 2; ++i)
      kept.push_back(rack.Single(fmt::format("web-{}-{}", node, i), 4, node, -10).uid);
  }
  rack.Single("free-0", 4, "b0-r0-n2", -1);
  rack.Single("free-1", 4, "b0-r0-n2", -1);
  rack.Ask(8);
  const auto tries = world.Take<PodDelete>();
  REQUIRE(tries.size() == 1);  // the others when it is known what budgets say
  CHECK(tries[0].together.size() == 2);
  absl::Status status = absl::FailedPreconditionError("disruption budget");
  SetKeptByBudget(status, kept);
  rack.Tell(tries[0], status);
  CHECK(world.Take<PodDelete>().empty());
  world.Pass(kVictimPause);
  CHECK(rack.TryAll() == Names{"free-0", "free-1"});
  CHECK(rack.EvictAll() == Names{"free-0", "free-1"});
}

TEST_CASE("Single victims: who was kept is asked about again after a while") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  rack.Single("web", 8, kFirstNode);
  rack.Ask(8);
  CHECK(rack.Try(absl::FailedPreconditionError("disruption budget")) == Names{"web"});
  world.Pass(kMaxVictimPause);
  CHECK(world.Take<PodDelete>().empty());
  world.Pass(kSparedFor);
  world.Pass(absl::Seconds(1));
  CHECK(rack.Try() == Names{"web"});
}

TEST_CASE("Single victims: one that is refused stays, what has gone has gone, and others follow") {
  OneRack rack;
  PlannerWorld& world = rack.world;
  const PodFacts a = rack.Single("a", 4, kFirstNode);
  const PodFacts b = rack.Single("b", 4, kFirstNode);
  rack.Single("c", 4, kSecondNode, 5);
  rack.Single("d", 4, kSecondNode, 5);
  rack.Ask(8);
  REQUIRE(rack.TryAll() == Names{"a", "b"});
  REQUIRE(rack.evictions.size() == 1);
  const PodDelete first = rack.evictions[0];
  rack.Tell(first);
  const PodDelete next = rack.Evict();
  rack.Tell(next, absl::FailedPreconditionError("disruption budget"));
  CHECK(world.Take<PodDelete>().empty());  // not by force: each of them is somebody's own
  CHECK(world.HoldCount() == 0);
  rack.Stop(first.pod.name == "a" ? a : b);
  rack.evictions.clear();
  world.Pass(kVictimPause);
  CHECK(rack.TryAll() == Names{"c", "d"});
}

TEST_CASE("Single victims: nobody goes whose gang is not in need any more") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  rack.Single("a", 4, kFirstNode);
  rack.Single("b", 4, kFirstNode);
  const JobSpec high = rack.Ask(8);
  REQUIRE(rack.TryAll() == Names{"a", "b"});
  const PodDelete first = rack.evictions.front();
  world.Delete(JobPod(high, 0));
  rack.Tell(first);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Single victims: whoever starts anew asks for what is missing, and no more") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  PodFacts a = rack.Single("a", 4, kFirstNode);
  PodFacts b = rack.Single("b", 4, kFirstNode);
  const JobSpec high = rack.Ask(8);
  REQUIRE(rack.TryAll() == Names{"a", "b"});
  const bool first = rack.evictions.front().pod.name == "a";
  rack.Tell(rack.evictions.front());
  PodFacts& gone = first ? a : b;
  PodFacts& left = first ? b : a;
  world.Restart();
  rack.evictions.clear();
  world.AddNodes(MakeNodes(1, 1, 1));
  gone.terminating = true;
  world.Show(gone);
  world.Show(left);
  world.ShowJob(high, 0, 1);
  world.Sync();
  CHECK(rack.TryAll() == Names{left.name});
  CHECK(rack.EvictAll() == Names{left.name});
  rack.Stop(gone);
  rack.Stop(left);
  CHECK(world.Nodes("team/high") == Names{kFirstNode});
}

TEST_CASE("Single victims: a pod that does not stop is waited for no longer than its time") {
  PlannerOptions options = Preempting();
  options.gather_timeout = absl::Seconds(60);
  OneRack rack(2, options);
  PlannerWorld& world = rack.world;
  const PodFacts hangs = rack.Single("hangs", 8, kFirstNode, -5);
  rack.Single("next", 8, kSecondNode);
  rack.Ask(8);
  REQUIRE(rack.TryAll() == Names{"hangs"});
  REQUIRE(rack.EvictAll() == Names{"hangs"});
  world.ShowTerminating(hangs);
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(10));
  CHECK(rack.TryAll() == Names{"next"});
}

// A scheduler that asks nobody binds the next one of its owner to the node that has come free.
TEST_CASE("Single victims: whose followers are faster go a few times an hour, and no more") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  PodFacts web = rack.Single("web-0", 8, kFirstNode);
  rack.Ask(8);
  size_t gone = 0;
  for (int minute = 0; minute < 60; ++minute) {
    rack.TryAll();
    const size_t now = rack.EvictAll().size();
    gone += now;
    if (now > 0) {
      const PodFacts before = web;
      world.ShowTerminating(before);
      web = rack.Single(fmt::format("web-{}", gone), 8, kFirstNode);
      world.Delete(before);
    }
    for (int i = 0; i < 6; ++i) world.Pass(absl::Seconds(10));
  }
  CHECK(gone >= 2);
  CHECK(gone <= 8);
}

TEST_CASE("Single victims: none of another namespace is told by its name") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  PodFacts pod = ForeignPod("falcon", 8);
  pod.ns = "mergers";
  world.ShowBound(pod, kFirstNode);
  const JobSpec high = rack.Ask(8);
  CHECK(world.Refusal(JobPod(high, 0)) ==
        "gang team/high of 1: it has room when what gives way to it has stopped: a pod of another "
        "namespace");
  rack.Try();
  rack.Tell(rack.Evict());
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].ns == "mergers");
  CHECK(notes[0].note ==
        "pod mergers/falcon, priority 0, gives way to a gang of another namespace of 1, priority "
        "100, which would wait otherwise");
}

TEST_CASE("Single victims: what joins a gang before it is evicted stays") {
  OneRack rack(1);
  PlannerWorld& world = rack.world;
  PodFacts pod = rack.Single("web", 8, kFirstNode);
  rack.Ask(8);
  const auto tries = world.Take<PodDelete>();
  REQUIRE(tries.size() == 1);
  SetWord(pod.annotations, "gangplan.io/group", "late");
  SetWord(pod.annotations, "gangplan.io/size", "1");
  world.Show(pod);
  rack.Tell(tries[0]);
  for (const PodDelete& one : world.Take<PodDelete>()) CHECK(one.how == PodDelete::How::kTry);
}

TEST_CASE("Single victims: advice names the pods that would have to go, of lower priority alone") {
  OneRack rack(1, PlannerWorld::Options());
  PlannerWorld& world = rack.world;
  rack.Single("web", 6, kFirstNode, 5);
  rack.Single("great", 2, kFirstNode, 500);
  rack.Ask(6);
  const Advice advice = world.planner().AskAdvice(world.now(), "team/high")->Find();
  REQUIRE(advice.gangs.size() == 1);
  CHECK(advice.lower);
  CHECK(advice.gangs[0].kind == kSinglePod);
  CHECK(advice.gangs[0].name == "team/web");
  CHECK(advice.gangs[0].priority == 5);
}

// So many that one question does not look at all of them: the next one goes on behind these.
TEST_CASE("Single victims: however many pods there are, those at the end are come to") {
  constexpr int kEach = 60;
  constexpr int kNodes = static_cast<int>(kMaxSingleVictims) / kEach + 3;
  OneRack rack(kNodes);
  PlannerWorld& world = rack.world;
  PodFacts pod = ForeignPod("any", 0);
  for (int n = 0; n < kNodes; ++n) {
    for (int i = 0; i < kEach; ++i) {
      pod.uid = fmt::format("uid-{}-{}", n, i);
      pod.name = fmt::format("pod-{}-{}", n, i);
      pod.node_name = fmt::format("b0-r0-n{}", n);
      const bool last = n == kNodes - 1;
      pod.priority = 0;
      pod.requests = ForeignPod("any", i == 0 ? 8 : 0).requests;
      // Elsewhere somebody great has the GPUs.
      if (i == 0 && !last) pod.priority = 200;
      world.planner().OnPod(world.now(), pod);
    }
  }
  world.ForgetEffects();
  rack.Ask(8);
  Names asked;
  for (int i = 0; i < 5 && asked.empty(); ++i) {
    asked = rack.Try();
    world.Pass(kMaxVictimPause);
  }
  CHECK(asked == Names{fmt::format("pod-{}-0", kNodes - 1)});
}

}  // namespace
}  // namespace gangplan::single_victims_life_test
