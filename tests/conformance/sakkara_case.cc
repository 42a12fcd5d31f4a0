#include "tests/conformance/sakkara_case.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "tests/conformance/json_cursor.h"
#include "tests/conformance/json_items.h"
#include "tests/support/roll_up.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

struct CaseNode {
  std::vector<std::string> path;  // from the top, its own name last
  Amounts capacity;
  Amounts allocated;
  int64_t claimed = 0;
  bool usable = true;
};

struct Reading {
  std::vector<std::string> levels;
  Amounts demand;
  std::map<std::string, CaseNode> nodes;
};

Amounts ReadAmounts(const JsonCursor& json) {
  Amounts amounts;
  json.ForEach([&](const JsonCursor& one) { amounts.push_back(one.Integer()); });
  return amounts;
}

void ReadTree(const JsonCursor& json, std::vector<std::string>& path, Reading& reading) {
  json.ForEachMember([&](const std::string& name, const JsonCursor& child) {
    path.push_back(name);
    bool leaf = true;
    child.ForEachMember([&](const std::string&, const JsonCursor&) { leaf = false; });
    if (leaf)
      reading.nodes[name].path = path;
    else
      ReadTree(child, path, reading);
    path.pop_back();
  });
}

// Units are numbered from 0 below each parent, a node is all its numbers.
void MakeUniform(const Amounts& degrees, const Amounts& capacity, std::vector<std::string>& path,
                 Reading& reading) {
  if (path.size() == degrees.size()) {
    CaseNode& node = reading.nodes[path.back()];
    node.path = path;
    node.capacity = capacity;
    node.allocated.assign(capacity.size(), 0);
    return;
  }
  for (int64_t i = 0; i < degrees[path.size()]; ++i) {
    path.push_back(path.empty() ? fmt::format("{}", i) : fmt::format("{}-{}", path.back(), i));
    MakeUniform(degrees, capacity, path, reading);
    path.pop_back();
  }
}

void ReadNodes(const JsonCursor& json, Reading& reading) {
  std::vector<std::string> path;
  if (json.Has("uniform")) {
    const JsonCursor uniform = json.At("uniform");
    MakeUniform(ReadAmounts(uniform.At("degrees")), ReadAmounts(uniform.At("capacity")), path,
                reading);
    return;
  }
  ReadTree(json.At("tree"), path, reading);
  json.At("nodes").ForEachMember([&](const std::string& name, const JsonCursor& node) {
    reading.nodes[name].capacity = ReadAmounts(node.At("capacity"));
    reading.nodes[name].allocated = ReadAmounts(node.At("allocated"));
  });
  if (!json.Has("candidates")) return;
  const std::vector<std::string> candidates = json.At("candidates").Texts();
  const std::set<std::string> usable(candidates.begin(), candidates.end());
  for (auto& [name, node] : reading.nodes) node.usable = usable.contains(name);
}

// Nothing when the node may not be used.
Amounts FreeOf(const CaseNode& node, const Amounts& demand, bool now) {
  if (!node.usable) return {};
  Amounts free = node.capacity;
  const size_t known = std::min({free.size(), node.allocated.size(), demand.size()});
  for (size_t i = 0; now && i < known; ++i) free[i] -= node.allocated[i] + node.claimed * demand[i];
  return free;
}

std::optional<int32_t> Above(const JsonCursor& json, std::string_view key, int64_t low) {
  if (!json.Has(key)) return std::nullopt;
  const int64_t value = json.At(key).Integer();
  if (value <= low || value > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(value);
}

// As Sakkara reads a constraint: hard stands alone, a range needs both its ends.
LevelRule ReadRule(const JsonCursor& json) {
  LevelRule rule;
  if (json.TextOr("type", "") == "spread") rule.kind = LevelRule::Kind::kSpread;
  rule.hard = json.BoolOr("hard", false);
  if (rule.hard) return rule;
  const std::optional<int32_t> min = Above(json, "min", 0), max = Above(json, "max", 0);
  if (min && max && *min <= *max) {
    rule.min = min;
    rule.max = max;
  }
  rule.partitions = Above(json, "partitions", 0);
  rule.factor = Above(json, "factor", 1);
  return rule;
}

PlacementRequest ReadRequest(const JsonCursor& json, const Reading& reading) {
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"", static_cast<int32_t>(json.At("size").Integer()), 0, false}};
  const JsonCursor constraints = json.At("constraints");
  for (const std::string& level : reading.levels) {
    request.rules.emplace_back();
    if (constraints.Has(level)) request.rules.back() = ReadRule(constraints.At(level));
  }
  return request;
}

