// What would start a gang, and who holds what it waits for, as lines of `gangplan explain` and as
// JSON. Pure functions; any thread.
#pragma once

#include <string>

#include "extender/planner/advice.h"
#include "topology/base/json_text.h"

namespace gangplan {

// Lines, each indented by two blanks and ended.
std::string AdviceText(const Advice& advice);

// "3 more nodes like n7 in block-2"
std::string NodesText(const Advice::Nodes& more);

// An object: `later`, `held` (who has what where) and `actions`, each with its `kind`, its numbers
// and names, and `text`, the line of AdviceText without what all begin with.
void WriteAdvice(JsonText& json, const Advice& advice);

// Names of gangs of other namespaces are left out.
void HideOthers(Advice& advice, std::string_view ns);

}  // namespace gangplan
