// One map of the configuration tree, read key by key into typed values. Each asked key is known;
// Finish() reports the others, with a suggestion, and keys that are given twice. A problem never
// stops the reading: all of them are collected and reported together, and a target keeps its
// default. One thread.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fmt/format.h"
#include "topology/base/yaml_tree.h"

namespace gangplan {

// A duration as Go writes it: "90s", "5m", "1h30m". Units ns, us, ms, s, m, h; at most a day.
absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text);

// What is wrong with a file, and which keys were asked for.
class Problems {
 public:
  void Add(int line, std::string_view key, std::string_view text);
  bool empty() const { return found_.empty(); }
  size_t size() const { return found_.size(); }
  // One line each, "FILE:LINE: KEY: what was expected", in the order of the file.
  absl::Status ToStatus(std::string_view file_name) const;

  void NoteKey(std::string path) { keys_.insert(std::move(path)); }
  const std::set<std::string>& keys() const { return keys_; }

 private:
  struct Problem {
    int line;
    std::string text;
  };
  std::vector<Problem> found_;
  std::set<std::string> keys_;
};

class Section {
 public:
  // A node that is not a map is a problem; it then reads as an empty one. `path` is empty for the
  // root; null stands for an absent section.
  Section(const YamlNode* node, std::string path, Problems& problems);

  // The value of a key, nullptr when it is absent.
  const YamlNode* Find(std::string_view key);
  std::string Path(std::string_view key) const;
  // Where to say something about a key: its line, or the section's when it is absent.
  int Line(std::string_view key) const;
  void Fail(std::string_view key, std::string_view text);

  void ReadText(std::string_view key, std::string& target);
  void ReadNumber(std::string_view key, int smallest, int largest, int& target);
  // "0%" to "100%", in whole steps.
  void ReadPercent(std::string_view key, int& target);
  void ReadDuration(std::string_view key, absl::Duration& target);
  void ReadTextList(std::string_view key, size_t least, size_t most,
                    std::vector<std::string>& target);
  template <typename Enum>
  void ReadWord(std::string_view key, std::span<const std::pair<std::string_view, Enum>> words,
                Enum& target);

  // Reports the keys that nobody asked for. Call it last.
  void Finish();

 private:
  const YamlNode* Lookup(std::string_view key) const;
  // The key's scalar; nullptr, with a problem, when it is something else.
  const YamlNode* FindScalar(std::string_view key, std::string_view expected);

  const YamlNode* node_ = nullptr;
  int line_ = 1;
  std::string path_;
  Problems& problems_;
  std::vector<std::string_view> asked_;
};

std::string OneOf(std::span<const std::string_view> words);
// The word's problem: the words allowed, and the nearest one.
std::string WrongWord(std::string_view word, std::span<const std::string_view> allowed);

template <typename Enum>
void Section::ReadWord(std::string_view key,
                       std::span<const std::pair<std::string_view, Enum>> words, Enum& target) {
  std::vector<std::string_view> allowed;
  for (const auto& word : words) allowed.push_back(word.first);
  const YamlNode* scalar = FindScalar(key, OneOf(allowed));
  if (scalar == nullptr) return;
  for (const auto& [word, value] : words) {
    if (word == scalar->text) {
      target = value;
      return;
    }
  }
  Fail(key, WrongWord(scalar->text, allowed));
}

}  // namespace gangplan
