// One solve of the `exact` engine with warm counts, by rules, members and how full the cluster is;
// of one shape, and of workers with one or two leaders of another shape.
#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/leaf_room.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/level_rule.h"
#include "tests/support/roll_up.h"
#include "topology/base/clock.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

using Kind = LevelRule::Kind;
using Rules = std::vector<std::optional<LevelRule>>;

struct Size {
  int32_t blocks;
  int32_t racks;  // in a block
  int32_t nodes;  // in a rack
};
constexpr Size kSizes[] = {{8, 20, 32}, {16, 50, 64}};
constexpr int32_t kMembers[] = {64, 256, 1024};

struct Named {
  std::string_view name;
  Rules rules;
};

std::vector<Named> AllRules() {
  const LevelRule pack = Rule(Kind::kPack), spread = Rule(Kind::kSpread);
  const LevelRule one = Rule(Kind::kPack, true);
  return {
      {"no rule", {std::nullopt, std::nullopt, std::nullopt}},
      {"block=pack!", {one, std::nullopt, std::nullopt}},
      {"rack=spread", {pack, spread, pack}},
      {"node=spread", {pack, pack, spread}},
      {"spread everywhere", {spread, spread, spread}},
      {"block=spread rack=pack", {spread, pack, pack}},
      {"rack=pack partitions=4", {pack, Rule(Kind::kPack, false, 4), pack}},
      {"rack=spread partitions=8 node=pack", {one, Rule(Kind::kSpread, false, 8), pack}},
      {"block=pack partitions=2 rack=spread", {Rule(Kind::kPack, false, 2), spread, pack}},
      {"node max=2", {pack, pack, Rule(Kind::kPack, false, 0, 0, 2)}},
      {"node min=3", {pack, pack, Rule(Kind::kPack, false, 0, 3)}},
      {"node min=3 max=4", {pack, pack, Rule(Kind::kSpread, false, 0, 3, 4)}},
      {"node factor=4", {pack, pack, Rule(Kind::kPack, false, 0, 0, 0, 4)}},
      {"rack factor=8 node factor=2",
       {pack, Rule(Kind::kPack, false, 0, 0, 0, 8), Rule(Kind::kPack, false, 0, 0, 0, 2)}},
      {"rack=spread min=8 max=32", {pack, Rule(Kind::kSpread, false, 0, 8, 32), pack}},
      {"rack=pack min=30 max=32 node=spread", {pack, Rule(Kind::kPack, false, 0, 30, 32), spread}},
      {"rack=spread min=16 factor=4 node=pack partitions=8",
       {pack, Rule(Kind::kSpread, false, 0, 16, 0, 4), Rule(Kind::kPack, false, 8)}},
      {"node=spread!", {pack, pack, Rule(Kind::kSpread, true)}},
  };
}

