// One rule of one level in the words of `gangplan.io/place`, for people; units of ranks, which are
// no word of it, as "ranks=8". Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/request.h"

namespace gangplan {

// "rack=spread! partitions=4"; of a rule without a choice "rack=any".
std::string RuleText(std::string_view level, const LevelRule& rule);

}  // namespace gangplan
