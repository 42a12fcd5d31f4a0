// The `tree` of a Sakkara topology: nested JSON objects, a node being one that is empty:
//   {"rack-0": {"node-0": {}, "node-1": {}}, "rack-1": {"node-2": {}}}
// Internal to this room. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

// One object of the tree below its root.
struct SakkaraTreeUnit {
  std::string name;
  int32_t parent = -1;   // place in the list; -1: the root
  int32_t depth = 1;     // 1: directly below the root
  bool is_node = false;  // nothing is inside
};

// As the text has them, each behind its parent; names may repeat. At least one, at most kMaxNodes
// nodes and kMaxLevels levels. Errors: "tree.rack-0: expected an object, found an array".
absl::StatusOr<std::vector<SakkaraTreeUnit>> ReadSakkaraTree(std::string_view text);

}  // namespace gangplan
