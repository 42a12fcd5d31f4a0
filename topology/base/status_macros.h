// Early return for absl::Status and absl::StatusOr.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define GANGPLAN_RETURN_IF_ERROR(expression)               \
  do {                                                     \
    if (absl::Status status_ = (expression); !status_.ok()) \
      return status_;                                      \
  } while (false)

#define GANGPLAN_CONCAT_INNER(a, b) a##b
#define GANGPLAN_CONCAT(a, b) GANGPLAN_CONCAT_INNER(a, b)
#define GANGPLAN_ASSIGN_OR_RETURN_IMPL(result, target, expression) \
  auto result = (expression);                                      \
  if (!result.ok()) return std::move(result).status();             \
  target = *std::move(result)
#define GANGPLAN_ASSIGN_OR_RETURN(target, expression) \
  GANGPLAN_ASSIGN_OR_RETURN_IMPL(GANGPLAN_CONCAT(result_, __LINE__), target, expression)
