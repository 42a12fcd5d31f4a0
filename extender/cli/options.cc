#include "extender/cli/options.h"

#include <algorithm>
#include <utility>

#include "topology/base/decimal.h"
#include "topology/base/spelling.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr size_t kHelpColumn = 22;
constexpr size_t kHelpWidth = 78;

// One word of the command line: "--name", "--name=value" or "value".
struct Word {
  std::string_view name;  // of an option
  std::optional<std::string_view> value;
};

Word Split(std::string_view word) {
  if (!word.starts_with('-')) return {{}, word};
  const size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
  if (equals == std::string_view::npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

class WordReading {
 public:
  WordReading(std::span<const std::string_view> args, const Options& options)
      : args_(args), options_(options), seen_(options.size(), false) {}

  absl::Status Read() {
    while (!args_.empty()) {
      const Word word = Split(args_.front());
      const size_t index = word.name.empty() ? NextPositional() : Find(word.name);
      if (index == options_.size()) return Unknown(word);
      args_ = args_.subspan(1);
      GANGPLAN_RETURN_IF_ERROR(Take(index, word));
    }
    for (size_t i = 0; i < options_.size(); ++i) {
      if (options_[i].needed && !seen_[i]) return Invalid("{} is missing", options_[i].name);
    }
    return absl::OkStatus();
  }

 private:
  // The index of the option, or how many there are.
  size_t Find(std::string_view name) const {
    size_t i = 0;
    while (i < options_.size() && options_[i].name != name) ++i;
    return i;
  }
  size_t NextPositional() const {
    size_t i = 0;
    while (i < options_.size() && (seen_[i] || !options_[i].positional())) ++i;
    return i;
  }

  absl::Status Unknown(const Word& word) const {
    if (word.name.empty()) return Invalid("\"{}\" is one word too many", Shown(*word.value));
    std::vector<std::string_view> names;
    for (const Option& option : options_) names.push_back(option.name);
    return Invalid("\"{}\" is not an option{}", Shown(word.name), Suggestion(word.name, names));
  }

  absl::Status Take(size_t index, const Word& word) {
    const Option& option = options_[index];
    if (seen_[index]) return Invalid("{} is given twice", option.name);
    seen_[index] = true;
    if (option.positional()) return option.read(*word.value);
    if (option.value.empty()) {
      if (word.value) return Invalid("{} takes no value", option.name);
      return option.read({});
    }
    if (word.value) return option.read(*word.value);
    if (args_.empty() || Find(Split(args_.front()).name) < options_.size())
      return Invalid("{} wants a value: {}", option.name, option.value);
    const std::string_view value = args_.front();
    args_ = args_.subspan(1);
    return option.read(value);
  }

  std::span<const std::string_view> args_;
  const Options& options_;
  std::vector<bool> seen_;
};

// `text` in lines of at most kHelpWidth letters behind kHelpColumn blanks, but for the first line's
// blanks.
std::string Wrapped(std::string_view text) {
  std::string lines;
  const size_t width = kHelpWidth - kHelpColumn;
  while (text.size() > width) {
    size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos) end = text.find(' ');
    if (end == std::string_view::npos) break;
    lines += fmt::format("{}\n{:{}}", text.substr(0, end), "", kHelpColumn);
    text.remove_prefix(end + 1);
  }
  return lines + std::string(text) + "\n";
}

template <typename Seed>
Option AnySeedOption(std::string name, std::string help, Seed& target) {
  const auto read = [name, &target](std::string_view text) -> absl::Status {
    const std::optional<uint64_t> seed = ReadDecimal<uint64_t>(text);
    if (!seed) return Invalid("{}: \"{}\"; expected a whole number", name, Shown(text));
    target = *seed;
    return absl::OkStatus();
  };
  return {std::move(name), "SEED", std::move(help), read};
}

}  // namespace

absl::Status ReadOptions(std::span<const std::string_view> args, const Options& options) {
  return WordReading(args, options).Read();
}

std::string HelpOf(const Options& options) {
  std::string text;
  for (const Option& option : options) {
    const bool valued = !option.value.empty() && !option.positional();
    const std::string left =
        fmt::format("  {}{}{}", option.name, valued ? " " : "", valued ? option.value : "");
    text += left.size() < kHelpColumn - 1 ? fmt::format("{:<{}}", left, kHelpColumn)
                                          : fmt::format("{}\n{:{}}", left, "", kHelpColumn);
    text += Wrapped(option.help);
  }
  return text;
}

Option SwitchOption(std::string name, std::string help, bool& target) {
  return {std::move(name), "", std::move(help), [&target](std::string_view) {
            target = true;
            return absl::OkStatus();
          }};
}

Option TextOption(std::string name, std::string value, std::string help, std::string& target) {
  return {std::move(name), std::move(value), std::move(help), [&target](std::string_view text) {
            target = text;
            return absl::OkStatus();
          }};
}

Option NumberOption(std::string name, std::string value, std::string help, int32_t& target,
                    int32_t least, int32_t most) {
  const auto read = [name, least, most, &target](std::string_view text) -> absl::Status {
    const std::optional<int32_t> number = ReadDecimal<int32_t>(text);
    if (!number) return Invalid("{}: \"{}\"; expected a whole number", name, Shown(text));
    if (*number < least || *number > most)
      return Invalid("{}: {}; expected {} to {}", name, *number, least, most);
    target = *number;
    return absl::OkStatus();
  };
  return {std::move(name), std::move(value), std::move(help), read};
}

Option SeedOption(std::string name, std::string help, uint64_t& target) {
  return AnySeedOption(std::move(name), std::move(help), target);
}

Option SeedOption(std::string name, std::string help, std::optional<uint64_t>& target) {
  return AnySeedOption(std::move(name), std::move(help), target);
}

Option WordOption(std::string name, std::vector<std::string> words, std::string help,
                  size_t& target) {
  const std::string value = fmt::format("{}", fmt::join(words, "|"));
  const auto read = [name, words, &target](std::string_view text) -> absl::Status {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
      return Invalid("{}: \"{}\"; expected {}", name, Shown(text), fmt::join(words, " or "));
    }
    target = static_cast<size_t>(found - words.begin());
    return absl::OkStatus();
  };
  return {std::move(name), value, std::move(help), read};
}

Option Needed(Option option) {
  option.needed = true;
  return option;
}

}  // namespace gangplan
