// Lives of a pod set's template: who tells it, and when another one is told instead.
#include "extender/planner/limits.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::templates_test {
namespace {

PodFacts Asking(const JobSpec& job, int index, int64_t gpus, int life = 0) {
  JobSpec other = job;
  other.gpus = gpus;
  return JobPod(other, index, life);
}

std::vector<std::string> Nominated(PlannerWorld& world) {
  std::vector<std::string> names;
  for (const Nomination& one : world.Take<Nomination>()) names.push_back(one.pod.name);
  return names;
}

TEST_CASE("Templates: one that is told anew leaves the size to the owner") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 4);
  Run(world, job);
  job.size = 2;
  world.Reregister(job);
  world.Delete(JobPod(job, 0));
  AwaitOwners(world);
  world.Show(JobPod(job, 0, 1));  // while two more run than the owner wants
  CHECK(world.Report("team/train").size == 4);
  for (int i = 2; i < 4; ++i) world.Delete(JobPod(job, i));
  CHECK(world.Report("team/train").size == 2);
  CHECK(Try(world, JobPod(job, 0, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Templates: a pod that is bound by others has the place that was to be scaled away") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 3);
  job.indexed = false;
  Run(world, job);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  REQUIRE(world.HoldCount() == 1);
  job.size = 2;
  world.Reregister(job);
  world.Delete(JobPod(job, 2, 1));
  AwaitOwners(world);
  REQUIRE(world.HoldCount() == 1);
  world.Show(BoundByUs(job, 3, "b0-r0-n3", 2));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Report("team/train").bound == 3);
}

TEST_CASE("Templates: a replacement that asks for less has room of its own size") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  world.Delete(JobPod(job, 0));
  world.Show(JobPod(job, 0, 1));
  CHECK(world.HoldCount() == 1);
  world.Delete(JobPod(job, 0, 1));
  world.Show(Asking(job, 0, 4, 2));
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(ForeignPod("beside", 4), {"b0-r0-n0"}) == "b0-r0-n0");
  CHECK(Try(world, Asking(job, 0, 4, 2)));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Templates: pods of a group of others that are of two shapes are told the words for it") {
  LivesWorld world(2);
  const auto pod = [](std::string_view name, int64_t gpus) {
    PodFacts one = ForeignPod(std::string(name), gpus);
    one.labels = {{"kueue.x-k8s.io/pod-group-name", "ring"}};
    one.annotations = {{"kueue.x-k8s.io/pod-group-total-count", "2"}};
    return one;
  };
  world.Show(pod("leader", 1));
  world.Show(pod("worker", 4));
  CHECK(
      world.Refusal(pod("worker", 4))
          .find(
              "requests other resources than the rest of its pod set: all pods of a Kueue pod "
              "group "
              "are one; expected gangplan.io/pod-sets on all, such as \"leader=1,workers=8\", and "
              "gangplan.io/pod-set on each") != std::string::npos);
  // A group of ours has these words for that anyway.
  const JobSpec job = Whole("train", 2);
  world.Register(job);
  world.Show(JobPod(job, 0));
  world.Show(Asking(job, 1, 4));
  CHECK(world.Refusal(Asking(job, 1, 4)).find("all pods of a") == std::string::npos);
}

TEST_CASE("Templates: whoever did not agree with one that is gone is asked back") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.Register(job);
  world.Show(JobPod(job, 0));
  world.Show(Asking(job, 1, 4));
  CHECK(world.Refusal(Asking(job, 1, 4)).find("requests other resources than the rest") !=
        std::string::npos);
  world.Delete(JobPod(job, 0));
  world.Show(Asking(job, 0, 4, 1));
  world.Pass(absl::Seconds(1));
  CHECK(Nominated(world) == std::vector<std::string>{"train-1-0"});
  for (int i = 0; i < 2; ++i) CHECK(Try(world, Asking(job, i, 4, 1 - i)));
  CHECK(world.BindAll() == 2);
}

}  // namespace
}  // namespace gangplan::templates_test
