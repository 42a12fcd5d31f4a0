// A program that is started and read to its end, within bounds. What it says to its error output is
// said to ours. Blocks; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gangplan {

struct ChildRun {
  std::vector<std::string> words;        // the program, as posix_spawnp finds it, and its arguments
  std::vector<std::string> environment;  // "NAME=value", all of it
  bool input = false;                    // it reads our input; else it has none
  absl::Duration within;
  size_t most_bytes = 0;
};

// What it has printed, when it has ended with exit code 0. Errors do not name it: NotFound where
// there is no such program; DeadlineExceeded and ResourceExhausted, and then it is killed; else
// Aborted with its exit code or its signal.
absl::StatusOr<std::string> RunChild(const ChildRun& run);

}  // namespace gangplan
