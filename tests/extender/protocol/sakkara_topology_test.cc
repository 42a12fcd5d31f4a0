#include "extender/protocol/sakkara_topology.h"

#include <algorithm>
#include <random>

#include "extender/protocol/config_map.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/sakkara_words.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::sakkara_topology_test {
namespace {

constexpr std::string_view kTwoRacks =
    R"({"rack-0":{"node-0":{},"node-1":{}},"rack-1":{"node-2":{}}})";

SakkaraTopology Read(LabelSet data) {
  std::sort(data.begin(), data.end());
  const auto topology = ReadSakkaraTopology(data);
  REQUIRE(ErrorOf(topology) == "");
  return *topology;
}
SakkaraTopology ReadTree(std::string_view tree) { return Read({{"tree", std::string(tree)}}); }

// "rack-0/node-0 ..." in the order of the nodes.
std::string Nodes(const SakkaraTopology& topology) {
  std::string text;
  for (const SakkaraNode& node : topology.nodes) {
    std::vector<std::string_view> path = SakkaraPath(topology, node);
    path.push_back(node.name);
    text += fmt::format("{}{}", text.empty() ? "" : " ", fmt::join(path, "/"));
  }
  return text;
}

// "rack,node"; a name of ours stands in brackets.
std::string Levels(const SakkaraTopology& topology) {
  std::vector<std::string> names;
  for (const SakkaraLevel& level : topology.levels)
    names.push_back(level.named ? level.name : "[" + level.name + "]");
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> Problems(const SakkaraTopology& topology) {
  CHECK(topology.problem_count == topology.problems.size());
  std::vector<std::string> texts;
  for (const SakkaraProblem& problem : topology.problems)
    texts.push_back(problem.name + ": " + problem.text);
  return texts;
}

using Lines = std::vector<std::string>;

TEST_CASE("A Sakkara topology gives levels, units and nodes by path") {
  const SakkaraTopology topology =
      Read({{"name", "t"},
            {"resource-names", R"(["cpu","memory","nvidia.com/gpu"])"},
            {"level-names", R"(["rack","node"])"},
            {"tree", R"({"rack-1":{"node-2":{}},"rack-0":{"node-1":{},"node-0":{}}})"},
            {"of somebody else", "{"}});
  CHECK(topology.name == "t");
  CHECK(topology.resources == Lines{"cpu", "memory", "nvidia.com/gpu"});
  CHECK(Levels(topology) == "rack,node");
  CHECK(topology.level_names == Lines{"rack", "node"});
  CHECK(topology.root_name.empty());
  CHECK(topology.units == std::vector<SakkaraUnit>{{"rack-0", -1}, {"rack-1", -1}});
  CHECK(topology.nodes == std::vector<SakkaraNode>{{"node-0", 0}, {"node-1", 0}, {"node-2", 1}});
  CHECK(Problems(topology).empty());
}

TEST_CASE("What a Sakkara topology leaves out has Sakkara's defaults") {
  const SakkaraTopology topology = Read({{"tree", std::string(kTwoRacks)}});
  CHECK(topology.name == "default-tree");
  CHECK(topology.resources == Lines{"cpu", "memory"});
  CHECK(Levels(topology) == "rack,node");
  CHECK(Problems(topology).empty());
  CHECK(Read({{"tree", std::string(kTwoRacks)},
              {"name", ""},
              {"level-names", "null"},
              {"resource-names", "null"}}) == topology);
  CHECK(Read({{"tree", std::string(kTwoRacks)}, {"resource-names", "[]"}}).resources.empty());
}

TEST_CASE("Names of levels are counted from the leaves up") {
  const auto with = [](const std::string& tree, const std::string& names) {
    return Read({{"tree", tree}, {"level-names", names}});
  };
  const std::string deep = R"({"zone-0":{"rack-0":{"node-0":{}}}})";
  const SakkaraTopology fewer = with(deep, R"(["rack","node"])");
  CHECK(Levels(fewer) == "[level-2],rack,node");
  CHECK(Problems(fewer) == Lines{"level-names: 2 for 3 levels: no rule reaches the upper levels"});
  CHECK(Levels(with(deep, R"(["level-2","level-1"])")) == "[level-2'],level-2,level-1");
  CHECK(Levels(with(deep, "[]")) == "[level-2],[level-1],[level-0]");

  const SakkaraTopology more = with(R"({"rack-0":{"node-0":{}}})", R"(["zone","rack","node"])");
  CHECK(Levels(more) == "rack,node");
  CHECK(more.root_name == "zone");
  CHECK(Problems(more) == Lines{"level-names: 3 for 2 levels: the first are names of no level"});
  const SakkaraTopology many = with(R"({"n":{}})", R"(["a","b","c"])");
  CHECK(Levels(many) == "c");
  CHECK(many.root_name == "b");
  CHECK(Problems(many) == Lines{"level-names: 3 for 1 level: the first are names of no level"});

  const SakkaraTopology flat = ReadTree(R"({"b":{},"a":{}})");
  CHECK(Levels(flat) == "node");
  CHECK(flat.root_name == "rack");
  CHECK(Nodes(flat) == "a b");
  CHECK(Problems(flat).empty());
}

TEST_CASE("Equal names of units under two parents are two units") {
  const SakkaraTopology topology =
      ReadTree(R"({"z1":{"rack":{"b":{}}},"z0":{"rack":{"c":{},"a":{}},"z1":{"d":{}}}})");
  CHECK(Nodes(topology) == "z0/rack/a z0/rack/c z0/z1/d z1/rack/b");
  CHECK(topology.units ==
        std::vector<SakkaraUnit>{{"z0", -1}, {"z1", -1}, {"rack", 0}, {"z1", 0}, {"rack", 1}});
}

TEST_CASE("A node that stands in two places is left out and told") {
  const SakkaraTopology topology =
      ReadTree(R"({"r1":{"n":{},"m":{}},"r0":{"n":{},"k":{}},"r2":{"n":{}}})");
  CHECK(Nodes(topology) == "r0/k r1/m");
  CHECK(Problems(topology) == Lines{"n: stands under r0 and under r2: left out"});
  CHECK(topology.units.size() == 3);
  CHECK(Nodes(ReadTree(R"({"r":{"n":{},"n":{}}})")) == "r/n");
}

TEST_CASE("A node that stands above the others is left out and told") {
  const SakkaraTopology topology = ReadTree(R"({"r0":{"n0":{}},"n1":{},"r1":{}})");
  CHECK(Nodes(topology) == "r0/n0");
  const Lines lines = {
      "n1: stands under the root, on level 1 of 2: left out, since nodes stand on the last",
      "r1: stands under the root, on level 1 of 2: left out, since nodes stand on the last"};
  CHECK(Problems(topology) == lines);
  CHECK(Problems(ReadTree(R"({"a":{"b":{"n":{}},"n":{}}})"))[0] ==
        "n: stands under a and under a/b: left out");
}

TEST_CASE("A unit that one object names twice holds what both hold") {
  const SakkaraTopology topology =
      ReadTree(R"({"r0":{"c":{"n0":{}}},"r1":{"c":{"n1":{}}},"r0":{"c":{"n2":{}},"c":{"n3":{}}}})");
  CHECK(Nodes(topology) == "r0/c/n0 r0/c/n2 r0/c/n3 r1/c/n1");
  const Lines lines = {"c: stands under r0 more than once: holds what all of them hold",
                       "r0: stands under the root more than once: holds what all of them hold",
                       "level-names: 2 for 3 levels: no rule reaches the upper levels"};
  CHECK(Problems(topology) == lines);
}

// The tree's text, the objects' members in this order.
struct Unit {
  std::string name;
  std::vector<Unit> inside;
};
std::string Text(const std::vector<Unit>& units) {
  std::string text;
  for (const Unit& unit : units)
    text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", unit.name, Text(unit.inside));
  return "{" + text + "}";
}
void Shuffle(std::vector<Unit>& units, std::mt19937& random) {
  std::shuffle(units.begin(), units.end(), random);
  for (Unit& unit : units) Shuffle(unit.inside, random);
}

TEST_CASE("The order of a tree's objects does not matter") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const auto name = [&](const char* kind, uint32_t most) {
      return fmt::format("{}{}", kind, random() % most);
    };
    std::vector<Unit> zones(1 + random() % 3);
    for (Unit& zone : zones) {
      zone = {name("z", 4), std::vector<Unit>(random() % 4)};
      for (Unit& rack : zone.inside) {
        rack = {name("r", 4), std::vector<Unit>(random() % 4)};
        for (Unit& node : rack.inside) node = {name("n", 20), {}};
      }
    }
    const SakkaraTopology topology = ReadTree(Text(zones));
    Shuffle(zones, random);
    CAPTURE(Text(zones));
    CHECK(ReadTree(Text(zones)) == topology);
  }
}

