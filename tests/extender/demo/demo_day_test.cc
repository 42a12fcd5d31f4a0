// A day's gangs on the demo's cluster, with the time of the test.
#include "extender/demo/demo_day.h"

#include <vector>

#include "extender/demo/demo.h"
#include "extender/observe/log.h"
#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::demo_day_test {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60);

TEST_CASE("A day's gangs come in turn, run, end, and are the same for a seed") {
  ProcessLogger().set_level(LogLevel::kError);
  DemoWorld world(DemoPlan());
  REQUIRE(world.Start().ok());
  DemoDay day(world, 1);
  absl::Time now = absl::FromUnixSeconds(1'000);
  std::vector<std::string> came;
  for (int i = 0; i < 3; ++i) {
    day.Step(now);
    const DemoGang gang = day.last();
    came.push_back(fmt::format("{}/{} {}x{}", gang.ns, gang.job, gang.size, gang.gpus));
    const auto runs = [&](const JobAccount& account) { return account.bound == gang.size; };
    REQUIRE(world.scheduler().Await(gang.job, runs, kPatience));
    CHECK(world.CallsAtFirstBinding(gang) == gang.size);
    day.Step(now);  // sees that it runs; the next one is not due
    CHECK(day.came() == i + 1);
    now += absl::Milliseconds(100);
  }
  CHECK(came == std::vector<std::string>{"vision/finetune-1 8x1", "ml/pretrain-2 27x8",
                                         "vision/finetune-3 14x1"});
  CHECK(day.ended() == 0);
  day.Step(now + absl::Minutes(2));
  CHECK(day.ended() == 3);
}

TEST_CASE("A day lasts as long as its caller waits") {
  ProcessLogger().set_level(LogLevel::kError);
  ClusterPlan plan;
  DemoWorld world(plan);
  REQUIRE(world.Start().ok());
  int waits = 0;
  LiveDay(world, 2, [&](absl::Duration time) {
    CHECK(time > absl::ZeroDuration());
    return ++waits < 3;
  });
  CHECK(waits == 3);
}

}  // namespace
}  // namespace gangplan::demo_day_test
