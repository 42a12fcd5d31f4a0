// Gangs that give way while the cluster changes: nodes go, levels and ranks are others, answers do
// not come, another instance goes on.
#include <algorithm>
#include <set>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"
#include "tests/support/refuse_twice.h"

namespace gangplan::preemption_life_test {
namespace {

TEST_CASE("nobody gives way to a gang of which the scheduler alone has told") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.Register(racks.high);
  for (int i = 0; i < 2; ++i) world.Filter(JobPod(racks.high, i));
  world.Pass(absl::Seconds(1));
  CHECK(racks.Try() == std::vector<std::string>{"a-0-0", "a-1-0"});  // whether they might
  const auto asked = [&] {
    world.Pass(absl::Seconds(1));
    return world.Take<PodMark>().size() + world.Take<PodDelete>().size();
  };
  CHECK(asked() == 0);
  world.Show(JobPod(racks.high, 0));
  CHECK(asked() == 0);
  world.Show(JobPod(racks.high, 1));
  CHECK(asked() == 1);
}

TEST_CASE("nobody goes for a plan that has lost a node") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  NodeFacts node = MakeNode(0, 0, 0);
  REQUIRE(world.Nodes("team/a")[0] == node.name);
  SECTION("it takes no more pods") {
    node.unschedulable = true;
    world.Put(node);
  }
  SECTION("it stands elsewhere") {
    node.labels[1].second = "r9";
    world.Put(node);
  }
  SECTION("it is gone") { world.DeleteNode(node.name); }
  racks.Try();
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.StateOf("team/a") == "Running");
}

TEST_CASE("a plan of which a node has moved while others stopped is not taken") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.EvictAll();
  const std::vector<PodFacts> pods = racks.StopA();
  NodeFacts node = MakeNode(0, 0, 0);
  node.labels[1].second = "r9";
  world.Put(node);
  for (const PodFacts& pod : pods) world.Delete(pod);
  CHECK(world.Nodes("team/high").empty());
}

TEST_CASE("a pod that stops beside room enough is waited for by nobody") {
  PlannerWorld world(Preempting());
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const JobSpec low = Gang("low", 1, 1);
  world.ShowJob(low, 0, 1);
  PodFacts runs = JobPod(low, 0);
  runs.node_name = world.FilterAndBind(runs);
  REQUIRE(world.BindAll() == 1);
  PodFacts stuck = ForeignPod("stuck", 4);
  stuck.node_name = runs.node_name == "b0-r0-n0" ? "b0-r0-n1" : "b0-r0-n0";
  world.Show(stuck);
  world.ShowTerminating(stuck);
  world.ForgetEffects();
  JobSpec high = Gang("high", 100);
  high.gpus = 4;
  high.place = "rack=pack!; node=spread!";
  world.ShowJob(high, 0, 2);
  CHECK(world.HoldCount() == 1);  // beside it
  for (int i = 0; i < 2; ++i) {   // asked about, then evicted
    const auto ends = world.Take<PodDelete>();
    REQUIRE(ends.size() == 1);
    world.planner().OnPodDelete(world.now(), ends[0].pod.uid, ends[0].attempt, absl::OkStatus());
  }
  world.ShowTerminating(runs);
  world.Delete(runs);
  CHECK(world.Nodes("team/high").size() == 2);
}

TEST_CASE("an instance that stood by does what the other one has begun") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.planner().SetActive(world.now(), false);
  PodFacts pods[] = {racks.BoundPod(racks.a, 0), racks.BoundPod(racks.a, 1)};
  SetWord(pods[1].annotations, kPlanAnnotation, "a.1");
  SetWord(pods[1].annotations, kEvictedForAnnotation, "team/high");
  world.Show(pods[1]);
  SECTION("it has gone on") {
    world.ShowTerminating(pods[0]);
    world.Delete(pods[0]);
    CHECK(world.Take<PodDelete>().empty());
    world.planner().SetActive(world.now(), true);
    world.Pass(absl::Seconds(1));
    const auto ends = world.Take<PodDelete>();
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].pod.uid == pods[1].uid);
  }
  SECTION("it has taken the mark back") {
    std::erase_if(pods[1].annotations,
                  [](const auto& word) { return word.first == kEvictedForAnnotation; });
    world.Show(pods[1]);
    world.planner().SetActive(world.now(), true);
    world.Pass(absl::Seconds(1));
    CHECK(world.Take<PodDelete>().empty());
  }
}

