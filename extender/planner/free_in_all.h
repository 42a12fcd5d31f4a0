// What is free in the whole cluster, wherever that is. Pure; as the model's reads.
#pragma once

#include <string>

#include "topology/model.h"
#include "topology/resources.h"

namespace gangplan {

// What of `wanted` the nodes have not free in all, beside pods and holds, for people: "64
// nvidia.com/gpu free in the cluster, which has 40". The first by name; empty: nothing.
// O(resources x Model::FreeInAll).
std::string LackInAll(const Model& model, const ResourceList& wanted);

}  // namespace gangplan
