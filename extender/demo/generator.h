// Makes clusters: nodes in racks in blocks, and pods of others on them. The same options give the
// same cluster on every machine. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/kubernetes_objects.h"

namespace gangplan {

// Of the options; nodes in all are limited by kMaxNodes of the model.
inline constexpr int32_t kMaxGeneratedBlocks = 10'000;
inline constexpr int32_t kMaxGeneratedRacks = 10'000;  // in a block
inline constexpr int32_t kMaxGeneratedNodes = 10'000;  // in a rack
inline constexpr int32_t kMaxGeneratedGpus = 64;       // of a node
inline constexpr std::string_view kMaxGeneratedCpu = "4096";
inline constexpr std::string_view kMaxGeneratedMemory = "64Ti";
inline constexpr int32_t kPodsOfNode = 110;

struct ClusterPlan {
  int32_t blocks = 2;
  int32_t racks = 2;  // in each block
  int32_t nodes = 4;  // in each rack
  int32_t gpus = 8;   // nvidia.com/gpu of each node; 0: none
  std::string cpu = "192";
  std::string memory = "2048Gi";
  std::string preset;              // of config/presets.h; empty: the default configuration's labels
  std::optional<uint64_t> uneven;  // seed: each rack has half of its nodes or more
  int32_t load = 0;                // percent of all GPUs (without them: of all whole cpus) in use
  uint64_t seed = 1;               // of the load
};

// The nodes in the order of the tree, then the pods in that of their nodes. InvalidArgument names
// the option and what was expected.
absl::StatusOr<ObjectList> GenerateCluster(const ClusterPlan& plan);

}  // namespace gangplan
