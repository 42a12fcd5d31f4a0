// The key by which ConfigMaps are known that are told the ranks of a gang. Constant data; any
// thread.
#pragma once

#include <string_view>

namespace gangplan {

// A label of ConfigMaps: the name of the gang, in the same namespace.
inline constexpr std::string_view kRankListLabel = "gangplan.io/ranks-of";

}  // namespace gangplan
