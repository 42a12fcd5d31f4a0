// Level lists that vendors and tools put on nodes as labels, under a short name that a topology may
// give instead of its levels. Static data; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "topology/tree.h"

namespace gangplan {

// The levels of a preset, coarsest first; nullptr for an unknown name.
const std::vector<Level>* FindPreset(std::string_view name);

// All names, in alphabetical order.
std::span<const std::string_view> PresetNames();

}  // namespace gangplan
