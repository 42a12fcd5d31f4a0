// What would place a request that has no room: each change is made to the cluster or the request
// and asked anew, and so is whatever is smaller.
#include "algorithms/remedies.h"
#include "algorithms/grown_view.h"
#include "algorithms/leaf_room.h"

#include <array>
#include <random>

#include "algorithms/packs.h"
#include "algorithms/problem.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/roll_up.h"
#include "topology/base/text.h"

namespace gangplan::remedies_test {
namespace {

constexpr std::array kLevels = {0, 1, 2};  // block, rack, node

struct Machine {
  int block = 0;
  int rack = 0;
  int32_t now = 0;  // free units
  int32_t empty = 0;
};

// Pods of each pod set take so many units of a node.
class World : private LeafRoom {
 public:
  World(std::vector<Machine> machines, std::vector<int32_t> sizes)
      : machines_(std::move(machines)), sizes_(std::move(sizes)) {
    std::vector<NodeFacts> nodes;
    std::vector<const NodeFacts*> pointers;
    for (size_t i = 0; i < machines_.size(); ++i) {
      const Machine& one = machines_[i];
      nodes.push_back(MakeNode(fmt::format("n{:03}", i), {{"b", fmt::format("b{}", one.block)},
                                                          {"r", fmt::format("r{}", one.rack)}}));
    }
    for (const NodeFacts& node : nodes) pointers.push_back(&node);
    tree_ = Tree(BlockRackNode(), pointers);
    for (const int32_t size : sizes_) {
      PerLeaf now, empty;
      for (const int32_t source : tree_.leaf_source()) {
        now.push_back(At(source).now / size);
        empty.push_back(At(source).empty / size);
      }
      now_.push_back(RollUpCounts(tree_, now));
      empty_.push_back(RollUpCounts(tree_, empty));
    }
  }
  World(const World&) = delete;

  const Tree& tree() const { return tree_; }
  const Machine& machine(int32_t leaf) const {
    return At(tree_.leaf_source()[static_cast<size_t>(leaf)]);
  }
  PlacementView View(const std::vector<FitCounts>& counts, const LeafRoom& room) const {
    PlacementView view{&tree_, {}, sizes_.size() > 1 ? &room : nullptr};
    for (const FitCounts& one : counts) view.counts.push_back(&one);
    return view;
  }
  PlacementView Now() const { return View(now_, *this); }
  PlacementView Empty() const { return View(empty_, empty_room_); }
  bool Fits(const PlacementRequest& request) const {
    if (!RequestProblem(tree_, request).empty()) return false;
    return Place(
               Now(), [&] { return Empty(); }, request, Budget{})
               .outcome == Outcome::kPlaced;
  }
  // With so many more machines, like the one of this leaf, beside that of another one.
  bool FitsWith(const PlacementRequest& request, int32_t more, int32_t like, int32_t beside) const {
    std::vector<Machine> machines = machines_;
    const Machine& model = machine(like);
    for (int32_t i = 0; i < more; ++i)
      machines.push_back({machine(beside).block, machine(beside).rack, model.empty, model.empty});
    return World(std::move(machines), sizes_).Fits(request);
  }

 private:
  // When it is empty.
  struct EmptyRoom : LeafRoom {
    explicit EmptyRoom(const World& of) : world(of) {}
    int32_t Fit(int32_t leaf, int32_t set, std::span<const int32_t> taken) const override {
      return world.Left(world.machine(leaf).empty, set, taken);
    }
    const World& world;
  };
  const Machine& At(int32_t source) const { return machines_[static_cast<size_t>(source)]; }
  int32_t Left(int32_t units, int32_t set, std::span<const int32_t> taken) const {
    for (size_t i = 0; i < taken.size(); ++i) units -= taken[i] * sizes_[i];
    return std::max(units, 0) / sizes_[static_cast<size_t>(set)];
  }
  int32_t Fit(int32_t leaf, int32_t set, std::span<const int32_t> taken) const override {
    return Left(machine(leaf).now, set, taken);
  }

