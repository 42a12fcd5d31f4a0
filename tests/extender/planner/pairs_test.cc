// Several pairs of a scheduler and Gangplan in one cluster: each knows its own nodes alone, takes
// nobody elsewhere, and leaves alone what is for another one's scheduler.
#include <algorithm>

#include "fmt/format.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/sentences.h"
#include "topology/model.h"
#include "topology/pod_affinity.h"

namespace gangplan::pairs_test {
namespace {

constexpr char kPool[] = "pool";
constexpr std::string_view kOther = "gangplan-b";

using Names = std::vector<std::string>;

NodeFacts InPool(NodeFacts node, std::string_view pool) {
  SetLabel(node.labels, kPool, std::string(pool));
  return node;
}

PlannerOptions Of(std::string_view pool, std::string_view scheduler = "gangplan") {
  PlannerOptions options = PlannerWorld::Options();
  options.nodes.labels = {{kPool, SelectorOperator::kIn, {std::string(pool)}}};
  options.scheduler_names = {std::string(scheduler)};
  options.gates = GateUse::kGangplan;
  return options;
}

PodFacts For(PodFacts pod, std::string_view scheduler) {
  pod.scheduler_name = std::string(scheduler);
  return pod;
}

// One block of two racks of two nodes with eight GPUs each: the first rack is of pool a, the second
// of pool b.
std::vector<NodeFacts> TwoPools() {
  std::vector<NodeFacts> nodes;
  for (int node : {0, 1}) nodes.push_back(InPool(MakeNode(0, 0, node), "a"));
  for (int node : {0, 1}) nodes.push_back(InPool(MakeNode(0, 1, node), "b"));
  return nodes;
}

struct PairWorld : StartsWorld {
  explicit PairWorld(PlannerOptions options = Of("a")) : StartsWorld(std::move(options)) {
    AddNodes(TwoPools());
    Sync();
  }
  std::vector<std::string> Told(std::string_view reason) {
    std::vector<std::string> notes;
    for (const EventNote& event : Take<EventNote>()) {
      if (event.reason == reason) notes.push_back(event.note);
    }
    return notes;
  }
  int64_t FreeGpus() { return planner().model().FreeInAll("example.com/gpu"); }
};

TEST_CASE("Pairs: a gang has the room of its own pair alone") {
  PairWorld world;
  CHECK(world.planner().model().node_count() == 2);
  CHECK(world.planner().model().foreign_count() == 2);
  CHECK(world.FreeGpus() == 16);
  Run(world, {.name = "first", .size = 2, .gpus = 8, .place = "block=pack!"});
  CHECK(world.Nodes("team/first") == Names{"b0-r0-n0", "b0-r0-n1"});
  const JobSpec more{.name = "more", .size = 3, .gpus = 8, .place = "block=pack!"};
  world.ShowJob(more, 0, 3);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/more").outcome == Outcome::kImpossible);
  CHECK(world.Refusal(JobPod(more, 0)) ==
        Sentence("the room of one pair is not enough", "more", 3, 2, "pool=a"));
}

TEST_CASE("Pairs: a pod of no gang is kept off the nodes of others, with the reason") {
  PairWorld world;
  const FilterDecision decision = world.Filter(ForeignPod("lone", 1));
  CHECK(decision.error.empty());
  CHECK(decision.passed == std::vector<int32_t>{0, 1});
  CHECK(decision.rejected.empty());
  CHECK(decision.outside == std::vector<int32_t>{2, 3});
  CHECK(decision.outside_text == Sentence("not one of ours", "pool=a"));
  // Beside room that is held.
  world.ShowJob({.name = "train", .size = 2, .gpus = 6, .place = "rack=pack!", .priority = 10}, 0,
                1);
  const FilterDecision large = world.Filter(ForeignPod("large", 3));
  CHECK(large.passed.empty());
  CHECK(large.rejected == std::vector<int32_t>{0, 1});
  CHECK(large.text == Sentence("held for a gang"));
  CHECK(large.outside == std::vector<int32_t>{2, 3});
}

TEST_CASE("Pairs: where only nodes of others are offered the scheduler may have to ask again") {
  PairWorld world;
  const PodFacts pod = ForeignPod("lone", 1);
  const FilterDecision whole = world.Filter(pod, {"b0-r1-n0", "b0-r1-n1"});
  CHECK(whole.error.empty());
  CHECK(whole.outside.size() == 2);
  CHECK(world.Filter(pod, {"b0-r1-n0", "new"}).error ==
        Sentence("nodes of ours may be told soon", 2, "pool=a"));
  Names sample;
  for (int i = 0; i < 100; ++i) {
    sample.push_back(fmt::format("b7-r0-n{}", i));
    world.Put(InPool(MakeNode(7, 0, i), "b"));
  }
  CHECK(world.Filter(pod, sample).error ==
        Sentence("a sample without nodes of ours", 100, "pool=a"));
  sample.push_back("b0-r0-n0");
  CHECK(world.Filter(pod, sample).passed == std::vector<int32_t>{100});
}

TEST_CASE("Pairs: without a selector unknown nodes pass as ever") {
  PlannerWorld world;
  world.AddNodes(TwoPools());
  world.Sync();
  const FilterDecision decision = world.Filter(ForeignPod("lone", 1), {"b0-r1-n0", "new"});
  CHECK(decision.passed == std::vector<int32_t>{0, 1});
  CHECK(decision.outside.empty());
}

TEST_CASE("Pairs: nothing is bound to another one's node") {
  PairWorld world;
  const PodFacts lone = ForeignPod("lone", 1);
  world.Show(lone);
  CHECK(world.Bind(lone, "b0-r1-n0").decision.error ==
        Sentence("bind to a node that is not ours", "b0-r1-n0", "pool=a"));
  CHECK(world.Bind(lone, "new").decision.error == Sentence("no such node", "new"));
  const JobSpec job{.size = 1, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  REQUIRE(world.Passed(JobPod(job, 0)).starts_with("b0-r0-"));
  CHECK_FALSE(world.Bind(JobPod(job, 0), "b0-r1-n0").decision.held);
  CHECK(world.Take<BindingWrite>().empty());
}

TEST_CASE("Pairs: nobody is preempted on another one's node") {
  PairWorld world;
  const PodFacts low = ForeignPod("low", 8);
  for (const std::string_view node : {"b0-r0-n0", "b0-r1-n0"})
    world.ShowBound(For(ForeignPod(node, 8), kOther), node);
  const PodFacts high = ForeignPod("high", 8, 100);
  world.Show(high);
  const std::vector<PreemptCandidate> candidates = {{"b0-r1-n0", {"uid-b0-r1-n0"}},
                                                    {"b0-r0-n0", {"uid-b0-r0-n0"}}};
  CHECK(world.planner().Preempt(world.now(), high, candidates) == std::vector<int32_t>{1});
}

TEST_CASE("Pairs: what others use counts on the pair's own nodes alone") {
  PairWorld world;
  world.ShowBound(For(ForeignPod("there", 8), kOther), "b0-r1-n0");
  CHECK(world.FreeGpus() == 16);
  world.ShowBound(For(ForeignPod("here", 3), kOther), "b0-r0-n0");
  CHECK(world.FreeGpus() == 13);
  const JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(job, 0, 2);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Pairs: a node comes in and goes out with its labels") {
  PairWorld world;
  const JobSpec job{.name = "wide", .size = 3, .gpus = 8, .place = "block=pack!"};
  world.ShowJob(job, 0, 3);
  CHECK(world.HoldCount() == 0);
  world.Put(InPool(MakeNode(0, 1, 0), "a"));
  world.Pass(absl::Seconds(1));
  CHECK(world.planner().model().foreign_count() == 1);
  REQUIRE(world.HoldCount() == 3);
  // One on which room is held goes: there is no other.
  world.Put(InPool(MakeNode(0, 0, 1), "b"));
  world.Pass(absl::Seconds(1));
  CHECK(world.planner().model().node_count() == 2);
  CHECK(world.HoldCount() == 0);
  world.Put(InPool(MakeNode(0, 1, 1), "a"));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/wide") == Names{"b0-r0-n0", "b0-r1-n0", "b0-r1-n1"});
  CHECK(world.Told("NodesLeft").empty());  // nobody runs there
  // A node of nobody's is gone for good.
  world.DeleteNode("b0-r0-n1");
  CHECK(world.planner().model().foreign_count() == 0);
}

TEST_CASE("Pairs: a gang that runs on nodes that leave is told once, and stays") {
  PairWorld world;
  const JobSpec job{.name = "train", .size = 4, .gpus = 4, .place = "block=pack!"};
  Run(world, job);
  const Names before = world.Nodes("team/train");
  world.ForgetEffects();
  world.Put(InPool(MakeNode(0, 0, 0), "b"));
  NodeFacts bare = MakeNode(0, 0, 1);
  world.Put(bare);
  world.Pass(absl::Seconds(1));
  const std::vector<std::string> told = world.Told("NodesLeft");
  REQUIRE(told.size() == 1);
  CHECK(told[0] == Sentence("its nodes are another pair's now", "train", 4, 4, "b0-r0-n0",
                            "pool=b, expected pool=a", " and 1 more"));
  CHECK(world.Nodes("team/train") == before);
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Take<PodDelete>().empty());
  world.Pass(absl::Seconds(60));
  CHECK(world.Told("NodesLeft").empty());
  // What it loses is made anew on nodes of its pair.
  for (int node : {0, 1}) world.Put(InPool(MakeNode(0, 1, node), "a"));
  world.Delete(JobPod(job, 3));
  world.Show(JobPod(job, 3, 1));
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(JobPod(job, 3, 1)).starts_with("b0-r1-"));
}

TEST_CASE("Pairs: of nodes that are back before anybody was told nobody is") {
  PairWorld world;
  Run(world, {.name = "train", .size = 4, .gpus = 4, .place = "block=pack!"});
  world.ForgetEffects();
  world.Put(InPool(MakeNode(0, 0, 0), "b"));
  world.Put(InPool(MakeNode(0, 0, 0), "a"));
  world.Pass(absl::Seconds(1));
  CHECK(world.Told("NodesLeft").empty());
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Pairs: what runs on nodes that have left is found running by the next instance") {
  PairWorld world;
  const JobSpec job{.name = "train", .size = 4, .gpus = 4, .place = "block=pack!"};
  Run(world, job);
  const Names before = world.Nodes("team/train");
  world.Restart();
  world.Put(InPool(MakeNode(0, 0, 0), "b"));
  world.Put(InPool(MakeNode(0, 0, 1), "a"));
  for (int i = 0; i < job.size; ++i)
    world.Show(BoundByUs(job, i, before[static_cast<size_t>(i)], i));
  world.Sync();
  world.Pass(absl::Minutes(10));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Nodes("team/train") == before);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.Take<BindingWrite>().empty());
  CHECK(world.FreeGpus() == 0);
}

