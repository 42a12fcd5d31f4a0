// What the scheduler says in a pod's condition, and who is told of it.
#include "extender/planner/limits.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::scheduler_told_test {

TEST_CASE("Lives: what the scheduler says of a pod is told behind the refusal") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 1);
  world.ShowJob(job, 0, 1);
  PodFacts pod = JobPod(job, 0);
  SECTION("in the call that shows the refusal") {
    for (int attempt = 0; attempt < 6; ++attempt) {
      world.Filter(pod, {"elsewhere"});
      world.Pass(absl::Milliseconds(600));
      pod.scheduler_words = "2 node(s) had volume node affinity conflict";
      for (const Nomination& one : world.Take<Nomination>()) pod.nominated_node_name = one.node;
    }
    CHECK(world.Report("team/train")
              .reason.ends_with("; refused by the scheduler on 2 nodes: 2 node(s) had volume node "
                                "affinity conflict"));
  }
  SECTION("as the watch shows it, when it clears the nomination again and again") {
    PlannerOptions options = PlannerWorld::Options();
    options.nominate_from = 1;
    LivesWorld sampled(1, options);
    sampled.ShowJob(job, 0, 1);
    pod.scheduler_words = "1 cannot allocate all claims";
    for (int i = 0; i <= kMaxNominations; ++i) {
      pod.nominated_node_name = "b0-r0-n0";
      sampled.Show(pod);
      pod.nominated_node_name = "";
      sampled.Show(pod);
      sampled.Pass(absl::Minutes(1));
    }
    CHECK(sampled.Report("team/train")
              .reason.ends_with(
                  "; refused by the scheduler on 1 node: 1 cannot allocate all claims"));
  }
}

TEST_CASE("Lives: words of the scheduler that change cause no work") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  PodFacts pod = JobPod(job, 0);
  const auto call = world.Bind(pod, world.Passed(pod));
  pod.scheduler_words = "1 Insufficient cpu";
  world.Show(pod);
  CHECK_FALSE(world.Answer(call.id).has_value());
}

}  // namespace gangplan::scheduler_told_test
