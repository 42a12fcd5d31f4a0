#include "extender/demo/tree_picture.h"

#include <algorithm>
#include <utility>

#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr int kBlocks = 0;
constexpr int kRacks = 1;
constexpr char kFree = '.';
constexpr char kPartly = '-';
constexpr char kTaken = '#';

std::vector<const NodeFacts*> Pointers(const std::vector<NodeFacts>& nodes) {
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  return pointers;
}

int32_t MostChildren(const Tree& tree, int level) {
  int32_t most = 0;
  for (int32_t i = 0; i < tree.size(level); ++i) {
    const Tree::Range children = tree.children(level, i);
    most = std::max(most, children.end - children.begin);
  }
  return most;
}

}  // namespace

TreePicture::TreePicture(const Topology& topology, std::vector<NodeFacts> nodes,
                         std::map<std::string, char> letters, std::string resource, bool colour)
    : nodes_(std::move(nodes)),
      letters_(std::move(letters)),
      resource_(std::move(resource)),
      colour_(colour),
      tree_(topology, Pointers(nodes_)) {
  GANGPLAN_CHECK(tree_.level_count() == 3);
  width_ = MostChildren(tree_, kRacks);
  for (int32_t block = 0; block < tree_.size(kBlocks); ++block)
    width_ = std::max(width_, static_cast<int32_t>(tree_.name(kBlocks, block).size()));
}

std::string TreePicture::Cell(char letter) const {
  if (!colour_) return std::string(1, letter);
  constexpr std::string_view kOfGangs[] = {"30;42", "30;44", "30;43", "30;45"};
  std::string_view code = "2";
  if (letter == kPartly) code = "37";
  if (letter == kTaken) code = "90";
  if (letter >= 'A' && letter <= 'Z') code = kOfGangs[(letter - 'A') % 4];
  return fmt::format("\x1b[{}m{}\x1b[0m", code, letter);
}

// By node name.
std::map<std::string, char> TreePicture::Cells(const std::vector<PodFacts>& bound) const {
  std::map<std::string, int64_t> used;
  std::map<std::string, char> cells;
  for (const PodFacts& pod : bound) {
    used[pod.node_name] += AmountOf(pod.requests, resource_);
    const auto gang = letters_.find(pod.controller ? pod.controller->name : std::string());
    if (gang != letters_.end()) cells[pod.node_name] = gang->second;
  }
  for (const NodeFacts& node : nodes_) {
    const int64_t taken = used[node.name];
    const bool full = taken >= AmountOf(node.allocatable, resource_);
    cells.emplace(node.name, taken == 0 ? kFree : full ? kTaken : kPartly);
  }
  return cells;
}

std::string TreePicture::Rack(int32_t block, int32_t row,
                              const std::map<std::string, char>& cells) const {
  const Tree::Range racks = tree_.children(kBlocks, block);
  std::string text;
  int32_t width = 0;
  if (racks.begin + row < racks.end) {
    const Tree::Range leaves = tree_.leaves(kRacks, racks.begin + row);
    width = leaves.end - leaves.begin;
    for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
      text += Cell(cells.at(tree_.name(tree_.leaf_level(), leaf)));
    }
  }
  return text.append(static_cast<size_t>(width_ - width), ' ');
}

std::string TreePicture::Draw(std::string_view title, const std::vector<PodFacts>& bound,
                              const std::vector<std::string>& notes) const {
  const std::map<std::string, char> cells = Cells(bound);
  std::string text = fmt::format("{:<6}", title);
  for (int32_t block = 0; block < tree_.size(kBlocks); ++block)
    text += fmt::format("  {:<{}}", tree_.name(kBlocks, block), width_);
  for (int32_t row = 0; row < MostChildren(tree_, kBlocks); ++row) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += fmt::format("\n{:<6}", tree_.name(kRacks, tree_.children(kBlocks, 0).begin + row));
    for (int32_t block = 0; block < tree_.size(kBlocks); ++block)
      text += "  " + Rack(block, row, cells);
    const auto note = static_cast<size_t>(row);
    if (note < notes.size()) text += "    " + notes[note];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace gangplan
