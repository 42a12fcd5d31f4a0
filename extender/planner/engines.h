// Which engine answers a group and why, and what the group's words become for it. The words decide,
// unless an operator has set one engine for all groups (engines.strategy). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/request.h"
#include "extender/planner/group.h"
#include "topology/tree.h"

namespace gangplan {

struct EngineChoice {
  Strategy strategy = Strategy::kExact;
  std::string_view why;  // for people: "Kueue's words"
};

// A pod set of the group is known to have Kueue's topology words.
bool InKueueWords(const Group& group);

// `for_all`: the operator's engine; nothing: by the words.
EngineChoice EngineOf(const Group& group, const std::optional<Strategy>& for_all);

// What of the group's words the operator's engine cannot say, and what to do; empty: nothing, or
// the words have chosen the engine. REQUIRES: the rules are by the levels of `topology`.
std::string EngineFault(const Group& group, const std::optional<Strategy>& for_all,
                        const Topology& topology);

// The rules of the group, as its words have them in `request`, to what they are for the engine
// `request.strategy`. REQUIRES: EngineFault is empty.
void TranslateRules(const Group& group, PlacementRequest& request);

}  // namespace gangplan
