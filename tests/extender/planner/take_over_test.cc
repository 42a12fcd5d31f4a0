// An instance that stood by, and acts where another one has begun.
#include "fmt/format.h"
#include "tests/extender/planner/gates_world.h"

namespace gangplan::take_over_test {
namespace {

// Two racks of two nodes; nobody acts here yet.
struct StandsBy : PlannerWorld {
  explicit StandsBy(PlannerOptions options = Options()) : PlannerWorld(std::move(options)) {
    active = false;
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
  }
  void TakeOver() {
    planner().SetActive(now(), true);
    Pass(absl::Milliseconds(50));
  }
};

TEST_CASE("Take over: a gang goes on where the other one has bound the first of it") {
  StandsBy world;
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  world.Show(BoundByUs(job, 0, "b0-r1-n0", 0));
  world.TakeOver();
  CHECK(world.Passed(JobPod(job, 1)) == "b0-r1-n1");
}

TEST_CASE("Take over: ranks that the other one has given are nobody else's") {
  StandsBy world;
  JobSpec job = Whole("train", 2);
  job.indexed = false;
  world.ShowJob(job, 0, 2);
  const int first = GENERATE(0, 1);
  world.Show(BoundByUs(job, first, "b0-r0-n0", 1 - first));
  world.TakeOver();
  const PodFacts other = JobPod(job, 1 - first);
  REQUIRE(Try(world, other));
  const auto writes = world.Take<BindingWrite>();
  REQUIRE(writes.size() == 1);
  CHECK(*FindLabel(writes[0].annotations, kAssignedRankAnnotation) == fmt::format("{}", first));
}

TEST_CASE("Take over: what the other one has given away is not planned") {
  StandsBy world;
  const JobSpec job = Whole("train", 2), other = Whole("other", 2);
  world.ShowJob(job, 0, 2);
  world.ShowJob(other, 0, 2);
  for (int i = 0; i < 2; ++i) world.Show(BoundByUs(other, i, NodeNameAt(0, 0, i), i));
  world.TakeOver();
  CHECK(world.Nodes("team/train") == std::vector<std::string>{"b0-r1-n0", "b0-r1-n1"});
}

TEST_CASE("Take over: what starts anew stands in line as any other gang") {
  StandsBy world;
  for (int i = 0; i < 2; ++i)
    world.ShowBound(ForeignPod(fmt::format("there-{}", i), 8), NodeNameAt(0, 1, i));
  const JobSpec first = Whole("first", 2), ran = Whole("ran", 2);
  world.ShowJob(first, 0, 2);
  world.Register(ran);
  for (int i = 0; i < 2; ++i) world.Show(BoundByUs(ran, i, NodeNameAt(0, 0, i), i));
  for (int i = 0; i < 2; ++i) {
    world.Delete(JobPod(ran, i));
    world.Show(JobPod(ran, i, 1));
    world.Pass(absl::Seconds(1));
  }
  world.TakeOver();
  CHECK(world.Nodes("team/first").size() == 2);
  CHECK(world.Nodes("team/ran").empty());
}

TEST_CASE("Take over: however long nobody acted, a gated gang is released at once") {
  StandsBy world(GatesWorld::Gated(GateUse::kGangplan));
  const JobSpec job = Whole("train", 2);
  world.Register(job);
  for (int i = 0; i < 2; ++i) world.Show(GatesWorld::Behind(JobPod(job, i)));
  for (int i = 0; i < 120; ++i) world.Pass(absl::Minutes(1));
  CHECK(world.Take<PodRelease>().empty());
  world.TakeOver();
  CHECK(world.Take<PodRelease>().size() == 2);
}

TEST_CASE("Take over: a pod that the other one has released is a member, also where it is new") {
  StandsBy world(GatesWorld::Gated(GateUse::kGangplan));
  GatesWorld other;
  const JobSpec job = Whole("train", 2);
  other.ShowGated(job);
  const auto releases = other.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  world.Register(job);
  const PodFacts first = JobPod(job, 0);
  const PodRelease& release = releases[releases[0].pod.uid == first.uid ? 0 : 1];
  world.Show(GatesWorld::After(GatesWorld::Behind(first), release));
  world.Show(GatesWorld::Behind(JobPod(job, 1)));
  world.TakeOver();
  const auto more = world.Take<PodRelease>();
  REQUIRE(more.size() == 1);
  CHECK(more[0].required_terms == release.required_terms);
}

}  // namespace
}  // namespace gangplan::take_over_test
