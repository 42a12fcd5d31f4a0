// The place language, the value of gangplan.io/place and gangplan.io/pod-set-place:
//   "block=pack!; rack=spread partitions=4 max=8; node=pack factor=2"
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "algorithms/request.h"
#include "topology/tree.h"

namespace gangplan {

// Between the words of it, as of the other texts that people write.
inline constexpr std::string_view kBlank = " \t\r\n";

// The level with this name or label. InvalidArgument: `word: "clause": ...` with the levels that
// there are.
absl::StatusOr<size_t> LevelNamed(std::string_view word, std::string_view clause,
                                  std::string_view name, const Topology& topology);

// One rule per level. InvalidArgument: `word: ...` with the clause and what was expected. Empty
// text, or "any": no rule at any level.
absl::StatusOr<LevelRules> ParsePlace(std::string_view word, std::string_view text,
                                      const Topology& topology);

}  // namespace gangplan