TEST_CASE("Pairs: a gang without an owner is told of nodes that leave by a pod of it") {
  PairWorld world;
  JobSpec job = Named("bare", "bare", 1);
  PodFacts pod = JobPod(job, 0);
  pod.controller.reset();
  world.Show(pod);
  REQUIRE(world.FilterAndBind(pod) == "b0-r0-n0");
  world.BindAll();
  world.ForgetEffects();
  world.Put(InPool(MakeNode(0, 0, 0), "b"));
  world.Pass(absl::Seconds(1));
  const auto events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].regarding.kind == "Pod");
  CHECK(events[0].regarding.name == pod.name);
}

TEST_CASE("Pairs: the gangs of nodes that leave are looked at in turns") {
  PlannerOptions options = Of("a");
  options.claims = {100'000, 10'000'000};
  PairWorld world(std::move(options));
  const int gangs = 3;
  for (int i = 0; i < gangs; ++i) {
    world.Put(InPool(MakeNode(1, 0, i), "a"));
    Run(world, {.name = fmt::format("g{}", i), .size = 8, .place = "node=pack!"});
  }
  // Of the greatest sizes that are claimed one alone is looked at in a turn.
  for (int i = 0; i < gangs; ++i) {
    JobSpec claim = Named(fmt::format("claim{}", i), fmt::format("claim{}", i), 1);
    claim.words = {{"gangplan.io/group", claim.name}, {"gangplan.io/size", "19999"}};
    PodFacts pod = JobPod(claim, 0);
    pod.controller.reset();
    world.Show(pod);
  }
  world.ForgetEffects();
  for (const char* node : {"b0-r0-n0", "b0-r0-n1", "b1-r0-n0", "b1-r0-n1", "b1-r0-n2"}) {
    NodeFacts facts = MakeNode(0, 0, 0);
    facts.name = node;
    world.Put(InPool(facts, "b"));
  }
  size_t told = 0;
  for (int turn = 0; turn < 8; ++turn) {
    world.Pass(absl::Milliseconds(50));
    told += world.Told("NodesLeft").size();
  }
  CHECK(told == gangs);
}

TEST_CASE("Pairs: pods on the nodes of others are neighbours within a domain") {
  PairWorld world;
  PodSelector pods;
  pods.namespaces = {"team"};
  pods.labels = {{"app", SelectorOperator::kIn, {"data"}}};
  const JobSpec job{.name = "near", .size = 1, .place = "block=pack!"};
  PodFacts pod = JobPod(job, 0);
  pod.affinity.near = {{"example.com/block", pods}};
  world.Register(job);
  world.Show(pod);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  PodFacts data = For(ForeignPod("data", 0), kOther);
  data.labels = {{"app", "data"}};
  world.ShowBound(data, "b0-r1-n0");
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 1);
  CHECK(world.Passed(pod).starts_with("b0-r0-"));
}

