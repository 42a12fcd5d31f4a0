// What is to be written to the ConfigMap of a group, so that it tells the group's results. Pure;
// any thread.
#pragma once

#include <string>
#include <vector>

#include "extender/protocol/sakkara_results.h"
#include "topology/config_map_facts.h"
#include "topology/labels.h"

namespace gangplan {

struct ResultsToWrite {
  LabelPatch data;                   // only what the object has otherwise; empty: nothing to do
  std::vector<std::string> too_big;  // keys that are left out, because the object would not fit
};

// `placement` is left out first, then `rank`. O(size of the object and the results).
ResultsToWrite FindResultsToWrite(const ConfigMapFacts& object, const SakkaraGroupResults& results);

}  // namespace gangplan
