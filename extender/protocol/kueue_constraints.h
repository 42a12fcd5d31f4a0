// The value of Kueue's annotation kueue.x-k8s.io/podset-slice-required-topology-constraints: a JSON
// list of layers, outermost first: [{"topology": "example.com/rack", "size": 8}, ...]. Sizes are
// JSON numbers; a text is refused, as Kueue refuses it. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

struct SliceConstraint {
  std::string topology;  // node label key of the level; empty where the text has none
  int32_t size = 0;      // members of one slice; 0 where the text has none
  friend bool operator==(const SliceConstraint&, const SliceConstraint&) = default;
};

// The layers as written; an element null is a layer without anything. Only the form is checked:
// how many layers, which labels and which sizes are right is for the caller. The error names the
// place: "[1].size: expected a number, found a string".
absl::StatusOr<std::vector<SliceConstraint>> DecodeSliceConstraints(std::string_view text);

}  // namespace gangplan