TEST_CASE("Pairs: a pod behind our gate for another scheduler is that one's") {
  PairWorld world;
  const bool known = GENERATE(true, false);  // that this one has a Gangplan
  const JobSpec theirs = Whole("theirs", 1);
  if (known) world.Show(For(BoundByUs(theirs, 0, "b0-r1-n0", 0), kOther));
  const JobSpec job = Whole("train", 1);
  world.Register(job);
  PodFacts pod = For(JobPod(job, 0), kOther);
  pod.gates.gang = true;
  world.Show(pod);
  world.Pass(absl::Minutes(9));
  CHECK(world.Take<EventNote>().empty());
  for (int minute = 0; minute < 60; ++minute) world.Pass(absl::Minutes(1));
  const auto events = world.Take<EventNote>();
  REQUIRE(events.size() == (known ? 0 : 1));
  if (!known) CHECK(events[0].note == world.planner().WhyLeft("team/" + pod.name));
  CHECK(world.Take<PodRelease>().empty());
  CHECK(world.planner().WhyLeft("team/" + pod.name) == Sentence("gated for another pair", "team",
                                                                pod.name, "gangplan.io/gang",
                                                                kOther, "gangplan"));
}

TEST_CASE("Pairs: a Job that waits suspended for another scheduler is that one's") {
  const auto started = [](std::string_view scheduler) {
    PlannerOptions options = Of("a");
    SuspendedWorld world(std::move(options));
    for (const NodeFacts& node : TwoPools()) world.Put(node);
    const JobSpec job = Whole("train", 2);
    JobFacts facts = world.Facts(job);
    facts.pods.front().scheduler_name = std::string(scheduler);
    world.Register(job);
    world.See(facts);
    world.Pass(absl::Hours(1));
    const size_t writes = world.Take<JobWrite>().size();
    const bool known = world.planner().Report("team/train").has_value();
    const size_t told = world.Take<EventNote>().size();
    return std::tuple(writes > 0, known, told > 0);
  };
  CHECK(started(kOther) == std::tuple(false, false, false));
  CHECK(std::get<0>(started("gangplan")));
}

