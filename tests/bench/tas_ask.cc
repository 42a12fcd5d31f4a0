#include "tests/bench/tas_ask.h"

#include <charconv>
#include <string>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/text_map.h"

namespace gangplan {
namespace {

// The words of the line by key.
using Words = TextMap<std::string>;

Words Split(std::string_view line) {
  Words words;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const size_t equals = std::min(word.find('='), word.size());
    if (!word.empty())
      words[std::string(word.substr(0, equals))] = word.substr(std::min(equals + 1, word.size()));
  }
  return words;
}

absl::StatusOr<int32_t> Number(const Words& words, std::string_view key) {
  const auto it = words.find(key);
  if (it == words.end()) return 0;
  const std::string& text = it->second;
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return Invalid("{}={}: expected a number of 0 or more", key, text);
  return value;
}

absl::StatusOr<int> LevelAt(const Words& words, std::string_view key, const Tree& tree) {
  const auto it = words.find(key);
  const int level = it == words.end() ? -1 : tree.FindLevel(it->second);
  if (level < 0) return Invalid("{}: expected one of block, rack, hostname", key);
  return level;
}

absl::Status TakeMode(const Words& words, const Tree& tree, TasRequest& request) {
  const auto it = words.find(std::string_view("mode"));
  const std::string mode = it == words.end() ? "" : it->second;
  request.balanced = mode == "balanced";
  if (mode == "required" || mode == "preferred" || mode == "balanced") {
    GANGPLAN_ASSIGN_OR_RETURN(request.level, LevelAt(words, "level", tree));
    request.mode = mode == "required" ? TasRequest::Mode::kRequired : TasRequest::Mode::kPreferred;
    return absl::OkStatus();
  }
  request.mode = TasRequest::Mode::kUnconstrained;
  request.level = mode == "slices" ? 0 : tree.leaf_level();
  if (mode == "slices" || mode == "unconstrained") return absl::OkStatus();
  return Invalid("mode={}: expected required, preferred, balanced, slices or unconstrained", mode);
}

}  // namespace

absl::StatusOr<TasAsk> ParseTasAsk(std::string_view line, const Tree& tree) {
  const Words words = Split(line);
  TasAsk ask;
  GANGPLAN_RETURN_IF_ERROR(TakeMode(words, tree, ask.request));
  GANGPLAN_ASSIGN_OR_RETURN(ask.request.count, Number(words, "pods"));
  GANGPLAN_ASSIGN_OR_RETURN(ask.gpus, Number(words, "gpus"));
  GANGPLAN_ASSIGN_OR_RETURN(ask.min_ms, Number(words, "min-ms"));
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t slice, Number(words, "slice-size"));
  if (slice == 0) return ask;
  GANGPLAN_ASSIGN_OR_RETURN(const int level, LevelAt(words, "slice-level", tree));
  ask.request.slices = {{level, slice}};
  return ask;
}

}  // namespace gangplan
