// A topology in a file of YAML: the names of its levels, coarsest first and without the node, and
// the tree itself, units by name down to lists of nodes (host_list.h):
//
//   levels: [block, rack]
//   tree:
//     b1:
//       r1: n[01-16]
//       r2: [n17, "n[18-32]"]
//
// Pure; any thread.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "topology/node_paths.h"

namespace gangplan {

// The first error in the order of the file: "FILE:LINE: what was found and expected".
absl::StatusOr<NodePaths> ReadTreeFile(std::string_view text, std::string_view file_name);

}  // namespace gangplan