  std::vector<Machine> machines_;
  std::vector<int32_t> sizes_;
  Tree tree_;
  std::vector<FitCounts> now_, empty_;
  EmptyRoom empty_room_{*this};
};

struct Asked {
  PlacementRequest request;
  LevelRules told;
};

std::vector<Machine> RandomMachines(std::mt19937& random) {
  std::vector<Machine> machines;
  const auto blocks = static_cast<int>(1 + random() % 3);
  for (int block = 0; block < blocks; ++block) {
    for (int rack = 0; rack < static_cast<int>(1 + random() % 3); ++rack) {
      for (size_t node = 0; node < 1 + random() % 3; ++node) {
        const auto empty = static_cast<int32_t>(1 + random() % 5);
        machines.push_back({block, rack, static_cast<int32_t>(random() % (empty + 1)), empty});
      }
    }
  }
  return machines;
}

LevelRule RandomRule(std::mt19937& random) {
  LevelRule rule;
  rule.kind = random() % 3 == 0 ? LevelRule::Kind::kSpread : LevelRule::Kind::kPack;
  rule.hard = random() % 3 == 0;
  const auto number = [&] { return static_cast<int32_t>(1 + random() % 3); };
  if (random() % 3 == 0) rule.min = number();
  if (random() % 3 == 0) rule.max = rule.min.value_or(1) + number() - 1;
  if (random() % 4 == 0) rule.factor = number();
  if (rule.kind == LevelRule::Kind::kSpread && random() % 3 == 0) rule.partitions = number();
  return rule;
}

LevelRule HardPack() {
  LevelRule rule;
  rule.hard = true;
  return rule;
}

Asked RandomAsked(std::mt19937& random, size_t sets, Strategy strategy) {
  Asked asked;
  asked.request.strategy = strategy;
  for (size_t set = 0; set < sets; ++set) {
    const auto count = static_cast<int32_t>(set == 0 ? 2 + random() % 14 : 1 + random() % 3);
    asked.request.pod_sets.push_back({fmt::format("set{}", set), count, 0});
  }
  LevelRules& rules = asked.request.rules;
  rules.resize(kLevels.size());
  const size_t level = random() % kLevels.size();
  if (random() % 2 == 0 || strategy == Strategy::kTas) {
    if (random() % 4 != 0) rules[level] = HardPack();
    if (strategy == Strategy::kTas && rules[level] && random() % 3 == 0)
      rules[level]->factor = static_cast<int32_t>(1 + random() % 3);
  } else {
    for (const int at : kLevels) {
      if (random() % 2 == 0) rules[static_cast<size_t>(at)] = RandomRule(random);
    }
  }
  asked.told = rules;
  if (strategy == Strategy::kExact) BindUpwards(rules);
  return asked;
}

int DeepestHard(const LevelRules& rules) {
  for (int level = static_cast<int>(rules.size()) - 1; level >= 0; --level) {
    const auto& rule = rules[static_cast<size_t>(level)];
    if (rule && rule->hard && rule->kind == LevelRule::Kind::kPack) return level;
  }
  return -1;
}

void CheckFewer(const World& world, const PlacementRequest& request, const Remedies& found) {
  auto set = std::max_element(request.pod_sets.begin(), request.pod_sets.end(),
                              [](const auto& a, const auto& b) { return a.count < b.count; });
  PlacementRequest fewer = request;
  int32_t& count = fewer.pod_sets[static_cast<size_t>(set - request.pod_sets.begin())].count;
  for (count = set->count - 1; count > 0 && !world.Fits(fewer);) --count;
  CHECK((found.fewer ? found.fewer->members : 0) == count);
}

// The deeper levels of which all could share one domain instead are not enough.
void CheckPlainRule(const World& world, const Asked& asked, const Remedies& found) {
  const int hard = DeepestHard(asked.request.rules);
  for (int level = hard - 1; level >= -1; --level) {
    PlacementRequest weaker = asked.request;
    std::fill(weaker.rules.begin(), weaker.rules.end(), std::nullopt);
    if (level >= 0) weaker.rules[static_cast<size_t>(level)] = HardPack();
    if (weaker.strategy == Strategy::kExact) BindUpwards(weaker.rules);
    if (!world.Fits(weaker)) continue;
    REQUIRE(found.weaker);
    CHECK(DeepestHard(found.weaker->request.rules) == level);
    return;
  }
  CHECK(!found.weaker);
}

// Fewer than these do nowhere, of no kind.
void CheckNodes(const World& world, const PlacementRequest& request, const Remedies& found) {
  const int32_t nodes = found.nodes ? found.nodes->nodes : 4;
  if (found.nodes) {
    const int32_t beside = world.tree().leaves(1, found.nodes->under).begin;
    CHECK(world.FitsWith(request, nodes, found.nodes->like, beside));
    // Anywhere in the domain that is told.
    for (int32_t leaf = 0; leaf < world.tree().leaf_count(); ++leaf) {
      const int level = found.nodes->level;
      if (level >= 0 && world.tree().Ancestor(leaf, level) != found.nodes->domain) continue;
      CHECK(world.FitsWith(request, nodes, found.nodes->like, leaf));
    }
  }
  for (int32_t leaf = 0; leaf < world.tree().leaf_count(); ++leaf) {
    for (int32_t like = 0; like < world.tree().leaf_count(); ++like)
      CHECK(!world.FitsWith(request, nodes - 1, like, leaf));
  }
}

struct Offered {
  int cases = 0;
  int fewer = 0;
  int weaker = 0;
  int nodes = 0;
};

Offered TryRandom(uint32_t seed, int cases, size_t sets, Strategy strategy) {
  std::mt19937 random(seed);
  Offered offered;
  while (offered.cases < cases) {
    const Asked asked = RandomAsked(random, sets, strategy);
    const World world(RandomMachines(random),
                      sets == 1 ? std::vector<int32_t>{1} : std::vector<int32_t>{1, 2});
    const bool sound = RequestProblem(world.tree(), asked.request).empty();
    if (!sound || world.Fits(asked.request)) continue;
    INFO("seed " << seed << " case " << offered.cases);
    const Remedies found =
        FindRemedies({world.Now(), world.Empty(), asked.request, asked.told, Budget{5'000'000}});
    CheckFewer(world, asked.request, found);
    if (found.weaker) CHECK(world.Fits(found.weaker->request));
    if (PlainPacks(asked.told)) CheckPlainRule(world, asked, found);
    CheckNodes(world, asked.request, found);
    ++offered.cases;
    offered.fewer += found.fewer ? 1 : 0;
    offered.weaker += found.weaker ? 1 : 0;
    offered.nodes += found.nodes ? 1 : 0;
  }
  return offered;
}

TEST_CASE("Remedies: of 500 random requests each change is enough and nothing smaller is") {
  for (const auto& [sets, strategy, cases] :
       {std::tuple(size_t{1}, Strategy::kExact, 260), std::tuple(size_t{2}, Strategy::kExact, 120),
        std::tuple(size_t{1}, Strategy::kTas, 120)}) {
    const Offered offered = TryRandom(7, cases, sets, strategy);
    INFO(sets << " pod sets by " << Name(strategy) << ": " << offered.fewer << " fewer, "
              << offered.weaker << " weaker, " << offered.nodes << " nodes");
    CHECK(offered.fewer > cases / 4);
    CHECK(offered.weaker > cases / 20);
    CHECK(offered.nodes > cases / 4);
  }
}

// Two blocks of two racks of two nodes: free 3 + 1, 2 + 2; 4 + 0, 1 + 1; when empty 4 each.
std::vector<Machine> Eight() {
  return {{0, 0, 3, 4}, {0, 0, 1, 4}, {0, 1, 2, 4}, {0, 1, 2, 4},
          {1, 0, 4, 4}, {1, 0, 0, 4}, {1, 1, 1, 4}, {1, 1, 1, 4}};
}

Remedies Find(const World& world, int32_t members, LevelRules rules,
              Strategy strategy = Strategy::kExact, int64_t steps = 5'000'000) {
  PlacementRequest request;
  request.strategy = strategy;
  request.pod_sets = {{"", members, 0}};
  request.rules = rules;
  if (strategy == Strategy::kExact) BindUpwards(request.rules);
  REQUIRE(!world.Fits(request));
  return FindRemedies({world.Now(), world.Empty(), request, std::move(rules), Budget{steps}});
}

TEST_CASE("Remedies: a hard pack moves up and at last is none in the words that were written") {
  const World world(Eight(), {1});
  const Remedies in_block = Find(world, 6, {std::nullopt, HardPack(), std::nullopt});
  REQUIRE(in_block.weaker);
  CHECK(in_block.weaker->rule == "block=pack!");
  CHECK(in_block.weaker->instead_of == "rack=pack!");
  CHECK(in_block.fewer->members == 4);
  const Remedies in_none = Find(world, 12, {std::nullopt, HardPack(), std::nullopt});
  REQUIRE(in_none.weaker);
  CHECK(in_none.weaker->rule == "rack=pack");
  CHECK(in_none.weaker->instead_of == "rack=pack!");
  const Remedies both = Find(world, 12, {HardPack(), HardPack(), std::nullopt});
  REQUIRE(both.weaker);
  CHECK(both.weaker->rule == "block=pack; rack=pack");
  CHECK(both.weaker->instead_of == "block=pack!; rack=pack!");
  const Remedies kept = Find(world, 6, {HardPack(), HardPack(), std::nullopt});
  REQUIRE(kept.weaker);
  CHECK(kept.weaker->rule == "rack=pack");
  CHECK(kept.weaker->instead_of == "rack=pack!");
  CHECK(!Find(world, 15, {std::nullopt, HardPack(), std::nullopt}).weaker);
}

TEST_CASE("Remedies: the words of Kueue are told as they are written") {
  const World world(Eight(), {1});
  const LevelRules rack = {std::nullopt, HardPack(), std::nullopt};
  CHECK(Find(world, 6, rack, Strategy::kTas).weaker->rule == "required block");
  CHECK(Find(world, 12, rack, Strategy::kTas).weaker->rule == "preferred rack");
  CHECK(Find(world, 12, rack, Strategy::kTas).weaker->instead_of == "required rack");
}

TEST_CASE("Remedies: a rule that nobody has written is not told as one to change") {
  const World world(Eight(), {1});
  PlacementRequest request;
  request.pod_sets = {{"", 6, 0}};
  request.rules = {HardPack(), HardPack(), std::nullopt};
  const LevelRules none(3);
  CHECK(!FindRemedies({world.Now(), world.Empty(), request, none, Budget{}}).weaker);
}

TEST_CASE("Remedies: up to 64 more nodes are told and one beyond is not") {
  const World world({{0, 0, 0, 1}}, {1});
  const LevelRules none(3);
  const Remedies most = Find(world, kMaxMoreNodes, none);
  REQUIRE(most.nodes);
  CHECK(most.nodes->nodes == kMaxMoreNodes);
  CHECK(most.nodes->level == -1);
  CHECK(!Find(world, kMaxMoreNodes + 1, none).nodes);
  LevelRule spread;
  spread.kind = LevelRule::Kind::kSpread;
  const LevelRules rules = {std::nullopt, spread, std::nullopt};
  REQUIRE(Find(world, kMaxMoreNodes, rules).nodes);
  CHECK(Find(world, kMaxMoreNodes, rules).nodes->nodes == kMaxMoreNodes);
  CHECK(!Find(world, kMaxMoreNodes + 1, rules).nodes);
}

TEST_CASE("Remedies: members that stand keep their nodes in a cluster with more of them") {
  const World world({{0, 0, 2, 2}, {0, 1, 2, 2}, {0, 1, 2, 2}, {1, 2, 2, 2}}, {1});
  const Tree& tree = world.tree();
  PlacementRequest request;
  request.pod_sets = {{"workers", tree.leaf_count() + 1}};
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    request.fixed.push_back({0, leaf, tree.leaf_count() - 1 - leaf});
  for (int32_t under = 0; under < tree.size(1); ++under) {
    const GrownView grown(world.Now(), world.Empty(), under, 3);
    const PlacementRequest here = grown.Here(request);
    REQUIRE(here.fixed.size() == request.fixed.size());
    for (size_t i = 0; i < here.fixed.size(); ++i)
      CHECK(grown.view().tree->Path(2, here.fixed[i].leaf) == tree.Path(2, request.fixed[i].leaf));
  }
}

TEST_CASE("Remedies: without steps nothing is told") {
  const World world(Eight(), {1});
  const Remedies none =
      Find(world, 6, {std::nullopt, HardPack(), std::nullopt}, Strategy::kExact, 0);
  CHECK(!none.fewer);
  CHECK(!none.weaker);
  CHECK(!none.nodes);
}

}  // namespace
}  // namespace gangplan::remedies_test
