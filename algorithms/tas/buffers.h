// What one solve needs of memory, kept from call to call by TasScratch.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/tas/ordered.h"
#include "algorithms/tas/pool.h"
#include "algorithms/tas/select.h"
#include "algorithms/tas/state.h"
#include "algorithms/tas/subset.h"

namespace gangplan {

struct TasScratch::Buffers {
  tas::TreeArrays numbers;  // of the request
  tas::TreeArrays pruned;   // of the part of the tree that balanced placement looks at
  tas::SelectScratch select;
  tas::SubsetScratch subset;
  std::vector<tas::Entry> entries;
  std::vector<int32_t> candidates;
  std::vector<Tree::Range> pool;
  tas::TakenList taken;
  tas::TakenList next;
};

}  // namespace gangplan
