// An ApiCluster on the fake API server, and what its sink heard. Waits are for what has been said,
// never for time.
#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "event_text.h"
#include "extender/kube/api_cluster.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "tests/support/fake_kube_api.h"

namespace gangplan {

// Forwards to the fake, which outlives the cluster.
class FakeKubeFactory : public TransportFactory {
 public:
  explicit FakeKubeFactory(FakeKubeApi* api) : api_(api) {}
  std::unique_ptr<Transport> Make() override { return api_->Make(); }

 private:
  FakeKubeApi* const api_;
};

inline auto Begins(std::string beginning) {
  return [beginning = std::move(beginning)](std::string_view text) {
    return text.starts_with(beginning);
  };
}

struct ApiBench : ClusterSink {
  FakeKubeApi api;
  FakeClock clock;
  Mutex mutex;
  std::condition_variable_any changed;
  std::vector<std::string> heard ABSL_GUARDED_BY(mutex);
  std::vector<std::string> warnings ABSL_GUARDED_BY(mutex);
  std::unique_ptr<ApiCluster> cluster;

  ApiClusterOptions options;

  void Start(int callers = 4) {
    options.callers = callers;
    options.clock = &clock;
    options.host_clock = &clock;
    options.instance = "host-1";
    options.lost = [this](std::string_view why) {
      MutexLock lock(mutex);
      heard.push_back("lost: " + std::string(why));
      changed.notify_all();
    };
    options.stop_grace = absl::ZeroDuration();
    options.warn = [this](std::string_view text) {
      MutexLock lock(mutex);
      warnings.emplace_back(text);
      changed.notify_all();
    };
    cluster = std::make_unique<ApiCluster>(std::make_unique<FakeKubeFactory>(&api), options);
    CHECK(cluster->Start(this).ok());
  }
  void OnEvents(std::vector<ClusterEvent> events) override {
    MutexLock lock(mutex);
    for (std::string& text : TextOf(events)) heard.push_back(std::move(text));
    changed.notify_all();
  }
  void OnSynced() override {
    MutexLock lock(mutex);
    heard.push_back("synced");
    changed.notify_all();
  }
  void WaitFor(const std::string& text, long times = 1) {
    MutexLock lock(mutex);
    while (std::count(heard.begin(), heard.end(), text) < times) changed.wait(mutex);
  }
  void WaitForWarning(const std::string& text) {
    MutexLock lock(mutex);
    while (std::count(warnings.begin(), warnings.end(), text) == 0) changed.wait(mutex);
  }
  std::vector<std::string> Warnings() {
    MutexLock lock(mutex);
    return warnings;
  }
  std::vector<std::string> Heard() {
    MutexLock lock(mutex);
    return heard;
  }
  BindResult Bind(const PodRef& pod, const std::string& node) {
    std::promise<BindResult> done;
    cluster->Bind({pod, node, {{"gangplan.io/plan", "p7"}}, clock.Now() + absl::Minutes(1)},
                  [&](BindResult result) { done.set_value(std::move(result)); });
    return done.get_future().get();
  }
  BindOutcome Prove(const PodRef& pod, const std::string& node) {
    std::promise<BindOutcome> done;
    cluster->Prove({pod, node}, [&](const BindResult& result) { done.set_value(result.outcome); });
    return done.get_future().get();
  }
};

inline const PodRef kPod{"ns", "p", "u1"};

}  // namespace gangplan
