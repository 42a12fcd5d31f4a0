// A cluster read from its API server into the text of a saved one, which `cluster.file`, `gangplan
// plan` and `gangplan capacity` read. Blocks; one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/transport.h"

namespace gangplan {

struct SavedCluster {
  std::string text;                // a `kind: List` in JSON, each object on a line
  std::vector<std::string> notes;  // what is not in it, and why, for people
  size_t nodes = 0;
  size_t pods = 0;
  size_t owners = 0;
};

// Nodes, pods, Jobs, JobSets, owners of other kinds that pods name and that tell their size, what
// admission follows, Kueue's Topologies, and the ConfigMaps of Sakkara and of reservations. A kind
// that the server has not, or that nobody may list, is left out, but for nodes and pods, without
// which there is no cluster; so is an object that cannot be read. The same objects give the same
// text. `anonymous`: names become others that sort as they did; ConfigMaps, which hold names in
// their own way, are left out.
absl::StatusOr<SavedCluster> SaveCluster(TransportFactory& transports, bool anonymous);

}  // namespace gangplan
