// Reads a small file whole. Errors name the file: NotFound, PermissionDenied, ResourceExhausted
// when it is larger than `max_bytes`, Unavailable otherwise, also for what is no file: a pipe might
// never end. Blocks on the file system; any thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gangplan {

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t max_bytes);

// All of the standard input, whatever it is: who types waits until it ends. Errors as above, which
// name it so.
absl::StatusOr<std::string> ReadStandardInput(size_t max_bytes);

}  // namespace gangplan
