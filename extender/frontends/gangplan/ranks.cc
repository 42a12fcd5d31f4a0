#include "extender/frontends/gangplan/ranks.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "algorithms/rule_text.h"
#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/pod_set_words.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kForm = "expected \"NAME=NUMBER LEVEL\", such as tp=8 node";

// "tp=8", or "dp" for all ranks; `inner`: the ranks of the unit before.
absl::Status ReadSize(std::string_view word, std::string_view part, int32_t inner, RankUnit& unit) {
  const size_t equals = std::min(word.find('='), word.size());
  unit.name = word.substr(0, equals);
  GANGPLAN_RETURN_IF_ERROR(CheckPodSetName(kRanksWord, unit.name));
  if (equals == word.size()) return absl::OkStatus();
  const std::string_view number = word.substr(equals + 1);
  const absl::StatusOr<int32_t> factor = ParseCount(kRanksWord, number, 1, kMaxGroupSize);
  if (!factor.ok()) {
    return Invalid("{}: \"{}\": {} must be a whole number from 1 to {}", kRanksWord, Shown(part),
                   unit.name, kMaxGroupSize);
  }
  if (int64_t{*factor} * inner > kMaxGroupSize) {
    return Invalid("{}: \"{}\": {} ranks in one unit; expected {} at most", kRanksWord, Shown(part),
                   int64_t{*factor} * inner, kMaxGroupSize);
  }
  unit.ranks = *factor * inner;
  return absl::OkStatus();
}

absl::StatusOr<RankUnit> ReadUnit(std::string_view part, const Topology& topology,
                                  const std::vector<RankUnit>& inner) {
  const size_t blank = part.find_first_of(kBlank);
  const std::string_view level =
      blank == std::string_view::npos ? std::string_view() : Trim(part.substr(blank));
  if (level.empty() || level.find_first_of(kBlank) != std::string_view::npos)
    return Invalid("{}: \"{}\": {}", kRanksWord, Shown(part), kForm);
  RankUnit unit;
  GANGPLAN_RETURN_IF_ERROR(
      ReadSize(part.substr(0, blank), part, inner.empty() ? 1 : inner.back().ranks, unit));
  GANGPLAN_ASSIGN_OR_RETURN(unit.level, LevelNamed(kRanksWord, part, level, topology));
  if (inner.empty()) return unit;
  const auto twice = std::find_if(inner.begin(), inner.end(),
                                  [&](const RankUnit& one) { return one.name == unit.name; });
  if (twice != inner.end())
    return Invalid("{}: \"{}\": {} is given twice", kRanksWord, Shown(part), unit.name);
  if (unit.level >= inner.back().level) {
    return Invalid("{}: \"{}\": expected a level above {}, which holds {}", kRanksWord, Shown(part),
                   topology.levels[inner.back().level].name, inner.back().name);
  }
  return unit;
}

// All ranks share a domain only where one domain of each level above holds them.
absl::Status CheckAbove(const RankUnit& unit, const Topology& topology, const LevelRules& rules) {
  for (size_t above = 0; unit.ranks == 0 && above < unit.level; ++above) {
    const std::optional<LevelRule>& rule = rules[above];
    const bool several =
        rule && (rule->kind == LevelRule::Kind::kSpread || rule->partitions.value_or(1) > 1);
    if (!several) continue;
    return Invalid(
        "{}: {} at {}: {} says \"{}\" above it, which asks for several of them; expected a pack "
        "there, as all ranks share one {}, or a number of ranks",
        kRanksWord, unit.name, topology.levels[unit.level].name, kPlaceWord,
        RuleText(topology.levels[above].name, *rule), topology.levels[unit.level].name);
  }
  return absl::OkStatus();
}

