// Jobs that were started: their pods come, or do not, and they are suspended again.
#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::started_jobs_test {

TEST_CASE(
    "Suspended: a gang whose pods do not come is suspended again, and planned after a pause") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite write = world.Start(job);
  SECTION("none comes") {}
  SECTION("one comes") {
    world.Register(job);
    world.Show(SuspendedWorld::Born(job, 0, write));
  }
  world.Pass(absl::Minutes(6));
  CHECK(world.HoldCount() == 0);
  const JobWrite suspend = world.Written();
  CHECK(suspend.suspend);
  CHECK(suspend.resource_version.empty());
  CHECK(suspend.labels == LabelPatch{{std::string(kSuspendedLabel), "true"}});
  REQUIRE(suspend.annotations.size() == 1);
  CHECK(suspend.annotations[0].first == kNotBeforeAnnotation);
  CHECK(suspend.templates.empty());
  world.Tell(suspend);
  // The watch shows it with the pin, and its pods go.
  ++world.version;
  JobFacts facts = world.Facts(job);
  facts.pods[0].filter.required_terms = write.templates.at(0).required;
  SetWord(facts.owner.annotations, kPinnedAnnotation, PinOf(write));
  world.See(facts);
  world.Delete(SuspendedWorld::Born(job, 0, write));
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());
  // The rack of the first time is gone meanwhile: the pin of then keeps it from nowhere.
  for (int i = 0; i < 2; ++i) world.DeleteNode(NodeNameAt(0, 0, i));
  world.Pass(absl::Seconds(7));
  world.Pass(absl::Seconds(1));
  const JobWrite again = world.Written();
  CHECK_FALSE(again.suspend);
  REQUIRE(again.templates.size() == 1);
  CHECK(again.templates[0].required.size() == 2);
}

TEST_CASE("Suspended: where all nodes that it was started on go, it is planned anew elsewhere") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite write = world.Start(job);
  SECTION("before its pods come") {}
  SECTION("when they are there") { world.ShowBorn(job, write); }
  std::vector<std::string> planned = world.LoseNodes("team/train");
  const JobWrite suspend = world.Written();
  CHECK(suspend.suspend);
  CHECK(world.HoldCount() == 0);
  world.Tell(suspend);
  ++world.version;
  JobFacts facts = world.Facts(job);
  facts.pods[0].filter.required_terms = write.templates.at(0).required;
  facts.owner.annotations = {{std::string(kNotBeforeAnnotation), *suspend.annotations[0].second},
                             {std::string(kPinnedAnnotation), PinOf(write)}};
  world.See(facts);
  for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, write));
  for (int i = 0; i < 8; ++i) world.Pass(absl::Seconds(1));
  const JobWrite again = world.Written();
  CHECK_FALSE(again.suspend);
  REQUIRE(again.annotations.size() == 2);
  CHECK(again.annotations[0] ==
        std::pair(std::string(kNotBeforeAnnotation), std::optional<std::string>()));
}

TEST_CASE("Suspended: where all nodes go under a gang that runs, it is planned anew elsewhere") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite write = world.Run(job);
  const std::vector<std::string> nodes = world.LoseNodes("team/train");
  for (int i = 0; i < job.size; ++i) {
    world.Delete(SuspendedWorld::Born(job, i, write));
    PodFacts next = JobPod(job, i, 1);
    next.filter.required_terms = SuspendedWorld::Born(job, i, write).filter.required_terms;
    world.Show(next);
  }
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Written().suspend);
}

TEST_CASE("Suspended: an older gang that waits does not get the room when the first pod comes") {
  SuspendedWorld world;
  for (int i = 0; i < 2; ++i)
    world.ShowBound(ForeignPod(fmt::format("f{}", i), 8), NodeNameAt(0, 0, i));
  const JobSpec older = Whole("older", 3);  // more than is free
  world.ShowJob(older, 0, 3);
  CHECK(world.StateOf("team/older") == "Blocked");
  JobSpec job = Pair();
  job.indexed = true;
  const JobWrite write = world.Start(job);
  const std::vector<std::string> planned = world.Nodes("team/train");
  world.Register(job);
  world.Show(SuspendedWorld::Born(job, 0, write));
  CHECK(world.HoldCount() == 2);
  CHECK(world.Report("team/train").seen == 1);
  CHECK(world.Nodes("team/train") == planned);
  CHECK(world.Take<Nomination>().empty());
}

TEST_CASE("Suspended: a pod that comes and goes does not take the room of the others along") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite write = world.Start(job);
  world.Register(job);
  world.Show(SuspendedWorld::Born(job, 0, write));
  world.Delete(SuspendedWorld::Born(job, 0, write));
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Minutes(6));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Written().suspend);
}

