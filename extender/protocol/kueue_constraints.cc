#include "extender/protocol/kueue_constraints.h"

#include <limits>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

using Constraints = std::vector<SliceConstraint>;

constexpr JsonField kConstraintFields[] = {
    {"topology", json::Text<&SliceConstraint::topology>(kMaxAnnotationBytes)},
    {"size", json::Integer<&SliceConstraint::size, std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max()>()},
};

constexpr JsonShape Layer() {
  JsonShape shape = json::Appended<Constraints>(json::Object(kConstraintFields));
  shape.null = [](void* target) { static_cast<Constraints*>(target)->emplace_back(); };
  return shape;
}
constexpr JsonShape kLayer = Layer();
constexpr JsonShape kLayers = json::Array(kLayer, kMaxAnnotationBytes);

}  // namespace

absl::StatusOr<std::vector<SliceConstraint>> DecodeSliceConstraints(std::string_view text) {
  std::string body(text);
  Constraints layers;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(body, kMaxAnnotationBytes, "", kLayers, &layers));
  return layers;
}

}  // namespace gangplan
