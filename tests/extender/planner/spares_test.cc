// Spare nodes: gangplan.io/spares.
#include "extender/planner/spares.h"
#include "fmt/format.h"

#include "tests/extender/planner/suspended_world.h"

namespace gangplan::spares_test {
namespace {

JobSpec WithSpares(std::string_view name, int32_t size, std::string_view spares,
                   int32_t priority = 0) {
  JobSpec job = Whole(name, size, priority);
  SetWord(job.words, "gangplan.io/spares", spares);
  return job;
}

// A rack of seven nodes beside another one; a gang of four has its nodes whole.
struct SparesWorld : PlannerWorld {
  JobSpec job = WithSpares("train", 4, "2");

  explicit SparesWorld(PlannerOptions options = PlannerWorld::Options())
      : PlannerWorld(std::move(options)) {
    AddNodes(MakeNodes(1, 2, 7));
    Sync();
  }
  std::string Spares(std::string_view name = "team/train") { return Report(name).spares; }
  bool HasRoom(const JobSpec& other) {
    ShowJob(other, 0, other.size);
    Pass(absl::Seconds(1));
    const std::vector<std::string> nodes = Nodes("team/" + other.name);
    return !nodes.empty() && nodes.front() != "-";
  }
};

}  // namespace

TEST_CASE("Spares: nodes of the gang's own domain are kept while it runs") {
  SparesWorld world;
  world.ShowJob(world.job, 0, 4);
  world.Pass(absl::Seconds(1));
  CHECK(world.Spares() == "0 of 2 spare nodes are kept");
  Start(world, world.job);
  world.Pass(absl::Seconds(1));
  CHECK(world.Spares() == "2 of 2 spare nodes are kept: b0/r0/b0-r0-n4, b0/r0/b0-r0-n5");
  CHECK(world.HoldCount() == 2);
  // One node is left there, and seven elsewhere.
  CHECK_FALSE(world.HasRoom(Whole("eight", 8)));
  CHECK(world.HasRoom(Whole("seven", 7)));
}

TEST_CASE("Spares: a lost member goes there, and others are kept then") {
  SparesWorld world;
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.HoldCount() == 2);
  // All else is taken.
  for (const char* node : {"b0-r0-n6", "b0-r1-n0", "b0-r1-n1", "b0-r1-n2", "b0-r1-n3", "b0-r1-n4",
                           "b0-r1-n5", "b0-r1-n6"})
    world.ShowBound(ForeignPod(fmt::format("on-{}", node), 8), node);
  const std::string lost = world.Nodes("team/train")[1];
  world.Delete(JobPod(world.job, 1));
  NodeFacts facts = MakeNode(0, 0, lost.back() - '0');
  facts.unschedulable = true;
  world.Put(facts);
  // For as long as it is to be made anew nobody else gets them.
  world.Pass(absl::Seconds(20));
  const PodFacts foreign = ForeignPod("foreign", 8);
  world.Show(foreign);
  CHECK(world.Passed(foreign).empty());
  world.Show(JobPod(world.job, 1, 1));
  world.Pass(absl::Seconds(1));
  REQUIRE(Try(world, JobPod(world.job, 1, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.Nodes("team/train")[1] == "b0-r0-n4");
  world.Pass(absl::Seconds(31));
  CHECK(world.Spares() == "1 of 2 spare nodes are kept: b0/r0/b0-r0-n5");
}

TEST_CASE("Spares: likewise of an elastic gang, whichever member it has lost") {
  SparesWorld world;
  JobSpec& job = world.job;
  SetWord(job.words, "gangplan.io/start", "2");
  SetWord(job.words, "gangplan.io/spares", "1");
  world.ShowJob(job, 0, 4);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 4; ++i) Try(world, JobPod(job, i));
    world.BindAll();
    world.Pass(absl::Seconds(31));
  }
  REQUIRE(world.Report("team/train").bound == 4);
  REQUIRE(world.Spares() == "1 of 1 spare nodes are kept: b0/r0/b0-r0-n4");
  for (const char* node : {"b0-r0-n5", "b0-r0-n6"})
    world.ShowBound(ForeignPod(fmt::format("on-{}", node), 8), node);
  const int index = GENERATE(1, 3);
  const std::string lost = world.Nodes("team/train")[static_cast<size_t>(index)];
  world.Delete(JobPod(job, index));
  NodeFacts facts = MakeNode(0, 0, lost.back() - '0');
  facts.unschedulable = true;
  world.Put(facts);
  world.Pass(absl::Seconds(1));
  world.Show(JobPod(job, index, 1));
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(JobPod(job, index, 1)) == "b0-r0-n4");
}

