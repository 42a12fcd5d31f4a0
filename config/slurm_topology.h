// Slurm's topology.conf, of the plugin topology/tree (switches and what hangs on them) or of
// topology/block, read into levels and the place of each node. Keys are read in any case, '#'
// begins a comment, a '\' at the end of a line joins the next one; LinkSpeed is left out.
//
// Of switches the lowest ones, which have the nodes, are the level "switch", those above them
// "switch-2" and so on; where a branch has fewer, the missing ones are as the switch below them. Of
// blocks the level is "block", and for each size of BlockSizes beyond the first the level
// "block-SIZE" of so many nodes, out of blocks that follow each other.
//
// Pure; any thread.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "topology/node_paths.h"

namespace gangplan {

// The first error in the order of the file: "FILE:LINE: what was found and expected".
absl::StatusOr<NodePaths> ReadSlurmTopology(std::string_view text, std::string_view file_name);

}  // namespace gangplan
