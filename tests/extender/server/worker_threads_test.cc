#include "extender/server/worker_threads.h"

#include <atomic>
#include <thread>

#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"

namespace gangplan::worker_threads_test {
namespace {

TEST_CASE("tasks run side by side up to the limit, the next one is refused") {
  Gate gate;
  WorkerThreads workers(3, 1);
  for (int i = 0; i < 3; ++i) REQUIRE(workers.Run([&gate] { gate.Pass(); }));
  gate.AwaitArrivals(3);
  CHECK(workers.running() == 3);
  CHECK(workers.threads() == 3);
  std::atomic<bool> ran = false;
  CHECK_FALSE(workers.Run([&ran] { ran = true; }));
  gate.Open();
  workers.Join();
  CHECK_FALSE(ran);
}

TEST_CASE("a place is free again when a task has ended") {
  WorkerThreads workers(1, 1);
  Gate first;
  first.Open();
  REQUIRE(workers.Run([&first] { first.Pass(); }));
  while (workers.running() != 0) std::this_thread::yield();
  Gate second;
  second.Open();
  CHECK(workers.Run([&second] { second.Pass(); }));
  second.AwaitArrivals(1);
}

TEST_CASE("only the spare threads stay when tasks end") {
  WorkerThreads workers(64, 4);
  Gate gate;
  for (int i = 0; i < 64; ++i) REQUIRE(workers.Run([&gate] { gate.Pass(); }));
  gate.AwaitArrivals(64);
  CHECK(workers.threads() == 64);
  gate.Open();
  while (workers.threads() != 4) std::this_thread::yield();
  CHECK(workers.running() == 0);
  // The spare ones serve again.
  Gate again;
  for (int i = 0; i < 4; ++i) REQUIRE(workers.Run([&again] { again.Pass(); }));
  again.AwaitArrivals(4);
  CHECK(workers.threads() == 4);
  again.Open();
}

TEST_CASE("no spare thread is kept when none is wanted") {
  WorkerThreads workers(2, 0);
  Gate gate;
  gate.Open();
  REQUIRE(workers.Run([&gate] { gate.Pass(); }));
  while (workers.threads() != 0) std::this_thread::yield();
  REQUIRE(workers.Run([&gate] { gate.Pass(); }));
  gate.AwaitArrivals(2);
}

TEST_CASE("join waits for every task, also those without a thread yet") {
  std::atomic<int> done = 0;
  WorkerThreads workers(100, 8);
  for (int i = 0; i < 100; ++i) REQUIRE(workers.Run([&done] { ++done; }));
  workers.Join();
  CHECK(done == 100);
  CHECK(workers.threads() == 0);
}

TEST_CASE("at the limit a task waits for one that ends") {
  WorkerThreads workers(1, 1);
  Gate gate;
  REQUIRE(workers.Run([&gate] { gate.Pass(); }));
  gate.AwaitArrivals(1);
  std::thread opener([&gate] { gate.Open(); });
  std::atomic<bool> ran = false;
  CHECK(workers.Run([&ran] { ran = true; }, absl::Minutes(1)));
  opener.join();
  workers.Join();
  CHECK(ran);
}

}  // namespace
}  // namespace gangplan::worker_threads_test