TEST_CASE("Suspended: pods that ask for more than was foretold are planned for what they ask for") {
  SuspendedWorld world;
  JobSpec job = Pair();
  job.gpus = 4;
  const JobWrite write = world.Start(job);
  const std::vector<std::string> planned = world.Nodes("team/train");
  REQUIRE(planned[0] == planned[1]);
  job.gpus = 8;
  world.ShowBorn(job, write);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0] != nodes[1]);
  world.RunBorn(job, write);
}

TEST_CASE("Suspended: room that was found for them stays where their pods are let in by more") {
  SuspendedWorld own;
  const JobSpec job = Pair();
  const JobWrite write = own.Start(job);
  const std::vector<std::string> planned = own.Nodes("team/train");
  own.Register(job);
  PodFacts pod = SuspendedWorld::Born(job, 0, write);
  pod.filter.tolerations.emplace_back().key = "node.kubernetes.io/not-ready";
  own.Show(pod);
  CHECK(own.HoldCount() == 2);
  CHECK(own.Nodes("team/train") == planned);
}

TEST_CASE("Suspended: the priority of a class is that of the gang with its first pod") {
  SuspendedWorld world;
  JobSpec job = Pair();
  const JobWrite write = world.Start(job);
  JobSpec born = job;
  born.priority = -10;
  SECTION("less") {}
  SECTION("greater") { born.priority = 10; }
  world.Register(job);
  world.Show(SuspendedWorld::Born(born, 0, write));
  CHECK(world.HoldCount() == 2);
  // Another one gets what is left, and that of who is less.
  JobSpec other = Whole("other", 2, 5);
  world.ShowJob(other, 0, 2);
  JobSpec third = Whole("third", 2, 5);
  world.ShowJob(third, 0, 2);
  for (int i = 0; i < 4; ++i) world.Pass(absl::Milliseconds(500));
  CHECK((world.StateOf("team/third") == "Planned") == (born.priority < 5));
}

TEST_CASE("Suspended: a start that is to be taken back is so when it is known") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.See(job);
  const JobWrite write = world.Written();
  world.LoseNodes("team/train");
  CHECK(world.Take<JobWrite>().empty());
  world.Tell(write);
  CHECK(world.Written().suspend);
}

TEST_CASE(
    "Suspended: pods that ask for more than their template are planned anew, where it started") {
  SuspendedWorld world;
  JobSpec job = Pair();
  job.gpus = 4;
  const JobWrite write = world.Start(job);
  JobSpec larger = job;
  larger.gpus = 8;
  world.ShowBorn(larger, write);
  CHECK(world.HoldCount() == 2);
  world.RunBorn(larger, write);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Suspended: one that is suspended while it runs is planned when its pods have gone") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  const JobWrite write = world.Run(job);
  world.See(job);
  world.Pass(absl::Seconds(3));
  CHECK(world.Take<JobWrite>().empty());
  for (int i = 0; i < 2; ++i) world.Delete(SuspendedWorld::Born(job, i, write));
  world.Pass(absl::Seconds(2));
  world.Pass(absl::Seconds(1));
  CHECK(world.Written().resource_version == std::to_string(world.version));
}

TEST_CASE("Suspended: an instance that does not act starts nothing, until it acts") {
  SuspendedWorld world;
  const JobSpec job = Pair();
  world.active = false;
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  world.See(job);
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<JobWrite>().empty());
  world.planner().SetActive(world.now(), true);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Take<JobWrite>().size() == 1);
}

TEST_CASE("Suspended: what is started without a plan waits for who acts, too") {
  SuspendedWorld world;
  JobSpec job = Pair();
  job.left = 1;  // one has succeeded: the rest is planned when its pod is there
  world.active = false;
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  world.See(job);
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<JobWrite>().empty());
  world.planner().SetActive(world.now(), true);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<JobWrite>().size() == 1);
}

TEST_CASE("Suspended: other levels are those of Jobs that wait, too") {
  SuspendedWorld world(LiveLevels());
  const JobSpec job = Whole("train", 5);
  world.See(job);
  CHECK(world.StateOf("team/train") == "Blocked");
  Topology levels = ThreeLevels();
  levels.levels.erase(levels.levels.begin());
  REQUIRE(world.planner().OnTopology(world.now(), levels));
  world.Pass(absl::Milliseconds(50));
  CHECK(world.StateOf("team/train") == "Blocked");
}

}  // namespace gangplan::started_jobs_test
