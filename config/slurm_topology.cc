#include "config/slurm_topology.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "config/host_list.h"
#include "config/limits.h"
#include "config/node_names.h"
#include "topology/base/decimal.h"
#include "topology/base/spelling.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/text_map.h"
#include "topology/model.h"

namespace gangplan {
namespace {

constexpr std::array<std::string_view, 7> kKeys = {
    "SwitchName", "Switches", "Nodes", "LinkSpeed", "BlockName", "BlockSizes", "Include"};

struct Word {
  std::string_view key;  // as kKeys has it
  std::string value;
};

struct Line {
  int number = 1;  // of the first, where several were joined
  std::vector<Word> words;

  const std::string* Find(std::string_view key) const {
    const auto word =
        std::find_if(words.begin(), words.end(), [&](const Word& one) { return one.key == key; });
    return word == words.end() ? nullptr : &word->value;
  }
};

// A switch or a block.
struct Unit {
  std::string name;
  int line = 1;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
  int32_t above = -1;  // the switch on which it hangs
  int height = 0;      // 1: it has nodes; 0: not known yet
};

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_(file_name) {}

  absl::StatusOr<NodePaths> Read(std::string_view text) {
    GANGPLAN_RETURN_IF_ERROR(ReadLines(text));
    if (units_.empty())
      return Fail(1, "a line with SwitchName= or BlockName= expected, and there is none");
    return blocks_ ? PathsOfBlocks() : PathsOfSwitches();
  }

 private:
  template <typename... Args>
  absl::Status Fail(int line, fmt::format_string<Args...> format, Args&&... args) const {
    return Invalid("{}:{}: {}", file_, line, fmt::format(format, std::forward<Args>(args)...));
  }

  absl::Status ReadLines(std::string_view text);
  absl::StatusOr<Line> WordsOf(std::string_view text, int number) const;
  absl::Status Take(const Line& line);
  absl::Status TakeSizes(const Line& line, const std::string& sizes);
  absl::Status TakeUnit(const Line& line, const std::string& name, bool block);
  absl::Status TakeNodes(const std::string& list, Unit& unit);
  absl::Status Connect();
  absl::Status Measure(int32_t unit);
  bool IsInCircle(int32_t unit) const;
  absl::StatusOr<NodePaths> PathsOfSwitches();
  absl::StatusOr<NodePaths> PathsOfBlocks();
  std::vector<std::string> PathOf(const Unit& lowest, int levels) const;
  absl::Status Place(const Unit& unit, const std::vector<std::string>& path, NodePaths& paths);

  const std::string file_;
  std::vector<Unit> units_;
  TextMap<int32_t> by_name_;
  size_t hanging_ = 0;  // switches that stand below another one
  NodeNames nodes_;
  std::vector<int64_t> sizes_;  // of BlockSizes
  int sizes_line_ = 0;
  bool blocks_ = false;
};

// Comments end with their line, whether it is joined to another one or not.
absl::Status Reader::ReadLines(std::string_view text) {
  std::string joined;
  int number = 0, first = 1;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (joined.empty()) first = number + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    // Blanks at its front part the words, where the line before goes on.
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    joined += line;
    if (joined.size() > kMaxTopologyLine)
      return Fail(first, "a line of at most {} characters expected", kMaxTopologyLine);
    if (goes_on && !text.empty()) continue;
    GANGPLAN_ASSIGN_OR_RETURN(const Line words, WordsOf(joined, first));
    if (!words.words.empty()) GANGPLAN_RETURN_IF_ERROR(Take(words));
    joined.clear();
  }
  return absl::OkStatus();
}

absl::StatusOr<Line> Reader::WordsOf(std::string_view text, int number) const {
  Line line{number, {}};
  for (text = Trim(text); !text.empty(); text = Trim(text)) {
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    const size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const auto known = std::find_if(kKeys.begin(), kKeys.end(), [&](std::string_view one) {
      return absl::EqualsIgnoreCase(ToAbsl(one), ToAbsl(key));
    });
    if (known == kKeys.end())
      return Fail(number, "\"{}\": SwitchName, Switches, Nodes, BlockName or BlockSizes expected",
                  Shown(key));
    if (*known == "Include")
      return Fail(number, "Include: not followed; one file with all lines expected");
    if (equals == std::string_view::npos || equals + 1 == word.size())
      return Fail(number, "{}: {}=VALUE expected", *known, *known);
    if (line.Find(*known) != nullptr) return Fail(number, "{}: given twice", *known);
    line.words.push_back({*known, std::string(word.substr(equals + 1))});
  }
  return line;
}

