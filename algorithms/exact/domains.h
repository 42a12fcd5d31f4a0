// Domains by level, where level -1 is the whole tree as one domain. Pure functions.
#pragma once

#include <cstdint>

#include "topology/tree.h"

namespace gangplan::exact {

inline int32_t DomainCount(const Tree& tree, int level) { return level < 0 ? 1 : tree.size(level); }

inline Tree::Range ChildrenOf(const Tree& tree, int level, int32_t index) {
  return level < 0 ? Tree::Range{0, tree.size(0)} : tree.children(level, index);
}

}  // namespace gangplan::exact
