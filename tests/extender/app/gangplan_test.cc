#include "extender/app/gangplan.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "extender/demo/extender_client.h"
#include "stub_cluster.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::gangplan_test {
namespace {

// A scheduler's call comes when the cluster has just stopped; what it asks for is answered when the
// cluster is stopped again.
class LateCluster : public StubCluster {
 public:
  absl::Status Start(ClusterSink* sink) override {
    sink->OnEvents({MakeNode(0, 0, 0)});
    sink->OnSynced();
    return absl::OkStatus();
  }
  void Stop() override {
    AnswerAll();
    if (late_call) std::exchange(late_call, nullptr)();
  }
  void ReadOwner(OwnerRead, std::function<void(absl::StatusOr<OwnerFacts>)> done) override {
    MutexLock lock(mutex_);
    ++reads_;
    open_.push_back(std::move(done));
  }
  size_t open() {
    MutexLock lock(mutex_);
    return open_.size();
  }
  int reads() {
    MutexLock lock(mutex_);
    return reads_;
  }
  std::function<void()> late_call;

 private:
  using Done = std::function<void(absl::StatusOr<OwnerFacts>)>;

  void AnswerAll() {
    std::vector<Done> open;
    {
      MutexLock lock(mutex_);
      open.swap(open_);
    }
    for (const Done& done : open) done(absl::CancelledError("stopping"));
  }

  Mutex mutex_;
  std::vector<Done> open_ ABSL_GUARDED_BY(mutex_);
  int reads_ ABSL_GUARDED_BY(mutex_) = 0;
};

TEST_CASE("Gangplan: what a verb asks of a cluster that has stopped is answered before the end") {
  Settings settings;
  settings.server.port = 0;
  settings.server.probe_port = 0;
  LateCluster cluster;
  auto started = Gangplan::Start(settings, cluster);
  REQUIRE(started.ok());
  const int port = (*started)->verbs_port();
  cluster.late_call = [port] {
    const PodFacts pod = JobPod({.name = "late"}, 0);
    CHECK(ExtenderClient(port).Filter(pod, {NodeNameAt(0, 0, 0)}).ok());
  };
  started->reset();
  CHECK(cluster.reads() == 1);
  CHECK(cluster.open() == 0);
}

TEST_CASE("Gangplan: the scheduler's calls are served beyond the loopback under TLS alone") {
  Settings settings;
  settings.server.address = "0.0.0.0";
  settings.server.port = 0;
  settings.server.probe_port = 0;
  LateCluster cluster;
  const auto why = [&] { return Message(Gangplan::Start(settings, cluster).status()); };
  CHECK(why().find("served on loopback only") != std::string::npos);
  settings.server.tls = {"/no/such", "/no/such", "/no/such", {"scheduler"}};
  CHECK(why() == "/no/such: No such file or directory");
}

// The median of 101 first requests, each on a connection of its own; nothing: one was not answered.
std::optional<absl::Duration> TimeToAlive(int port) {
  std::vector<absl::Duration> times;
  for (int i = 0; i < 101; ++i) {
    const absl::Time start = SystemClock().Now();
    if (LoopbackClient(port).Call(GetText("/livez")).status != 200) return std::nullopt;
    times.push_back(SystemClock().Now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

TEST_CASE("Gangplan: connections that nobody uses do not delay the probes") {
  Settings settings;
  settings.server.port = 0;
  settings.server.probe_port = 0;
  LateCluster cluster;
  auto started = Gangplan::Start(settings, cluster);
  REQUIRE(started.ok());
  const int port = (*started)->probe_port();
  bool quick = false;
  for (int attempt = 0; attempt < 5 && !quick; ++attempt) {  // others use the machine too
    const std::optional<absl::Duration> alone = TimeToAlive(port);
    std::vector<LoopbackClient> idle;
    for (int i = 0; i < 200; ++i) {
      idle.emplace_back(port);
      REQUIRE(idle.back().Send("GET /livez HTTP/1.1\r\n"));
    }
    const std::optional<absl::Duration> beside = TimeToAlive(port);
    REQUIRE(alone);
    REQUIRE(beside);
    INFO("alone " << absl::ToInt64Microseconds(*alone) << " us, beside idle connections "
                  << absl::ToInt64Microseconds(*beside) << " us");
    quick = *beside < 2 * *alone;
    if (quick) SUCCEED();
  }
  CHECK(quick);
}

}  // namespace
}  // namespace gangplan::gangplan_test
