#include "extender/frontends/gangplan/place.h"

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Cuts the part up to `separators` off the front of `rest`.
std::string_view Next(std::string_view& rest, std::string_view separators) {
  size_t end = rest.find_first_of(separators);
  std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

std::string LevelNames(const Topology& topology) {
  std::string names;
  for (const Level& level : topology.levels) {
    names += names.empty() ? "" : ", ";
    names += level.name;
  }
  return names;
}

absl::Status ParseKind(std::string_view word, std::string_view kind, std::string_view clause,
                       LevelRule& rule) {
  rule.hard = kind.ends_with('!');
  if (rule.hard) kind.remove_suffix(1);
  if (kind == "pack") {
    rule.kind = LevelRule::Kind::kPack;
  } else if (kind == "spread") {
    rule.kind = LevelRule::Kind::kSpread;
  } else {
    return Invalid("{}: \"{}\": expected pack, pack!, spread or spread! after \"=\"", word, clause);
  }
  return absl::OkStatus();
}

absl::Status ParseOption(std::string_view word, std::string_view option, std::string_view clause,
                         LevelRule& rule) {
  std::string_view rest = option;
  std::string_view key = Next(rest, "=");
  std::optional<int32_t>* target = key == "partitions" ? &rule.partitions
                                   : key == "min"      ? &rule.min
                                   : key == "max"      ? &rule.max
                                   : key == "factor"   ? &rule.factor
                                                       : nullptr;
  if (target == nullptr) {
    return Invalid("{}: \"{}\": unknown option \"{}\", expected partitions=, min=, max= or factor=",
                   word, clause, option);
  }
  if (target->has_value()) return Invalid("{}: \"{}\": {} is given twice", word, clause, key);
  absl::StatusOr<int32_t> value = ParseCount(word, rest, 1, kMaxGroupSize);
  if (!value.ok()) {
    return Invalid("{}: \"{}\": {} must be a whole number from 1 to {}", word, clause, key,
                   kMaxGroupSize);
  }
  *target = *value;
  return absl::OkStatus();
}

absl::Status ParseClause(std::string_view word, std::string_view clause, const Topology& topology,
                         LevelRules& rules) {
  size_t equals = clause.find('=');
  if (equals == std::string_view::npos)
    return Invalid("{}: \"{}\": expected LEVEL=pack or LEVEL=spread", word, clause);
  std::string_view name = Trim(clause.substr(0, equals));
  GANGPLAN_ASSIGN_OR_RETURN(const size_t level, LevelNamed(word, clause, name, topology));
  if (rules[level].has_value())
    return Invalid("{}: level {} is given twice", word, topology.levels[level].name);
  std::string_view rest = Trim(clause.substr(equals + 1));
  LevelRule rule;
  GANGPLAN_RETURN_IF_ERROR(ParseKind(word, Next(rest, kBlank), clause, rule));
  while (!(rest = Trim(rest)).empty())
    GANGPLAN_RETURN_IF_ERROR(ParseOption(word, Next(rest, kBlank), clause, rule));
  if (rule.min && rule.max && *rule.min > *rule.max)
    return Invalid("{}: \"{}\": min is greater than max", word, clause);
  rules[level] = rule;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<size_t> LevelNamed(std::string_view word, std::string_view clause,
                                  std::string_view name, const Topology& topology) {
  for (size_t i = 0; i < topology.levels.size(); ++i)
    if (topology.levels[i].name == name || topology.levels[i].label == name) return i;
  return Invalid("{}: \"{}\": topology {} has no level \"{}\", its levels are {}", word,
                 Shown(clause), topology.name, Shown(name), LevelNames(topology));
}

absl::StatusOr<LevelRules> ParsePlace(std::string_view word, std::string_view text,
                                      const Topology& topology) {
  if (text.size() > kMaxWordBytes) return Invalid("{}: longer than {} bytes", word, kMaxWordBytes);
  LevelRules rules(topology.levels.size());
  if (Trim(text) == "any") return rules;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view clause = Trim(Next(rest, ";"));
    if (!clause.empty()) GANGPLAN_RETURN_IF_ERROR(ParseClause(word, clause, topology, rules));
  }
  return rules;
}

}  // namespace gangplan
