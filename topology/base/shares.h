// How a map of many entries is divided into many tables, each of which grows by itself.
#pragma once

#include <cstddef>

namespace gangplan {

inline constexpr int kShareBits = 8;
inline constexpr size_t kShares = size_t{1} << kShareBits;

// The table of a key with this hash: by the bits that the tables themselves look at last.
constexpr size_t ShareOf(size_t hash) { return hash >> (8 * sizeof(size_t) - kShareBits); }

}  // namespace gangplan