TEST_CASE("Spares: they are given back when a gang of greater priority waits for room") {
  SparesWorld world;
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  for (int node = 0; node < 7; ++node)
    world.ShowBound(ForeignPod(fmt::format("on-{}", node), 8), NodeNameAt(0, 1, node));
  REQUIRE(world.HoldCount() == 2);
  // One of the same priority gets nothing of them.
  const JobSpec same = Whole("same", 3);
  CHECK_FALSE(world.HasRoom(same));
  world.Pass(absl::Seconds(5));
  CHECK(world.HoldCount() == 2);
  const JobSpec greater = Whole("greater", 3, 10);
  world.ShowJob(greater, 0, 3);
  for (int i = 0; i < 6; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/greater") ==
        std::vector<std::string>{"b0-r0-n4", "b0-r0-n5", "b0-r0-n6"});
  CHECK(world.Spares() == "0 of 2 spare nodes are kept");
}

TEST_CASE("Spares: they go with their gang, at its end, when it is deleted, and at a restart") {
  SparesWorld world;
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.HoldCount() == 2);
  SECTION("deleted") {
    for (int i = 0; i < 4; ++i) world.Delete(JobPod(world.job, i));
    world.Pass(absl::Minutes(30));
    CHECK(world.HoldCount() == 0);
  }
  SECTION("succeeded") {
    for (int i = 0; i < 4; ++i) {
      PodFacts pod = JobPod(world.job, i);
      pod.node_name = world.Nodes("team/train")[static_cast<size_t>(i)];
      world.Show(Ended(pod, PodPhase::kSucceeded));
    }
    world.Pass(absl::Seconds(2));
    CHECK(world.HoldCount() == 0);
  }
  SECTION("for hours they have an end, and stay") {
    for (int i = 0; i < 24; ++i) world.Pass(absl::Minutes(30));
    CHECK(world.HoldCount() == 2);
  }
}

TEST_CASE("Spares: the share of a namespace counts them") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 10;  // of fourteen nodes
  SparesWorld world(options);
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  CHECK(world.Spares() == "1 of 2 spare nodes are kept: b0/r0/b0-r0-n4");
}

TEST_CASE("Spares: the word is a number within its bounds") {
  SparesWorld world;
  for (const auto& [text, fine] : std::vector<std::pair<std::string, bool>>{
           {"64", true}, {"65", false}, {"-1", false}, {"two", false}}) {
    const JobSpec job = WithSpares("job-" + text, 1, text);
    world.ShowJob(job, 0, 1);
    const std::string told = world.Refusal(JobPod(job, 0));
    INFO(told);
    const bool refused = told.find("gangplan.io/spares: \"" + text +
                                   "\": expected a whole number from 0 to 64") != std::string::npos;
    CHECK(refused != fine);
  }
}

TEST_CASE("Spares: they are nobody's reason to evict a gang, and go to who lacks a member") {
  PlannerOptions options = PlannerWorld::Options();
  options.preempts = true;
  options.suspended_jobs = false;
  SparesWorld world(options);
  const JobSpec least = Whole("least", 7, -1);
  Run(world, least);  // the one rack
  world.job.priority = 1;
  Run(world, world.job);  // the other one
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Spares().starts_with("2 of 2"));
  world.ForgetEffects();
  SECTION("a newcomer") {
    const JobSpec greater = Whole("greater", 3, 10);
    world.ShowJob(greater, 0, 3);
    world.Pass(absl::Seconds(1));
    CHECK(world.Nodes("team/greater").size() == 3);
  }
  SECTION("one that has lost a member") {
    const JobSpec greater = Whole("greater", 1, 10);
    Run(world, greater);  // the last free node
    const std::string lost = world.Nodes("team/greater")[0];
    world.Delete(JobPod(greater, 0));
    NodeFacts facts = MakeNode(0, lost[4] - '0', lost.back() - '0');
    facts.unschedulable = true;
    world.Put(facts);
    world.Show(JobPod(greater, 0, 1));
    for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
    CHECK(Try(world, JobPod(greater, 0, 1)));
  }
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Spares: a Job of the namespace that waits suspended is started beside them") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 25;  // of four nodes
  SuspendedWorld world(options);
  const JobSpec serve = WithSpares("serve", 1, "1");
  Run(world, serve);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Report("team/serve").spares.starts_with("1 of 1"));
  const JobSpec job = Pair();  // half of the cluster
  world.Register(job);
  world.See(job);
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(1));
  const auto writes = world.Take<JobWrite>();
  INFO(world.Report("team/train").reason);
  REQUIRE(writes.size() == 1);
  CHECK_FALSE(writes[0].suspend);
  CHECK(world.Report("team/serve").spares.starts_with("1 of 1"));
}

