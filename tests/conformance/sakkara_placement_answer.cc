#include "algorithms/engine.h"
#include "extender/planner/limits.h"
#include "tests/conformance/handlers.h"
#include "tests/conformance/json_items.h"
#include "tests/conformance/sakkara_case.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan::conformance {

absl::StatusOr<std::string> AnswerSakkaraPlacement(const rapidjson::Value& json) {
  GANGPLAN_ASSIGN_OR_RETURN(const SakkaraCase given, ReadSakkaraCase(json));
  const PlacementView now{&given.tree, {&given.now}};
  const auto empty = [&] { return PlacementView{&given.tree, {&given.empty}}; };
  // As the planner asks: under its lock, and what is not decided then once more beside it.
  PlacementResult result = Place(now, empty, given.request, Budget{kSolveSteps});
  const bool decided = result.outcome != Outcome::kWait || (result.proven && result.hope_proven);
  if (!decided) result = Place(now, empty, given.request, Budget{kCopySteps});
  if (result.outcome != Outcome::kPlaced) {
    const std::string reason =
        result.problem.empty() ? std::string(Name(result.outcome)) : result.problem;
    return fmt::format(R"({{"feasible":false,"reason":{}}})", Quoted(reason));
  }
  return fmt::format(R"({{"feasible":true,"placement":{}}})", PlacementAsJson(given, result));
}

}  // namespace gangplan::conformance