TEST_CASE("a mark that comes after the other one has died is carried out, and told of") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.planner().SetActive(world.now(), false);
  PodFacts pods[] = {racks.BoundPod(racks.a, 0), racks.BoundPod(racks.a, 1)};
  SetWord(pods[1].annotations, kPlanAnnotation, "a.1");
  world.planner().SetActive(world.now(), true);
  world.Pass(absl::Seconds(1));
  SetWord(pods[1].annotations, kEvictedForAnnotation, "team/high");
  SECTION("one has gone") {
    world.ShowTerminating(pods[0]);
    world.Delete(pods[0]);
    world.Show(pods[1]);
    world.Pass(absl::Seconds(1));
    CHECK(racks.Evict().pod.uid == pods[1].uid);
  }
  SECTION("nobody has") {
    world.Show(pods[1]);
    world.Pass(absl::Seconds(1));
    const PodDelete first = racks.Evict();
    CHECK(first.pod.uid == pods[0].uid);
    world.Take<EventNote>();
    racks.Tell(first);
    const auto notes = world.Take<EventNote>();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].note.find("gang team/a gives way to gang team/high") == 0);
  }
}

TEST_CASE("nobody gives way while nothing is seen of nodes and pods") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  const auto blind = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) world.planner().Tick(world.now(), false);
  };
  const bool asked = GENERATE(false, true);
  if (asked) {
    world.ShowJob(racks.high, 0, 2);
    blind(1);
    CHECK(racks.Try().size() == 2);
  } else {
    blind(1);
    world.ShowJob(racks.high, 0, 2);
  }
  blind(5);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.Take<PodMark>().empty());
  world.Pass(absl::Seconds(1));
  if (!asked) CHECK(racks.Try() == std::vector<std::string>{"a-0-0", "a-1-0"});
  CHECK(world.Take<PodMark>().size() == 1);
}

TEST_CASE("one that is of no lesser rank any more stays") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  world.Delete(racks.BoundPod(racks.a, 0));
  PodFacts again = JobPod(racks.a, 0, 1);
  again.priority = racks.high.priority + 1;
  world.Show(again);
  for (const PodDelete& one : world.Take<PodDelete>()) racks.Tell(one);
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("of whom nobody can tell whether they may go, they stay, and another set is taken") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  REQUIRE(world.Take<PodDelete>().size() == 2);  // and nobody answers
  world.Pass(PlannerWorld::Options().gather_timeout + kGrace);
  world.Pass(kVictimPause);
  CHECK(racks.Try() == std::vector<std::string>{"b-0-0", "b-1-0"});
}

TEST_CASE("one that was found running, and lacks a member, gives way as before the restart") {
  PlannerWorld world(Preempting());
  world.AddNodes(MakeNodes(1, 1, 3));
  world.Sync();
  const JobSpec low = Gang("low", 1, 3);
  world.ShowJob(low, 0, 3);
  for (int i = 0; i < 3; ++i) world.FilterAndBind(JobPod(low, i));
  REQUIRE(world.BindAll() == 3);
  const std::vector<std::string> nodes = world.Nodes("team/low");
  std::vector<PodFacts> pods;
  for (int i = 0; i < 2; ++i) {
    pods.push_back(JobPod(low, i));
    pods[i].node_name = nodes[i];
    SetWord(pods[i].annotations, kPlanAnnotation, "low.1");
  }
  PodFacts foreign = ForeignPod("foreign", 8);
  foreign.node_name = nodes[2];
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 3));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Show(foreign);
  world.Show(JobPod(low, 2, 1));
  world.Sync();
  world.Pass(absl::Minutes(1));
  world.ForgetEffects();
  world.ShowJob(Gang("high", 100), 0, 2);
  world.Pass(absl::Seconds(1));
  std::set<std::string> asked;
  for (const PodDelete& one : world.Take<PodDelete>()) asked.insert(one.pod.name);
  CHECK(asked == std::set<std::string>{"low-0-0", "low-1-0"});
}

TEST_CASE("who waits is told who may not be evicted, in its own namespace, until somebody may") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = ForeignPod(fmt::format("falcon-{}", i), 8, 100);
    pod.ns = "mergers";
    for (const auto& [key, value] :
         LabelSet{{"group", "falcon"}, {"size", "2"}, {"place", "rack=pack!"}})
      SetWord(pod.annotations, "gangplan.io/" + key, value);
    world.Show(pod);
  }
  const auto why = [&] { return world.Report("mergers/falcon").reason; };
  for (int i = 0; i < 2; ++i) {
    CHECK(racks.Try(absl::FailedPreconditionError("budget team/b")).size() == 2);
    world.Pass(kVictimPause);
  }
  CHECK(why().ends_with("; a gang of another namespace would give way, and may not"));
  CHECK(why().find("team/") == std::string::npos);
  for (const JobSpec& job : {racks.a, racks.b})  // they end by themselves
    for (int i = 0; i < 2; ++i) world.Delete(JobPod(job, i));
  CHECK(world.Nodes("mergers/falcon").size() == 2);
}