TEST_CASE("Spares: those of a gang without a known end are kept for the first in line, too") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  SparesWorld world(options);
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Spares().starts_with("2 of 2"));
  for (int node = 0; node < 7; ++node)
    world.ShowBound(ForeignPod(fmt::format("on-{}", node), 8), NodeNameAt(0, 1, node));
  const JobSpec first = Whole("first", 7);
  CHECK_FALSE(world.HasRoom(first));
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/first").reservation.starts_with("room for 7 is kept in b0/r0"));
  CHECK_FALSE(world.HasRoom(Whole("small", 1)));
  for (int i = 0; i < 4; ++i) world.Delete(JobPod(world.job, i));
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/first").size() == 7);
}

// ---- that are of no use any more

NodeFacts InRack(NodeFacts node, std::string_view rack) {
  SetWord(node.labels, "example.com/rack", rack);
  return node;
}

TEST_CASE("Spares: those of a gang whose nodes move to another rack are found there") {
  SparesWorld world;
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Spares() == "2 of 2 spare nodes are kept: b0/r0/b0-r0-n4, b0/r0/b0-r0-n5");
  for (int node = 0; node < 4; ++node) world.Put(InRack(MakeNode(0, 0, node), "r1"));
  for (int i = 0; i < 32; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Spares() == "2 of 2 spare nodes are kept: b0/r1/b0-r1-n0, b0/r1/b0-r1-n1");
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Spares: one that an object of the tree places elsewhere is given back, and replaced") {
  SparesWorld world(LiveLevels());
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Spares() == "2 of 2 spare nodes are kept: b0/r0/b0-r0-n4, b0/r0/b0-r0-n5");
  NodeFacts moved = MakeNode(0, 0, 4);
  SECTION("in another rack") { SetWord(moved.labels, "example.com/rack", "r1"); }
  SECTION("in none") { moved.labels = {{std::string(kHostnameLabel), moved.name}}; }
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels(), {moved}));
  CHECK(world.planner().BrokenInvariant() == "");
  CHECK(world.HoldCount() == 1);
  for (int i = 0; i < 32; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Spares() == "2 of 2 spare nodes are kept: b0/r0/b0-r0-n6, b0/r0/b0-r0-n5");
}

TEST_CASE("Spares: nodes that are to be empty are given back, and the others stay") {
  SparesWorld world;
  Run(world, world.job);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.HoldCount() == 2);
  const auto is_to_be_empty = [&](int node) {
    NodeFacts facts = MakeNode(0, 0, node);
    facts.maintenance = absl::ToUnixSeconds(world.now() + absl::Hours(10));
    world.Put(facts);
  };
  is_to_be_empty(4);
  for (int i = 0; i < 32; ++i) {
    world.Pass(absl::Seconds(1));
    CHECK(world.Spares().find("b0-r0-n5") != std::string::npos);
  }
  CHECK(world.Spares() == "2 of 2 spare nodes are kept: b0/r0/b0-r0-n6, b0/r0/b0-r0-n5");
  for (const int node : {5, 6}) is_to_be_empty(node);
  for (int i = 0; i < 32; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Spares() == "0 of 2 spare nodes are kept");
  CHECK(world.HoldCount() == 0);
}

}  // namespace gangplan::spares_test
