// What of some values a ConfigMap can hold. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/labels.h"

namespace gangplan {

// An API server takes no more in one ConfigMap, keys and values together; some room is left for
// what others add meanwhile.
inline constexpr size_t kMaxDataBytes = 1'000'000;

// Of a change that the data of an object do not hold the values of these keys are removed, in this
// order, until they do. Returns the keys. O(bytes of keys).
std::vector<std::string> RemoveTooBig(const LabelSet& data, std::span<const std::string_view> keys,
                                      LabelPatch& patch);

}  // namespace gangplan
