// The probes of a service whose planner is stuck, or whose watches are.
#include <atomic>
#include <thread>
#include <vector>

#include "extender/app/gangplan.h"
#include "extender/app/limits.h"
#include "extender/app/solver.h"
#include "extender/app/ticker.h"
#include "extender/app/views.h"
#include "extender/server/http_server.h"
#include "extender/server/routes.h"
#include "metric_value.h"
#include "stub_cluster.h"
#include "tests/extender/app/waiting_question.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/extender/server/gate.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::probes_test {
namespace {

class WatchedCluster : public StubCluster {
 public:
  WatchSign OldestWatch(Watched which) const override {
    if (which == Watched::kAll) return {"priority classes", absl::Hours(1)};
    return {"pods", age};
  }
  std::atomic<absl::Duration> age = absl::ZeroDuration();
};

struct World {
  World() {
    planner.Take(TurnFor::kEvents, [this](Planner& inner) { inner.OnSynced(clock.Now()); });
    ticker.Start();
    AwaitStatus("/readyz", 200);
  }
  ClientReply Ask(const char* path) { return LoopbackClient(server->port()).Call(GetText(path)); }
  void AwaitStatus(const char* path, int status) {
    while (Ask(path).status != status) {
    }
  }

  FakeClock clock;
  Metrics metrics;
  WatchedCluster cluster;
  std::atomic<bool> draining = false;
  LockedPlanner planner{PlannerWorld::Options(), metrics, [](Effects) {}, [] {}};
  Ticker ticker{planner, [] {}, [] { return Ticker::Signs{true}; }, clock};
  Views views{planner, ticker, cluster, metrics, clock, draining};
  std::unique_ptr<HttpServer> server = *HttpServer::Start(
      ProbeServerOptions(ServerSettings{.probe_port = 0, .tls = {}}), ProbeRoutes(views), &metrics);
};

// Nobody has the planner but this.
class Stuck {
 public:
  explicit Stuck(LockedPlanner& planner)
      : thread_([this, &planner] {
          planner.Take(TurnFor::kReport, [this](Planner&) { gate_.Pass(); });
        }) {
    gate_.AwaitArrivals(1);
  }
  ~Stuck() {
    gate_.Open();
    thread_.join();
  }

 private:
  Gate gate_;
  std::thread thread_;
};

TEST_CASE(
    "Probes: a planner that is stuck is told after half a minute, by nobody who waits for it") {
  World world;
  {
    const Stuck stuck(world.planner);
    CHECK(world.Ask("/readyz").status == 200);
    CHECK(world.Ask("/livez").status == 200);
    world.clock.Advance(kStuck);
    const ClientReply dead = world.Ask("/livez");
    CHECK(dead.status == 503);
    CHECK(dead.body == "stuck: the planner has done nothing for 30s\n");
    CHECK(world.Ask("/healthz").status == 503);
  }
  world.AwaitStatus("/livez", 200);
}

TEST_CASE("Probes: a ticker that is stuck is told, too") {
  World world;
  Gate gate;
  std::atomic<bool> stick = false;
  Ticker ticker(
      world.planner,
      [&] {
        if (stick) gate.Pass();
      },
      [] { return Ticker::Signs{true}; }, world.clock);
  Views views(world.planner, ticker, world.cluster, world.metrics, world.clock, world.draining);
  ticker.Start();
  stick = true;
  world.clock.Advance(absl::Seconds(1));
  gate.AwaitArrivals(1);
  CHECK(views.WhyNotAlive().empty());
  world.clock.Advance(kStuck);
  CHECK_FALSE(views.WhyNotAlive().empty());
  gate.Open();
  while (!views.WhyNotAlive().empty()) {
  }
}

TEST_CASE("Probes: a question on a copy that nobody answers is told, too") {
  World world;
  Gate gate;
  Solver solver([](const SolveTask&) {}, [&](const EventNote&) { gate.Pass(); }, world.clock);
  Views views(world.planner, world.ticker, world.cluster, world.metrics, world.clock,
              world.draining, [&] { return solver.Running(); });
  CHECK(views.WhyNotAlive().empty());
  world.clock.Advance(kQuestionStuck);
  world.AwaitStatus("/livez", 200);  // a tick
  CHECK(views.WhyNotAlive().empty());
  ExplainGroup explain;
  explain.question = WaitingQuestion();
  solver.Add(std::move(explain));
  gate.AwaitArrivals(1);
  world.clock.Advance(kQuestionStuck - absl::Seconds(1));
  world.AwaitStatus("/livez", 200);
  CHECK(views.WhyNotAlive().empty());
  world.clock.Advance(absl::Seconds(1));
  CHECK(views.WhyNotAlive() == "one question has been worked on for 10m");
  gate.Open();
  while (!views.WhyNotAlive().empty()) {
  }
}

TEST_CASE("Probes: calls that wait for the planner leave the probes their connections") {
  World world;
  std::vector<LoopbackClient> waiting;
  const Stuck stuck(world.planner);
  for (int i = 0; i < 100; ++i) {
    waiting.emplace_back(world.server->port());
    REQUIRE(waiting.back().Send(GetText(i % 2 == 0 ? "/metrics" : "/v1/groups")));
  }
  for (int i = 0; i < 10; ++i) CHECK(world.Ask("/livez").status == 200);
  for (int i = 0; i < 10; ++i) CHECK(world.Ask("/readyz").status == 200);
}

TEST_CASE("Probes: however many ask for the metrics, the planner is asked once a second") {
  World world;
  const auto turns = [&] {
    return MetricValue(world.metrics, "gangplan_lock_seconds_count{call=\"report\"}");
  };
  const std::string first = world.Ask("/metrics").body;
  const int before = turns();
  LoopbackClient often(world.server->port());
  for (int i = 0; i < 1'000; ++i) {
    const ClientReply reply = often.Call(GetText("/metrics"));
    REQUIRE(reply.status == 200);
    REQUIRE(reply.body == first);
  }
  CHECK(turns() == before);
  world.clock.Advance(absl::Seconds(1));
  CHECK(often.Call(GetText("/metrics")).body != first);
  CHECK(turns() > before);
}

TEST_CASE("Probes: silence of nodes or pods is not ready, and named, of others a figure") {
  World world;
  world.cluster.age = kStaleWatch;
  CHECK(world.Ask("/readyz").status == 200);
  world.cluster.age = kStaleWatch + absl::Seconds(1);
  const ClientReply reply = world.Ask("/readyz");
  CHECK(reply.status == 503);
  CHECK(reply.body == "not ready: nothing was heard of pods for 3m1s\n");
  CHECK(world.Ask("/livez").status == 200);
  CHECK(world.Ask("/metrics").body.find("gangplan_watch_age_seconds 3600\n") != std::string::npos);
  world.cluster.age = absl::ZeroDuration();
  CHECK(world.Ask("/readyz").status == 200);
}

TEST_CASE("Probes: who ends is not ready, and alive") {
  World world;
  world.draining = true;
  CHECK(world.Ask("/readyz").body == "not ready: gangplan is stopping\n");
  CHECK(world.Ask("/livez").status == 200);
}

}  // namespace
}  // namespace gangplan::probes_test