Tree Cluster(const Size& size) {
  std::vector<NodeFacts> nodes;
  for (int32_t block = 0; block < size.blocks; ++block) {
    for (int32_t rack = 0; rack < size.racks; ++rack) {
      for (int32_t node = 0; node < size.nodes; ++node)
        nodes.push_back(MakeNode(fmt::format("b{:02}-r{:02}-n{:02}", block, rack, node),
                                 {{"b", fmt::format("b{:02}", block)},
                                  {"r", fmt::format("b{:02}-r{:02}", block, rack)}}));
    }
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  return Tree(BlockRackNode(), pointers);
}

// Nodes of 8 devices and 96 cores; of a half used cluster each has 0 to 8 devices and a part of its
// cores left. A worker takes a device and 8 cores.
class Room : public LeafRoom {
 public:
  struct Demand {
    int32_t devices = 0;
    int32_t cores = 0;
    friend bool operator==(const Demand&, const Demand&) = default;
  };

  Room(const Tree& tree, bool half_used, std::vector<Demand> demands)
      : demands_(std::move(demands)), free_(tree.leaf_count(), {8, 96}) {
    std::mt19937 random(7);
    for (Demand& free : free_) {
      if (!half_used) continue;
      free.devices = static_cast<int32_t>(random() % 9);
      free.cores = 8 * free.devices + static_cast<int32_t>(random() % 33);
    }
    const std::vector<int32_t> none(demands_.size(), 0);
    for (size_t set = 0; set < demands_.size(); ++set) {
      PerLeaf rooms;
      for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
        rooms.push_back(Fit(leaf, static_cast<int32_t>(set), none));
      counts_.push_back(RollUpCounts(tree, rooms));
    }
  }

  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    Demand left = free_[leaf];
    for (size_t set = 0; set < taken.size(); ++set) {
      left.devices -= taken[set] * demands_[set].devices;
      left.cores -= taken[set] * demands_[set].cores;
    }
    const Demand& one = demands_[pod_set];
    const int32_t by_cores = left.cores / one.cores;
    return std::max(0,
                    one.devices == 0 ? by_cores : std::min(by_cores, left.devices / one.devices));
  }

  void Limit(int32_t pod_set, std::span<const int32_t> taken,
             std::span<int32_t> counts) const override {
    for (size_t leaf = 0; leaf < counts.size(); ++leaf)
      counts[leaf] = std::min(counts[leaf], Fit(static_cast<int32_t>(leaf), pod_set, taken));
  }

  PlacementView View(const Tree& tree) const {
    PlacementView view{&tree, {}, demands_.size() > 1 ? this : nullptr};
    for (const Demand& demand : demands_) {  // sets of one shape share their counts
      const auto first = std::find(demands_.begin(), demands_.end(), demand);
      view.counts.push_back(&counts_[static_cast<size_t>(first - demands_.begin())]);
    }
    return view;
  }

 private:
  std::vector<Demand> demands_;
  std::vector<Demand> free_;
  std::vector<FitCounts> counts_;
};

// Who leads the workers.
struct Leaders {
  std::string_view name;
  int32_t count = 0;
  Room::Demand demand;
};
constexpr Leaders kLeaders[] = {{"no leader", 0, {}},
                                {"a leader without device", 1, {0, 4}},
                                {"a leader with two devices", 1, {2, 16}},
                                {"two leaders", 2, {0, 12}}};
// More pods than go beside the workers in one question.
constexpr Leaders kCrowds[] = {{"three others", 3, {0, 12}},
                               {"eight others", 8, {0, 12}},
                               {"four others with two devices", 4, {2, 16}}};

// The median of the CPU time in microseconds; what was answered goes to `outcome`.
double SolveTime(const PlacementView& view, const PlacementRequest& request, int64_t steps,
                 std::string& outcome) {
  constexpr double kEnoughMicros = 50'000;  // a slow solve is timed three times only
  Latency latency;
  for (int i = 0; i < 15 && (i < 3 || latency.Quantile(0) * i < kEnoughMicros); ++i) {
    const absl::Duration start = ThreadCpuTime();
    const PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{steps});
    latency.Add(absl::ToDoubleMicroseconds(ThreadCpuTime() - start));
    outcome = Name(result.outcome);
    if (!result.proven) outcome += ", not proven";
  }
  return latency.Quantile(0.5);
}

// What the planner lets it search: under its lock, or on a copy where it may take long.
int64_t StepsOf(const Leaders& leaders, const Tree& tree) {
  const bool here = int64_t{leaders.count} * tree.leaf_count() <= kMaxLeavesOfSeveral;
  return here ? kSolveSteps : kCopySteps;
}

struct Worst {
  double took[2] = {0, 0};
  double growth = 0;
  bool proven = true;
  int open[2] = {0, 0};  // lines that are not proven
};

std::vector<Tree> Clusters() {
  std::vector<Tree> trees;
  for (const Size& size : kSizes) trees.push_back(Cluster(size));
  return trees;
}