Tree BuildTree(const Reading& reading, std::vector<NodeFacts>& facts) {
  Topology topology{"case", {}};
  for (const std::string& level : reading.levels)
    topology.levels.push_back({level, "example.com/" + level});
  topology.levels.back().label = std::string(kHostnameLabel);
  for (const auto& [name, node] : reading.nodes) {
    NodeFacts& fact = facts.emplace_back();
    fact.name = name;
    if (node.path.size() != reading.levels.size()) continue;
    for (size_t i = 0; i < node.path.size(); ++i)
      fact.labels.emplace_back(topology.levels[i].label, node.path[i]);
    std::sort(fact.labels.begin(), fact.labels.end());
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& fact : facts) pointers.push_back(&fact);
  return Tree(topology, pointers);
}

}  // namespace

int32_t PodsThatFit(const Amounts& free, const Amounts& demand) {
  if (free.empty()) return 0;
  int64_t fit = kMaxLeafCount;
  for (size_t i = 0; i < demand.size() && i < free.size(); ++i)
    if (demand[i] > 0) fit = std::min(fit, free[i] / demand[i]);
  return static_cast<int32_t>(std::max<int64_t>(fit, 0));
}

absl::StatusOr<SakkaraCase> ReadSakkaraCase(const rapidjson::Value& value) {
  absl::Status error;
  const JsonCursor json(value, "case", error);
  Reading reading;
  reading.levels = json.At("levels").Texts();
  reading.demand = ReadAmounts(json.At("demand"));
  ReadNodes(json, reading);
  if (json.Has("claimed")) {
    json.At("claimed").ForEachMember([&](const std::string& name, const JsonCursor& pods) {
      reading.nodes[name].claimed = pods.Integer();
    });
  }
  SakkaraCase result;
  result.demand = reading.demand;
  result.request = ReadRequest(json, reading);
  if (error.ok() && reading.levels.empty()) json.At("levels").Expected("at least one level");
  if (!error.ok()) return error;
  std::vector<NodeFacts> facts;
  result.tree = BuildTree(reading, facts);
  PerLeaf now, empty;
  int32_t rank = 0;
  for (int32_t leaf = 0; leaf < result.tree.leaf_count(); ++leaf) {
    const CaseNode& node = reading.nodes[facts[result.tree.leaf_source()[leaf]].name];
    result.free.push_back(FreeOf(node, reading.demand, true));
    now.push_back(PodsThatFit(result.free.back(), reading.demand));
    empty.push_back(PodsThatFit(FreeOf(node, reading.demand, false), reading.demand));
    for (int64_t i = 0; i < node.claimed; ++i) result.request.fixed.push_back({0, rank++, leaf});
  }
  result.now = RollUpCounts(result.tree, now);
  result.empty = RollUpCounts(result.tree, empty);
  return result;
}

std::string PlacementAsJson(const SakkaraCase& given, const PlacementResult& result) {
  std::map<std::string, int32_t> pods;
  const auto add = [&](int32_t leaf) { ++pods[given.tree.name(given.tree.leaf_level(), leaf)]; };
  for (const FixedMember& member : given.request.fixed) add(member.leaf);
  for (const PlacedMember& member : result.members) add(member.leaf);
  return fmt::format("{{{}}}", Joined(pods, [](const auto& one) {
                       return fmt::format("{}:{}", Quoted(one.first), one.second);
                     }));
}

}  // namespace gangplan::conformance
