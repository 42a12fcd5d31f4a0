#include "config/yaml_tree.h"

#include <optional>
#include <sstream>
#include <utility>

#include "config/limits.h"
#include "topology/base/text.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace gangplan {
namespace {

// Builds the tree from the parser's events. The first error stands; later events are ignored.
class TreeBuilder : public YAML::EventHandler {
 public:
  struct Error {
    int line = 1;
    std::string text;
  };

  const std::optional<Error>& error() const { return error_; }
  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    YamlNode node;
    node.line = LineOf(mark);
    Add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Fail(mark, "aliases (*name) are not accepted: write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Check(mark, tag, anchor);
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.line = LineOf(mark);
    node.quoted = tag == "!";
    node.text = value;
    Add(std::move(node));
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
    std::optional<YamlNode> key;  // of a map: the key whose value comes next
  };

  static int LineOf(const YAML::Mark& mark) { return mark.is_null() ? 1 : mark.line + 1; }

  void Fail(const YAML::Mark& mark, std::string text) {
    if (!error_) error_ = Error{LineOf(mark), std::move(text)};
  }

  void Check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) Fail(mark, "anchors (&name) are not accepted");
    if (!tag.empty() && tag != "?" && tag != "!") Fail(mark, "tags (!name) are not accepted");
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    Check(mark, tag, anchor);
    if (open_.size() == kMaxConfigDepth) {
      Fail(mark, fmt::format("more than {} maps and lists inside one another", kMaxConfigDepth));
    }
    if (error_) return;
    open_.emplace_back();
    open_.back().node.kind = kind;
    open_.back().node.line = LineOf(mark);
  }

  void Close() {
    if (error_) return;
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(YamlNode node) {
    if (error_) return;
    if (++node_count_ > kMaxConfigNodes) {
      error_ = Error{node.line, fmt::format("more than {} keys and values", kMaxConfigNodes)};
    } else if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.kind == YamlNode::Kind::kList) {
      open_.back().node.items.push_back(std::move(node));
    } else {
      AddToMap(open_.back(), std::move(node));
    }
  }

  void AddToMap(Frame& map, YamlNode node) {
    if (map.key) {
      node.key = std::move(map.key->text);
      node.key_line = map.key->line;
      map.key.reset();
      map.node.items.push_back(std::move(node));
    } else if (node.kind == YamlNode::Kind::kScalar) {
      map.key = std::move(node);
    } else {
      error_ = Error{node.line, "a key must be text"};
    }
  }

  YamlNode root_;
  std::vector<Frame> open_;
  int node_count_ = 0;
  std::optional<Error> error_;
};

}  // namespace

absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxConfigBytes) {
    return Invalid("{}:1: the file is larger than {} bytes", file_name, kMaxConfigBytes);
  }
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.TakeRoot();
    if (builder.error()) {
      return Invalid("{}:{}: {}", file_name, builder.error()->line, builder.error()->text);
    }
    if (parser.HandleNextDocument(builder)) {
      return Invalid("{}:{}: one document expected, a second follows", file_name,
                     builder.TakeRoot().line);
    }
    return root;
  } catch (const YAML::Exception& failure) {
    const int line = failure.mark.is_null() ? 1 : failure.mark.line + 1;
    return Invalid("{}:{}: not YAML: {}", file_name, line, failure.msg);
  }
}

}  // namespace gangplan
