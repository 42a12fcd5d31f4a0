#include "config/section.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "config/limits.h"
#include "topology/base/decimal.h"
#include "topology/base/duration.h"
#include "topology/base/spelling.h"
#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text) {
  const std::optional<absl::Duration> duration = ReadGoDuration(text);
  if (!duration) return Invalid("a duration such as 90s, 5m or 1h30m expected, got \"{}\"", text);
  if (*duration > kMaxConfigDuration) return Invalid("at most 24h expected, got {}", text);
  return *duration;
}

void Problems::Add(int line, std::string_view key, std::string_view text) {
  found_.push_back({line, key.empty() ? std::string(text) : fmt::format("{}: {}", key, text)});
}

absl::Status Problems::ToStatus(std::string_view file_name) const {
  std::vector<Problem> ordered = found_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
  std::string text;
  for (size_t i = 0; i < ordered.size() && i < kMaxConfigErrors; ++i) {
    text +=
        fmt::format("{}{}:{}: {}", i == 0 ? "" : "\n", file_name, ordered[i].line, ordered[i].text);
  }
  if (ordered.size() > kMaxConfigErrors) {
    text += fmt::format("\n{}: and {} more problems", file_name, ordered.size() - kMaxConfigErrors);
  }
  return absl::InvalidArgumentError(text);
}

Section::Section(const YamlNode* node, std::string path, Problems& problems)
    : path_(std::move(path)), problems_(problems) {
  if (node == nullptr) return;
  line_ = node->key.empty() ? node->line : node->key_line;
  if (node->kind == YamlNode::Kind::kMap) {
    node_ = node;
  } else {
    problems_.Add(line_, path_, "keys and values expected");
  }
}

const YamlNode* Section::Lookup(std::string_view key) const {
  return node_ == nullptr ? nullptr : node_->Find(key);
}

const YamlNode* Section::Find(std::string_view key) {
  asked_.push_back(key);
  problems_.NoteKey(Path(key));
  return Lookup(key);
}

std::string Section::Path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

int Section::Line(std::string_view key) const {
  const YamlNode* value = Lookup(key);
  return value == nullptr ? line_ : value->key_line;
}

void Section::Fail(std::string_view key, std::string_view text) {
  problems_.Add(Line(key), Path(key), text);
}

const YamlNode* Section::FindScalar(std::string_view key, std::string_view expected) {
  const YamlNode* value = Find(key);
  if (value == nullptr || value->kind == YamlNode::Kind::kScalar) return value;
  std::string_view got = "nothing";
  if (value->kind == YamlNode::Kind::kList) got = "a list";
  if (value->kind == YamlNode::Kind::kMap) got = "keys and values";
  Fail(key, fmt::format("{} expected, got {}", expected, got));
  return nullptr;
}

void Section::ReadText(std::string_view key, std::string& target) {
  if (const YamlNode* scalar = FindScalar(key, "text")) target = scalar->text;
}

void Section::ReadNumber(std::string_view key, int smallest, int largest, int& target) {
  const std::string expected = fmt::format("a whole number from {} to {}", smallest, largest);
  const YamlNode* scalar = FindScalar(key, expected);
  if (scalar == nullptr) return;
  const std::string& text = scalar->text;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  const bool octal = text.size() > 1 && text[0] == '0';  // YAML reads 010 as eight
  if (!whole || octal || scalar->quoted || number < smallest || number > largest) {
    Fail(key, fmt::format("{} expected, got {}", expected,
                          scalar->quoted ? fmt::format("\"{}\"", text) : text));
    return;
  }
  target = number;
}

void Section::ReadPercent(std::string_view key, int& target) {
  constexpr std::string_view kExpected = "a share from 0% to 100% expected";
  const YamlNode* scalar = FindScalar(key, kExpected.substr(0, kExpected.rfind(' ')));
  if (scalar == nullptr) return;
  const std::string& text = scalar->text;
  const std::optional<int> percent =
      text.ends_with('%') ? ReadDecimal<int>(text.substr(0, text.size() - 1)) : std::nullopt;
  if (percent && *percent >= 0 && *percent <= 100) {
    target = *percent;
  } else {
    Fail(key, fmt::format("{}, got {}", kExpected, text));
  }
}

void Section::ReadDuration(std::string_view key, absl::Duration& target) {
  const YamlNode* scalar = FindScalar(key, "a duration such as 90s, 5m or 1h30m");
  if (scalar == nullptr) return;
  const absl::StatusOr<absl::Duration> duration = ParseGoDuration(scalar->text);
  if (duration.ok()) {
    target = *duration;
  } else {
    Fail(key, Message(duration.status()));
  }
}

void Section::ReadTextList(std::string_view key, size_t least, size_t most,
                           std::vector<std::string>& target) {
  const YamlNode* list = Find(key);
  if (list == nullptr) return;
  if (list->kind != YamlNode::Kind::kList || list->items.size() < least ||
      list->items.size() > most) {
    Fail(key, fmt::format("a list of {} to {} names expected", least, most));
    return;
  }
  std::vector<std::string> names;
  for (const YamlNode& item : list->items) {
    if (item.kind != YamlNode::Kind::kScalar || item.text.empty()) {
      problems_.Add(item.line, Path(key), "a name expected");
    } else if (std::find(names.begin(), names.end(), item.text) != names.end()) {
      problems_.Add(item.line, Path(key), fmt::format("\"{}\" given twice", item.text));
    }
    names.push_back(item.text);
  }
  target = std::move(names);
}

void Section::Finish() {
  if (node_ == nullptr) return;
  for (const YamlNode& item : node_->items) {
    const YamlNode* first = Lookup(item.key);
    if (std::find(asked_.begin(), asked_.end(), item.key) == asked_.end()) {
      problems_.Add(item.key_line, Path(item.key), "unknown key" + Suggestion(item.key, asked_));
    } else if (first != &item) {
      problems_.Add(item.key_line, Path(item.key),
                    fmt::format("given twice, first in line {}", first->key_line));
    }
  }
}

std::string OneOf(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string WrongWord(std::string_view word, std::span<const std::string_view> allowed) {
  return fmt::format("{} expected, got \"{}\"{}", OneOf(allowed), word, Suggestion(word, allowed));
}

}  // namespace gangplan
