#include "extender/app/advisor.h"

#include <atomic>
#include <thread>
#include <vector>

#include "extender/app/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/check.h"

namespace gangplan::advisor_test {
namespace {

// One node, and gangs of two that wait for it with "waits-<i>".
struct World {
  explicit World(int gangs, absl::Duration patience = kAdvicePatience)
      : advisor(planner, SystemClock(), patience) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), MakeNode(0, 0, 0)).ok());
      inner.SetActive(absl::UnixEpoch(), true);
      inner.OnSynced(absl::UnixEpoch());
      inner.Tick(absl::UnixEpoch());
      for (int i = 0; i < gangs; ++i) Come(inner, fmt::format("waits-{}", i));
    });
  }
  static void Come(Planner& inner, const std::string& name) {
    for (int i = 0; i < 2; ++i) {
      PodFacts pod = ForeignPod(fmt::format("{}-{}", name, i), 8);
      SetWord(pod.annotations, "gangplan.io/group", name);
      SetWord(pod.annotations, "gangplan.io/size", "2");
      inner.OnPod(absl::UnixEpoch(), pod);
    }
  }
  // Until it is no other's turn.
  Advice Asked(const std::string& name) {
    for (;;) {
      std::optional<Advice> advice = advisor.Of(name);
      GANGPLAN_CHECK(advice.has_value());
      if (!advice->later) return *std::move(advice);
    }
  }
  Metrics metrics;
  LockedPlanner planner{PlannerWorld::Options(), metrics, [](Effects) {}, [] {}};
  Advisor advisor;
};

TEST_CASE("Advisor: the same question about the same state is not solved twice") {
  World world(2);
  const Advice first = world.Asked("team/waits-0");
  REQUIRE(first.nodes);
  CHECK(first.nodes->nodes == 1);
  REQUIRE(first.fewer);
  CHECK(first.fewer->members == 1);
  CHECK(world.advisor.solved() == 1);
  world.Asked("team/waits-0");
  CHECK(world.advisor.solved() == 1);
  world.Asked("team/waits-1");
  CHECK(world.advisor.solved() == 2);
  NodeFacts other = MakeNode(0, 0, 1, 4);
  world.planner.Take(TurnFor::kEvents, [&](Planner& inner) {
    GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), other).ok());
  });
  world.Asked("team/waits-0");
  CHECK(world.advisor.solved() == 3);
}

TEST_CASE("Advisor: who does not wait has no answer") {
  World world(1);
  for (;;) {
    const std::optional<Advice> advice = world.advisor.Of("team/nobody");
    if (!advice) break;
    CHECK(advice->later);
  }
  CHECK(world.advisor.solved() == 0);
}

TEST_CASE("Advisor: answers are kept for so many gangs and the oldest goes first") {
  const auto most = static_cast<int>(kMaxAdviceKept);
  World world(most + 1);
  for (int i = 0; i < most; ++i) world.Asked(fmt::format("team/waits-{}", i));
  CHECK(world.advisor.solved() == most);
  world.Asked("team/waits-0");
  CHECK(world.advisor.solved() == most);
  world.Asked(fmt::format("team/waits-{}", most));
  world.Asked(fmt::format("team/waits-{}", most));
  CHECK(world.advisor.solved() == most + 1);
  world.Asked("team/waits-0");
  CHECK(world.advisor.solved() == most + 2);
}

// While the planner is taken one has the turn, and four wait for it, however long.
TEST_CASE("Advisor: so many wait for their turn and one beyond is told to ask again at once") {
  World world(1, absl::Hours(1));
  std::atomic<int> later = 0;
  std::vector<std::thread> readers;
  const auto read = [&] {
    if (world.advisor.Of("team/waits-0")->later) ++later;
  };
  world.planner.Take(TurnFor::kEvents, [&](Planner&) {
    for (int32_t i = 0; i < kMaxAdviceWaiters + 2; ++i) readers.emplace_back(read);
    while (later == 0) std::this_thread::yield();
  });
  for (std::thread& reader : readers) reader.join();
  CHECK(later == 1);
  CHECK(world.advisor.solved() == 1);
}

TEST_CASE("Advisor: whose patience ends is told to ask again") {
  World world(1, absl::ZeroDuration());
  std::atomic<int> later = 0;
  std::vector<std::thread> readers;
  const auto read = [&] {
    if (world.advisor.Of("team/waits-0")->later) ++later;
  };
  world.planner.Take(TurnFor::kEvents, [&](Planner&) {
    for (int i = 0; i < 2; ++i) readers.emplace_back(read);
    while (later == 0) std::this_thread::yield();
  });
  for (std::thread& reader : readers) reader.join();
  CHECK(later == 1);
}

}  // namespace
}  // namespace gangplan::advisor_test
