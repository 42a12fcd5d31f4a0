// YAML text as a plain tree with line numbers: maps keep their order, values stay text. Tags are
// refused, and so is what exceeds the caller's limits, before it costs memory. The only user of the
// YAML library, whose exceptions end here. Stateless; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 1;         // from 1
  bool quoted = false;  // a scalar in quotes or a block: text, whatever it looks like
  std::string text;     // of a scalar
  std::string key;      // when it stands in a map
  int key_line = 1;
  std::vector<YamlNode> items;  // of a list or a map

  // A map's first value of this key, or null.
  const YamlNode* Find(std::string_view key) const;
};

// What a text may be and cost.
struct YamlRules {
  size_t max_bytes = 0;
  size_t max_depth = 0;        // maps and lists inside one another
  size_t max_nodes = 0;        // keys, values, maps and lists together, of all documents
  bool aliases = false;        // followed; what an anchor and an alias stand for is counted again
  bool repeated_keys = false;  // kept, in their order; else refused
};

// One node a document. Errors read "BEFORE LINE: what is wrong", without a blank: `before` is
// "FILE:" or "line ". Cost linear in the text and in what its aliases stand for.
absl::StatusOr<std::vector<YamlNode>> ParseYaml(std::string_view text, const YamlRules& rules,
                                                std::string_view before);

}  // namespace gangplan
