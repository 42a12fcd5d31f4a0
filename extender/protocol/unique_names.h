// Which of many names came before: a flat table of positions, filled once. O(n), no order decides.
// Internal to this room. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

namespace gangplan {

// Removes each name that stands earlier in `names` already, and what belongs to it in `items`
// (which is empty, or as long as `names`).
void KeepFirstOfEach(std::vector<std::string_view>& names, std::vector<std::string_view>& items);

}  // namespace gangplan
