#include "extender/app/provisioning_watch.h"

#include <algorithm>
#include <map>

#include "extender/cluster/provisioning_words.h"
#include "extender/protocol/kueue_words.h"
#include "fmt/format.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "told_cluster.h"
#include "topology/base/check.h"

namespace gangplan::provisioning_watch_test {
namespace {

// Keeps requests as an API server does.
class RequestCluster : public ToldCluster {
 public:
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
    if (!write_error.ok() && !lands) return done(write_error);
    ProvisioningFacts& one = there[write.name];
    if (one.uid.empty()) {
      one.ns = write.ns;
      one.name = write.name;
      one.uid = fmt::format("u-{}", ++uids);
      one.gang = write.gang;
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
  bool lands = false;  // what is answered by an error
  int lists = 0, uids = 0;
};

constexpr absl::Duration kAfter = absl::Minutes(1);
const ProvisioningSettings kSettings = [] {
  ProvisioningSettings settings;
  settings.class_name = "a.class";
  settings.after = kAfter;
  settings.retries = 1;
  return settings;
}();

// One node of eight devices, on which gangs of whole nodes wait.
struct World {
  World() {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(clock.Now(), MakeNode(0, 0, 0)).ok());
      inner.SetActive(clock.Now(), true);
      inner.OnSynced(clock.Now());
      inner.Tick(clock.Now());
    });
  }
  void Come(const JobSpec& job, const std::string& ns = "team") {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) {
        PodFacts pod = JobPod(job, i);
        pod.ns = ns;
        pod.created = absl::ToUnixSeconds(clock.Now());
        inner.OnPod(clock.Now(), pod);
      }
      OwnerFacts owner = JobOwner(job);
      owner.ns = ns;
      inner.OnOwner(clock.Now(), job.Uid(), owner);
      inner.Tick(clock.Now());
    });
  }
  void Go(const JobSpec& job) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < job.size; ++i) inner.OnPodDeleted(clock.Now(), JobPod(job, i).uid);
      inner.Tick(clock.Now());
    });
  }
  void Grow(int node) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(clock.Now(), MakeNode(0, 0, node)).ok());
      inner.Tick(clock.Now());
    });
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
  RequestCluster cluster;
  LockedPlanner planner{PlannerWorld::Options(), metrics, [](Effects) {}, [] {}};
  ProvisioningWatch watch{kSettings, {"gangplan", "second"}, planner, cluster, clock};
};

const JobSpec kThree{.name = "three", .size = 3, .gpus = 8, .place = "block=pack!"};

TEST_CASE("Provisioning watch: who lacks room for a while asks once for all its pods") {
  World world;
  world.Come(kThree);
  world.Look();
  world.Look(kAfter - absl::Seconds(1));
  CHECK(world.cluster.there.empty());
  world.Look(absl::Seconds(1));
  REQUIRE(world.cluster.written.size() == 1);
  const ProvisioningWrite& write = world.cluster.written[0];
  CHECK(write.gang == "team/three");
  CHECK(write.uid.empty());
  CHECK(write.owner->name == "three");
  REQUIRE(write.pod_sets.size() == 1);
  CHECK(write.pod_sets[0].count == 3);
  CHECK(AmountOf(write.pod_sets[0].requests, "example.com/gpu") == 8);
  for (int i = 0; i < 3; ++i) world.Look(kAfter);
  CHECK(world.cluster.written.size() == 1);
}

TEST_CASE("Provisioning watch: with room the request goes, and stays while it is booked") {
  World world;
  ProvisioningFacts& one = world.ComeAndAsk(kThree);
  SECTION("never provisioned") {
    world.Grow(1);
    world.Grow(2);
    world.Look();
    CHECK(world.cluster.there.empty());
  }
  SECTION("provisioned") {
    one.provisioned = {true, world.clock.Now(), ""};
    world.Look();
    CHECK(world.Told() == "GangNodesProvisioned three; ");
    world.Grow(1);
    world.Grow(2);
    world.Look();
    CHECK(world.cluster.there.size() == 1);
  }
  SECTION("the gang is gone") {
    world.Go(kThree);
    world.Look();
    CHECK(world.cluster.there.empty());
  }
  world.Go(kThree);
  world.Look();
  CHECK(world.cluster.there.empty());
  world.Look();
  const int lists = world.cluster.lists;
  world.Look();
  CHECK(world.cluster.lists == lists);  // nobody lacks room, and nothing is there
}

