#include "extender/cli/map.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "topology/base/terminal_text.h"

namespace gangplan {
namespace {

constexpr size_t kCellsOfLine = 64;

struct Painting {
  char letter;
  std::string_view meaning;
  std::string_view colour;  // the digits of an ANSI one
};
constexpr Painting kOfGang = {'@', "the gang", "30;42"};
constexpr Painting kUnusable = {'x', "not to be used", "31"};
constexpr Painting kFree = {'.', "free", "2"};
constexpr Painting kHeld = {'+', "room is held", "36"};
constexpr Painting kPartly = {'-', "partly used", "37"};
constexpr Painting kFull = {'#', "full", "90"};
constexpr Painting kNone = {'_', "has none", "2"};

const Painting& LookOf(const MappedNode& node, bool of_gang) {
  if (of_gang) return kOfGang;
  if (!node.usable) return kUnusable;
  if (node.held > 0) return kHeld;
  if (node.used == 0) return node.capacity == 0 ? kNone : kFree;
  return node.used >= node.capacity ? kFull : kPartly;
}

std::string CellText(const Painting& look, bool coloured) {
  if (!coloured) return std::string(1, look.letter);
  return fmt::format("\x1b[{}m{}\x1b[0m", look.colour, look.letter);
}

// What stands before the last '/', and behind it.
std::string_view DomainOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
std::string_view LastOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view TopOf(std::string_view path) {
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
// Of a domain, below the highest one.
std::string LabelOf(std::string_view domain) {
  const std::string_view top = TopOf(domain);
  return TerminalLine(top.empty() ? domain : domain.substr(top.size() + 1));
}

size_t WidthOf(const TopologyAnswer& topology) {
  size_t width = 0;
  for (const MappedNode& node : topology.nodes)
    width = std::max(width, LabelOf(DomainOf(node.path)).size());
  return width;
}

std::string Legend(const TopologyAnswer& topology, bool with_gang) {
  std::string text = fmt::format("{} of each node", TerminalLine(topology.resource));
  const bool any_without =
      std::any_of(topology.nodes.begin(), topology.nodes.end(),
                  [](const MappedNode& node) { return &LookOf(node, false) == &kNone; });
  for (const Painting* look : {&kFree, &kPartly, &kFull, &kHeld, &kUnusable, &kNone, &kOfGang}) {
    const bool shown = look == &kOfGang ? with_gang : look != &kNone || any_without;
    if (shown) text += fmt::format("  {} {}", look->letter, look->meaning);
  }
  if (topology.unplaced > 0) {
    text +=
        fmt::format("\n{} nodes lack the label of a level, or are in no topology, and are not here",
                    topology.unplaced);
  }
  return text + "\n";
}

}  // namespace

std::string MapText(const TopologyAnswer& topology, const std::set<std::string>& gang,
                    bool coloured) {
  const size_t width = WidthOf(topology);
  std::string text = Legend(topology, !gang.empty());
  std::string_view top, domain;
  size_t cells = 0;
  bool first = true;
  for (const MappedNode& node : topology.nodes) {
    const std::string_view its = DomainOf(node.path);
    if (first || TopOf(node.path) != top) {
      top = TopOf(node.path);
      if (top != its) text += fmt::format("{}{}\n", first ? "" : "\n", TerminalLine(top));
    }
    if (first || its != domain || cells == kCellsOfLine) {
      const bool goes_on = !first && its == domain;
      const bool ends = !first && text.back() != '\n';
      text += fmt::format("{}  {:<{}}  ", ends ? "\n" : "", goes_on ? "" : LabelOf(its), width);
      domain = its;
      cells = 0;
    }
    text += CellText(LookOf(node, gang.contains(std::string(LastOf(node.path)))), coloured);
    ++cells;
    first = false;
  }
  return first ? text + "There are no nodes.\n" : text + "\n";
}

}  // namespace gangplan
