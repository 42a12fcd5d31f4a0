// How long the process ends at most, whatever is stuck in it.
#include "extender/app/end_watch.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "extender/app/gangplan.h"
#include "stub_cluster.h"
#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::end_watch_test {
namespace {

// A signal that does nothing where nobody waits for it, blocked for as long as the object lives.
class BlockedSignal {
 public:
  BlockedSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedSignal() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t& set() const { return set_; }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

thread_local bool t_sticks = false;

// Whose thread sticks stays in it until the gate opens.
class StickyClock : public Clock {
 public:
  absl::Time Now() const override {
    if (t_sticks) gate.Pass();
    return SystemClock().Now();
  }
  mutable Gate gate;
};

class SinkCluster : public StubCluster {
 public:
  absl::Status Start(ClusterSink* started) override {
    sink = started;
    return absl::OkStatus();
  }
  ClusterSink* sink = nullptr;
};

TEST_CASE("End: a planner that is stuck keeps the end for its time and no longer") {
  Settings settings;
  settings.server.port = 0;
  settings.server.probe_port = 0;
  SinkCluster cluster;
  StickyClock clock;
  auto started = Gangplan::Start(settings, cluster, clock);
  REQUIRE(started.ok());
  std::thread stuck([&] {
    t_sticks = true;
    cluster.sink->OnEvents({MakeNode(0, 0, 0)});
  });
  clock.gate.AwaitArrivals(1);  // it has the planner's lock
  const BlockedSignal blocked;
  std::atomic<int> ends = 0;
  std::string told;
  {
    EndWatch watch(blocked.set(), absl::Milliseconds(100), [&](std::string_view why) {
      ++ends;
      told = why;
      clock.gate.Open();  // here the process would be gone
    });
    watch.Begin();
    (*started)->Stop(absl::ZeroDuration());
  }
  stuck.join();
  CHECK(ends == 1);
  CHECK(told == "something in it does not end");
}

TEST_CASE("End: another signal ends it at once, and who ends in time is left alone") {
  const BlockedSignal blocked;
  std::promise<std::string> told;
  {
    EndWatch watch(blocked.set(), absl::Hours(1),
                   [&](std::string_view why) { told.set_value(std::string(why)); });
    watch.Begin();
    kill(getpid(), SIGWINCH);
    CHECK(told.get_future().get() == "it was told to end once more");
  }
  std::atomic<int> ends = 0;
  {
    EndWatch watch(blocked.set(), absl::Hours(1), [&](std::string_view) { ++ends; });
    watch.Begin();
  }
  {
    const EndWatch never_begun(blocked.set(), absl::ZeroDuration(),
                               [&](std::string_view) { ++ends; });
    const absl::Time later = SystemClock().Now() + absl::Milliseconds(60);
    while (SystemClock().Now() < later) std::this_thread::yield();
  }
  CHECK(ends == 0);
}

}  // namespace
}  // namespace gangplan::end_watch_test
