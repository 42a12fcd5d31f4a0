#include "tests/conformance/handlers.h"
#include "tests/conformance/placement_answer.h"
#include "topology/base/status_macros.h"

namespace gangplan::conformance {

absl::StatusOr<std::string> AnswerPlacement(const rapidjson::Value& json) {
  GANGPLAN_ASSIGN_OR_RETURN(const PlacementCase placement_case, ReadPlacementCase(json));
  return ToJson(Answer(placement_case, Compatibility::kExact));
}

}  // namespace gangplan::conformance
