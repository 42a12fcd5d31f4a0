#include "extender/cli/yaml_paths.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "topology/base/decimal.h"

namespace gangplan {
namespace {

using NodeKind = YamlNode::Kind;

// A path is followed as far as it leads.
struct Walk {
  const YamlNode* node = nullptr;
  int line = 1;
  bool whole = false;
};

bool EndsHere(std::string_view rest) {
  return rest.empty() || rest[0] == '.' || rest[0] == '[' || rest[0] == ']' || rest[0] == ':' ||
         rest[0] == ' ';
}

// The child with the longest key that the path goes on with.
const YamlNode* ChildAt(const YamlNode& map, std::string_view path) {
  const YamlNode* best = nullptr;
  for (const YamlNode& one : map.items) {
    const bool here = path.starts_with(one.key) && EndsHere(path.substr(one.key.size()));
    if (here && (best == nullptr || one.key.size() > best->key.size())) best = &one;
  }
  return best;
}

const YamlNode* ItemAt(const YamlNode& list, std::string_view path) {
  const std::optional<uint32_t> index = ReadDecimal<uint32_t>(path.substr(0, path.find(']')));
  return index && *index < list.items.size() ? &list.items[*index] : nullptr;
}

Walk Follow(const YamlNode& document, std::string_view path) {
  Walk walk{&document, document.line, false};
  while (!path.empty() && path[0] != ':' && path[0] != ' ') {
    const bool bracket = path[0] == '[';
    if (bracket || path[0] == '.') path.remove_prefix(1);
    const bool list = walk.node->kind == NodeKind::kList;
    const YamlNode* next = list ? ItemAt(*walk.node, path) : ChildAt(*walk.node, path);
    if (next == nullptr) return walk;
    walk.node = next;
    walk.line = list ? next->line : next->key_line;
    const size_t size = list ? path.find(']') : next->key.size();
    path.remove_prefix(std::min(size, path.size()));
    if (path.starts_with(']')) path.remove_prefix(1);
  }
  walk.whole = true;
  return walk;
}

}  // namespace

const YamlNode* FindPath(const YamlNode* node, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) node = node == nullptr ? nullptr : node->Find(key);
  return node;
}

std::string_view TextAt(const YamlNode* node, std::initializer_list<std::string_view> keys) {
  node = FindPath(node, keys);
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

const YamlNode* FindAt(const YamlNode& document, std::string_view path) {
  const Walk walk = Follow(document, path);
  return walk.whole ? walk.node : nullptr;
}

int LineOf(const YamlNode& document, std::string_view path) { return Follow(document, path).line; }

}  // namespace gangplan
