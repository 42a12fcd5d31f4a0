// The words of one command: `--name value` and `--name`, nothing else. Pure.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gangplan {

struct Option {
  std::string_view name;  // "--nodes" or "-o"
  bool has_value = true;
  std::function<absl::Status(std::string_view value)> read;
};

// Each option at most once. InvalidArgument names the word and what was expected.
absl::Status ReadOptions(std::span<const std::string_view> args,
                         const std::vector<Option>& options);

// A whole number that fits into int32 or uint64; the range is for the caller to judge.
absl::StatusOr<int32_t> ReadNumber(std::string_view name, std::string_view text);
absl::StatusOr<uint64_t> ReadSeed(std::string_view name, std::string_view text);

}  // namespace gangplan
