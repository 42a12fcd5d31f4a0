// Preferred node affinity of a gang in Kueue's words.
#include "extender/frontends/gangplan/words.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::preference_test {
namespace {

PlannerOptions Preferring() {
  PlannerOptions options = PlannerWorld::Options();
  options.preferred_affinity = true;
  return options;
}

// Prefers the racks of this name.
PodFacts Liking(PodFacts pod, const std::string& rack, int32_t weight = 10) {
  pod.preferred_terms.push_back(
      {{{{"example.com/rack", SelectorOperator::kIn, {rack}}}, {}}, weight});
  return pod;
}

JobSpec RackJob() {
  JobSpec job;
  job.size = 2;
  job.gpus = 8;
  job.words = {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}};
  return job;
}

// The rack of its plan.
std::string RackOf(PlannerWorld& world, const JobSpec& job, const std::vector<PodFacts>& pods) {
  world.AddNodes(MakeNodes(2, 3, 2));
  world.Sync();
  world.Register(job);
  for (const PodFacts& pod : pods) world.Show(pod);
  return DomainOf(world.Nodes("team/" + job.name)[0], 1);
}

std::vector<PodFacts> PodsLiking(const JobSpec& job, const std::string& rack) {
  return {Liking(JobPod(job, 0), rack), Liking(JobPod(job, 1), rack)};
}

}  // namespace

TEST_CASE("Preference: of equal racks the one whose nodes are preferred") {
  PlannerWorld world(Preferring());
  CHECK(RackOf(world, RackJob(), PodsLiking(RackJob(), "r2")) == "b0-r2");
}

TEST_CASE("Preference: it does not count unless it is switched on, nor beside another engine") {
  SECTION("off") {
    PlannerWorld world;
    CHECK(RackOf(world, RackJob(), PodsLiking(RackJob(), "r2")) == "b0-r0");
  }
  SECTION("our own words") {
    PlannerWorld world(Preferring());
    JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
    CHECK(RackOf(world, job, PodsLiking(job, "r2")) == "b0-r0");
  }
  SECTION("our own words, placed by tas") {
    PlannerOptions options = Preferring();
    options.engine_for_all = Strategy::kTas;
    PlannerWorld world(options);
    JobSpec job{.size = 2, .gpus = 8, .place = "rack=pack!"};
    CHECK(RackOf(world, job, PodsLiking(job, "r2")) == "b0-r2");
  }
}

TEST_CASE("Preference: what is preferred and has no room is passed over") {
  PlannerWorld world(Preferring());
  world.AddNodes(MakeNodes(2, 3, 2));
  for (const char* node : {"b0-r2-n0", "b1-r2-n1"}) world.ShowBound(ForeignPod(node, 1), node);
  CHECK(RackOf(world, RackJob(), PodsLiking(RackJob(), "r2")) == "b0-r0");
}

TEST_CASE("Preference: weights are added up and the first member's count for all") {
  PlannerWorld world(Preferring());
  const JobSpec job = RackJob();
  PodFacts first = Liking(Liking(JobPod(job, 0), "r1", 30), "r2", 20);
  first = Liking(first, "r2", 20);
  CHECK(RackOf(world, job, {first, Liking(JobPod(job, 1), "r1", 100)}) == "b0-r2");
  CHECK(world.StateOf("team/train") == "Planned");
}

TEST_CASE("Preference: each pod set goes where its own pods would rather be") {
  PlannerWorld world(Preferring());
  world.AddNodes(MakeNodes(2, 3, 2));
  world.Sync();
  auto pod = [](const std::string& set, const std::string& rack) {
    PodFacts made = Liking(ForeignPod(set, 8), rack);
    SetWord(made.annotations, kGroupWord, "ring");
    SetWord(made.annotations, kPodSetsWord, "leader=1,workers=2");
    SetWord(made.annotations, kPodSetWord, set);
    SetWord(made.annotations, "kueue.x-k8s.io/podset-required-topology", "example.com/rack");
    return made;
  };
  world.Show(pod("leader", "r2"));
  world.Show(pod("workers", "r1"));
  const std::vector<std::string> nodes = world.Nodes("team/ring");
  REQUIRE(nodes.size() == 3);
  CHECK(DomainOf(nodes[0], 1) == "b0-r2");
  CHECK(DomainOf(nodes[1], 1) == "b0-r1");
  CHECK(DomainOf(nodes[2], 1) == "b0-r1");
}

}  // namespace gangplan::preference_test
