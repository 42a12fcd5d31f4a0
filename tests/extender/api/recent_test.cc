#include "extender/api/recent.h"

#include <atomic>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"

namespace gangplan::recent_test {
namespace {

using Answer = Recent<int>::Answer;

struct World {
  int Get(const std::string& question) {
    return *recent.Get(question, [this]() -> Answer { return ++asked; });
  }
  FakeClock clock;
  Recent<int> recent{absl::Seconds(10), 3, clock};
  int asked = 0;
};

TEST_CASE("Recent: an answer holds for its time, and not a moment longer") {
  World world;
  CHECK(world.Get("a") == 1);
  CHECK(world.Get("b") == 2);
  world.clock.Advance(absl::Seconds(10) - absl::Nanoseconds(1));
  CHECK(world.Get("a") == 1);
  world.clock.Advance(absl::Nanoseconds(1));
  CHECK(world.Get("a") == 3);
  CHECK(world.Get("a") == 3);
}

TEST_CASE("Recent: as many as may be are kept, and of one more the oldest goes") {
  World world;
  for (const char* question : {"a", "b", "c"}) world.Get(question);
  CHECK(world.recent.size() == 3);
  CHECK(world.Get("a") == 1);
  CHECK(world.Get("d") == 4);
  CHECK(world.recent.size() == 3);
  CHECK(world.Get("b") == 2);
  CHECK(world.Get("a") == 5);
}

TEST_CASE("Recent: what is too old is not kept") {
  World world;
  world.Get("a");
  world.Get("b");
  world.clock.Advance(absl::Seconds(10));
  world.Get("c");
  CHECK(world.recent.size() == 1);
}

TEST_CASE("Recent: what fails is not kept") {
  World world;
  const auto fail = [&]() -> Answer {
    ++world.asked;
    return absl::UnavailableError("no");
  };
  CHECK_FALSE(world.recent.Get("a", fail).ok());
  CHECK_FALSE(world.recent.Get("a", fail).ok());
  CHECK(world.asked == 2);
  CHECK(world.recent.size() == 0);
  CHECK(world.Get("a") == 3);
}

TEST_CASE("Recent: who asks the same at the same time waits for one answer, others do not") {
  World world;
  Gate gate;
  std::atomic<int> asked = 0;
  std::vector<int> answers(8);
  std::vector<std::thread> threads;
  const auto ask = [&](size_t i) {
    answers[i] = *world.recent.Get("a", [&]() -> Answer {
      gate.Pass();
      return ++asked;
    });
  };
  threads.emplace_back(ask, 0);
  gate.AwaitArrivals(1);
  for (size_t i = 1; i < answers.size(); ++i) threads.emplace_back(ask, i);
  CHECK(world.Get("b") == 1);
  gate.Open();
  for (std::thread& thread : threads) thread.join();
  CHECK(answers == std::vector<int>(8, 1));
  CHECK(asked == 1);
}

}  // namespace
}  // namespace gangplan::recent_test