TEST_CASE("Provisioning watch: a failure is told and made anew, and given up in the end") {
  World world;
  ProvisioningFacts& first = world.ComeAndAsk(kThree);
  first.failed = {true, world.clock.Now(), "no GPUs"};
  world.Look();
  world.Look();
  CHECK(world.Told() == "GangNodesFailed three; ");
  CHECK(world.cluster.written.size() == 1);
  world.Look(absl::Minutes(1));
  CHECK(world.cluster.there.size() == 2);
  world.Look();
  ProvisioningFacts& second = world.Only();
  CHECK(second.name.ends_with("-2"));
  second.expired = {true, world.clock.Now(), ""};
  for (int i = 0; i < 3; ++i) world.Look(absl::Hours(1));
  CHECK(world.Told() == "GangNodesGivenUp three; ");
  CHECK(world.cluster.written.size() == 2);
  world.Go(kThree);
  world.Look();
  CHECK(world.cluster.there.empty());
}

TEST_CASE("Provisioning watch: nodes that are of no use are told after five minutes") {
  World world;
  ProvisioningFacts& one = world.ComeAndAsk(kThree);
  one.provisioned = {true, world.clock.Now(), ""};
  world.Look();
  CHECK(world.Told() == "GangNodesProvisioned three; ");
  world.Look(absl::Minutes(5) - absl::Seconds(1));
  CHECK(world.Told().empty());
  world.Look(absl::Seconds(1));
  world.Look();
  CHECK(world.Told() == "GangNodesUnfit three; ");
}

TEST_CASE("Provisioning watch: who asks for something else gets another request, after the first") {
  World world;
  const std::string first = world.ComeAndAsk(kThree).name;
  world.Go(kThree);
  JobSpec again = kThree;
  again.size = 2;
  again.uid = "again";
  world.Come(again);
  world.Look();
  CHECK(world.cluster.there.empty());
  world.Look(kAfter);
  CHECK(world.Only().name != first);
  CHECK(world.cluster.written.back().pod_sets[0].count == 2);
}

TEST_CASE("Provisioning watch: an answer that is lost makes nothing twice") {
  World world;
  world.cluster.write_error = absl::UnavailableError("lost");
  world.cluster.lands = true;
  world.ComeAndAsk(kThree);
  const std::string uid = world.Only().uid;
  world.cluster.write_error = absl::OkStatus();
  world.Look();  // it rests
  CHECK(world.cluster.written.size() == 1);
  world.Look(absl::Seconds(10));
  REQUIRE(world.cluster.written.size() == 2);
  CHECK(world.cluster.written[1].uid == uid);  // its templates
  world.Look();
  CHECK(world.cluster.written.size() == 2);
  CHECK(world.Only().uid == uid);
}

TEST_CASE(
    "Provisioning watch: one that starts anew takes over what it finds, and clears the rest") {
  World world;
  const std::string uid = world.ComeAndAsk(kThree).uid;
  ProvisioningFacts orphan = world.Only();
  orphan.name = "orphan";
  orphan.gang = "team/gone";
  world.cluster.there["orphan"] = orphan;
  world.cluster.makers["orphan"] = "second";
  ProvisioningWatch again(kSettings, {"gangplan", "second"}, world.planner, world.cluster,
                          world.clock);
  again.Look();
  CHECK(world.Only().uid == uid);
  REQUIRE(world.cluster.written.size() == 2);
  CHECK(world.cluster.written[1].uid == uid);
}

