// Topologies in files: Slurm's topology.conf, and a tree in YAML.
#include <algorithm>
#include <string>
#include <vector>

#include "config/limits.h"
#include "config/slurm_topology.h"
#include "config/tree_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan::topology_files_test {
namespace {

using Path = std::vector<std::string>;
using Read = absl::StatusOr<NodePaths> (*)(std::string_view, std::string_view);

NodePaths MustRead(Read read, std::string_view text) {
  const absl::StatusOr<NodePaths> paths = read(text, "x");
  INFO(Message(paths.status()));
  REQUIRE(paths.ok());
  return *paths;
}

NodePaths Slurm(std::string_view text) { return MustRead(ReadSlurmTopology, text); }
NodePaths TreeOf(std::string_view text) { return MustRead(ReadTreeFile, text); }

std::string SlurmError(std::string_view text) {
  return Message(ReadSlurmTopology(text, "x").status());
}
std::string TreeError(std::string_view text) { return Message(ReadTreeFile(text, "x").status()); }

}  // namespace

TEST_CASE("A line of topology.conf that goes on keeps the blanks that part its words") {
  const NodePaths cut = Slurm("SwitchName=s1\\\n   Nodes=n[1-4]\\\n\tLinkSpeed=100\n");
  CHECK(cut == Slurm("SwitchName=s1 Nodes=n[1-4] LinkSpeed=100\n"));
}

TEST_CASE("Switches of topology.conf become levels from the switch that has the nodes") {
  const NodePaths paths = Slurm(
      "# two leaves below a spine\n"
      "switchname=s1 NODES=n[1-2] LinkSpeed=100\n"
      "SwitchName=s2 Nodes=n[3-4] # the other\n"
      "\n"
      "SwitchName=top \\\n"
      "   Switches=s[1-2]");
  CHECK(paths.levels == Path{"switch-2", "switch"});
  CHECK(paths.nodes.size() == 4);
  CHECK(paths.nodes.at("n2") == Path{"top", "s1"});
  CHECK(paths.nodes.at("n3") == Path{"top", "s2"});
}

TEST_CASE("A branch with fewer switches than others has the lower one at the missing levels") {
  const NodePaths paths = Slurm(
      "SwitchName=a Nodes=a1\nSwitchName=b Nodes=b1\nSwitchName=alone Nodes=c1\n"
      "SwitchName=mid Switches=a\nSwitchName=root Switches=mid,b\n");
  CHECK(paths.levels == Path{"switch-3", "switch-2", "switch"});
  CHECK(paths.nodes.at("a1") == Path{"root", "mid", "a"});
  CHECK(paths.nodes.at("b1") == Path{"root", "b", "b"});
  CHECK(paths.nodes.at("c1") == Path{"alone", "alone", "alone"});
}

TEST_CASE("Blocks of topology.conf become a level, and a level for each greater size") {
  const std::string blocks =
      "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n5\n";
  CHECK(Slurm(blocks).levels == Path{"block"});
  CHECK(Slurm(blocks).nodes.at("n5") == Path{"b3"});
  const NodePaths paths = Slurm(blocks + "BlockSizes=2,4,8\n");
  CHECK(paths.levels == Path{"block-8", "block-4", "block"});
  CHECK(paths.nodes.at("n1") == Path{"b1..b3", "b1..b2", "b1"});
  CHECK(paths.nodes.at("n5") == Path{"b1..b3", "b3", "b3"});
}

TEST_CASE("The order of the lines of switches changes nothing") {
  std::vector<std::string> lines = {"SwitchName=a Nodes=n[1-3]\n", "SwitchName=b Nodes=n[4-6]\n",
                                    "SwitchName=m Switches=a\n", "SwitchName=r Switches=m,b\n"};
  std::sort(lines.begin(), lines.end());
  const NodePaths first = Slurm(lines[0] + lines[1] + lines[2] + lines[3]);
  do {
    CHECK(Slurm(lines[0] + lines[1] + lines[2] + lines[3]) == first);
  } while (std::next_permutation(lines.begin(), lines.end()));
}

