// Names of nodes in a file of a topology, of which each stands once. Thread rule: one caller.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topology/base/text_map.h"
#include "topology/node_paths.h"

namespace gangplan {

class NodeNames {
 public:
  // Those of a list of hosts (host_list.h) in this line. The error tells the name that is none of a
  // node of Kubernetes, that stands in another line already, or that is one too many.
  absl::StatusOr<std::vector<std::string>> Take(std::string_view list, int line);
  // That these are in the units of this path. An error: with all before them that is too much.
  absl::Status Place(const std::vector<std::string>& nodes, const std::vector<std::string>& path,
                     NodePaths& paths);

 private:
  size_t unit_bytes_ = 0;
  TextMap<int> lines_;
};

}  // namespace gangplan
