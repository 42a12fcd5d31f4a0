// What the tests of requests for nodes have in common: a cluster that keeps them as an API server
// does, and a planner with one node before it. Single-threaded.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "extender/app/provisioning_watch.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "told_cluster.h"
#include "topology/base/check.h"

namespace gangplan {

// Keeps requests as an API server does.
class RequestCluster : public ToldCluster {
 public:
  explicit RequestCluster(const Clock& clock) : clock_(clock) {}

  void ListProvisioning(
      std::vector<std::string> by,
      std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) override {
    ++lists;
    if (!list_error.ok()) return done(list_error);
    std::vector<ProvisioningFacts> listed;
    for (const auto& [name, one] : there) {
      if (std::find(by.begin(), by.end(), makers[name]) != by.end()) listed.push_back(one);
    }
    done(std::move(listed));
  }
  void WriteProvisioning(ProvisioningWrite write, std::function<void(absl::Status)> done) override {
    written.push_back(write);
    if (refuse) write_error = refuse(write);
    if (!write_error.ok() && !lands) return done(write_error);
    ProvisioningFacts& one = there[write.name];
    if (one.uid.empty()) {
      one.ns = write.ns;
      one.name = write.name;
      one.uid = fmt::format("u-{}", ++uids);
      one.gang = write.gang;
      one.made = clock_.Now();
      makers[write.name] = write.by;
    }
    done(write_error);
  }
  void DeleteProvisioning(ProvisioningDelete request,
                          std::function<void(absl::Status)> done) override {
    const auto found = there.find(request.name);
    if (found != there.end() && found->second.uid == request.uid) there.erase(found);
    done(absl::OkStatus());
  }

  std::map<std::string, ProvisioningFacts> there;
  std::map<std::string, std::string> makers;
  std::vector<ProvisioningWrite> written;
  absl::Status list_error, write_error;
  std::function<absl::Status(const ProvisioningWrite&)> refuse;  // if any, it tells write_error
  bool lands = false;                                            // what is answered by an error
  int lists = 0, uids = 0;

 private:
  const Clock& clock_;
};

inline constexpr absl::Duration kAfter = absl::Minutes(1);
inline const ProvisioningSettings kProvisioningSettings = [] {
  ProvisioningSettings settings;
  settings.class_name = "a.class";
  settings.after = kAfter;
  settings.retries = 1;
  return settings;
}();

// One node of eight devices, on which gangs of whole nodes wait.
struct ProvisioningWorld {
  ProvisioningWorld() {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(clock.Now(), MakeNode(0, 0, 0)).ok());
      inner.SetActive(clock.Now(), true);
      inner.OnSynced(clock.Now());
      inner.Tick(clock.Now());
    });
  }
  // `life`: of its pods, as JobPod has it. One that has gone does not come back.
  void Come(const JobSpec& job, const std::string& ns = "team", int life = 0) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) {
        PodFacts pod = JobPod(job, i, life);
        pod.ns = ns;
        pod.created = absl::ToUnixSeconds(clock.Now());
        inner.OnPod(clock.Now(), pod);
      }
      OwnerFacts owner = JobOwner(job);
      owner.ns = ns;
      inner.OnOwner(clock.Now(), OwnerKey(ns, job.Uid()), owner);
      inner.Tick(clock.Now());
    });
  }
  void Go(const JobSpec& job, int life = 0) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) inner.OnPodDeleted(clock.Now(), JobPod(job, i, life).uid);
      inner.Tick(clock.Now());
    });
  }
  void Grow(int node) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(clock.Now(), MakeNode(0, 0, node)).ok());
      inner.Tick(clock.Now());
    });
  }
  // The scheduler asks for all of its pods; what is to be written then. REQUIRES: it has a plan on
  // these nodes.
  std::vector<BindingWrite> BindAll(const JobSpec& job, int life,
                                    const std::vector<std::string>& nodes) {
    std::vector<BindingWrite> writes;
    planner.Take(TurnFor::kBind, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) {
        const PodFacts pod = JobPod(job, i, life);
        const FilterDecision decision =
            inner.Filter(clock.Now(), pod, Offer(nodes.begin(), nodes.end()));
        REQUIRE(decision.passed.size() == 1);
        const std::string& node = nodes[decision.passed.front()];
        inner.Bind(clock.Now(), CallId{i + 1}, {pod.ns, pod.name, pod.uid}, node, clock.Now());
      }
      for (Effects some = inner.TakeEffects(); !some.empty(); some = inner.TakeEffects()) {
        for (Effect& effect : some) {
          if (const auto* commit = std::get_if<CommitReady>(&effect))
            inner.Commit(clock.Now(), commit->group, {});
          if (auto* all = std::get_if<WriteBindings>(&effect)) {
            for (auto& write : all->writes) writes.push_back(*write);
          }
        }
      }
    });
    return writes;
  }
  void Look(absl::Duration after = absl::ZeroDuration()) {
    clock.Advance(after);
    watch.Look();
  }
  // Comes, and asks for nodes.
  ProvisioningFacts& ComeAndAsk(const JobSpec& job) {
    Come(job);
    Look();
    Look(kAfter);
    REQUIRE(cluster.there.size() == 1);
    return cluster.there.begin()->second;
  }
  std::string Told() {
    std::string text;
    for (const EventNote& note : std::exchange(cluster.told, {}))
      text += fmt::format("{} {}; ", note.reason, note.regarding.name);
    return text;
  }
  ProvisioningFacts& Only() {
    REQUIRE(cluster.there.size() == 1);
    return cluster.there.begin()->second;
  }

  Metrics metrics;
  FakeClock clock;
  RequestCluster cluster{clock};
  LockedPlanner planner{PlannerWorld::Options(), metrics, [](Effects) {}, [] {}};
  ProvisioningWatch watch{kProvisioningSettings, {"gangplan", "second"}, planner, cluster, clock};
};

inline const JobSpec kThree{.name = "three", .size = 3, .gpus = 8, .place = "block=pack!"};

}  // namespace gangplan