TEST_CASE("A topology.conf that is none is refused with file, line and what was expected") {
  CHECK(SlurmError("") == "x:1: a line with SwitchName= or BlockName= expected, and there is none");
  CHECK(SlurmError("\nSwitch=a Nodes=n1") ==
        "x:2: \"Switch\": SwitchName, Switches, Nodes, BlockName or BlockSizes expected");
  CHECK(SlurmError("SwitchName Nodes=n1") == "x:1: SwitchName: SwitchName=VALUE expected");
  CHECK(SlurmError("SwitchName= Nodes=n1") == "x:1: SwitchName: SwitchName=VALUE expected");
  CHECK(SlurmError("SwitchName=a Nodes=n1 nodes=n2") == "x:1: Nodes: given twice");
  CHECK(SlurmError("include other.conf") ==
        "x:1: Include: not followed; one file with all lines expected");
  CHECK(SlurmError("Nodes=n1") == "x:1: either SwitchName or BlockName expected in each line");
  CHECK(SlurmError("SwitchName=a") == "x:1: a: either Nodes or Switches expected");
  CHECK(SlurmError("SwitchName=a Nodes=n1 Switches=b") ==
        "x:1: a: either Nodes or Switches expected");
  CHECK(SlurmError("BlockName=a") == "x:1: a: Nodes expected");
  CHECK(SlurmError("BlockName=a Switches=b") == "x:1: Switches: Nodes expected with BlockName");
  CHECK(SlurmError("SwitchName=a Nodes=n1\nBlockName=b Nodes=n2") ==
        "x:2: switches or blocks expected, not both in one file; line 1 has a switch");
  CHECK(SlurmError("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2") ==
        "x:2: a: stands in line 1 already");
  CHECK(SlurmError("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n2") ==
        "x:2: Nodes: n2: stands in line 1 already");
  CHECK(SlurmError("SwitchName=a \\\nNodes=n[1-") ==
        "x:1: Nodes: n[1-: a ] expected behind each [");
  CHECK(SlurmError("SwitchName=a Nodes=N1") ==
        "x:1: Nodes: N1: the name of a node of Kubernetes expected");
  CHECK(SlurmError("SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c") ==
        "x:2: Switches: c: no line has SwitchName=c");
  CHECK(SlurmError("SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a") ==
        "x:3: Switches: a: hangs on b already (line 2)");
  CHECK(SlurmError("SwitchName=l Nodes=n1\nSwitchName=a Switches=b\nSwitchName=b Switches=a") ==
        "x:2: a: no node hangs below it; switches in a circle?");
  CHECK(SlurmError("SwitchName=l Nodes=n1\nSwitchName=a Switches=b,l\nSwitchName=b Switches=a") ==
        "x:3: b: hangs below itself; switches in a circle");
  CHECK(SlurmError("SwitchName=l Nodes=n1\nSwitchName=a Switches=a,l") ==
        "x:2: a: hangs below itself; switches in a circle");
  CHECK(SlurmError("SwitchName=a Nodes=n1\nBlockSizes=2") ==
        "x:2: BlockSizes: expected beside BlockName alone");
  CHECK(SlurmError("BlockSizes=2 BlockName=a Nodes=n1") ==
        "x:1: BlockSizes: a line of its own expected");
  CHECK(SlurmError("BlockSizes=0") ==
        "x:1: BlockSizes: numbers of nodes from 1 to 100000 expected, got \"0\"");
  CHECK(SlurmError("BlockSizes=2,6").ends_with("times a power of two; got \"2,6\""));
  CHECK(SlurmError("BlockSizes=2,2").ends_with("times a power of two; got \"2,2\""));
  CHECK(SlurmError("BlockSizes=2\nBlockSizes=2") == "x:2: BlockSizes: given in line 1");
}

