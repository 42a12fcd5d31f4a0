// A gang's own word for who starts when (gangplan.io/start), against what the operator has said.
#include "tests/extender/planner/elastic_world.h"
#include "tests/extender/planner/line_world.h"

namespace gangplan::start_word_test {
namespace {

PlannerOptions Fair() {
  PlannerOptions options = PlannerWorld::Options();
  options.hold_from = 10;
  options.vacant_share = 25;
  return options;
}

JobSpec Elastic(std::string_view start, int32_t size = 4) {
  return {.size = size,
          .gpus = 8,
          .place = "rack=pack!",
          .words = {{"gangplan.io/start", std::string(start)}}};
}

// One rack of so many nodes.
struct RackWorld : PlannerWorld {
  explicit RackWorld(int nodes, PlannerOptions options = Options())
      : PlannerWorld(std::move(options)) {
    AddNodes(MakeNodes(1, 1, nodes));
    Sync();
  }
  // Pods first..last-1 start together, and none of them before the last one asks.
  void StartTogether(const JobSpec& job, int first, int last) {
    for (int i = first; i < last; ++i) {
      CHECK(BindAll() == 0);
      REQUIRE(Try(*this, JobPod(job, i)));
    }
    CHECK(BindAll() == last - first);
  }
  void StartAlone(const JobSpec& job, int index) {
    REQUIRE(Try(*this, JobPod(job, index)));
    CHECK(BindAll() == 1);
  }
};

PlannerOptions AtFirstMember() {
  PlannerOptions options = PlannerWorld::Options();
  options.start_at_first_member = true;
  return options;
}

}  // namespace

TEST_CASE("Start: so many of a Job start together, and the rest joins them as there is room") {
  RackWorld world(3);
  const JobSpec job = Elastic("2");
  world.ShowJob(job, 0, 4);
  world.StartTogether(job, 0, 2);
  world.StartAlone(job, 2);
  CHECK_FALSE(Try(world, JobPod(job, 3)));
  CHECK(world.Report("team/train").bound == 3);
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Pass(absl::Seconds(1));
  world.StartAlone(job, 3);
  CHECK(world.Report("team/train").bound == 4);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Start: fewer than so many wait, also where others start at their first member") {
  RackWorld world(4, AtFirstMember());
  const JobSpec job = Elastic("all-members");
  world.ShowJob(job, 0, 4);
  world.StartTogether(job, 0, 4);
}

TEST_CASE("Start: a gang whose word says so starts at its first member") {
  RackWorld world(4);
  const JobSpec job = Elastic("first-member");
  world.ShowJob(job, 0, 1);
  world.StartAlone(job, 0);
  CHECK(world.HoldCount() == 3);
  for (int i = 1; i < 4; ++i) {
    world.Show(JobPod(job, i));
    world.StartAlone(job, i);
  }
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Start: who leaves a gang of so many is not missed, and who comes again joins") {
  RackWorld world(4);
  const JobSpec job = Elastic("2");
  world.ShowJob(job, 0, 3);
  world.StartTogether(job, 0, 2);
  world.StartAlone(job, 2);
  world.Delete(JobPod(job, 2));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").size == 2);
  world.Show(JobPod(job, 3));
  world.StartAlone(job, 3);
  CHECK(world.Report("team/train").size == 3);
}

TEST_CASE("Start: the report tells who has told the size and the ranks") {
  RackWorld world(4);
  world.ShowJob(Elastic("2"), 0, 1);
  const Origins origins = world.Report("team/train").origins;
  CHECK(origins.size == "gangplan.io/start, of Job train (spec.parallelism and completions)");
  CHECK(origins.ranks == "batch.kubernetes.io/job-completion-index");
}

TEST_CASE("Start: one pod with a word of its own holds no more than its namespace may") {
  LivesWorld world(8, Fair());
  JobSpec plain{.size = 8, .gpus = 8, .place = "rack=pack!"};
  world.ShowJob(plain, 0, 1);
  CHECK(world.HoldCount() <= 2);  // limits.namespace.vacantShare: 25%
  LivesWorld other(8, Fair());
  const JobSpec job = ElasticJob("first-member", 8);
  other.ShowJob(job, 0, 1);
  CHECK(other.HoldCount() <= 2);
}

TEST_CASE("Start: what is held for a gang that starts at its first member ends") {
  LivesWorld world(4);
  const JobSpec job = ElasticJob("first-member");
  world.ShowJob(job, 0, 1);
  REQUIRE(TryAll(world, job, {0}) == 1);
  world.Pass(absl::Minutes(6));
  CHECK(world.HoldCount() == 0);
  for (int i = 0; i < 20; ++i) {
    PodFacts foreign = ForeignPod("foreign", 1);
    world.ShowBound(foreign, NodeNameAt(0, 0, 3));
    world.Pass(absl::Minutes(1));
    world.Delete(foreign);
    world.Pass(absl::Minutes(1));
    CHECK(world.HoldCount() == 0);
  }
}

TEST_CASE("Start: a gang that starts at its first member is found again half started") {
  LivesWorld world(4);
  const JobSpec job = ElasticJob("first-member");
  world.Register(job);
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Show(BoundByUs(job, 0, NodeNameAt(0, 0, 0), 0));
  world.Show(JobPod(job, 1));
  world.Sync();
  world.Pass(absl::Seconds(20));
  CHECK(TryAll(world, job, {1}) == 1);
  world.Pass(absl::Minutes(10));
  CHECK(world.HoldCount() == 0);
  world.Show(JobPod(job, 2));
  CHECK(TryAll(world, job, {2}) == 1);
}

TEST_CASE("Start: a gang that starts at its first member passes nobody in a strict line") {
  PlannerWorld world(With(QueueMode::kStrict));
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  const JobSpec runs = Whole("runs", 2);
  Run(world, runs);
  const JobSpec first = Whole("first", 3);
  world.ShowJob(first, 0, 3);
  world.Pass(absl::Seconds(1));
  const JobSpec job = ElasticJob("first-member", 2, "one");
  world.ShowJob(job, 0, 1);
  CHECK(TryAll(world, job, {0}) == 0);
}

}  // namespace gangplan::start_word_test
