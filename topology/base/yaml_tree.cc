#include "topology/base/yaml_tree.h"

#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "topology/base/text.h"
#include "topology/base/text_map.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace gangplan {
namespace {

int LineOf(const YAML::Mark& mark) { return mark.is_null() ? 1 : mark.line + 1; }

size_t CountNodes(const YamlNode& node) {
  size_t count = 1;
  for (const YamlNode& item : node.items) {
    count += CountNodes(item) + (node.kind == YamlNode::Kind::kMap ? 1 : 0);
  }
  return count;
}

// Builds the tree from the parser's events. The first error stands; later events are ignored.
class TreeBuilder : public YAML::EventHandler {
 public:
  struct Error {
    int line = 1;
    std::string text;
  };

  explicit TreeBuilder(const YamlRules& rules) : rules_(rules) {}

  const std::optional<Error>& error() const { return error_; }
  YamlNode TakeRoot() { return std::exchange(root_, YamlNode()); }

  // The parser may find documents without end where no value can begin, and stay there.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (begun_ && mark.pos == *begun_) Fail(mark, "no value can begin here");
    begun_ = mark.pos;
    anchored_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Check(mark, "", anchor);
    YamlNode node;
    node.line = LineOf(mark);
    Add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (!rules_.aliases) {
      return Fail(mark, "aliases (*name) are not accepted: write the value out");
    }
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) return Fail(mark, "an alias within what it stands for");
    if (Count(LineOf(mark), CountNodes(found->second))) Place(YamlNode(found->second));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Check(mark, tag, anchor);
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.line = LineOf(mark);
    node.quoted = tag == "!";
    node.text = value;
    Add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<YamlNode> key;  // of a map: the key whose value comes next
    TextSet keys;                 // of a map whose keys must differ
  };

  void Fail(const YAML::Mark& mark, std::string text) { FailAt(LineOf(mark), std::move(text)); }
  void FailAt(int line, std::string text) {
    if (!error_) error_ = Error{line, std::move(text)};
  }

  void Check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0 && !rules_.aliases) Fail(mark, "anchors (&name) are not accepted");
    if (!tag.empty() && tag != "?" && tag != "!") Fail(mark, "tags (!name) are not accepted");
  }

  bool Count(int line, size_t nodes) {
    if (error_) return false;
    if (nodes > rules_.max_nodes - node_count_) {
      FailAt(line, fmt::format("more than {} keys and values", rules_.max_nodes));
      return false;
    }
    node_count_ += nodes;
    return true;
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    Check(mark, tag, anchor);
    if (open_.size() == rules_.max_depth) {
      Fail(mark, fmt::format("more than {} maps and lists inside one another", rules_.max_depth));
    }
    if (error_) return;
    Frame& frame = open_.emplace_back();
    frame.node.kind = kind;
    frame.node.line = LineOf(mark);
    frame.anchor = anchor;
  }

  void Close() {
    if (error_) return;
    YamlNode node = std::move(open_.back().node);
    const YAML::anchor_t anchor = open_.back().anchor;
    open_.pop_back();
    Add(std::move(node), anchor);
  }

  void Add(YamlNode node, YAML::anchor_t anchor) {
    if (!Count(node.line, 1)) return;
    if (anchor != 0 && Count(node.line, CountNodes(node))) anchored_.insert_or_assign(anchor, node);
    if (!error_) Place(std::move(node));
  }

  void Place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.kind == YamlNode::Kind::kList) {
      open_.back().node.items.push_back(std::move(node));
    } else {
      PlaceInMap(open_.back(), std::move(node));
    }
  }

  void PlaceInMap(Frame& map, YamlNode node) {
    if (map.key) {
      node.key = std::move(map.key->text);
      node.key_line = map.key->line;
      map.key.reset();
      map.node.items.push_back(std::move(node));
    } else if (node.kind != YamlNode::Kind::kScalar) {
      FailAt(node.line, "a key must be text");
    } else if (rules_.aliases && !node.quoted && node.text == "<<") {
      FailAt(node.line, "merge keys (<<) are not read; expected the keys that they stand for");
    } else if (!rules_.repeated_keys && !map.keys.insert(node.text).second) {
      FailAt(node.line, fmt::format("the key \"{}\" is repeated", Shown(node.text)));
    } else {
      map.key = std::move(node);
    }
  }

  const YamlRules& rules_;
  YamlNode root_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  size_t node_count_ = 0;
  std::optional<int> begun_;  // where the last document did
  std::optional<Error> error_;
};

}  // namespace

const YamlNode* YamlNode::Find(std::string_view wanted) const {
  if (kind != Kind::kMap) return nullptr;
  for (const YamlNode& item : items) {
    if (item.key == wanted) return &item;
  }
  return nullptr;
}

absl::StatusOr<std::vector<YamlNode>> ParseYaml(std::string_view text, const YamlRules& rules,
                                                std::string_view before) {
  if (text.size() > rules.max_bytes) {
    return Invalid("{}1: the file is larger than {} bytes", before, rules.max_bytes);
  }
  TreeBuilder builder(rules);
  std::vector<YamlNode> documents;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (!builder.error() && parser.HandleNextDocument(builder)) {
      documents.push_back(builder.TakeRoot());
    }
  } catch (const YAML::Exception& failure) {
    return Invalid("{}{}: not YAML: {}", before, LineOf(failure.mark), failure.msg);
  }
  if (builder.error()) {
    return Invalid("{}{}: {}", before, builder.error()->line, builder.error()->text);
  }
  return documents;
}

}  // namespace gangplan
