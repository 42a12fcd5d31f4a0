// Gangs whose pod sets have rules of their own: where they start, come back to, and wait.
#include <set>

#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::own_place_test {
namespace {

// A driver, loaders and workers, each a Job of its own, under one name.
struct Roles {
  int32_t loaders = 2;
  int32_t workers = 4;
  std::string loaders_place = "node=spread!";
  std::string workers_place = "rack=pack!";
  std::string place = "block=pack!";

  JobSpec Of(std::string_view set, int32_t size, int64_t gpus, std::string_view own) const {
    JobSpec job{.name = std::string(set), .size = size, .gpus = gpus, .place = place};
    job.words = {
        {"gangplan.io/group", "ring"},
        {"gangplan.io/pod-sets", fmt::format("driver=1,loaders={},workers={}", loaders, workers)},
        {"gangplan.io/pod-set", std::string(set)}};
    if (!own.empty()) SetWord(job.words, "gangplan.io/pod-set-place", own);
    return job;
  }
  std::vector<JobSpec> All() const {
    return {Of("driver", 1, 1, ""), Of("loaders", loaders, 2, loaders_place),
            Of("workers", workers, 4, workers_place)};
  }
};

struct RolesWorld : PlannerWorld {
  explicit RolesWorld(int blocks, int racks, int nodes) {
    AddNodes(MakeNodes(blocks, racks, nodes));
    Sync();
  }
  void Show(const Roles& roles) {
    for (const JobSpec& job : roles.All()) ShowJob(job, 0, job.size);
    Pass(absl::Seconds(1));
  }
  using PlannerWorld::Show;
  // Each pod is tried, and all are bound together.
  void StartAll(const Roles& roles) {
    int32_t size = 0;
    for (const JobSpec& job : roles.All()) {
      size += job.size;
      for (int i = 0; i < job.size; ++i) REQUIRE(Try(*this, JobPod(job, i)));
    }
    REQUIRE(BindAll() == size);
  }
  std::vector<std::string> Nodes() { return PlannerWorld::Nodes("team/ring"); }
  std::set<std::string> Of(int level, size_t first, size_t count) {
    std::set<std::string> domains;
    const std::vector<std::string> nodes = Nodes();
    for (size_t slot = first; slot < first + count; ++slot)
      domains.insert(level == 2 ? nodes[slot] : DomainOf(nodes[slot], level));
    return domains;
  }
};

// Likewise, of a driver and workers, with other words.
JobSpec PartOf(std::string_view set, int32_t size, int32_t workers, std::string_view own) {
  JobSpec job{.name = std::string(set), .size = size, .gpus = 4, .place = "node=pack"};
  job.words = {{"gangplan.io/group", "ring"},
               {"gangplan.io/pod-sets", fmt::format("driver=1,workers={}", workers)},
               {"gangplan.io/pod-set", std::string(set)}};
  if (!own.empty()) SetWord(job.words, "gangplan.io/pod-set-place", own);
  return job;
}

}  // namespace

TEST_CASE("Own place: each pod set keeps its own rules, and all those of the gang") {
  RolesWorld world(2, 2, 3);
  // Not all fit into one rack of the first block, and the workers into the second one alone.
  world.ShowBound(ForeignPod("on-a", 6), "b0-r0-n0");
  const Roles roles;
  world.Show(roles);
  world.StartAll(roles);
  CHECK(world.Of(0, 0, 7).size() == 1);
  CHECK(world.Of(2, 1, 2).size() == 2);
  CHECK(world.Of(1, 3, 4).size() == 1);
  const GroupReport report = world.Report("team/ring");
  CHECK(report.place == "block=pack!; of loaders: node=spread!; of workers: rack=pack!");
  CHECK(report.pod_sets[2].place == "block=pack!; its own: rack=pack!");
}

TEST_CASE("Own place: who is lost comes back by the rules of his own set") {
  RolesWorld world(1, 2, 3);
  const Roles roles;
  world.Show(roles);
  world.StartAll(roles);
  const std::vector<std::string> before = world.Nodes();
  const std::string rack = DomainOf(before[3], 1);
  // The workers' rack has other nodes free, and so has the other rack.
  const JobSpec workers = roles.All()[2];
  world.ShowBound(ForeignPod("takes", 1), before[3]);
  world.Delete(JobPod(workers, 0));
  world.Delete(JobPod(workers, 1));
  for (int i = 0; i < 2; ++i) world.Show(JobPod(workers, i, 1));
  world.Pass(absl::Seconds(1));
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(workers, i, 1)));
  REQUIRE(world.BindAll() == 2);
  CHECK(world.Of(1, 3, 4) == std::set<std::string>{rack});
}