// What the map and the rule say of one level.
absl::Status AddUnit(const RankUnit& unit, const std::string& level,
                     std::optional<LevelRule>& rule) {
  const auto contradicts = [&](std::string_view expected) {
    return Invalid("{}: {} at {}: {} says \"{}\" of it; expected {}",
                   unit.alone ? kSubGroupTopology : kRanksWord, unit.name, level, kPlaceWord,
                   RuleText(level, *rule), expected);
  };
  if (!rule) rule = LevelRule{};
  if (unit.ranks == 0) {
    const bool several = rule->kind != LevelRule::Kind::kPack || rule->partitions.value_or(1) > 1;
    if (several) return contradicts("a pack, as all ranks share one, or a number of ranks");
    rule->hard = true;
    return absl::OkStatus();
  }
  if (rule->factor) return contradicts("no factor there");
  if (rule->max && *rule->max < unit.ranks)
    return contradicts(fmt::format("room for {} ranks in one", unit.ranks));
  if (rule->hard && rule->kind == LevelRule::Kind::kSpread && unit.ranks > 1)
    return contradicts(fmt::format("no hard spread, as {} ranks share one", unit.ranks));
  rule->factor = unit.ranks;
  rule->ranked = true;
  if (unit.alone) rule->max = unit.ranks;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<RankUnit>> ParseRanks(std::string_view text, const Topology& topology) {
  if (text.size() > kMaxWordBytes)
    return Invalid("{}: longer than {} bytes", kRanksWord, kMaxWordBytes);
  std::vector<RankUnit> units;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view part = Trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (part.empty()) continue;
    if (!units.empty() && units.back().ranks == 0) {
      return Invalid("{}: \"{}\": stands behind {}, which holds all ranks; expected nothing there",
                     kRanksWord, Shown(part), units.back().name);
    }
    GANGPLAN_ASSIGN_OR_RETURN(RankUnit unit, ReadUnit(part, topology, units));
    units.push_back(std::move(unit));
  }
  if (units.empty()) return Invalid("{}: is empty; {}", kRanksWord, kForm);
  return units;
}

absl::Status AddSubGroups(const SubGroups& groups, int32_t members, const Topology& topology,
                          std::vector<RankUnit>& units) {
  RankUnit unit{"sub-group", 0, groups.size, true};
  GANGPLAN_ASSIGN_OR_RETURN(unit.level,
                            LevelNamed(kSubGroupTopology, groups.label, groups.label, topology));
  if (members % groups.size != 0 || groups.size == 1) {
    return Invalid(
        "{}: sub-groups of {} among {} members: the leader is one more in the first of them, or in "
        "none; expected subGroupSize to be a divisor of size, from 2 on, or {} in their place",
        kSubGroupTopology, groups.size, members, kPlaceWord);
  }
  const auto at = std::find_if(units.begin(), units.end(),
                               [&](const RankUnit& one) { return one.level <= unit.level; });
  const bool same = at != units.end() && at->level == unit.level;
  // 0 is all ranks: nothing is a multiple of that but itself.
  const auto nests = [](int32_t inner, int32_t outer) {
    return outer == 0 || (inner != 0 && outer % inner == 0);
  };
  const bool fits = (at == units.begin() || nests(std::prev(at)->ranks, unit.ranks)) &&
                    (at == units.end() || nests(unit.ranks, at->ranks)) &&
                    (!same || at->ranks == unit.ranks || (at->ranks == 0 && unit.ranks == members));
  if (!fits) {
    return Invalid(
        "{}: sub-groups of {} at {}: {} has units that do not nest with these; expected "
        "multiples above them, divisors below them, and the same at their level",
        kSubGroupTopology, groups.size, topology.levels[unit.level].name, kRanksWord);
  }
  if (!same) {
    units.insert(at, std::move(unit));
  } else {
    *at = std::move(unit);
  }
  return absl::OkStatus();
}

absl::Status AddRanks(const std::vector<RankUnit>& units, const Topology& topology,
                      std::vector<Rung>& ladder) {
  for (Rung& rung : ladder) {
    for (const RankUnit& unit : units) {
      GANGPLAN_RETURN_IF_ERROR(CheckAbove(unit, topology, rung.rules));
      GANGPLAN_RETURN_IF_ERROR(
          AddUnit(unit, topology.levels[unit.level].name, rung.rules[unit.level]));
    }
  }
  return absl::OkStatus();
}

}  // namespace gangplan
