// YAML text as a plain tree with line numbers: maps keep their order and their duplicates, values
// stay text. Anchors, aliases, tags and a second document are refused, and so is what exceeds
// limits.h. The only user of the YAML library, whose exceptions end here. Stateless; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 1;         // from 1
  bool quoted = false;  // a scalar in quotes: text, whatever it looks like
  std::string text;     // of a scalar
  std::string key;      // when it stands in a map
  int key_line = 1;
  std::vector<YamlNode> items;  // of a list or a map
};

// Errors read "FILE:LINE: what is wrong". Cost linear in the text.
absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view file_name);

}  // namespace gangplan
