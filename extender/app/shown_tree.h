// One tree for people of the trees of all topologies: of one that itself; of several each of them
// below its name, the levels of equal height together, and where one has fewer of them its highest
// domains stand for those that it lacks. Pure; any thread.
#pragma once

#include <memory>
#include <vector>

#include "topology/tree.h"

namespace gangplan {

// O(n log n) in the nodes of several.
std::shared_ptr<const Tree> ShownTree(const std::vector<std::shared_ptr<const Tree>>& trees);

}  // namespace gangplan
