// Gangs of kube-scheduler's own (spec.schedulingGroup), with its gates on: one of them that is
// rejected is tried again at once, so whoever waits is answered by an error.
#include "fmt/format.h"
#include "tests/extender/planner/several_world.h"

namespace gangplan::native_test {
namespace {

OwnerFacts Policy(std::optional<int64_t> least) {
  OwnerFacts owner;
  owner.ref = {"scheduling.k8s.io/v1alpha2", "PodGroup", "ring", "Kubernetes PodGroup team/ring"};
  owner.ns = "team";
  owner.annotations = kInOneRack;
  owner.size = least;
  owner.at_least = least.has_value();
  return owner;
}

std::vector<PodFacts> Native(int first, int last) {
  std::vector<PodFacts> pods;
  for (int i = first; i < last; ++i) {
    PodFacts pod = ForeignPod(fmt::format("ring-{}", i), 8);
    pod.scheduling_group = "ring";
    pods.push_back(std::move(pod));
  }
  return pods;
}

}  // namespace

TEST_CASE("Native: so many start together in one rack, and the rest joins them") {
  RacksWorld world(4);
  world.Register(Policy(2));
  world.Run(Native(0, 2));
  world.Run(Native(2, 4));
  CHECK(world.Report("team/ring").bound == 4);
  for (const std::string& node : world.Nodes("team/ring"))
    CHECK(RackOf(node) == RackOf(world.Nodes("team/ring")[0]));
}

TEST_CASE("Native: whoever waits is answered by an error") {
  RacksWorld world(1);
  world.Register(Policy(2));
  for (const PodFacts& pod : Native(0, 2)) world.Show(pod);
  for (const PodFacts& pod : Native(0, 2)) {
    const FilterDecision decision = world.Filter(pod);
    CHECK(decision.rejected.empty());
    CHECK(decision.error.find("2 members must share one rack") != std::string::npos);
  }
  // And a pod that is none of it, though it says that it is.
  PodFacts other = Native(2, 3)[0];
  SetWord(other.annotations, "gangplan.io/place", "row=pack!");
  world.Show(other);
  CHECK(world.Filter(other).error.find("invalid") != std::string::npos);
}

TEST_CASE("Native: without a gang's policy its pods go alone") {
  RacksWorld world(4);
  OwnerFacts basic = Policy(std::nullopt);
  basic.annotations.clear();
  world.Register(basic);
  const PodFacts pod = Native(0, 1)[0];
  world.Show(pod);
  CHECK(world.Filter(pod).error == "");
  CHECK_FALSE(world.planner().Report("team/ring"));
}

}  // namespace gangplan::native_test
