#include "extender/app/options.h"

#include <algorithm>
#include <charconv>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// What an error shows of a word.
std::string_view Short(std::string_view word) { return word.substr(0, 64); }

template <typename Number>
absl::StatusOr<Number> ReadWhole(std::string_view name, std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  return Invalid("{}: \"{}\"; expected a whole number", name, Short(text));
}

}  // namespace

absl::Status ReadOptions(std::span<const std::string_view> args,
                         const std::vector<Option>& options) {
  std::vector<std::string_view> seen;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string_view word = args[i];
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const Option& known) { return known.name == word; });
    if (option == options.end()) return Invalid("\"{}\" is not an option", Short(word));
    if (std::find(seen.begin(), seen.end(), word) != seen.end())
      return Invalid("{} is given twice", word);
    seen.push_back(word);
    if (option->has_value && i + 1 == args.size()) return Invalid("{} wants a value", word);
    GANGPLAN_RETURN_IF_ERROR(option->read(option->has_value ? args[++i] : std::string_view()));
  }
  return absl::OkStatus();
}

absl::StatusOr<int32_t> ReadNumber(std::string_view name, std::string_view text) {
  return ReadWhole<int32_t>(name, text);
}

absl::StatusOr<uint64_t> ReadSeed(std::string_view name, std::string_view text) {
  return ReadWhole<uint64_t>(name, text);
}

}  // namespace gangplan
