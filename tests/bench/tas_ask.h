// A request to gangplan_tas_bench: a line of `key=value` words, the same that peers/ask/ask.go
// writes.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "algorithms/tas.h"
#include "topology/tree.h"

namespace gangplan {

struct TasAsk {
  TasRequest request;
  int64_t gpus = 0;     // of each pod
  int64_t min_ms = 50;  // how long each figure is measured, at least
};

// "mode=required level=rack pods=8 gpus=8 min-ms=100"
absl::StatusOr<TasAsk> ParseTasAsk(std::string_view line, const Tree& tree);

}  // namespace gangplan
