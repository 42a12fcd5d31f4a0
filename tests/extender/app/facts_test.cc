#include "extender/app/facts.h"

#include <algorithm>

#include "extender/app/planner_options.h"
#include "extender/planner/owner_key.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/rank_list_words.h"
#include "extender/protocol/reservation_words.h"
#include "extender/protocol/sakkara_words.h"
#include "fmt/format.h"
#include "metric_value.h"
#include "standard_error.h"
#include "stub_cluster.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text_map.h"

namespace gangplan::facts_test {
namespace {

constexpr std::string_view kTurns = "gangplan_lock_seconds_count{call=\"events\"}";

Settings SettingsWith(TopologySource source) {
  Settings settings;
  settings.topologies[0].source = source;
  return settings;
}

struct World {
  explicit World(TopologySource source) : World(SettingsWith(source)) {}
  explicit World(Settings given) : settings(std::move(given)) {}

  const Settings settings;
  Metrics metrics;
  StubCluster cluster;
  LockedPlanner planner{PlannerOptionsFrom(settings, metrics, SystemClock()), metrics,
                        [](Effects) {}, [] {}};
  Facts facts{settings, cluster, planner, SystemClock()};

  int Value(std::string_view name) { return MetricValue(metrics, name); }
};

TEST_CASE("Facts: a log that nobody reads keeps no watch") {
  World world(TopologySource::kConfig);
  StandardError log;
  log.Fill();
  world.facts.OnEvents({Topology{"without levels", {}}});
  CHECK(world.Value(kTurns) == 1);
  CHECK(CountIn(log.Take(), "topology not taken") == 1);
}

TEST_CASE("Facts: a large tree is read outside of the planner's turns") {
  World world(TopologySource::kSakkara);
  ConfigMapFacts object;
  object.ns = world.settings.topologies[0].ns;
  object.name = "tree";
  object.labels = {{std::string(kSakkaraTopologyLabel), ""}};
  std::string tree = "{";
  while (tree.size() < kMaxConfigMapBytes - 100)
    tree += fmt::format(R"("r{0}":{{"n{0}":{{}},"m{0}":{{}}}},)", tree.size());
  object.data = {{"tree", tree + "7"}};
  StandardError log;
  world.facts.OnSynced();
  for (int i = 0; i < 3; ++i)
    world.facts.OnEvents({ConfigMapSeen{ConfigMapUse::kSakkaraTopology, object}});
  CHECK(CountIn(log.Take(), "a topology ConfigMap is not as its author may think") == 1);
  CHECK(world.Value(kTurns) >= 4);
  CHECK(world.Value("gangplan_lock_seconds_bucket{call=\"events\",le=\"0.001\"}") ==
        world.Value(kTurns));
}

TEST_CASE("Facts: a Job that waits comes to the planner, and so does that it waits no more") {
  World world(TopologySource::kConfig);
  std::vector<ClusterEvent> nodes;
  for (NodeFacts& node : MakeNodes(1, 1, 2)) nodes.emplace_back(std::move(node));
  world.facts.OnEvents(std::move(nodes));
  world.facts.OnSynced();
  world.planner.Take(TurnFor::kTick,
                     [](Planner& planner) { planner.SetActive(SystemClock().Now(), true); });
  const JobSpec spec{.name = "train", .size = 2, .place = "node=pack"};
  JobFacts job;
  job.owner = JobOwner(spec);
  job.resource_version = "1";
  job.suspended = true;
  job.ready = false;  // its room is held, and it is not started yet
  job.pods = {JobPod(spec, 0)};
  job.needs.resize(1);
  const auto held = [&] {
    return world.planner.Take(TurnFor::kTick, [&](Planner& planner) {
      planner.Tick(SystemClock().Now());
      return planner.Stats().held_slots;
    });
  };
  world.facts.OnEvents({job});
  CHECK(held() == 2);
  AdmissionRule rule{AdmissionRule::Kind::kPriorityClass, "", "all", {}, {}, {}, 7, true};
  const auto priority = [&] {
    return world.planner.Take(TurnFor::kReport,
                              [](Planner& planner) { return planner.List(0, 1).at(0).priority; });
  };
  world.facts.OnEvents({rule});
  held();
  CHECK(priority() == 7);
  world.facts.OnEvents({AdmissionRuleGone{rule.kind, rule.ns, rule.name}});
  held();
  CHECK(priority() == 0);
  world.facts.OnEvents({JobLeft{job.owner.ref.uid}});
  CHECK(held() == 0);
}

TEST_CASE("Facts: ConfigMaps reserve room in the namespace that is configured, and nowhere else") {
  Settings settings = SettingsWith(TopologySource::kConfig);
  settings.topologies[0].levels = ThreeLevels().levels;
  settings.reservations = "rooms";
  World world(settings);
  world.facts.OnSynced();
  ConfigMapFacts object;
  object.ns = "rooms";
  object.name = "evening";
  object.uid = "uid";
  object.labels = {{std::string(kReservationWord), ""}};
  object.data = {{"count", "2"},
                 {"from", "2100-12-01T18:00Z"},
                 {"namespaces", "ml"},
                 {"requests", "example.com/gpu=8"},
                 {"until", "2100-12-01T19:00Z"}};
  ConfigMapFacts elsewhere = object;
  elsewhere.ns = "ml";
  elsewhere.name = "mine";
  const auto names = [&] {
    return world.planner.Take(TurnFor::kReport, [](Planner& planner) {
      std::string list;
      for (const ReservationReport& report : planner.ListReservations())
        list += fmt::format("{} {};", report.name, Name(report.state));
      return list;
    });
  };
  world.facts.OnEvents({ConfigMapSeen{ConfigMapUse::kReservation, object},
                        ConfigMapSeen{ConfigMapUse::kReservation, elsewhere},
                        ConfigMapSeen{ConfigMapUse::kSakkaraGroup, elsewhere}});
  CHECK(names() == "evening ahead;");
  world.facts.OnEvents({ConfigMapDeleted{ConfigMapUse::kReservation, "ml", "evening"}});
  CHECK(names() == "evening ahead;");
  world.facts.OnEvents({ConfigMapDeleted{ConfigMapUse::kReservation, "rooms", "evening"}});
  CHECK(names().empty());
}

TEST_CASE("Facts: ConfigMaps of rank lists reach the planner, and leave it") {
  Settings settings = SettingsWith(TopologySource::kConfig);
  settings.topologies[0].levels = ThreeLevels().levels;
  World world(settings);
  world.facts.OnSynced();
  ConfigMapFacts object;
  object.ns = "ml";
  object.name = "hosts";
  object.uid = "uid";
  object.labels = {{std::string(kRankListLabel), "nobody"}};
  object.data = {{"hostfile", "of an older gang"}};
  const auto written = [&] {
    return world.planner.Take(TurnFor::kReport, [&](Planner& planner) {
      planner.SetActive(absl::FromUnixSeconds(0), true);
      planner.TakeEffects();
      planner.Tick(absl::FromUnixSeconds(4'000'000'000));
      const Effects effects = planner.TakeEffects();
      return std::count_if(effects.begin(), effects.end(), [](const Effect& effect) {
        return std::holds_alternative<WriteRankList>(effect);
      });
    });
  };
  world.facts.OnEvents({ConfigMapSeen{ConfigMapUse::kRankList, object}});
  CHECK(written() == 1);
  object.uid = "again";
  world.facts.OnEvents({ConfigMapSeen{ConfigMapUse::kRankList, object},
                        ConfigMapDeleted{ConfigMapUse::kRankList, "ml", "hosts"}});
  CHECK(written() == 0);
}

TEST_CASE("Facts: a topology whose labels are on no node is told at the start, once") {
  Settings settings = SettingsWith(TopologySource::kConfig);
  settings.topologies = {{ThreeLevels()}};
  World world(settings);
  StandardError log;
  NodeFacts bare = MakeNode(0, 0, 0);
  bare.labels = {};
  world.facts.OnEvents({bare});
  world.facts.OnSynced();
  const std::string said = log.Take();
  CHECK(CountIn(said, "found at the start") == 1);
  CHECK(CountIn(said, "1 of 1 nodes lack the label example.com/block (level block)") == 1);
  world.facts.OnEvents({MakeNode(0, 0, 1)});
  world.facts.OnSynced();
  CHECK(CountIn(log.Take(), "found at the start") == 0);
}

// Racks by labels, and rings that a file names, of which n1 may be in either.
Settings RacksAndRings() {
  Settings settings;
  TopologySettings racks;
  racks.name = "racks";
  racks.levels = ThreeLevels().levels;
  TopologySettings rings;
  rings.name = "rings";
  rings.source = TopologySource::kTree;
  rings.nodes = ScopeOfNamed("rings");
  settings.topologies = {racks, rings};
  return settings;
}

void SetFile(Settings& settings, TextMap<std::vector<std::string>> nodes,
             std::vector<std::string> levels = {"ring"}) {
  TopologySettings& rings = settings.topologies[1];
  rings.paths = std::make_shared<const NodePaths>(NodePaths{std::move(levels), std::move(nodes)});
  rings.levels = TopologyOf(*rings.paths, "rings")->levels;
}

TEST_CASE("Facts: many nodes that a file places elsewhere come in many turns") {
  constexpr int kNodes = 4'000;
  Settings settings = RacksAndRings();
  TextMap<std::vector<std::string>> first, second;
  std::vector<ClusterEvent> nodes;
  for (int i = 0; i < kNodes; ++i) {
    NodeFacts node = MakeNode(0, i / 16, i % 16);
    first[node.name] = {"x"};
    second[node.name] = {fmt::format("y{}", i % 100)};
    nodes.emplace_back(std::move(node));
  }
  SetFile(settings, std::move(first));
  World world(settings);
  world.facts.OnEvents(std::move(nodes));
  world.facts.OnSynced();
  const auto before = world.Value(kTurns);
  SetFile(settings, std::move(second));
  world.facts.TakeFiles(settings);
  CHECK(world.Value(kTurns) > before + 2);  // a turn takes a millisecond's worth of them
  const auto rings = world.planner.Take(
      TurnFor::kReport, [](Planner& planner) { return planner.model().tree(1).size(0); });
  CHECK(rings == 100);
}

TEST_CASE("Facts: nodes that a file names are in its topology, as it says by now") {
  Settings settings = RacksAndRings();
  const std::string first = NodeNameAt(0, 0, 0), second = NodeNameAt(0, 0, 1);
  SetFile(settings, {{first, {"x"}}});
  World world(settings);
  std::vector<ClusterEvent> nodes;
  for (NodeFacts& node : MakeNodes(1, 1, 2)) nodes.emplace_back(std::move(node));
  world.facts.OnEvents(std::move(nodes));
  world.facts.OnSynced();
  const auto home = [&](const std::string& name) {
    return world.planner.Take(TurnFor::kReport, [&](Planner& planner) {
      const Model& model = planner.model();
      const NodeIndex node = model.FindNode(name);
      const TopologyIndex topology = model.HomeOf(node).topology;
      const Tree& tree = model.tree(topology);
      return tree.topology().name + ":" +
             tree.Path(tree.leaf_level(), model.LeafOfNode(topology, node));
    });
  };
  CHECK(home(first) == "rings:x/" + first);
  CHECK(home(second) == "racks:b0/r0/" + second);
  SetFile(settings, {{second, {"y"}}});
  world.facts.TakeFiles(settings);
  CHECK(home(first) == "racks:b0/r0/" + first);
  CHECK(home(second) == "rings:y/" + second);
  // A node that comes later has its place, too, and nobody else's labels count.
  NodeFacts third = MakeNode(0, 0, 2);
  SetLabel(third.labels, "unit.gangplan/rings", "");
  world.facts.OnEvents({third});
  CHECK(home(third.name) == "racks:b0/r0/" + third.name);
}

TEST_CASE(
    "Facts: other levels of a file: who has room there keeps it while the nodes come to them") {
  const bool more = GENERATE(true, false);
  Settings one = RacksAndRings(), two = RacksAndRings();
  TextMap<std::vector<std::string>> ring, spine;
  std::vector<ClusterEvent> nodes;
  for (NodeFacts& node : MakeNodes(1, 2, 2)) {
    ring[node.name] = {DomainOf(node.name, 1)};
    spine[node.name] = {"s", DomainOf(node.name, 1)};
    nodes.emplace_back(std::move(node));
  }
  SetFile(one, std::move(ring));
  SetFile(two, std::move(spine), {"spine", "ring"});
  World world(more ? one : two);
  world.facts.OnEvents(std::move(nodes));
  world.facts.OnSynced();
  const JobSpec job{.name = "held",
                    .size = 2,
                    .gpus = 8,
                    .place = "ring=pack!",
                    .words = {{"gangplan.io/topology", "rings"}}};
  const absl::Time now = absl::UnixEpoch();
  const auto take = [&](auto what) { return world.planner.Take(TurnFor::kEvents, what); };
  take([&](Planner& planner) {
    planner.SetActive(now, true);
    for (int i : {0, 1}) planner.OnPod(now, JobPod(job, i));
    planner.OnOwner(now, OwnerKey("team", job.Uid()), JobOwner(job));
    planner.Tick(now);
  });
  const auto state = [&] {
    return take([&](Planner& planner) { return planner.Report("team/held")->state; });
  };
  REQUIRE(state() == GroupState::kPlanned);
  world.facts.TakeFiles(more ? two : one);
  take([&](Planner& planner) { planner.Tick(now); });
  CHECK(state() == GroupState::kPlanned);
  const GroupHistory history =
      take([](Planner& planner) { return planner.HistoryOf("team/held"); });
  for (const HistoryLine& line : history.lines) CHECK(line.state != GroupState::kBlocked);
  const auto labels = take([&](Planner& planner) {
    return planner.model().Facts(planner.model().FindNode(NodeNameAt(0, 0, 0)))->labels;
  });
  CHECK((FindLabel(labels, "unit.gangplan/rings/spine") != nullptr) == more);
}

}  // namespace
}  // namespace gangplan::facts_test
