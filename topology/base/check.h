// Invariant checks that stay on in release: a broken invariant ends the process with a message.
// For programmer errors only; bad input is an absl::Status.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace gangplan::internal {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, what);
  std::abort();
}

}  // namespace gangplan::internal

#define GANGPLAN_CHECK(condition) \
  ((condition) ? void(0) : ::gangplan::internal::CheckFailed(__FILE__, __LINE__, #condition))
