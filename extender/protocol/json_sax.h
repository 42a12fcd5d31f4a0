// One walk over a JSON text for all decoders: RapidJSON's iterative parser, in situ, numbers as
// texts, with a depth limit of our own; values go to the steps of a tree of shapes.
//
// Invariants: exactly one value, nothing after it; keys of objects are matched in any case, of
// duplicates the last wins; a null is as good as absent. Nothing recurses and nothing is allocated
// per value. Errors name the place: "Pod.spec.containers[2].resources.requests.cpu: ...".
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "extender/protocol/json_shape.h"

namespace gangplan {

// `body` is changed: escapes are resolved in place, and the texts that steps get point into it.
// `name` is what the whole value is called in messages; may be empty.
absl::Status ParseJson(std::string& body, size_t most_bytes, std::string_view name,
                       const JsonShape& shape, void* target);

}  // namespace gangplan