TEST_CASE("A topology.conf costs no more than its limits") {
  std::string deep = "SwitchName=s0 Nodes=n1\n";
  for (int i = 1; i < kMaxLevels; ++i)
    deep += fmt::format("SwitchName=s{} Switches=s{}\n", i, i - 1);
  CHECK(Slurm(deep).levels.size() == static_cast<size_t>(kMaxLevels));
  CHECK_FALSE(
      SlurmError(deep + fmt::format("SwitchName=top Switches=s{}", kMaxLevels - 1)).empty());

  const std::string most = fmt::format("SwitchName=a Nodes=n[1-{}]\n", kMaxNodes);
  CHECK(Slurm(most).nodes.size() == static_cast<size_t>(kMaxNodes));
  CHECK(SlurmError(most + "SwitchName=b Nodes=x") == "x:2: Nodes: x: at most 0 names expected");

  std::string wide;
  for (size_t i = 0; i < kMaxTopologyUnits; ++i)
    wide += fmt::format("BlockName=b{0} Nodes=n{0}\n", i);
  CHECK(Slurm(wide).nodes.size() == kMaxTopologyUnits);
  CHECK(SlurmError(wide + "BlockName=b Nodes=n") ==
        "x:20001: at most 20000 switches or blocks expected");

  // Each switch hangs on one, so all lines together name no more than there may be.
  std::string hanging;
  for (int line = 0; line < 2; ++line)
    hanging += fmt::format("SwitchName=s{} Switches=x[00000-{}]\n", line, kMaxTopologyUnits - 1);
  CHECK(SlurmError(hanging) ==
        "x:2: Switches: x[00000-19999]: \"00000-19999\": at most 0 names expected");

  const std::string comment(kMaxTopologyLine, '#');
  CHECK(Slurm(comment + "\nSwitchName=a Nodes=n1").nodes.size() == 1);
  CHECK(SlurmError(std::string(kMaxTopologyLine + 1, 'x')) ==
        "x:1: a line of at most 1048576 characters expected");
  CHECK(SlurmError(std::string(kMaxTopologyBytes + 1, '\n')) ==
        "x:1: a file of at most 8388608 bytes expected");
  const std::string name(kMaxUnitName, 'a');
  CHECK(Slurm(fmt::format("SwitchName={} Nodes=n", name)).nodes.size() == 1);
  const std::string all = fmt::format("Nodes=n[1-{}]\n", kMaxNodes);
  const std::string spines = fmt::format(
      "SwitchName=1{0} Switches={0}\nSwitchName=2{0} Switches=1{0}", std::string(250, 'a'));
  CHECK(SlurmError("SwitchName=" + std::string(250, 'a') + " " + all + spines)
            .find(": shorter names of units expected, of at most 67108864 bytes") !=
        std::string::npos);
  CHECK(SlurmError(fmt::format("SwitchName={}a Nodes=n", name))
            .ends_with("a name of at most 253 characters expected"));
}

TEST_CASE("A tree file names levels, units and nodes") {
  const NodePaths paths = TreeOf(
      "levels: [block, rack]\n"
      "tree:\n"
      "  b1:\n"
      "    r1: n[01-02]\n"
      "    r2: [n03, \"n[04-05]\"]\n"
      "  b2:\n"
      "    r1: n06\n"
      "    r2:\n");
  CHECK(paths.levels == Path{"block", "rack"});
  CHECK(paths.nodes.size() == 6);
  CHECK(paths.nodes.at("n05") == Path{"b1", "r2"});
  CHECK(paths.nodes.at("n06") == Path{"b2", "r1"});
}