TEST_CASE("Problems beyond the first hundred are counted") {
  const auto racks = [](size_t nodes) {
    std::string inside;
    for (size_t i = 0; i < nodes; ++i) inside += fmt::format("{}\"n{:03}\":{{}}", i ? "," : "", i);
    return fmt::format(R"({{"r0":{{{}}},"r1":{{{}}},"r2":{{"own":{{}}}}}})", inside, inside);
  };
  for (const size_t nodes : {kMaxSakkaraProblems, kMaxSakkaraProblems + 1}) {
    const SakkaraTopology topology = ReadTree(racks(nodes));
    CHECK(topology.problems.size() == kMaxSakkaraProblems);
    CHECK(topology.problem_count == nodes);
    CHECK(topology.problems.back().name == "n099");
    CHECK(Nodes(topology) == "r2/own");
  }
}

SakkaraTopology OfLabels(const std::vector<std::pair<std::string, std::string>>& racks) {
  std::vector<NodeFacts> nodes;
  for (const auto& [name, rack] : racks) {
    nodes.emplace_back().name = name;
    nodes.back().labels = {{"sakkara.topology.rack", rack}};
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  const auto topology = ReadSakkaraNodeLabels(pointers);
  REQUIRE(ErrorOf(topology) == "");
  return *topology;
}

TEST_CASE("Racks come from a label that every node has") {
  const SakkaraTopology topology = OfLabels({{"n2", "r1"}, {"n1", "r0"}, {"n0", "r1"}});
  CHECK(topology.name == "default-tree");
  CHECK(topology.resources == Lines{"cpu", "memory"});
  CHECK(Levels(topology) == "rack,node");
  CHECK(Nodes(topology) == "r0/n1 r1/n0 r1/n2");
  CHECK(Problems(topology).empty());
}

TEST_CASE("Without the label on every node the tree is flat") {
  NodeFacts with, without, empty;
  with.name = "a";
  with.labels = {{"sakkara.topology.rack", "r"}};
  without.name = "c";
  empty.name = "b";
  empty.labels = {{"sakkara.topology.rack", ""}};
  const std::vector<const NodeFacts*> nodes = {&without, &with, &empty};
  CHECK(ErrorOf(ReadSakkaraNodeLabels(nodes)) ==
        "node b: expected the label sakkara.topology.rack, which every node must have");
  CHECK(ErrorOf(ReadSakkaraNodeLabels({})) ==
        "expected nodes with the label sakkara.topology.rack, found none");
  const SakkaraTopology flat = FlatSakkaraTopology(nodes);
  CHECK(Levels(flat) == "node");
  CHECK(Nodes(flat) == "a b c");
  CHECK(flat.resources == Lines{"cpu", "memory"});
}

TEST_CASE("Objects are Sakkara's by the key of a label, topologies in one namespace only") {
  const auto object = [](std::string_view ns, std::string_view label) {
    std::string text = fmt::format(R"({{"kind":"ConfigMap","metadata":{{"name":"x","namespace":)"
                                   R"("{}","labels":{{"{}":""}}}}}})",
                                   ns, label);
    return DecodeConfigMap(text).value();
  };
  CHECK(IsSakkaraTopology(object("admin", "sakkara.topology"), "admin"));
  CHECK(!IsSakkaraTopology(object("team", "sakkara.topology"), "admin"));
  CHECK(!IsSakkaraTopology(object("admin", "sakkara.group"), "admin"));
  CHECK(!IsSakkaraTopology(object("admin", "sakkara.topology.rack"), "admin"));
  CHECK(IsSakkaraGroup(object("team", "sakkara.group")));
  CHECK(!IsSakkaraGroup(object("team", "sakkara.group.name")));
}

}  // namespace
}  // namespace gangplan::sakkara_topology_test
