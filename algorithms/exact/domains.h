// Domains by level, where level -1 is the whole tree as one domain.
//
//   block a with racks 0 and 1, block b with rack 2: level -1 has one domain, with the children
//   {0, 2}, the blocks before 2; block a has the children {0, 2}, its racks, and block b {2, 3}
//
// Pure functions.
#pragma once

#include <cstdint>

#include "topology/tree.h"

namespace gangplan::exact {

inline int32_t DomainCount(const Tree& tree, int level) { return level < 0 ? 1 : tree.size(level); }

inline Tree::Range ChildrenOf(const Tree& tree, int level, int32_t index) {
  return level < 0 ? Tree::Range{0, tree.size(0)} : tree.children(level, index);
}

}  // namespace gangplan::exact
