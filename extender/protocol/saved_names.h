// Which texts of a saved object are names that somebody chose, and become others. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "extender/protocol/saved_objects.h"

namespace gangplan {

// The text at these keys (JsonRewrite) of an object of this kind under other names; nothing: it is
// left out. Stays: what reads as a rule, a number of up to six digits, a truth, a time, or a word
// that Kubernetes or a kind itself gives; keys, classes, resources, schedulers and topologies.
std::optional<std::string> Renamed(const SavedKind& kind, std::span<const std::string_view> path,
                                   std::string text, const Rename& rename);

}  // namespace gangplan