TEST_CASE("who is refused where others have gone for it asks nobody else to go for a while") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  racks.EvictAll();
  for (const PodFacts& pod : racks.StopA()) world.Delete(pod);
  REQUIRE(world.Nodes("team/high") == racks.nodes_of_a);
  PodFacts pod = JobPod(racks.high, 0);
  pod.nominated_node_name = racks.nodes_of_a[0];
  RefuseTwice(world, pod, world.Nodes("team/b"));
  REQUIRE(world.Nodes("team/high").empty());
  for (int i = 0; i < 2; ++i) world.Show(JobPod(racks.a, i, 1));
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(racks.a, i, 1));
  REQUIRE(world.BindAll() == 2);
  size_t asked = world.Take<PodDelete>().size();
  const auto pass = [&](absl::Duration time) {
    for (const absl::Time end = world.now() + time; world.now() < end;) {
      world.Pass(absl::Seconds(10));
      asked += world.Take<PodDelete>().size();
    }
  };
  pass(kInVainPause - absl::Seconds(30));
  CHECK(asked == 0);
  const std::string why = world.Report("team/high").reason;
  CHECK(why.find("; others have gone for it in vain, nobody else is asked to go before 1970-01-12T"
                 "13:5") != std::string::npos);
  pass(absl::Minutes(1));
  CHECK(asked > 0);
  CHECK(world.Report("team/high").reason.find("in vain") == std::string::npos);
}

TEST_CASE("nobody has gone in vain where who was to go stays, whatever room is lost later") {
  const bool marks = GENERATE(false, true);
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  const absl::Status denied = absl::PermissionDeniedError("403 denied by a webhook");
  const JobSpec high = Gang("high", 3);
  world.ShowJob(high, 0, 2);
  if (marks) {
    racks.TryAndMark();
    racks.Tell(racks.Evict(), denied);
    racks.Tell(racks.Mark());
  } else {
    racks.Try();
    racks.Tell(racks.Mark(), denied);
  }
  for (int i = 0; i < 56; ++i) world.Pass(kSparedFor / 60);
  for (int node = 0; node < 2; ++node) world.AddNodes({MakeNode(0, 2, node)});
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Nodes("team/high").size() == 2);
  for (int node = 0; node < 2; ++node) world.DeleteNode(NodeNameAt(0, 2, node));
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Nodes("team/high").empty());
  REQUIRE(world.Take<PodDelete>().empty());
  for (int i = 0; i < 12; ++i) world.Pass(absl::Seconds(10));
  CHECK(racks.Try() == std::vector<std::string>{"a-0-0", "a-1-0"});
}

TEST_CASE("what is kept is kept as long as the gang that goes may take to stop") {
  Evicting hand(Preempting());
  PlannerWorld& world = hand.world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const JobSpec low = Gang("low", 1), high = Gang("high", 100), small = Gang("small", 50, 1);
  world.Register(low);
  PodFacts pods[] = {JobPod(low, 0), JobPod(low, 1)};
  for (PodFacts& pod : pods) {
    pod.run.grace = 1'200;
    world.Show(pod);
  }
  for (PodFacts& pod : pods) pod.node_name = world.FilterAndBind(pod);
  REQUIRE(world.BindAll() == 2);
  world.ForgetEffects();
  world.ShowJob(high, 0, 2);
  hand.Try();
  for (const PodMark& mark : world.Take<PodMark>()) hand.Tell(mark);
  for (int i = 0; i < 2; ++i) hand.Tell(hand.Evict());
  for (const PodFacts& pod : pods) world.ShowTerminating(pod);
  world.Delete(pods[0]);
  REQUIRE(world.HoldCount() == 1);
  world.ShowJob(small, 0, 1);
  world.Pass(PlannerWorld::Options().gather_timeout);
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/small").empty());
  world.Delete(pods[1]);
  CHECK(world.Nodes("team/high").size() == 2);
}

}  // namespace
}  // namespace gangplan::preemption_life_test
