// The exact engine against every placement there is: all small trees with every pair of rules, and
// random cases beyond; the order of the nodes does not count.
#include <algorithm>
#include <random>
#include <set>

#include "tests/algorithms/exact_world.h"
#include "tests/support/level_rule.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_property_test {
namespace {

using Kind = LevelRule::Kind;

// Every kind of rule, each word alone and the pairs that pull against each other.
std::vector<LevelRule> AllRules() {
  std::vector<LevelRule> rules = {Rule(Kind::kAny, false), Rule(Kind::kPack, true),
                                  Rule(Kind::kSpread, true), Rule(Kind::kPack, true, 0, 2, 3)};
  for (Kind kind : {Kind::kPack, Kind::kSpread}) {
    rules.push_back(Rule(kind, false));
    rules.push_back(Rule(kind, false, 1));
    rules.push_back(Rule(kind, false, 2));
    rules.push_back(Rule(kind, false, 0, 2));
    rules.push_back(Rule(kind, false, 0, 0, 2));
    rules.push_back(Rule(kind, false, 0, 2, 3));
    rules.push_back(Rule(kind, false, 0, 0, 0, 2));
    rules.push_back(Rule(kind, false, 2, 1, 3));
  }
  return rules;
}

// One tree of each form with so many levels and leaves. Forms differ in more than the order of
// children: a form is the sorted list of its children's forms.
std::string FormOf(const TreeSpec& spec, int level, size_t begin, size_t end) {
  if (level + 1 == spec.levels) return fmt::format("{}", end - begin);
  std::vector<std::string> parts;
  for (size_t at = begin; at < end;) {
    size_t next = at + 1;
    while (next < end && spec.leaves[next][level] == spec.leaves[at][level]) ++next;
    parts.push_back(FormOf(spec, level + 1, at, next));
    at = next;
  }
  std::sort(parts.begin(), parts.end());
  return fmt::format("({})", fmt::join(parts, " "));
}

std::vector<TreeSpec> AllTrees(int levels, int leaves) {
  std::vector<TreeSpec> trees;
  std::set<std::string> forms;
  int shapes = 1;
  for (int i = 1; i < leaves; ++i) shapes *= levels;
  for (int shape = 0; shape < shapes; ++shape) {
    TreeSpec spec{levels, {}};
    std::vector<int> domain(levels, 0);
    for (int leaf = 0, digits = shape; leaf < leaves; ++leaf, digits /= levels) {
      spec.leaves.push_back(domain);
      // What begins anew after this leaf: nothing, the lowest domain, or more.
      for (int level = levels - 1 - digits % levels; level < levels - 1; ++level) ++domain[level];
    }
    if (forms.insert(FormOf(spec, 0, 0, spec.leaves.size())).second) trees.push_back(spec);
  }
  return trees;
}

// Room of every leaf, in a few patterns.
PerLeaf Rooms(size_t leaves, int pattern) {
  PerLeaf rooms;
  for (size_t i = 0; i < leaves; ++i) {
    const auto n = static_cast<int32_t>(i);
    rooms.push_back(pattern == 0 ? 5 : pattern == 1 ? 2 : pattern == 2 ? n % 3 + 1 : n * 5 % 4);
  }
  return rooms;
}

// The framework's own checks are too slow for millions.
void Verify(const Tree& tree, const PlacementRequest& request, const PerLeaf& counts) {
  const std::string fault = Fault(tree, request, counts);
  if (!fault.empty()) FAIL(Text(tree, request, counts) << "\n" << fault);
}

// Every tree of up to three levels and eight nodes (8, 66 and 443 forms), four patterns of room,
// one to five members, every pair of rules on every pair of levels; a case in `every` is looked at.
int64_t CompareSmall(int64_t every) {
  const std::vector<LevelRule> rules = AllRules();
  int64_t number = 0, looked = 0;
  std::vector<size_t> source;
  for (int levels = 1; levels <= 3; ++levels) {
    for (int leaves = 1; leaves <= 8; ++leaves) {
      for (const TreeSpec& spec : AllTrees(levels, leaves)) {
        const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
        const int pairs = levels == 3 ? 3 : 1;
        const auto combinations = static_cast<int64_t>(rules.size() * rules.size()) * pairs * 4 * 5;
        for (int64_t i = 0; i < combinations; ++i) {
          // A step that shares no divisor with the loops below meets all of them.
          if (number++ % every != 0) continue;
          ++looked;
          int64_t digits = i;
          const auto next = [&](int64_t base) {
            const int64_t digit = digits % base;
            digits /= base;
            return static_cast<int>(digit);
          };
          PlacementRequest request;
          request.strategy = Strategy::kExact;
          request.pod_sets = {{"", 1 + next(5), 0, false}};
          const PerLeaf rooms = Rooms(spec.leaves.size(), next(4));
          request.rules.resize(levels);
          const int pair = next(pairs);
          request.rules[pair == 2 ? 1 : 0] = rules[next(static_cast<int64_t>(rules.size()))];
          if (levels > 1)
            request.rules[levels == 2 || pair == 0 ? 1 : 2] =
                rules[next(static_cast<int64_t>(rules.size()))];
          Verify(tree, request, rooms);
        }
      }
    }
  }
  return looked;
}

TEST_CASE("exact: a part of all small trees with every pair of rules") {
  CHECK(CompareSmall(1499) == 7'488);
}

TEST_CASE("exact: all 11,224,000 small cases", "[.long]") { CHECK(CompareSmall(1) == 11'224'000); }

TreeSpec RandomTree(std::mt19937& random) {
  TreeSpec spec{static_cast<int>(1 + random() % 4), {}};
  const uint32_t leaves = 1 + random() % 9, wide = 1 + random() % 4;
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    std::vector<int>& path = spec.leaves.emplace_back();
    for (int level = 0; level < spec.levels; ++level)
      path.push_back(static_cast<int>(random() % wide));
  }
  return spec;
}

LevelRule RandomRule(std::mt19937& random) {
  LevelRule rule;
  const uint32_t kind = random() % 9;
  rule.kind = kind == 0 ? Kind::kAny : kind < 5 ? Kind::kPack : Kind::kSpread;
  rule.hard = random() % 6 == 0;
  const auto number = [&](uint32_t most) { return static_cast<int32_t>(1 + random() % most); };
  if (random() % 4 == 0) rule.partitions = number(3);
  if (random() % 4 == 0) rule.min = number(4);
  if (random() % 4 == 0) rule.max = rule.min.value_or(1) + number(4) - 1;
  if (random() % 5 == 0) rule.factor = number(3);
  return rule;
}

PlacementRequest RandomRequest(std::mt19937& random, const Tree& tree) {
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  for (int level = 0; level < tree.level_count(); ++level) {
    request.rules.emplace_back();
    if (random() % 3 > 0) request.rules.back() = RandomRule(random);
  }
  const auto fixed = static_cast<int32_t>(random() % 3 == 0 ? random() % 4 : 0);
  for (int32_t rank = 0; rank < fixed; ++rank)
    request.fixed.push_back({0, rank, static_cast<int32_t>(random() % tree.leaf_count())});
  request.pod_sets = {{"", fixed + static_cast<int32_t>(1 + random() % 7), 0, false}};
  return request;
}

void CompareRandom(int rounds, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<size_t> source, shuffled_source;
  for (int round = 0; round < rounds; ++round) {
    const TreeSpec spec = RandomTree(random);
    std::vector<size_t> order = InOrder(spec.leaves.size());
    const Tree tree = BuildTree(spec, order, source);
    PerLeaf rooms(tree.leaf_count());
    const uint32_t most = 1 + random() % 6;
    for (int32_t& room : rooms) room = static_cast<int32_t>(random() % (most + 1));
    const PlacementRequest request = RandomRequest(random, tree);
    Verify(tree, request, rooms);
    std::shuffle(order.begin(), order.end(), random);
    const Tree shuffled = BuildTree(spec, order, shuffled_source);
    REQUIRE(source == shuffled_source);
  }
}

TEST_CASE("exact: random cases are answered as every placement says") {
  CompareRandom(Rounds(4000), 21);
}

TEST_CASE("exact: 100,000 random cases are answered as every placement says", "[.long]") {
  CompareRandom(100'000, 22);
}

}  // namespace
}  // namespace gangplan::exact_property_test
