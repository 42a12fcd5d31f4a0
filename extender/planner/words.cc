#include "extender/planner/words.h"

#include <charconv>

#include "extender/planner/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// Cuts the part up to `separators` off the front of `rest`.
std::string_view Next(std::string_view& rest, std::string_view separators) {
  size_t end = rest.find_first_of(separators);
  std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

std::optional<std::string> Word(const LabelSet& set, std::string_view key) {
  const std::string* value = FindLabel(set, key);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

std::string LevelNames(const Topology& topology) {
  std::string names;
  for (const Level& level : topology.levels) {
    names += names.empty() ? "" : ", ";
    names += level.name;
  }
  return names;
}

int FindLevel(const Topology& topology, std::string_view name) {
  for (size_t i = 0; i < topology.levels.size(); ++i) {
    if (topology.levels[i].name == name || topology.levels[i].label == name)
      return static_cast<int>(i);
  }
  return -1;
}

absl::Status ParseKind(std::string_view word, std::string_view clause, LevelRule& rule) {
  rule.hard = word.ends_with('!');
  if (rule.hard) word.remove_suffix(1);
  if (word == "pack") {
    rule.kind = LevelRule::Kind::kPack;
  } else if (word == "spread") {
    rule.kind = LevelRule::Kind::kSpread;
  } else {
    return Invalid("{}: \"{}\": expected pack, pack!, spread or spread! after \"=\"", kPlaceWord,
                   clause);
  }
  return absl::OkStatus();
}

absl::Status ParseOption(std::string_view option, std::string_view clause, LevelRule& rule) {
  std::string_view rest = option;
  std::string_view key = Next(rest, "=");
  std::optional<int32_t>* target = key == "partitions" ? &rule.partitions
                                   : key == "min"      ? &rule.min
                                   : key == "max"      ? &rule.max
                                   : key == "factor"   ? &rule.factor
                                                       : nullptr;
  if (target == nullptr) {
    return Invalid("{}: \"{}\": unknown option \"{}\", expected partitions=, min=, max= or factor=",
                   kPlaceWord, clause, option);
  }
  if (target->has_value()) return Invalid("{}: \"{}\": {} is given twice", kPlaceWord, clause, key);
  absl::StatusOr<int32_t> value = ParseCount(kPlaceWord, rest, 1, kMaxGroupSize);
  if (!value.ok()) {
    return Invalid("{}: \"{}\": {} must be a whole number from 1 to {}", kPlaceWord, clause, key,
                   kMaxGroupSize);
  }
  *target = *value;
  return absl::OkStatus();
}

absl::Status ParseClause(std::string_view clause, const Topology& topology, PlaceRules& rules) {
  size_t equals = clause.find('=');
  if (equals == std::string_view::npos)
    return Invalid("{}: \"{}\": expected LEVEL=pack or LEVEL=spread", kPlaceWord, clause);
  std::string_view name = Trim(clause.substr(0, equals));
  int level = FindLevel(topology, name);
  if (level < 0) {
    return Invalid("{}: \"{}\": topology {} has no level \"{}\", its levels are {}", kPlaceWord,
                   clause, topology.name, name, LevelNames(topology));
  }
  if (rules[level].has_value())
    return Invalid("{}: level {} is given twice", kPlaceWord, topology.levels[level].name);
  std::string_view rest = Trim(clause.substr(equals + 1));
  LevelRule rule;
  GANGPLAN_RETURN_IF_ERROR(ParseKind(Next(rest, kBlank), clause, rule));
  while (!(rest = Trim(rest)).empty())
    GANGPLAN_RETURN_IF_ERROR(ParseOption(Next(rest, kBlank), clause, rule));
  if (rule.min && rule.max && *rule.min > *rule.max)
    return Invalid("{}: \"{}\": min is greater than max", kPlaceWord, clause);
  rules[level] = rule;
  return absl::OkStatus();
}

}  // namespace

GroupWords ReadWords(const LabelSet& annotations, const LabelSet& labels) {
  GroupWords words;
  words.group = Word(annotations, kGroupWord);
  if (!words.group) words.group = Word(labels, kGroupWord);
  words.size = Word(annotations, kSizeWord);
  words.pod_set = Word(annotations, kPodSetWord);
  words.pod_sets = Word(annotations, kPodSetsWord);
  words.rank = Word(annotations, kRankWord);
  words.topology = Word(annotations, kTopologyWord);
  words.place = Word(annotations, kPlaceWord);
  return words;
}

GroupWords MergeWords(const GroupWords& first, const GroupWords& second) {
  GroupWords merged = first;
  if (!merged.group) merged.group = second.group;
  if (!merged.size) merged.size = second.size;
  if (!merged.pod_set) merged.pod_set = second.pod_set;
  if (!merged.pod_sets) merged.pod_sets = second.pod_sets;
  if (!merged.rank) merged.rank = second.rank;
  if (!merged.topology) merged.topology = second.topology;
  if (!merged.place) merged.place = second.place;
  return merged;
}

absl::StatusOr<PlaceRules> ParsePlace(std::string_view text, const Topology& topology) {
  if (text.size() > kMaxWordBytes)
    return Invalid("{}: longer than {} bytes", kPlaceWord, kMaxWordBytes);
  PlaceRules rules(topology.levels.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view clause = Trim(Next(rest, ";"));
    if (!clause.empty()) GANGPLAN_RETURN_IF_ERROR(ParseClause(clause, topology, rules));
  }
  return rules;
}

absl::StatusOr<int32_t> ParseCount(std::string_view word, std::string_view text, int32_t low,
                                   int32_t high) {
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return Invalid("{}: \"{}\": expected a whole number from {} to {}", word, Shown(text), low,
                   high);
  }
  return value;
}

}  // namespace gangplan