// Every rule and number of members with these leaders.
Worst Run(const std::vector<Tree>& trees, bool half_used, const Leaders& leaders) {
  std::vector<Room> rooms;
  std::vector<Room::Demand> demands = {{1, 8}};
  if (leaders.count > 0) demands.insert(demands.begin(), leaders.demand);
  for (const Tree& tree : trees) rooms.emplace_back(tree, half_used, demands);
  Worst worst;
  for (const Named& named : AllRules()) {
    for (const int32_t members : kMembers) {
      PlacementRequest request;
      request.strategy = Strategy::kExact;
      request.rules = named.rules;
      if (leaders.count > 0) request.pod_sets.push_back({"leaders", leaders.count, 0, false});
      request.pod_sets.push_back({"workers", members - leaders.count, 0, false});
      double took[2];
      std::string outcome[2];
      for (int i = 0; i < 2; ++i) {
        const int64_t steps = StepsOf(leaders, trees[i]);
        took[i] = SolveTime(rooms[i].View(trees[i]), request, steps, outcome[i]);
        worst.took[i] = std::max(worst.took[i], took[i]);
        const bool proven = outcome[i].find("not proven") == std::string::npos;
        worst.proven = worst.proven && proven;
        worst.open[i] += proven ? 0 : 1;
      }
      worst.growth = std::max(worst.growth, took[1] / took[0]);
      fmt::print("exact/{}, {}, {}, {} members: {} nodes {:.0f} us ({}), {} nodes {:.0f} us ({})\n",
                 leaders.name, named.name, half_used ? "half used" : "empty", members,
                 trees[0].leaf_count(), took[0], outcome[0], trees[1].leaf_count(), took[1],
                 outcome[1]);
    }
  }
  return worst;
}

// Questions that cost most of what the limits allow, or that were once refused or not proven.
struct Hostile {
  std::string_view name;
  Size size;
  int32_t members;
  Rules rules;
  int32_t others = 2;  // of the members, those of the second shape
  int32_t stand = 0;   // of the members, those that stand already, anywhere
};

