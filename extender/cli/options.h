// The words of one command as a table: what each is called, what it does, where its value goes. The
// table is read from (ReadOptions) and told (HelpOf), so that help and parser cannot differ.
//
// `--name value`, `--name=value` and `--switch`, each at most once, in any order; what does not
// begin with '-' is the next positional word of the table. Pure; the targets outlive the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace gangplan {

struct Option {
  std::string name;   // "--nodes" or "-o"; without '-' a positional word: "NAMESPACE/NAME"
  std::string value;  // what stands for the value in the help: "N", "FILE"; empty: a switch
  std::string help;   // one line, with the default
  std::function<absl::Status(std::string_view value)> read;
  bool needed = false;

  bool positional() const { return !name.starts_with('-'); }
};
using Options = std::vector<Option>;

// InvalidArgument names the word and what was expected: unknown and repeated words, missing values,
// needed words that are not there, and what an option's own reader says.
absl::Status ReadOptions(std::span<const std::string_view> args, const Options& options);

// "  --nodes N     nodes in each rack (4)" and the like, one line an option, longer helps wrapped.
std::string HelpOf(const Options& options);

// Makers. Errors of their readers begin with the option's name.
Option SwitchOption(std::string name, std::string help, bool& target);
Option TextOption(std::string name, std::string value, std::string help, std::string& target);
// A whole number from `least` to `most`.
Option NumberOption(std::string name, std::string value, std::string help, int32_t& target,
                    int32_t least = std::numeric_limits<int32_t>::min(),
                    int32_t most = std::numeric_limits<int32_t>::max());
Option SeedOption(std::string name, std::string help, uint64_t& target);
Option SeedOption(std::string name, std::string help, std::optional<uint64_t>& target);
// One of `words`; the target becomes its index.
Option WordOption(std::string name, std::vector<std::string> words, std::string help,
                  size_t& target);
Option Needed(Option option);

}  // namespace gangplan
