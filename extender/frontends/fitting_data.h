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

// What an object holds beside the keys of a change. O(keys of data x keys of patch).
size_t BytesBeside(const LabelSet& data, const LabelPatch& patch);
// Of a change that an object with so many bytes beside it does not hold the values of these keys
// are removed, in this order, until it does. Returns the keys.
std::vector<std::string> RemoveTooBig(size_t beside, std::span<const std::string_view> keys,
                                      LabelPatch& patch);

}  // namespace gangplan