absl::Status Reader::Take(const Line& line) {
  const std::string* switch_name = line.Find("SwitchName");
  const std::string* block_name = line.Find("BlockName");
  if (const std::string* sizes = line.Find("BlockSizes")) {
    if (line.words.size() > 1) return Fail(line.number, "BlockSizes: a line of its own expected");
    return TakeSizes(line, *sizes);
  }
  if ((switch_name == nullptr) == (block_name == nullptr))
    return Fail(line.number, "either SwitchName or BlockName expected in each line");
  const bool block = block_name != nullptr;
  if (!units_.empty() && block != blocks_)
    return Fail(line.number, "switches or blocks expected, not both in one file; line {} has {}",
                units_.front().line, blocks_ ? "a block" : "a switch");
  blocks_ = block;
  return TakeUnit(line, block ? *block_name : *switch_name, block);
}

// The first is that of a block, each other one a power of two of it, as Slurm has them.
absl::Status Reader::TakeSizes(const Line& line, const std::string& sizes) {
  if (!sizes_.empty()) return Fail(line.number, "BlockSizes: given in line {}", sizes_line_);
  sizes_line_ = line.number;
  std::string_view rest = sizes;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const auto size = ReadDecimal<int64_t>(rest.substr(0, comma));
    if (!size || *size < 1 || *size > kMaxNodes)
      return Fail(line.number, "BlockSizes: numbers of nodes from 1 to {} expected, got \"{}\"",
                  kMaxNodes, Shown(sizes));
    sizes_.push_back(*size);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  for (size_t i = 1; i < sizes_.size(); ++i) {
    const int64_t times = sizes_[i] / sizes_[0];
    const bool power = sizes_[i] % sizes_[0] == 0 && (times & (times - 1)) == 0;
    if (!power || sizes_[i] <= sizes_[i - 1])
      return Fail(line.number,
                  "BlockSizes: each expected to be greater than the one before, and the first "
                  "times a power of two; got \"{}\"",
                  Shown(sizes));
  }
  return absl::OkStatus();
}

absl::Status Reader::TakeUnit(const Line& line, const std::string& name, bool block) {
  if (name.size() > kMaxUnitName)
    return Fail(line.number, "{}: a name of at most {} characters expected", Shown(name),
                kMaxUnitName);
  if (units_.size() == kMaxTopologyUnits)
    return Fail(line.number, "at most {} switches or blocks expected", kMaxTopologyUnits);
  const auto [known, added] = by_name_.emplace(name, static_cast<int32_t>(units_.size()));
  if (!added)
    return Fail(line.number, "{}: stands in line {} already", Shown(name),
                units_[static_cast<size_t>(known->second)].line);
  Unit unit{name, line.number, {}, {}};
  const std::string* nodes = line.Find("Nodes");
  const std::string* switches = line.Find("Switches");
  if (block && switches != nullptr)
    return Fail(line.number, "Switches: Nodes expected with BlockName");
  if ((nodes == nullptr) == (switches == nullptr))
    return Fail(line.number, "{}: {} expected", Shown(name),
                block ? "Nodes" : "either Nodes or Switches");
  if (nodes != nullptr) GANGPLAN_RETURN_IF_ERROR(TakeNodes(*nodes, unit));
  if (switches != nullptr) {
    // All lines together: each switch hangs on one.
    const absl::Status read = AppendHosts(*switches, kMaxTopologyUnits - hanging_, unit.switches);
    if (!read.ok()) return Fail(line.number, "Switches: {}", Message(read));
    hanging_ += unit.switches.size();
  }
  units_.push_back(std::move(unit));
  return absl::OkStatus();
}

absl::Status Reader::TakeNodes(const std::string& list, Unit& unit) {
  absl::StatusOr<std::vector<std::string>> nodes = nodes_.Take(list, unit.line);
  if (!nodes.ok()) return Fail(unit.line, "Nodes: {}", Message(nodes.status()));
  unit.nodes = *std::move(nodes);
  unit.height = 1;
  return absl::OkStatus();
}

// ---- switches

absl::Status Reader::Connect() {
  for (size_t i = 0; i < units_.size(); ++i) {
    for (const std::string& name : units_[i].switches) {
      const auto below = by_name_.find(name);
      if (below == by_name_.end())
        return Fail(units_[i].line, "Switches: {}: no line has SwitchName={}", Shown(name),
                    Shown(name));
      Unit& unit = units_[static_cast<size_t>(below->second)];
      if (unit.above >= 0)
        return Fail(units_[i].line, "Switches: {}: hangs on {} already (line {})", Shown(name),
                    Shown(units_[static_cast<size_t>(unit.above)].name),
                    units_[static_cast<size_t>(unit.above)].line);
      unit.above = static_cast<int32_t>(i);
    }
  }
  return absl::OkStatus();
}

