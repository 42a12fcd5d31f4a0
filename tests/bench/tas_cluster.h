// A uniform cluster of blocks, racks and nodes for the `tas` engine, the same as the program in
// peers/kueue makes, with digests that show that both see the same and answer the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/tas.h"
#include "topology/model.h"

namespace gangplan {

struct TasCluster {
  int32_t blocks = 4;
  int32_t racks = 10;  // of a block
  int32_t hosts = 16;  // of a rack
  uint32_t used_permille = 0;
};

// Names b000-r000-h000, 8 GPUs a node; of the used ones, 1 to 8 are taken, by a fixed generator.
Model MakeTasCluster(const TasCluster& cluster);

// 1 cpu, `gpus` GPUs and a place for one pod.
ResourceList TasDemand(int64_t gpus);

// FNV-1a 64 in 16 hexadecimal digits, over a line "name gpus" for each node.
std::string ClusterDigest(Model& model);
// ... and over a line "name pods" for each node that takes some.
std::string AnswerDigest(Model& model, const std::vector<TasShare>& shares);

}  // namespace gangplan
