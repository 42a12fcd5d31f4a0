// Names of nodes in a file of a topology, of which each stands once. Thread rule: one caller.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/base/text_map.h"

namespace gangplan {

class NodeNames {
 public:
  // Those of a list of hosts (host_list.h) in this line. The error tells the name that is none of a
  // node of Kubernetes, that stands in another line already, or that is one too many.
  absl::StatusOr<std::vector<std::string>> Take(std::string_view list, int line);

 private:
  TextMap<int> lines_;
};

}  // namespace gangplan
