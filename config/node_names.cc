#include "config/node_names.h"

#include "config/host_list.h"
#include "config/limits.h"
#include "config/object_names.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/model.h"

namespace gangplan {

absl::StatusOr<std::vector<std::string>> NodeNames::Take(std::string_view list, int line) {
  std::vector<std::string> nodes;
  GANGPLAN_RETURN_IF_ERROR(
      AppendHosts(list, static_cast<size_t>(kMaxNodes) - lines_.size(), nodes));
  for (const std::string& node : nodes) {
    if (!IsObjectName(node))
      return Invalid("{}: the name of a node of Kubernetes expected", Shown(node));
    const auto [known, added] = lines_.emplace(node, line);
    if (!added) return Invalid("{}: stands in line {} already", node, known->second);
  }
  return nodes;
}

absl::Status NodeNames::Place(const std::vector<std::string>& nodes,
                              const std::vector<std::string>& path, NodePaths& paths) {
  size_t each = 0;
  for (const std::string& unit : path) each += unit.size();
  unit_bytes_ += nodes.size() * each;
  if (unit_bytes_ > kMaxUnitBytes)
    return Invalid("shorter names of units expected, of at most {} bytes for all nodes together",
                   kMaxUnitBytes);
  for (const std::string& node : nodes) paths.nodes.emplace(node, path);
  return absl::OkStatus();
}

}  // namespace gangplan
