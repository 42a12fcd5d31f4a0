// docs/placement-rules.md: its cluster is read from the drawing, and every example is placed.
#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "algorithms/engine.h"
#include "algorithms/explain.h"
#include "algorithms/packs.h"
#include "extender/frontends/gangplan/ladder.h"
#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/ranks.h"
#include "extender/frontends/gangplan/words.h"
#include "tests/config/config_text.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/roll_up.h"
#include "topology/base/text.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan::placement_rules_test {
namespace {

int NumberIn(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct DrawnCluster {
  Tree tree;
  FitCounts room;
};

// "block-1", then its racks: "├── rack-1   n1 4   n2 4".
DrawnCluster ReadDrawing(const std::string& text) {
  std::istringstream lines(text);
  std::string line, block;
  std::vector<NodeFacts> nodes;
  std::vector<int32_t> rooms;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first, rack, name;
    words >> first;
    if (first.starts_with("block-")) block = first;
    words >> rack;
    if (block.empty() || !rack.starts_with("rack-")) continue;
    int32_t room = 0;
    while (words >> name >> room) {
      nodes.push_back(MakeNode(name, {{"b", block}, {"r", rack}}));
      rooms.push_back(room);
    }
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  DrawnCluster cluster{Tree(BlockRackNode(), pointers), {}};
  PerLeaf leaves;
  for (int32_t source : cluster.tree.leaf_source()) leaves.push_back(rooms[source]);
  cluster.room = RollUpCounts(cluster.tree, leaves);
  return cluster;
}

std::string TextBetween(const std::string& text, std::string_view begin, std::string_view end) {
  const size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const size_t to = text.find(end, from + begin.size());
  REQUIRE(to != std::string::npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

struct Answer {
  std::string text;     // "n1 4, n2 4", or why not
  std::string drawing;  // "`[4 4 ·][· · ·] [· · ·][· · ·]`"; empty: not placed
};

std::string DrawingOf(const Tree& tree, const PerLeaf& placed) {
  std::string text = "`";
  for (int32_t rack = 0; rack < tree.size(1); ++rack) {
    const bool next_block = rack > 0 && tree.parent(1, rack) != tree.parent(1, rack - 1);
    text += next_block ? " [" : "[";
    const Tree::Range leaves = tree.leaves(1, rack);
    for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
      text += leaf == leaves.begin ? "" : " ";
      text += placed[leaf] > 0 ? fmt::format("{}", placed[leaf]) : "·";
    }
    text += "]";
  }
  return text + "`";
}

Answer AnswerTo(const DrawnCluster& cluster, const std::string& place, int32_t members) {
  const absl::StatusOr<LevelRules> rules = ParsePlace(kPlaceWord, place, BlockRackNode());
  if (!rules.ok()) return {Message(rules.status()), ""};
  PlacementRequest request;
  request.rules = *rules;
  request.pod_sets = {{"", members, 0, false}};
  BindUpwards(request.rules);
  const PlacementView view{&cluster.tree, {&cluster.room}};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{});
  if (result.outcome != Outcome::kPlaced)
    return {ShortReason(cluster.tree, request, result, "gang").substr(6), ""};
  PerLeaf placed(cluster.tree.leaf_count(), 0);
  for (const PlacedMember& member : result.members) ++placed[member.leaf];
  std::vector<std::pair<int, std::string>> nodes;
  for (int32_t leaf = 0; leaf < cluster.tree.leaf_count(); ++leaf) {
    const std::string& name = cluster.tree.name(cluster.tree.leaf_level(), leaf);
    if (placed[leaf] > 0)
      nodes.emplace_back(NumberIn(name.substr(1)), fmt::format("{} {}", name, placed[leaf]));
  }
  std::sort(nodes.begin(), nodes.end());
  std::string text;
  for (const auto& [number, node] : nodes) text += (text.empty() ? "" : ", ") + node;
  return {text, DrawingOf(cluster.tree, placed)};
}

DrawnCluster ShownIn(const std::string& text) {
  return ReadDrawing(TextBetween(text, "Room for members on each node:\n\n```\n", "```"));
}

std::vector<std::string> RowsBelow(const std::string& text, const std::string& heading) {
  std::istringstream table(TextBetween(text, heading, "\n\n"));
  std::vector<std::string> rows;
  for (std::string row; std::getline(table, row);) rows.push_back(row);
  return rows;
}

// Of eight workers and two loaders, each set with rules of its own.
std::string AnswerToTwo(const DrawnCluster& cluster, const std::vector<std::string>& places) {
  std::vector<LevelRules> rules;
  for (const std::string& place : places) {
    const absl::StatusOr<LevelRules> one = ParsePlace(kPlaceWord, place, BlockRackNode());
    if (!one.ok()) return Message(one.status());
    rules.push_back(*one);
    BindUpwards(rules.back());
  }
  PlacementRequest request;
  request.rules = rules[0];
  request.pod_sets = {{"workers", 8, 0, -1, rules[1]}, {"loaders", 2, 0, -1, rules[2]}};
  const PlacementView view{&cluster.tree, {&cluster.room, &cluster.room}};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{});
  if (result.outcome != Outcome::kPlaced)
    return ShortReason(cluster.tree, request, result, "gang").substr(6);
  CHECK(result.proven);
  std::vector<std::string> text;
  for (int32_t set = 0; set < 2; ++set) {
    std::map<int, int> nodes;
    for (const PlacedMember& member : result.members) {
      const std::string& name = cluster.tree.name(cluster.tree.leaf_level(), member.leaf);
      if (member.pod_set == set) ++nodes[NumberIn(name.substr(1))];
    }
    std::vector<std::string> members;
    for (const auto& [node, count] : nodes) members.push_back(fmt::format("n{} {}", node, count));
    text.push_back(fmt::format("{} {}", request.pod_sets[set].name, fmt::join(members, ", ")));
  }
  return fmt::format("{}", fmt::join(text, "; "));
}

TEST_CASE("docs/placement-rules.md: rules of one pod set are answered as it says") {
  const std::string text = FileOfTree("docs/placement-rules.md");
  const DrawnCluster cluster = ShownIn(text);
  const std::vector<std::string> rows =
      RowsBelow(text, "| of all | of the workers | of the loaders | answer |\n|---|---|---|---|\n");
  REQUIRE(rows.size() >= 4);
  for (const std::string& row : rows) {
    INFO(row);
    std::vector<std::string> cells = absl::StrSplit(row, " | ");
    REQUIRE(cells.size() == 4);
    const std::string answer = cells[3].substr(0, cells[3].size() - 2);
    cells.pop_back();
    cells[0] = cells[0].substr(2);
    for (std::string& cell : cells) cell = cell.substr(1, cell.size() - 2);
    CHECK(AnswerToTwo(cluster, cells) == answer);
  }
}

TEST_CASE("docs/placement-rules.md: every example is answered as it says") {
  const std::string text = FileOfTree("docs/placement-rules.md");
  const DrawnCluster cluster = ShownIn(text);
  REQUIRE(cluster.tree.leaf_count() == 12);
  const std::vector<std::string> rows =
      RowsBelow(text, "| place | members | drawn | answer |\n|---|---|---|---|\n");
  for (const std::string& line : rows) {
    INFO(line);
    const std::string place = TextBetween(line, "| `", "` | ");
    const std::string members = TextBetween(line, "` | ", " | ");
    const std::string drawn = TextBetween(line, " | " + members + " |", "|");
    const Answer answer = AnswerTo(cluster, place, NumberIn(members));
    CHECK(TextBetween(line, " | " + members + " |" + drawn + "| ", " |") == answer.text);
    CHECK(drawn == (answer.drawing.empty() ? " " : " " + answer.drawing + " "));
  }
  CHECK(rows.size() >= 15);
}

// "n1 0-3, n2 4-7", or why not.
std::string RanksBy(const DrawnCluster& cluster, const std::string& ranks, int32_t members) {
  const absl::StatusOr<std::vector<RankUnit>> units = ParseRanks(ranks, BlockRackNode());
  std::vector<Rung> ladder = *ParseLadder("", BlockRackNode());
  REQUIRE(units.ok());
  REQUIRE(AddRanks(*units, BlockRackNode(), ladder).ok());
  PlacementRequest request;
  request.rules = ladder.front().rules;
  request.pod_sets = {{"", members, 0, false}};
  BindUpwards(request.rules);
  const PlacementView view{&cluster.tree, {&cluster.room}};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{});
  if (result.outcome != Outcome::kPlaced)
    return ShortReason(cluster.tree, request, result, "gang").substr(6);
  std::string text;
  for (size_t first = 0, next = 0; first < result.members.size(); first = next) {
    while (next < result.members.size() && result.members[next].leaf == result.members[first].leaf)
      ++next;
    text += fmt::format("{}{} {}-{}", text.empty() ? "" : ", ",
                        cluster.tree.name(2, result.members[first].leaf), first, next - 1);
  }
  return text;
}

TEST_CASE("docs/placement-rules.md: every rank map is answered as it says") {
  const std::string text = FileOfTree("docs/placement-rules.md");
  const DrawnCluster cluster = ShownIn(text);
  const std::vector<std::string> rows =
      RowsBelow(text, "| ranks | members | answer |\n|---|---|---|\n");
  for (const std::string& line : rows) {
    INFO(line);
    const std::string members = TextBetween(line, "` | ", " | ");
    CHECK(TextBetween(line, " | " + members + " | ", " |") ==
          RanksBy(cluster, TextBetween(line, "| `", "` | "), NumberIn(members)));
  }
  CHECK(rows.size() >= 6);
}

}  // namespace
}  // namespace gangplan::placement_rules_test