TEST_CASE("Own place: after a restart the rules of each set are kept") {
  RolesWorld world(1, 2, 3);
  const Roles roles;
  world.Show(roles);
  world.StartAll(roles);
  const std::vector<std::string> before = world.Nodes();
  const std::string rack = DomainOf(before[3], 1);
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 3));
  const std::vector<JobSpec> jobs = roles.All();
  size_t slot = 0;
  for (const JobSpec& job : jobs) {
    for (int i = 0; i < job.size; ++i) world.Show(BoundByUs(job, i, before[slot++], i));
  }
  world.Sync();
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes() == before);
  world.Delete(JobPod(jobs[2], 3));
  world.Show(JobPod(jobs[2], 3, 1));
  world.Pass(absl::Seconds(1));
  REQUIRE(Try(world, JobPod(jobs[2], 3, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.Of(1, 3, 4) == std::set<std::string>{rack});
}

TEST_CASE("Own place: which set's rule is in the way is told") {
  // Room for all in one block, and no rack for eight workers.
  RolesWorld world(1, 4, 2);
  Roles roles;
  roles.workers = 8;
  world.Show(roles);
  const std::string reason = world.Report("team/ring").reason;
  CHECK(reason.find("workers: rack=pack!") != std::string::npos);
  CHECK(reason.find("impossible") != std::string::npos);
  const std::string why = world.Report("team/ring").evidence;
  CHECK(why.find("the first rule that fails: pod set workers: rack=pack!") != std::string::npos);
}

TEST_CASE("Own place: a contradiction of one set is told with its name") {
  RolesWorld world(1, 2, 3);
  Roles roles;
  roles.workers_place = "rack=pack factor=3";
  world.Show(roles);
  CHECK(world.Report("team/ring")
            .reason.find("pod set workers: rack=pack factor=3: 4 members are no multiple of 3") !=
        std::string::npos);
}

TEST_CASE("Own place: a pod that asks otherwise than its set is no member") {
  RolesWorld world(1, 2, 3);
  const Roles roles;
  world.Show(roles);
  Roles other = roles;
  other.workers_place = "rack=spread";
  PodFacts stray = JobPod(other.All()[2], 3, 1);
  world.Delete(JobPod(roles.All()[2], 3));
  world.Show(stray);
  CHECK(
      world.Refusal(stray).find("gangplan.io/pod-set-place: \"rack=spread\" where its pod set has "
                                "\"rack=pack!\"") != std::string::npos);
}

TEST_CASE("Own place: who says all by himself is not asked for his owner's word") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  const JobSpec workers = PartOf("workers", 4, 4, "");
  OwnerFacts owner = JobOwner(workers);
  SetWord(owner.annotations, "gangplan.io/pod-set-place", "rack=pack!");
  world.Register(owner);
  for (int i = 0; i < 4; ++i) world.Show(JobPod(workers, i));
  world.ShowJob(PartOf("driver", 1, 4, ""), 0, 1);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/ring").pod_sets[1].place == "node=pack");
}

TEST_CASE("Own place: who lacks the word of his set is told which word") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  world.ShowJob(PartOf("workers", 4, 4, "rack=pack!"), 0, 3);
  const PodFacts stray = JobPod(PartOf("workers", 4, 4, ""), 3, 1);
  world.Show(stray);
  const std::string refusal = world.Refusal(stray);
  INFO(refusal);
  CHECK(refusal.find("gangplan.io/pod-set-place") != std::string::npos);
  CHECK(refusal.find("\"\"") == std::string::npos);
}

TEST_CASE("Own place: nobody is told of rules that he has not written") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(2, 1, 3));
  world.Sync();
  world.ShowJob(PartOf("driver", 1, 8, ""), 0, 1);
  world.ShowJob(PartOf("workers", 8, 8, "rack=pack!"), 0, 8);
  world.Pass(absl::Seconds(1));
  const GroupReport report = world.Report("team/ring");
  INFO(report.reason << "\n" << report.evidence);
  CHECK(report.reason.find("workers: block=pack!") == std::string::npos);
  CHECK(report.evidence.find("fails: pod set workers: rack=pack!") != std::string::npos);
  CHECK(report.evidence.find("would be placed with pod set workers: rack=pack") !=
        std::string::npos);
}

}  // namespace gangplan::own_place_test