TEST_CASE("Pairs: the status of a PodGroup of another scheduler's pods is left alone") {
  const auto writes = [](std::string_view scheduler) {
    PairWorld world;
    PodFacts pod = For(ForeignPod("member", 1), scheduler);
    pod.labels = {{"scheduling.x-k8s.io/pod-group", "pg"}};
    world.Show(pod);
    world.Pass(absl::Minutes(1));
    return world.Take<PodGroupWrite>().size();
  };
  CHECK(writes(kOther) == 0);
  CHECK(writes("gangplan") == 1);
}

// Both see all objects, as in a cluster: what one has bound is load for the other one.
TEST_CASE("Pairs: two of them fill the cluster and never meet") {
  PairWorld a(Of("a"));
  PairWorld b(Of("b", kOther));
  for (int i = 0; i < 4; ++i) {
    for (PairWorld* world : {&a, &b}) {
      JobSpec job{.name = fmt::format("g{}", i), .size = 2, .gpus = 2, .place = "rack=pack!"};
      job.uid = fmt::format("{}-{}", job.name, world == &a ? "a" : "b");
      world->Register(job);
      PairWorld& other = world == &a ? b : a;
      for (int index = 0; index < job.size; ++index) {
        const PodFacts pod = For(JobPod(job, index), world == &a ? "gangplan" : kOther);
        world->Show(pod);
        other.Show(pod);
        CHECK(other.Take<BindingWrite>().empty());
      }
      for (int index = 0; index < job.size; ++index) {
        const PodFacts pod = For(JobPod(job, index), world == &a ? "gangplan" : kOther);
        const std::string node = world->Passed(pod);
        CHECK(node.starts_with(world == &a ? "b0-r0-" : "b0-r1-"));
        REQUIRE(world->Bind(pod, node).decision.held);
        other.ShowBound(pod, node);
      }
      CHECK(world->BindAll() == 2);
    }
  }
  CHECK(a.FreeGpus() == 0);
  CHECK(b.FreeGpus() == 0);
  CHECK(a.planner().List(0, 100).size() == 4);
}

}  // namespace
}  // namespace gangplan::pairs_test
