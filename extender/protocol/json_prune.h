// What shapes name of a JSON text, as JSON again: the tree that says what is read says what passes.
// Nothing recurses. Pure; any thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/json_shape.h"

namespace gangplan {

// The keys that lead to a member, an element of an array under "".
using JsonPath = std::span<const std::string_view>;

// The key `up` steps above the last one; empty: there is none.
inline std::string_view KeyAt(JsonPath path, size_t up) {
  return path.size() > up ? path[path.size() - 1 - up] : std::string_view();
}

// Called with each text that a shape names and what leads to it. It may change the text; false
// leaves the member out.
using JsonRewrite = std::function<bool(JsonPath path, std::string& text)>;

// Of each object in the list "items" of `body` what `item` names, as JSON, in their order: the tree
// of shapes is a list of what may pass, its steps and its limits on single values are not used.
// `body` is changed. Returns the list's own metadata.continue; empty: it has none.
absl::StatusOr<std::string> PruneItems(std::string& body, size_t most_bytes, const JsonShape& item,
                                       const JsonRewrite& rewrite,
                                       const std::function<void(std::string json)>& take);

}  // namespace gangplan