TEST_CASE("Provisioning watch: before the groups are known nothing is taken away") {
  World world;
  world.ComeAndAsk(kThree);
  LockedPlanner fresh(
      PlannerWorld::Options(), world.metrics, [](Effects) {}, [] {});
  ProvisioningWatch again(kSettings, {"gangplan"}, fresh, world.cluster, world.clock);
  again.Look();
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: requests of another Gangplan are left alone") {
  World world;
  ProvisioningFacts other;
  other.ns = "team";
  other.name = "other";
  other.uid = "u";
  other.gang = "team/gone";
  world.cluster.there["other"] = other;
  world.cluster.makers["other"] = "others";
  world.Look();
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: a request that speaks for a gang of another namespace is none") {
  World world;
  ProvisioningFacts& own = world.ComeAndAsk(kThree);
  ProvisioningFacts forged = own;
  forged.ns = "evil";
  forged.uid = "u-evil";
  forged.name += "9";
  forged.failed = {true, world.clock.Now(), ""};
  world.cluster.there[forged.name] = forged;
  world.cluster.makers[forged.name] = "gangplan";
  world.Look();
  CHECK(world.Only().uid == own.uid);
  CHECK(world.Told().empty());
}

TEST_CASE("Provisioning watch: who does not act writes nothing") {
  World world;
  world.cluster.acts = false;
  world.Come(kThree);
  world.Look();
  world.Look(kAfter);
  CHECK(world.cluster.lists == 0);
  CHECK(world.cluster.written.empty());
}

TEST_CASE("Provisioning watch: where the kind is missing that is told once, and it is looked for") {
  World world;
  world.cluster.list_error = absl::NotFoundError("404");
  world.Come(kThree);
  world.Look();
  world.Look(kAfter - absl::Seconds(1));
  CHECK(world.cluster.lists == 1);
  world.Look(absl::Seconds(1));
  CHECK(world.cluster.lists == 2);
  REQUIRE(world.cluster.told.size() == 1);
  CHECK(world.cluster.told[0].reason == "ProvisioningUnavailable");
  CHECK(world.cluster.told[0].regarding.name.empty());
  world.cluster.list_error = absl::OkStatus();
  world.Look(kAfter);
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: a right that is lacking is told, and tried again after a pause") {
  World world;
  world.cluster.write_error = absl::PermissionDeniedError("may not create");
  world.Come(kThree);
  world.Look();
  for (int i = 0; i < 3; ++i) world.Look(kAfter);
  CHECK(world.cluster.written.size() == 3);
  CHECK(world.Told() == "ProvisioningUnavailable ; ");
}

TEST_CASE("Provisioning watch: nobody asks twice for nodes that others ask for") {
  World world;
  JobSpec job = kThree;
  SECTION("by a request that the pods name") { SetWord(job.words, kConsumeAnnotation, "theirs"); }
  SECTION("in its older form") { SetWord(job.words, kOldConsumeAnnotation, "theirs"); }
  SECTION("by Kueue") { SetWord(job.labels, kKueueQueueLabel, "queue"); }
  SECTION("by Kueue, which has started it") { SetWord(job.labels, kKueuePodSetLabel, "main"); }
  SECTION("it is held") { SetWord(job.words, "gangplan.io/hold", "budget"); }
  world.Come(job);
  world.Look();
  world.Look(kAfter);
  CHECK(world.cluster.written.empty());
}

TEST_CASE("Provisioning watch: of a thousand gangs so many have a request, the greatest first") {
  World world;
  for (int ns = 0; ns < 20; ++ns) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = fmt::format("j{}-{}", ns, i);
      world.Come({.name = name, .size = 2, .gpus = 8, .place = "block=pack!", .priority = i},
                 fmt::format("team-{}", ns));
    }
  }
  world.Look();
  for (int i = 0; i < 3; ++i) world.Look(kAfter);
  std::map<std::string, size_t> of;
  for (const auto& [name, one] : world.cluster.there) ++of[one.ns];
  CHECK(world.cluster.there.size() == ProvisioningWatch::kMostOpen);
  for (const auto& [ns, count] : of) CHECK(count <= ProvisioningWatch::kMostOpenInNamespace);
  CHECK(world.cluster.written.front().gang.ends_with("-49"));

  // One of them has nothing of what another one claims.
  World alone;
  for (int i = 0; i < 100; ++i)
    alone.Come({.name = fmt::format("a{}", i), .size = 2, .gpus = 8, .place = "block=pack!"}, "a");
  alone.Come(kThree, "b");
  alone.Look();
  alone.Look(kAfter);
  CHECK(alone.cluster.there.size() == ProvisioningWatch::kMostOpenInNamespace + 1);
}

}  // namespace
}  // namespace gangplan::provisioning_watch_test