std::vector<Hostile> HostileQuestions() {
  const Rules parts = {std::nullopt, std::nullopt, Rule(Kind::kSpread, false, 512)};
  const Rules few = {std::nullopt, std::nullopt, Rule(Kind::kPack, false, 16)};
  const Rules racks = {std::nullopt, Rule(Kind::kSpread), std::nullopt};
  return {{"one rack of 10,000 nodes, node=spread partitions=512", {1, 1, 10'000}, 4'096, parts},
          {"51,200 nodes, node=pack partitions=16", {16, 50, 64}, 1'024, few},
          {"5,000 racks of 10 nodes, no rule", {1, 5'000, 10}, 1'024, {{}, {}, {}}},
          {"5,000 racks of 10 nodes, rack=spread", {1, 5'000, 10}, 1'024, racks},
          {"51,200 nodes, rack=spread", {16, 50, 64}, 512, racks},
          {"one rack of 10,000 nodes, no rule", {1, 1, 10'000}, 1'024, {{}, {}, {}}, 1},
          {"5,120 nodes, no rule", {8, 20, 32}, 259, {{}, {}, {}}, 3},
          {"5,120 nodes, no rule", {8, 20, 32}, 456, {{}, {}, {}}, 200},
          {"51,200 nodes, no rule", {16, 50, 64}, 320, {{}, {}, {}}, 64},
          {"5,120 nodes, no rule", {8, 20, 32}, 1'024, {{}, {}, {}}, 0, 64},
          {"51,200 nodes, no rule", {16, 50, 64}, 1'024, {{}, {}, {}}, 0, 64}};
}

struct RolesQuestion {
  std::string_view name;
  PlacementRequest request;
};

std::vector<RolesQuestion> RolesQuestions() {
  const LevelRule one = Rule(Kind::kPack, true);
  const Rules rack = {one, one, std::nullopt}, apart = {{}, {}, Rule(Kind::kSpread, true)};
  const Rules racks = {std::nullopt, Rule(Kind::kSpread), std::nullopt};
  const auto ask = [](Rules all, std::vector<PodSetRequest> sets) {
    PlacementRequest request;
    request.strategy = Strategy::kExact;
    request.rules = std::move(all);
    request.pod_sets = std::move(sets);
    return request;
  };
  std::vector<PodSetRequest> replicas;
  for (int i = 0; i < 8; ++i) replicas.push_back({"workers", 32, 0, -1, rack});
  const Rules pairs = {std::nullopt, Rule(Kind::kSpread, false, 0, 2), std::nullopt};
  std::vector<PodSetRequest> others;
  for (int i = 0; i < 8; ++i) others.push_back({"others", 2, 0, -1, pairs});
  const std::vector<PodSetRequest> three = {
      {"driver", 1}, {"loaders", 4, 0, -1, apart}, {"workers", 64, 0, -1, rack}};
  return {{"driver, 4 loaders node=spread!, 64 workers rack=pack!", ask({one, {}, {}}, three)},
          {"4 loaders node=spread!, 512 workers rack=spread",
           ask({one, {}, {}}, {{"loaders", 4, 0, -1, apart}, {"workers", 512, 0, -1, racks}})},
          {"8 sets of 32 workers, each rack=pack!", ask({one, {}, {}}, replicas)},
          {"8 sets of two others, rack=spread min=2", ask({{}, {}, {}}, others)}};
}

PlacementRequest RequestOf(const Hostile& hostile, const Tree& tree) {
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.rules = hostile.rules;
  if (hostile.others > 0) request.pod_sets.push_back({"others", hostile.others, 0, false});
  const auto workers = static_cast<int32_t>(request.pod_sets.size());
  request.pod_sets.push_back({"workers", hostile.members - hostile.others, 0, false});
  std::mt19937 random(7);
  for (int32_t rank = 0; rank < hostile.stand; ++rank) {
    const auto leaf = static_cast<int32_t>(random() % static_cast<uint32_t>(tree.leaf_count()));
    request.fixed.push_back({workers, rank, leaf});
  }
  return request;
}

}  // namespace

bool ExactLimitsBench() {
  for (const Hostile& hostile : HostileQuestions()) {
    const Tree tree = Cluster(hostile.size);
    std::vector<Room::Demand> demands = {{1, 8}};
    if (hostile.others > 0) demands.insert(demands.begin(), {0, 12});
    const Room room(tree, true, demands);
    const PlacementRequest request = RequestOf(hostile, tree);
    for (const int64_t steps : {int64_t{1}, kSolveSteps, kCopySteps}) {
      std::string outcome;
      const PlacementView view = room.View(tree);
      const double took = SolveTime(view, request, steps, outcome);
      fmt::print(
          "exact-limits/{}, {} members, {} of another shape, {} standing, {} steps: {:.0f} us "
          "({})\n",
          hostile.name, hostile.members, hostile.others, hostile.stand, steps, took, outcome);
    }
  }
  return true;
}

bool ExactCrowdBench() {
  const std::vector<Tree> trees = Clusters();
  for (const Leaders& crowd : kCrowds) {
    for (const bool half_used : {false, true}) {
      const Worst worst = Run(trees, half_used, crowd);
      fmt::print("exact-crowd/worst, {}, {}: {:.0f} us and {:.0f} us, {} and {} not proven\n",
                 crowd.name, half_used ? "half used" : "empty", worst.took[0], worst.took[1],
                 worst.open[0], worst.open[1]);
    }
  }
  return true;
}

// Pod sets with rules of their own, by what the planner lets them search.
bool ExactRolesBench() {
  std::vector<Tree> trees = Clusters();
  trees.push_back(Cluster({2, 4, 8}));
  for (const RolesQuestion& roles : RolesQuestions()) {
    std::vector<Room::Demand> demands;
    for (const PodSetRequest& set : roles.request.pod_sets)
      demands.push_back(set.name == "workers" ? Room::Demand{1, 8} : Room::Demand{0, 4});
    for (const bool half_used : {false, true}) {
      for (const Tree& tree : trees) {
        const Room room(tree, half_used, demands);
        for (const int64_t steps : {kSolveSteps, kCopySteps}) {
          std::string outcome;
          const double took = SolveTime(room.View(tree), roles.request, steps, outcome);
          fmt::print("exact-roles/{}, {}, {} nodes, {} steps: {:.0f} us ({})\n", roles.name,
                     half_used ? "half used" : "empty", tree.leaf_count(), steps, took, outcome);
        }
      }
    }
  }
  return true;
}

bool ExactBench() {
  const std::vector<Tree> trees = Clusters();
  bool proven = true;
  for (const Leaders& leaders : kLeaders) {
    for (const bool half_used : {false, true}) {
      const Worst worst = Run(trees, half_used, leaders);
      proven = proven && worst.proven;
      fmt::print("exact/worst, {}, {}: {:.0f} us and {:.0f} us, growth x{:.1f}\n", leaders.name,
                 half_used ? "half used" : "empty", worst.took[0], worst.took[1], worst.growth);
    }
  }
  return proven;
}

}  // namespace gangplan
