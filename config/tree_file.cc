#include "config/tree_file.h"

#include <utility>

#include "config/limits.h"
#include "config/node_names.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/yaml_tree.h"
#include "topology/model.h"

namespace gangplan {
namespace {

using Kind = YamlNode::Kind;

class TreeReader {
 public:
  explicit TreeReader(std::string_view file_name) : file_(file_name) {}

  absl::StatusOr<NodePaths> Read(const YamlNode& root) {
    if (root.kind != Kind::kMap) return Fail(root.line, "the keys levels and tree expected");
    for (const YamlNode& item : root.items) {
      if (item.key != "levels" && item.key != "tree")
        return Fail(item.key_line, "{}: unknown key; levels and tree expected", Shown(item.key));
    }
    GANGPLAN_RETURN_IF_ERROR(ReadLevels(root));
    const YamlNode* tree = root.Find("tree");
    if (tree == nullptr) return Fail(root.line, "tree: units and their nodes expected");
    GANGPLAN_RETURN_IF_ERROR(ReadUnits(*tree));
    return std::move(paths_);
  }

 private:
  template <typename... Args>
  absl::Status Fail(int line, fmt::format_string<Args...> format, Args&&... args) const {
    return Invalid("{}:{}: {}", file_, line, fmt::format(format, std::forward<Args>(args)...));
  }

  absl::Status ReadLevels(const YamlNode& root);
  absl::Status ReadUnits(const YamlNode& units);
  absl::Status ReadNodes(const YamlNode& list);
  absl::Status TakeNodes(const YamlNode& list);

  const std::string file_;
  NodePaths paths_;
  std::vector<std::string> path_;  // of the unit that is being read
  size_t units_ = 0;
  NodeNames nodes_;
};

absl::Status TreeReader::ReadLevels(const YamlNode& root) {
  const YamlNode* levels = root.Find("levels");
  if (levels == nullptr || levels->kind != Kind::kList || levels->items.empty())
    return Fail(levels == nullptr ? root.line : levels->line,
                "levels: a list of names expected, coarsest first and without the node");
  for (const YamlNode& level : levels->items) {
    if (level.kind != Kind::kScalar || level.text.empty())
      return Fail(level.line, "levels: the name of a level expected");
    paths_.levels.push_back(level.text);
  }
  const absl::Status usable = TopologyOf(paths_, "x").status();
  if (usable.ok()) return usable;
  return Fail(levels->line, "levels: {}", Message(usable).substr(sizeof("topology x: ") - 1));
}

// The map of the units below the one that is being read; below the last level, nodes.
absl::Status TreeReader::ReadUnits(const YamlNode& units) {
  const size_t depth = path_.size();
  if (depth == paths_.levels.size()) return ReadNodes(units);
  const std::string& level = paths_.levels[depth];
  if (units.kind != Kind::kMap)
    return Fail(units.line, "{}: names of units of the level {} expected, and what is below each",
                depth == 0 ? "tree" : Shown(path_.back()), level);
  for (const YamlNode& unit : units.items) {
    if (unit.key.empty() || unit.key.size() > kMaxUnitName)
      return Fail(unit.key_line,
                  "the name of a unit of the level {} expected, of 1 to {} characters", level,
                  kMaxUnitName);
    if (++units_ > kMaxTopologyUnits)
      return Fail(unit.key_line, "at most {} units expected", kMaxTopologyUnits);
    path_.push_back(unit.key);
    GANGPLAN_RETURN_IF_ERROR(ReadUnits(unit));
    path_.pop_back();
  }
  return absl::OkStatus();
}

absl::Status TreeReader::ReadNodes(const YamlNode& list) {
  if (list.kind == Kind::kNull) return absl::OkStatus();  // none
  if (list.kind != Kind::kList) return TakeNodes(list);
  for (const YamlNode& item : list.items) GANGPLAN_RETURN_IF_ERROR(TakeNodes(item));
  return absl::OkStatus();
}

absl::Status TreeReader::TakeNodes(const YamlNode& list) {
  const std::string& unit = path_.back();
  if (list.kind != Kind::kScalar)
    return Fail(list.line, "{}: names of nodes expected; {} is the lowest level", Shown(unit),
                paths_.levels.back());
  const absl::StatusOr<std::vector<std::string>> nodes = nodes_.Take(list.text, list.line);
  if (!nodes.ok()) return Fail(list.line, "{}: {}", Shown(unit), Message(nodes.status()));
  const absl::Status placed = nodes_.Place(*nodes, path_, paths_);
  return placed.ok() ? placed : Fail(list.line, "{}: {}", Shown(unit), Message(placed));
}

}  // namespace

absl::StatusOr<NodePaths> ReadTreeFile(std::string_view text, std::string_view file_name) {
  constexpr YamlRules kTreeRules = {kMaxTopologyBytes, static_cast<size_t>(kMaxLevels) + 3,
                                    kMaxTopologyNodes, false, false};
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<YamlNode> documents,
                            ParseYaml(text, kTreeRules, fmt::format("{}:", file_name)));
  if (documents.size() > 1)
    return Invalid("{}:{}: one document expected, a second follows", file_name, documents[1].line);
  return TreeReader(file_name).Read(documents.empty() ? YamlNode() : documents.front());
}

}  // namespace gangplan
