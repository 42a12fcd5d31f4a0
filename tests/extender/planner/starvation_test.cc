// Many wait, rooms come free, and somebody who fits is reached all the same: whatever others do.
#include <numeric>
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "extender/planner/neighbours.h"
#include "fmt/format.h"
#include "tests/extender/planner/gates_world.h"

namespace gangplan::starvation_test {
namespace {

// Full nodes of eight GPUs, each in a block of its own, and gangs that wait. Not checked after each
// input: there are too many.
struct Crowd {
  explicit Crowd(int nodes, PlannerOptions options = PlannerWorld::Options())
      : planner(WithShortTurns(std::move(options))) {
    for (const NodeFacts& node : MakeNodes(nodes, 1, 1)) REQUIRE(planner.OnNode(now, node).ok());
    planner.OnSynced(now);
    planner.SetActive(now, true);
    for (int i = 0; i < nodes; ++i) {
      PodFacts pod = Standing(i);
      pod.node_name = NodeNameAt(i, 0, 0);
      planner.OnPod(now, pod);
    }
  }
  static PlannerOptions WithShortTurns(PlannerOptions options) {
    options.round_work = 2'000;
    return options;
  }
  static PodFacts Standing(int node) { return ForeignPod(fmt::format("f{}", node), 8); }

  struct Gang {
    std::string ns = "team";
    std::string name;
    int size = 1;
    int64_t gpus = 8;
    int32_t priority = 0;
    std::string place = {};
    int64_t created = 1'000;
  };
  static PodFacts MemberOf(const Gang& gang, int index = 0, int life = 0) {
    PodFacts pod =
        ForeignPod(fmt::format("{}-{}-{}", gang.name, index, life), gang.gpus, gang.priority);
    pod.ns = gang.ns;
    pod.uid = fmt::format("{}/{}", pod.ns, pod.name);
    pod.created = gang.created;
    SetWord(pod.annotations, "gangplan.io/group", gang.name);
    SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", gang.size));
    if (!gang.place.empty()) SetWord(pod.annotations, "gangplan.io/place", gang.place);
    return pod;
  }
  void Show(const PodFacts& pod) {
    planner.OnPod(now, pod);
    planner.TakeEffects();
  }
  void Delete(const PodFacts& pod) {
    planner.OnPodDeleted(now, pod.uid);
    planner.TakeEffects();
  }
  void Tick() {
    now += absl::Milliseconds(1);
    planner.Tick(now);
    planner.TakeEffects();
  }
  void Rest() {
    for (int i = 0; i == 0 || (planner.busy() && i < 10'000); ++i) Tick();
    REQUIRE_FALSE(planner.busy());
  }
  bool Placed(std::string_view name) const {
    const auto report = planner.Report(name);
    return report && report->state == GroupState::kPlanned;
  }
  // Ticks until it is placed, so many at most.
  template <typename Each>
  int TicksTo(std::string_view name, int most, Each each) {
    int ticks = 0;
    for (; ticks < most && !Placed(name); ++ticks) {
      each(ticks);
      Tick();
    }
    CHECK(planner.BrokenInvariant() == "");
    return ticks;
  }
  int64_t Solves() const {
    const PlannerStats stats = planner.Stats();
    return std::accumulate(std::begin(stats.solves), std::end(stats.solves), int64_t{0});
  }

  absl::Time now = absl::FromUnixSeconds(1'000'000);
  Planner planner;
};

constexpr int kMost = 2'000;

}  // namespace

TEST_CASE("Starvation: a look at gangs without a rule costs little on however many domains") {
  Crowd crowd(500);
  for (int i = 0; i < 40; ++i)
    crowd.Show(Crowd::MemberOf({.name = fmt::format("w{}", i), .size = 400}));
  crowd.Rest();
  crowd.Delete(Crowd::Standing(0));
  crowd.Show(Crowd::MemberOf({.name = "new", .gpus = 0, .priority = 100}));
  CHECK(crowd.TicksTo("team/new", kMost, [](int) {}) <= 3);
}

TEST_CASE("Starvation: an old gang that comes and goes does not keep others of its rank waiting") {
  Crowd crowd(10);
  crowd.Delete(Crowd::Standing(0));
  for (int i = 0; i < 60; ++i) {  // each pod set fits, and both together do not
    for (int k = 0; k < 2; ++k) {
      PodFacts pod = Crowd::MemberOf({.ns = "x",
                                      .name = fmt::format("a{}", i),
                                      .size = 2,
                                      .gpus = 8 - k,
                                      .place = "rack=pack!",
                                      .created = 2'000},
                                     k);
      SetWord(pod.annotations, "gangplan.io/pod-sets", "leader=1,workers=1");
      SetWord(pod.annotations, "gangplan.io/pod-set", k == 0 ? "leader" : "workers");
      crowd.Show(pod);
    }
  }
  crowd.Rest();
  int life = 0;
  const auto old = [&] {
    return Crowd::MemberOf({.ns = "x", .name = "old", .gpus = 0, .created = 1'000}, 0, life);
  };
  const auto again = [&] {
    crowd.Delete(old());
    ++life;
    crowd.Show(old());
  };
  again();
  crowd.Tick();
  crowd.Show(Crowd::MemberOf({.ns = "y", .name = "young", .gpus = 0, .created = 3'000}));
  const int ticks = crowd.TicksTo("y/young", kMost, [&](int tick) {
    if (tick % 10 == 0) again();
  });
  CHECK(ticks < kMost);
}

TEST_CASE("Starvation: room of a lesser gang is no reason to ask who gains too little by it") {
  Crowd crowd(40);
  crowd.Show(Crowd::MemberOf({.name = "lesser", .size = 2, .gpus = 0}));
  const bool never = GENERATE(false, true);
  for (int i = 0; i < 20; ++i) {
    crowd.Show(Crowd::MemberOf(
        {.name = fmt::format("high{}", i), .size = 30, .gpus = never ? 9 : 8, .priority = 10}));
  }
  crowd.Rest();
  REQUIRE(crowd.planner.Report("team/lesser")->state == GroupState::kGathering);
  const int64_t before = crowd.Solves();
  for (int i = 0; i < 5; ++i) {
    crowd.Delete(Crowd::Standing(i));
    crowd.Rest();
  }
  CHECK(crowd.Solves() == before);
}

TEST_CASE("Starvation: members of one namespace are no news to what another one may claim") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 25;
  Crowd crowd(40, std::move(options));
  for (int i = 0; i < 40; ++i) crowd.Delete(Crowd::Standing(i));
  crowd.Show(Crowd::MemberOf({.ns = "x", .name = "big", .size = 10}));
  for (int i = 0; i < 20; ++i)
    crowd.Show(Crowd::MemberOf({.ns = "x", .name = fmt::format("early{}", i), .size = 4}));
  const Crowd::Gang slow{.ns = "y", .name = "slow", .size = 10, .gpus = 1};
  crowd.Show(Crowd::MemberOf(slow));
  crowd.Rest();
  REQUIRE_FALSE(crowd.Placed("x/early0"));
  const int64_t before = crowd.Solves();
  for (int i = 1; i < 5; ++i) {
    crowd.Show(Crowd::MemberOf(slow, i));
    crowd.Rest();
  }
  CHECK(crowd.Solves() == before);
  // Its own namespace holds less: the first of them may claim by now.
  crowd.Delete(Crowd::MemberOf({.ns = "x", .name = "big", .size = 10}));
  crowd.Rest();
  CHECK(crowd.planner.Report("x/early0")->state == GroupState::kGathering);
}

TEST_CASE("Starvation: gangs whose released pods have lost a node do not wake each other") {
  GatesWorld world(GatesWorld::Unasked());
  const std::vector<JobSpec> jobs = {
      {.name = "a", .size = 2, .gpus = 8, .place = "block=pack", .leader_gpus = 7},
      {.name = "b", .size = 2, .gpus = 8, .place = "block=pack", .leader_gpus = 7}};
  std::vector<std::string> lost;
  for (const JobSpec& job : jobs) {
    world.ShowGated(job);
    world.ReleaseAll(job);
    lost.push_back(world.Nodes("team/" + job.name).back());
  }
  for (const std::string& node : lost) world.DeleteNode(node);
  for (int i = 0; i < 20; ++i) world.planner().Tick(world.now());
  CHECK_FALSE(world.planner().busy());
  const PlannerStats before = world.planner().Stats();
  for (int i = 0; i < 20; ++i) world.planner().Tick(world.now());
  const PlannerStats after = world.planner().Stats();
  CHECK(std::equal(std::begin(before.solves), std::end(before.solves), std::begin(after.solves)));
}

TEST_CASE("Starvation: nor where their pods must stand beside each other") {
  GatesWorld world(GatesWorld::Unasked());
  const auto near = [](PodFacts pod) {
    PodSelector pods;
    pods.namespaces = {"team"};
    pods.labels = {{"app", SelectorOperator::kIn, {"x"}}};
    pod.affinity.near = {{ThreeLevels().levels[0].label, pods}};
    return pod;
  };
  std::vector<std::string> lost;
  for (const char* name : {"a", "b"}) {
    const JobSpec job{.name = name,
                      .size = 2,
                      .gpus = 8,
                      .place = "block=pack",
                      .leader_gpus = 7,
                      .labels = {{"app", "x"}}};
    world.Register(job);
    for (int i = 0; i < 2; ++i) world.Show(GatesWorld::Behind(near(JobPod(job, i))));
    const auto releases = world.Take<PodRelease>();
    REQUIRE(releases.size() == 2);
    for (const PodRelease& release : releases) world.Tell(release);
    for (size_t i = 0; i < 2; ++i)
      world.Show(GatesWorld::After(near(JobPod(job, static_cast<int>(i))), releases[i]));
    lost.push_back(world.Nodes("team/" + job.name).back());
  }
  for (const std::string& node : lost) world.DeleteNode(node);
  for (int i = 0; i < 20; ++i) world.planner().Tick(world.now());
  CHECK_FALSE(world.planner().busy());
}

TEST_CASE("Starvation: terms of one namespace that go by the thousand are told to it alone") {
  constexpr int kGroups = 300;
  Neighbours neighbours;
  const auto profile = [](std::string ns, int term) {
    PodProfile who;
    who.ns = ns;
    who.labels = PackedLabels(LabelSet{{"app", "x"}});
    if (term < 0) return std::make_shared<const PodProfile>(std::move(who));
    PodAffinityTerm apart;
    apart.topology_key = "kubernetes.io/hostname";
    apart.pods.namespaces = {std::move(ns)};
    apart.pods.labels = {{"app", SelectorOperator::kIn, {fmt::format("a{}", term)}}};
    who.affinity.apart = {std::move(apart)};
    return std::make_shared<const PodProfile>(std::move(who));
  };
  for (int i = 0; i < kGroups; ++i) {
    neighbours.Seek(i, 0, profile("team", -1));
    neighbours.Seek(kGroups + i, 0, profile("other", -1));
  }
  const uint64_t team = neighbours.Gain(0);
  const uint64_t other = neighbours.Gain(kGroups);
  std::vector<Neighbours::StandId> stands;
  for (int i = 0; i <= static_cast<int>(kMaxGoneLooks) / kGroups; ++i)
    stands.push_back(neighbours.Put(0, profile("other", i), false));
  for (Neighbours::StandId stand : stands) neighbours.Erase(stand);
  CHECK(neighbours.Gain(0) == team);
  CHECK(neighbours.Gain(kGroups) > other);
}

}  // namespace gangplan::starvation_test
