#include "extender/protocol/sakkara_group.h"

#include <algorithm>
#include <limits>

#include "extender/protocol/limits.h"
#include "extender/protocol/sakkara_value.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/decimal.h"
#include "topology/base/status_macros.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

constexpr std::string_view kDefaultGroup = "default-group";
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

using LevelConstraints = std::vector<std::pair<std::string, SakkaraConstraint>>;

constexpr JsonField kSakkaraFields[] = {
    {"type", json::Text<&SakkaraConstraint::type>(kMaxTokenBytes)},
    {"hard", json::Boolean<&SakkaraConstraint::hard>()},
    {"partitions", json::Integer<&SakkaraConstraint::partitions, kLeast, kMost>()},
    {"min", json::Integer<&SakkaraConstraint::min, kLeast, kMost>()},
    {"max", json::Integer<&SakkaraConstraint::max, kLeast, kMost>()},
    {"factor", json::Integer<&SakkaraConstraint::factor, kLeast, kMost>()},
};

constexpr JsonShape MakeConstraint() {
  JsonShape shape = json::Object(kSakkaraFields);
  shape.enter = [](void* target, const JsonPlace& place) -> void* {
    auto& constraints = *static_cast<LevelConstraints*>(target);
    return &constraints.emplace_back(place.key, SakkaraConstraint{}).second;
  };
  return shape;
}
constexpr JsonShape kConstraint = MakeConstraint();
constexpr JsonShape kConstraints = json::Map(kConstraint, kMaxSakkaraRules);

// Sorted; of equal levels the last one.
SakkaraRules RulesOf(LevelConstraints written, std::string_view place,
                     std::vector<std::string>& notes) {
  std::stable_sort(written.begin(), written.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  SakkaraRules rules;
  for (size_t i = 0; i < written.size(); ++i) {
    auto& [level, constraint] = written[i];
    if (i + 1 < written.size() && written[i + 1].first == level) continue;
    const std::string where = fmt::format("{}{}", place, Shown(level));
    rules.emplace_back(std::move(level), ReadSakkaraRule(constraint, where, notes));
  }
  return rules;
}

// A number under `key`; nothing when it is missing or no number.
std::optional<int64_t> ReadNumber(const LabelSet& set, std::string_view key,
                                  std::string_view instead, std::vector<std::string>& notes) {
  const std::string* text = FindLabel(set, key);
  if (text == nullptr) return std::nullopt;
  const auto number = ReadDecimal<int64_t>(*text);
  if (!number)
    notes.push_back(
        fmt::format("{}: '{}' is {}, expected a whole number", key, Shown(*text), instead));
  return number;
}

// The field of a constraint that the label `partitions.rack` sets.
int64_t* NumberCalled(SakkaraConstraint& constraint, std::string_view word) {
  if (word == "partitions") return &constraint.partitions;
  if (word == "min") return &constraint.min;
  if (word == "max") return &constraint.max;
  return word == "factor" ? &constraint.factor : nullptr;
}

// Takes one label, cut to what follows the prefix: "type.rack", "min.node".
void TakeWord(const LabelSet& labels, std::string_view key, SakkaraConstraint& constraint,
              std::vector<std::string>& notes) {
  std::string_view word = key.substr(kSakkaraPodConstraint.size());
  word = word.substr(0, word.find('.'));
  if (word == "type") {
    constraint.type = *FindLabel(labels, key);
  } else if (int64_t* number = NumberCalled(constraint, word)) {
    *number = ReadNumber(labels, key, "ignored", notes).value_or(0);
  } else {
    notes.push_back(
        fmt::format("{} is ignored, expected type, partitions, min, max or factor", Shown(key)));
  }
}

// The level that a label is about; empty when it names none.
std::string_view LevelOf(std::string_view key) {
  key.remove_prefix(kSakkaraPodConstraint.size());
  const size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(dot + 1);
}

}  // namespace

std::string SakkaraGroupName(const LabelSet& data) {
  const std::string* name = FindLabel(data, "name");
  return std::string(name == nullptr || name->empty() ? kDefaultGroup : std::string_view(*name));
}

absl::StatusOr<SakkaraGroup> ReadSakkaraGroup(const LabelSet& data) {
  SakkaraGroup group;
  group.name = SakkaraGroupName(data);
  if (group.name.size() > kMaxNameBytes)
    return Invalid("name: longer than {} bytes", kMaxNameBytes);
  const std::string* text = FindLabel(data, "constraints");
  if (text == nullptr)
    return Invalid(
        "constraints is missing: expected a JSON object of levels, {{}} for pack everywhere");
  LevelConstraints constraints;
  GANGPLAN_RETURN_IF_ERROR(ParseSakkaraValue("constraints", *text, kConstraints, &constraints));
  group.size = ReadNumber(data, "size", "read as 1", group.notes).value_or(1);
  group.priority = ReadNumber(data, "priority", "read as 0", group.notes).value_or(0);
  group.rules = RulesOf(std::move(constraints), "constraints.", group.notes);
  return group;
}

std::optional<SakkaraPod> ReadSakkaraPod(const LabelSet& labels) {
  const std::string* group = FindLabel(labels, kSakkaraPodGroup);
  if (group == nullptr || group->empty()) return std::nullopt;
  SakkaraPod pod;
  pod.group = *group;
  pod.size = ReadNumber(labels, kSakkaraPodSize, "ignored", pod.notes);
  LevelConstraints constraints;
  for (const auto& [key, value] : labels) {
    if (!key.starts_with(kSakkaraPodConstraint)) continue;
    const std::string_view level = LevelOf(key);
    if (level.empty()) {
      pod.notes.push_back(fmt::format("{} is ignored, expected a level at its end", Shown(key)));
      continue;
    }
    auto constraint = std::find_if(constraints.begin(), constraints.end(),
                                   [&](const auto& known) { return known.first == level; });
    if (constraint == constraints.end())
      constraint = constraints.insert(constraint, {std::string(level), {}});
    TakeWord(labels, key, constraint->second, pod.notes);
  }
  pod.rules = RulesOf(std::move(constraints), "sakkara.group.constraint.*.", pod.notes);
  return pod;
}

std::string SakkaraGroupKey(std::string_view ns, std::string_view name) {
  return NameInNamespace(ns, name);
}

const SakkaraRule& SakkaraRuleOf(const SakkaraRules& rules, std::string_view level) {
  static const SakkaraRule soft_pack;
  const auto rule =
      std::lower_bound(rules.begin(), rules.end(), level,
                       [](const auto& entry, std::string_view name) { return entry.first < name; });
  return rule != rules.end() && rule->first == level ? rule->second : soft_pack;
}

}  // namespace gangplan
