#include "config/presets.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "fmt/format.h"

namespace gangplan {
namespace {

// In alphabetical order, as kPresets.
constexpr std::array<std::string_view, 10> kNames = {
    "aws-3", "aws-4",  "coreweave", "crusoe",        "generic",
    "gke",   "nebius", "oci-rdma",  "topograph-0.5", "volcano",
};

Level Node() { return {"node", std::string(kHostnameLabel)}; }

// AWS counts its network layers from the top.
std::vector<Level> Aws(int layers) {
  std::vector<Level> levels;
  for (int i = 1; i <= layers; ++i) {
    levels.push_back(
        {fmt::format("layer-{}", i), fmt::format("topology.k8s.aws/network-node-layer-{}", i)});
  }
  levels.push_back(Node());
  return levels;
}

const std::array<std::vector<Level>, kNames.size()>& Presets() {
  static const auto& presets = *new std::array<std::vector<Level>, kNames.size()>{{
      Aws(3),
      Aws(4),
      {{"fabric", "backend.coreweave.cloud/fabric"},
       {"superpod", "backend.coreweave.cloud/superpod"},
       {"leafgroup", "backend.coreweave.cloud/leafgroup"},
       Node()},
      {{"partition", "crusoe.ai/ib.partition.id"}, {"pod", "crusoe.ai/pod.id"}, Node()},
      {{"region", "topology.kubernetes.io/region"},
       {"zone", "topology.kubernetes.io/zone"},
       Node()},
      {{"block", "cloud.google.com/gce-topology-block"},
       {"subblock", "cloud.google.com/gce-topology-subblock"},
       {"host", "cloud.google.com/gce-topology-host"},
       Node()},
      {{"gpu-cluster", "topology.nebius.com/gpu-cluster-id"},
       {"tier-2", "topology.nebius.com/tier-2"},
       {"tier-1", "topology.nebius.com/tier-1"},
       {"tier-0", "topology.nebius.com/tier-0"},
       Node()},
      {{"island", "oci.oraclecloud.com/rdma.hpc_island_id"},
       {"network-block", "oci.oraclecloud.com/rdma.network_block_id"},
       {"local-block", "oci.oraclecloud.com/rdma.local_block_id"},
       {"host", "oci.oraclecloud.com/rdma.host_id"},
       Node()},
      {{"core", "network.topology.nvidia.com/core"},
       {"spine", "network.topology.nvidia.com/spine"},
       {"leaf", "network.topology.nvidia.com/leaf"},
       {"accelerator", "network.topology.nvidia.com/accelerator"},
       Node()},
      {{"hypercluster", "volcano.sh/hypercluster"}, {"hypernode", "volcano.sh/hypernode"}, Node()},
  }};
  return presets;
}

}  // namespace

const std::vector<Level>* FindPreset(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? nullptr : &Presets()[std::distance(kNames.begin(), found)];
}

std::span<const std::string_view> PresetNames() { return kNames; }

}  // namespace gangplan
