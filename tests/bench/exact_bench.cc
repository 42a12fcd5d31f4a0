// One solve of the `exact` engine with warm counts, by rules, members and how full the cluster is.
#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "algorithms/engine.h"
#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/level_rule.h"
#include "tests/support/roll_up.h"

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

// Eight members fit on an empty node; of a half used cluster each node has 0 to 8 left.
FitCounts Room(const Tree& tree, bool half_used) {
  std::mt19937 random(7);
  PerLeaf rooms(tree.leaf_count(), 8);
  for (int32_t& room : rooms)
    if (half_used) room = static_cast<int32_t>(random() % 9);
  return RollUpCounts(tree, rooms);
}

// The median in microseconds; what was answered goes to `outcome`.
double SolveTime(const Tree& tree, const FitCounts& counts, const PlacementRequest& request,
                 std::string& outcome) {
  const PlacementView view{&tree, {&counts}};
  Latency latency;
  for (int i = 0; i < 15; ++i) {
    latency.Time([&] {
      const PlacementResult result = Place(
          view, [&] { return view; }, request, Budget{});
      outcome = result.proven ? Name(result.outcome) : "not proven";
    });
  }
  return latency.Quantile(0.5);
}

}  // namespace

bool ExactBench() {
  bool proven = true;
  double worst_growth = 0, worst[2] = {0, 0};
  for (const bool half_used : {false, true}) {
    std::vector<Tree> trees;
    std::vector<FitCounts> rooms;
    for (const Size& size : kSizes) trees.push_back(Cluster(size));
    for (const Tree& tree : trees) rooms.push_back(Room(tree, half_used));
    for (const Named& named : AllRules()) {
      for (const int32_t members : kMembers) {
        PlacementRequest request;
        request.strategy = Strategy::kExact;
        request.rules = named.rules;
        request.pod_sets = {{"workers", members, 0, false}};
        double took[2];
        std::string outcome[2];
        for (int i = 0; i < 2; ++i) {
          took[i] = SolveTime(trees[i], rooms[i], request, outcome[i]);
          worst[i] = std::max(worst[i], took[i]);
          proven = proven && outcome[i] != "not proven";
        }
        worst_growth = std::max(worst_growth, took[1] / took[0]);
        fmt::print("exact/{}, {}, {} members: {} nodes {:.0f} us ({}), {} nodes {:.0f} us ({})\n",
                   named.name, half_used ? "half used" : "empty", members, trees[0].leaf_count(),
                   took[0], outcome[0], trees[1].leaf_count(), took[1], outcome[1]);
      }
    }
  }
  fmt::print("exact/worst: {:.0f} us and {:.0f} us, growth x{:.1f}\n", worst[0], worst[1],
             worst_growth);
  return proven;
}

}  // namespace gangplan