// It hangs below itself.
bool Reader::IsInCircle(int32_t unit) const {
  int32_t at = unit;
  for (size_t step = 0; at >= 0 && step < units_.size(); ++step) {
    at = units_[static_cast<size_t>(at)].above;
    if (at == unit) return true;
  }
  return false;
}

// The heights of a switch that has nodes and of all above it: the greatest of those below, and one.
absl::Status Reader::Measure(int32_t unit) {
  for (int height = 1; unit >= 0; unit = units_[static_cast<size_t>(unit)].above, ++height) {
    Unit& own = units_[static_cast<size_t>(unit)];
    if (height > kMaxLevels && IsInCircle(unit))
      return Fail(own.line, "{}: hangs below itself; switches in a circle", Shown(own.name));
    if (height > kMaxLevels)
      return Fail(own.line, "{}: at most {} switches above each other expected", Shown(own.name),
                  kMaxLevels);
    if (own.height > height) return absl::OkStatus();
    own.height = height;
  }
  return absl::OkStatus();
}

// From the coarsest level to the switch that has the nodes. What is missing in between, or on top,
// is as what stands below it.
std::vector<std::string> Reader::PathOf(const Unit& lowest, int levels) const {
  std::vector<std::string> path(static_cast<size_t>(levels), lowest.name);
  for (int32_t above = lowest.above; above >= 0;) {
    const Unit& unit = units_[static_cast<size_t>(above)];
    std::fill_n(path.begin(), levels - unit.height + 1, unit.name);
    above = unit.above;
  }
  return path;
}

absl::Status Reader::Place(const Unit& unit, const std::vector<std::string>& path,
                           NodePaths& paths) {
  const absl::Status placed = nodes_.Place(unit.nodes, path, paths);
  return placed.ok() ? placed : Fail(unit.line, "{}: {}", Shown(unit.name), Message(placed));
}

absl::StatusOr<NodePaths> Reader::PathsOfSwitches() {
  if (!sizes_.empty()) return Fail(sizes_line_, "BlockSizes: expected beside BlockName alone");
  GANGPLAN_RETURN_IF_ERROR(Connect());
  int levels = 0;
  for (size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].switches.empty()) GANGPLAN_RETURN_IF_ERROR(Measure(static_cast<int32_t>(i)));
  }
  for (const Unit& unit : units_) {
    if (unit.height == 0)  // on a circle, where none has nodes
      return Fail(unit.line, "{}: no node hangs below it; switches in a circle?", Shown(unit.name));
    levels = std::max(levels, unit.height);
  }
  NodePaths paths;
  for (int level = levels; level > 1; --level)
    paths.levels.push_back(fmt::format("switch-{}", level));
  paths.levels.push_back("switch");
  for (const Unit& unit : units_) {
    if (unit.switches.empty()) {
      GANGPLAN_RETURN_IF_ERROR(Place(unit, PathOf(unit, levels), paths));
    }
  }
  return paths;
}

// ---- blocks

absl::StatusOr<NodePaths> Reader::PathsOfBlocks() {
  if (sizes_.size() > static_cast<size_t>(kMaxLevels))
    return Fail(sizes_line_, "BlockSizes: at most {} sizes expected", kMaxLevels);
  NodePaths paths;
  std::vector<size_t> together;  // blocks in a unit of each level
  for (size_t i = sizes_.size(); i-- > 1;) {
    paths.levels.push_back(fmt::format("block-{}", sizes_[i]));
    together.push_back(static_cast<size_t>(sizes_[i] / sizes_[0]));
  }
  paths.levels.push_back("block");
  for (size_t i = 0; i < units_.size(); ++i) {
    std::vector<std::string> path;
    for (const size_t blocks : together) {
      const size_t first = i / blocks * blocks;
      const size_t last = std::min(first + blocks, units_.size()) - 1;
      path.push_back(first == last ? units_[first].name
                                   : fmt::format("{}..{}", units_[first].name, units_[last].name));
    }
    path.push_back(units_[i].name);
    GANGPLAN_RETURN_IF_ERROR(Place(units_[i], path, paths));
  }
  return paths;
}

}  // namespace

absl::StatusOr<NodePaths> ReadSlurmTopology(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxTopologyBytes)
    return Invalid("{}:1: a file of at most {} bytes expected", file_name, kMaxTopologyBytes);
  return Reader(file_name).Read(text);
}

}  // namespace gangplan