TEST_CASE("A tree file that is none is refused with file, line and what was expected") {
  CHECK(TreeError("") == "x:1: the keys levels and tree expected");
  CHECK(TreeError("levels: [a]\nnodes: {}") == "x:2: nodes: unknown key; levels and tree expected");
  CHECK(TreeError("tree: {}") ==
        "x:1: levels: a list of names expected, coarsest first and without the node");
  CHECK(TreeError("levels: []\ntree: {}") ==
        "x:1: levels: a list of names expected, coarsest first and without the node");
  CHECK(TreeError("levels: [a, a]\ntree: {}") == "x:1: levels: two levels are named a");
  CHECK(TreeError("levels: [\"a b\"]\ntree: {}") ==
        "x:1: levels: level name \"a b\": only letters, digits, '-', '_', '.' and '/'");
  CHECK(TreeError("levels: [rack]") == "x:1: tree: units and their nodes expected");
  CHECK(TreeError("levels: [rack]\ntree: n1") ==
        "x:2: tree: names of units of the level rack expected, and what is below each");
  CHECK(TreeError("levels: [block, rack]\ntree:\n  b1: n1") ==
        "x:3: b1: names of units of the level rack expected, and what is below each");
  CHECK(TreeError("levels: [rack]\ntree:\n  r1: {n1: n2}") ==
        "x:3: r1: names of nodes expected; rack is the lowest level");
  CHECK(TreeError("levels: [rack]\ntree:\n  r1: n1\n  r2: [n2, n1]") ==
        "x:4: r2: n1: stands in line 3 already");
  CHECK(TreeError("levels: [rack]\ntree:\n  r1: \"n[\"") ==
        "x:3: r1: n[: a ] expected behind each [");
  CHECK(TreeError("levels: [rack]\ntree:\n  r1: N1") ==
        "x:3: r1: N1: the name of a node of Kubernetes expected");
  CHECK(TreeError("levels: [rack]\ntree: {}\n---\n{}").starts_with("x:4: one document expected"));
  CHECK(TreeError("levels: [rack]\ntree: {r1: n1, r1: n2}").starts_with("x:2:"));
}

TEST_CASE("A tree file costs no more than its limits") {
  std::string units = "levels: [rack]\ntree:\n";
  for (size_t i = 0; i < kMaxTopologyUnits; ++i) units += fmt::format("  r{0}: n{0}\n", i);
  CHECK(TreeOf(units).nodes.size() == kMaxTopologyUnits);
  CHECK(TreeError(units + "  r: n\n") == "x:20003: at most 20000 units expected");
  // Each node has the names of its units: few bytes would become many.
  const size_t fit = kMaxUnitBytes / kMaxUnitName;
  const std::string long_name(kMaxUnitName, 'r');
  std::string wide = "levels: [a, b, c, d]\ntree:\n";
  for (int level = 0; level < 4; ++level)
    wide += std::string(static_cast<size_t>(level + 1) * 2, ' ') + long_name + ":\n";
  wide += "          n[1-{}]\n";
  CHECK(TreeOf(fmt::format(fmt::runtime(wide), fit / 4)).nodes.size() == fit / 4);
  CHECK(TreeError(fmt::format(fmt::runtime(wide), fit / 4 + 1))
            .ends_with("shorter names of units expected, of at most 67108864 bytes for all nodes "
                       "together"));
  const std::string most = fmt::format("levels: [rack]\ntree:\n  r1: n[1-{}]\n", kMaxNodes);
  CHECK(TreeOf(most).nodes.size() == static_cast<size_t>(kMaxNodes));
  CHECK(TreeError(most + "  r2: x") == "x:4: r2: x: at most 0 names expected");
}

TEST_CASE("A file's units become labels of its nodes, which no other node has") {
  const NodePaths paths = TreeOf("levels: [block, rack]\ntree: {b1: {r1: n1}}");
  const Topology topology = *TopologyOf(paths, "rings");
  REQUIRE(topology.levels.size() == 3);
  CHECK(topology.levels[1].label == "unit.gangplan/rings/rack");
  NodeFacts node;
  node.name = "n1";
  node.labels = {{"a", "b"}, {"unit.gangplan/rings/rack", "forged"}};
  PlaceNode(paths, "rings", node);
  CHECK(node.labels == LabelSet{{"a", "b"},
                                {"unit.gangplan/rings", ""},
                                {"unit.gangplan/rings/block", "b1"},
                                {"unit.gangplan/rings/rack", "r1"}});
  CHECK(IsWithin(ScopeOfNamed("rings"), node.labels));
  CHECK_FALSE(IsWithin(ScopeOfNamed("ring"), node.labels));
  node.name = "n2";
  PlaceNode(paths, "rings", node);
  CHECK(node.labels == LabelSet{{"a", "b"}});
}

}  // namespace gangplan::topology_files_test
