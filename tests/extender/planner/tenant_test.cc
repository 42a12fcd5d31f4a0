// What one namespace among others can cost them, in turns and in work, where `gangplan_bench
// tenant` tells the time. Work is counted in leaves of the model that are looked at.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::tenant_test {
namespace {

constexpr int kLeaves = 200;
constexpr int kSets = 8;

// A planner of 200 nodes whose turns are over after a little work, and what its longest turn was.
class Turns {
 public:
  Turns() : planner_(Options()) {
    for (const NodeFacts& node : MakeNodes(2, 5, kLeaves / 10))
      REQUIRE(planner_.OnNode(now_, node).ok());
    planner_.SetActive(now_, true);
    planner_.OnSynced(now_);
    Run();
    planner_.model().tree(0);  // is made by whoever asks first
    longest_ = 0;
  }

  void Show(const PodFacts& pod) {
    Turn([&] { planner_.OnPod(now_, pod); });
  }
  // Ticks and copies until there is nothing left to do; how many turns that took.
  int Run() {
    int turns = 0;
    do {
      now_ += absl::Milliseconds(1);
      Turn([&] { planner_.Tick(now_); });
      ++turns;
    } while (planner_.busy() && turns < 1'000);
    CHECK(planner_.BrokenInvariant() == "");
    return turns;
  }
  Planner& planner() { return planner_; }
  int64_t longest() const { return longest_; }

 private:
  static PlannerOptions Options() {
    PlannerOptions options = PlannerWorld::Options();
    options.round_work = 1;
    options.leaves_of_several = 0;  // mixed groups are asked on a copy
    return options;
  }

  void Turn(const std::function<void()>& input) {
    const int64_t before = planner_.model().work();
    input();
    longest_ = std::max(longest_, planner_.model().work() - before);
    for (Effect& effect : planner_.TakeEffects()) {
      auto* solve = std::get_if<SolveOnCopy>(&effect);
      if (solve == nullptr) continue;
      solve->task->Run();
      Turn([&, task = solve->task] { planner_.OnSolved(now_, *task); });
    }
  }

  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  Planner planner_;
  int64_t longest_ = 0;
};

// A member of a gang of eight pod sets that ask for different amounts.
PodFacts MixedPod(int gang, int set) {
  PodFacts pod = ForeignPod(fmt::format("mixed-{}-{}", gang, set), 1 + set % 4);
  pod.requests.front().amount += 100 * gang + set;
  std::string sets;
  for (int i = 0; i < kSets; ++i) sets += fmt::format("{}s{}=1", i == 0 ? "" : ",", i);
  SetWord(pod.annotations, "gangplan.io/group", fmt::format("mixed-{}", gang));
  SetWord(pod.annotations, "gangplan.io/pod-sets", sets);
  SetWord(pod.annotations, "gangplan.io/pod-set", fmt::format("s{}", set));
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
  return pod;
}

}  // namespace

TEST_CASE("Tenant: a gang of many shapes is counted shape by shape before a copy is made for it") {
  Turns turns;
  for (int gang = 0; gang < 3; ++gang) {
    for (int set = 0; set < kSets; ++set) turns.Show(MixedPod(gang, set));
  }
  turns.Run();
  for (int gang = 0; gang < 3; ++gang)
    CHECK(turns.planner().Report(fmt::format("team/mixed-{}", gang))->state ==
          GroupState::kPlanned);
  // A copy takes what was counted of each shape; of those that are new it counts two at the most.
  CHECK(turns.longest() >= kSets * kLeaves);
  CHECK(turns.longest() <= (kSets + 2) * kLeaves);
}

TEST_CASE("Tenant: pods that claim gangs of 50,000 cost what they are, and claim what one may") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  for (int i = 0; i < 500; ++i) {
    PodFacts pod = ForeignPod(fmt::format("p{}", i), 0);
    SetWord(pod.annotations, "gangplan.io/group", fmt::format("g{}", i));
    SetWord(pod.annotations, "gangplan.io/size", "50000");
    SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
    world.planner().OnPod(world.now(), pod);
  }
  size_t slots = 0;
  for (const GroupReport& report : world.planner().List(0, 1'000)) slots += report.slots.size();
  CHECK(world.planner().List(0, 1'000).size() == 4);
  CHECK(slots <= 4);
  CHECK(world.planner().Stats().refused_claims == 496);
  CHECK(world.planner().BrokenInvariant() == "");
}

}  // namespace gangplan::tenant_test
