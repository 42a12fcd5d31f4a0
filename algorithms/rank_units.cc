#include "algorithms/rank_units.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "algorithms/members.h"
#include "algorithms/rule_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// A member that stands, or for which this is decided.
struct Standing {
  int32_t rank = 0;
  int32_t leaf = 0;
};

int32_t UnitSize(const PlacementRequest& request, int level) {
  const std::optional<LevelRule>& rule = request.rules[static_cast<size_t>(level)];
  return rule && rule->ranked ? std::max(1, rule->factor.value_or(1)) : 0;
}

std::vector<Standing> StandingOf(const PlacementRequest& request) {
  std::vector<Standing> standing;
  for (const FixedMember& member : request.fixed) standing.push_back({member.rank, member.leaf});
  return standing;
}

// The domain of each unit of a level of which somebody stands.
std::map<int32_t, int32_t> DomainsOfUnits(const Tree& tree, std::span<const Standing> standing,
                                          int level, int32_t size) {
  std::map<int32_t, int32_t> domains;
  for (const Standing& member : standing)
    domains.try_emplace(member.rank / size, tree.Ancestor(member.leaf, level));
  return domains;
}

// Deals ranks to leaves, level by level from the top.
class Dealing {
 public:
  Dealing(const Tree& tree, const PlacementRequest& request, std::vector<Standing> standing)
      : tree_(tree), request_(request), standing_(std::move(standing)) {}

  // Both ascending, as many of one as of the other. False: some unit does not go into one domain.
  bool Deal(int level, const std::vector<int32_t>& ranks, const std::vector<int32_t>& leaves) {
    while (level < tree_.level_count() && UnitSize(request_, level) == 0) ++level;
    if (level == tree_.level_count()) {
      for (size_t i = 0; i < ranks.size(); ++i) dealt_.emplace(ranks[i], leaves[i]);
      return true;
    }
    std::map<int32_t, std::vector<int32_t>> leaves_of, ranks_of;  // by domain
    for (int32_t leaf : leaves) leaves_of[tree_.Ancestor(leaf, level)].push_back(leaf);
    const int32_t size = UnitSize(request_, level);
    const auto& homes = Homes(level);
    std::vector<int32_t> homeless;
    for (int32_t rank : ranks) {
      const auto home = homes.find(rank / size);
      if (home == homes.end()) {
        homeless.push_back(rank);
      } else {
        ranks_of[home->second].push_back(rank);
      }
    }
    auto next = homeless.begin();
    for (const auto& [domain, own] : leaves_of) {
      std::vector<int32_t>& taken = ranks_of[domain];
      if (taken.size() > own.size()) return false;
      const auto more = static_cast<std::ptrdiff_t>(own.size() - taken.size());
      if (homeless.end() - next < more || SplitsUnit(homeless, next, more, size)) return false;
      taken.insert(taken.end(), next, next + more);
      next += more;
      std::sort(taken.begin(), taken.end());
    }
    if (ranks_of.size() > leaves_of.size()) return false;
    return std::all_of(leaves_of.begin(), leaves_of.end(), [&](const auto& one) {
      return Deal(level + 1, ranks_of[one.first], one.second);
    });
  }

  const std::map<int32_t, int32_t>& dealt() const { return dealt_; }  // rank to leaf

 private:
  using Ranks = std::vector<int32_t>;

  const std::map<int32_t, int32_t>& Homes(int level) {
    const auto [at, fresh] = homes_.try_emplace(level);
    if (fresh) at->second = DomainsOfUnits(tree_, standing_, level, UnitSize(request_, level));
    return at->second;
  }
  // Whether a unit goes on behind the next `many`.
  static bool SplitsUnit(const Ranks& ranks, Ranks::const_iterator from, std::ptrdiff_t many,
                         int32_t size) {
    if (many == 0 || ranks.end() - from == many) return false;
    return *(from + many - 1) / size == *(from + many) / size;
  }

  const Tree& tree_;
  const PlacementRequest& request_;
  const std::vector<Standing> standing_;
  std::map<int, std::map<int32_t, int32_t>> homes_;  // by level
  std::map<int32_t, int32_t> dealt_;
};

// Of each unit of a level, how many members are to be placed.
std::map<int32_t, int32_t> MissingOfUnits(const PlacementRequest& request, int32_t size) {
  std::map<int32_t, int32_t> missing;
  for (size_t set = 0; set < request.pod_sets.size(); ++set)
    for (const int32_t rank : MissingRanks(request, static_cast<int32_t>(set)))
      ++missing[rank / size];
  return missing;
}

bool LeaderIsMissing(const PlacementRequest& request) {
  if (request.pod_sets.size() < 2) return false;
  return std::none_of(request.fixed.begin(), request.fixed.end(),
                      [](const FixedMember& member) { return member.pod_set == 0; });
}

// Of the ranks of one unit that stand some stand elsewhere than others.
std::string TornUnit(const Tree& tree, const PlacementRequest& request, int level) {
  const int32_t size = UnitSize(request, level);
  if (size == 0) return "";
  const std::vector<Standing> standing = StandingOf(request);
  const std::map<int32_t, int32_t> domains = DomainsOfUnits(tree, standing, level, size);
  for (const Standing& member : standing) {
    const int32_t unit = member.rank / size, first = domains.at(unit);
    const int32_t other = tree.Ancestor(member.leaf, level);
    if (other == first) continue;
    return fmt::format("{}: of the ranks {} to {} some stand in {} and some in {}",
                       RuleText(tree.level(level).name, *request.rules[level]), unit * size,
                       (unit + 1) * size - 1, tree.Path(level, std::min(first, other)),
                       tree.Path(level, std::max(first, other)));
  }
  return "";
}

// Of a unit of which nobody stands some are to be placed, and not all.
std::string PartOfUnit(const Tree& tree, const PlacementRequest& request, int level) {
  const int32_t size = UnitSize(request, level);
  if (size == 0) return "";
  const std::map<int32_t, int32_t> domains = DomainsOfUnits(tree, StandingOf(request), level, size);
  for (const auto& [unit, missing] : MissingOfUnits(request, size)) {
    if (missing == size || domains.contains(unit)) continue;
    return fmt::format("{}: only {} of the ranks {} to {} {} there, and they go together",
                       RuleText(tree.level(level).name, *request.rules[level]), missing,
                       unit * size, (unit + 1) * size - 1, missing == 1 ? "is" : "are");
  }
  return "";
}

// Where a leader who is missing may go.
class LeaderWays {
 public:
  LeaderWays(const Tree& tree, const PlacementRequest& request) : tree_(tree) {
    for (int level = 0; level < tree.level_count(); ++level)
      if (const int32_t size = UnitSize(request, level); size > 0) AddLevel(request, level, size);
  }

  std::vector<LeaderRoad> Roads() const {
    std::vector<LeaderRoad> roads = {{LeavesLeft(-1, nullptr), {}}};
    for (size_t at = homeless_.size(); at-- > 0;) {
      for (const int32_t domain : homeless_[at].lacking) {
        LeaderRoad road = {LeavesLeft(static_cast<int>(at), &domain), {}};
        const bool none = road.left.size() == static_cast<size_t>(tree_.leaf_count());
        if (none) continue;
        for (size_t above = 0; above <= at; ++above) AddFloor(above, at, domain, road);
        roads.push_back(std::move(road));
        if (roads.size() == kMostLeaderRoads) return roads;
      }
    }
    return roads;
  }

 private:
  // A level at which nobody of his unit stands, and the domains where other units lack members.
  struct Homeless {
    int level = 0;
    int32_t size = 0;
    std::set<int32_t> lacking;
  };

  void AddLevel(const PlacementRequest& request, int level, int32_t size) {
    const std::map<int32_t, int32_t> domains =
        DomainsOfUnits(tree_, StandingOf(request), level, size);
    const auto home = domains.find(request.pod_sets.front().first_rank / size);
    if (home != domains.end()) {
      homes_.emplace_back(level, home->second);
      return;
    }
    Homeless one{level, size, {}};
    for (const auto& [unit, missing] : MissingOfUnits(request, size))
      if (domains.contains(unit)) one.lacking.insert(domains.at(unit));
    homeless_.push_back(std::move(one));
  }
  // Where he goes into `domain` of this homeless level; null: off all that lack members.
  std::vector<int32_t> LeavesLeft(int at, const int32_t* domain) const {
    std::vector<int32_t> left;
    for (int32_t leaf = 0; leaf < tree_.leaf_count(); ++leaf) {
      const bool away = std::any_of(homes_.begin(), homes_.end(), [&](const auto& home) {
        return tree_.Ancestor(leaf, home.first) != home.second;
      });
      const bool lacks =
          std::any_of(homeless_.begin() + at + 1, homeless_.end(), [&](const Homeless& one) {
            return one.lacking.contains(tree_.Ancestor(leaf, one.level));
          });
      const bool elsewhere =
          domain != nullptr &&
          tree_.Ancestor(leaf, homeless_[static_cast<size_t>(at)].level) != *domain;
      if (away || lacks || elsewhere) left.push_back(leaf);
    }
    return left;
  }
  // What the domain of this level that holds the one he goes into has beside his unit.
  void AddFloor(size_t above, size_t at, int32_t domain, LeaderRoad& road) const {
    const Homeless& one = homeless_[above];
    const int level = homeless_[at].level;
    const int32_t leaf = level == tree_.leaf_level() ? domain : tree_.leaves(level, domain).begin;
    const int32_t here = tree_.Ancestor(leaf, one.level);
    if (one.lacking.contains(here)) road.more.push_back({one.level, {here, one.size}});
  }

  const Tree& tree_;
  std::vector<std::pair<int, int32_t>> homes_;  // by level, where others of his unit stand
  std::vector<Homeless> homeless_;              // from the top
};

}  // namespace

bool CountsRanks(const LevelRules& rules) {
  return std::any_of(rules.begin(), rules.end(),
                     [](const auto& rule) { return rule && rule->ranked; });
}

std::string UnitProblem(const Tree& tree, const PlacementRequest& request) {
  if (!CountsRanks(request.rules)) return "";
  const size_t sets = request.pod_sets.size();
  if (sets > 2 || (sets == 2 && request.pod_sets.front().count > 1)) {
    return fmt::format("{} pod sets: units of ranks are of one pod set, or of a leader and workers",
                       sets);
  }
  for (int level = 0; level < tree.level_count(); ++level) {
    std::string problem = TornUnit(tree, request, level);
    if (problem.empty()) problem = PartOfUnit(tree, request, level);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::vector<UnitFloor> UnitFloors(const Tree& tree, const PlacementRequest& request, int level) {
  const int32_t size = UnitSize(request, level);
  if (size == 0) return {};
  const std::vector<Standing> standing = StandingOf(request);
  std::map<int32_t, int32_t> members = MissingOfUnits(request, size);  // by unit
  for (const Standing& member : standing) ++members[member.rank / size];
  std::map<int32_t, int32_t> least;  // by domain
  for (const auto& [unit, domain] : DomainsOfUnits(tree, standing, level, size))
    least[domain] += members.at(unit);
  std::vector<UnitFloor> floors;
  for (const auto& [domain, count] : least) floors.push_back({domain, count});
  return floors;
}

std::vector<LeaderRoad> LeaderRoads(const Tree& tree, const PlacementRequest& request) {
  if (!CountsRanks(request.rules) || !LeaderIsMissing(request)) return {LeaderRoad()};
  return LeaderWays(tree, request).Roads();
}

std::vector<PlacedMember> RankInUnits(const Tree& tree, const PlacementRequest& request,
                                      const std::vector<std::vector<int32_t>>& leaves) {
  std::vector<PlacedMember> members;
  std::vector<Standing> standing = StandingOf(request);
  for (size_t set = 0; set < leaves.size(); ++set) {
    const auto pod_set = static_cast<int32_t>(set);
    // A leader stands first, wherever it was put.
    Dealing dealing(tree, request, standing);
    if (!dealing.Deal(0, MissingRanks(request, pod_set), leaves[set])) return {};
    for (const auto& [rank, leaf] : dealing.dealt()) {
      members.push_back({pod_set, rank, leaf});
      standing.push_back({rank, leaf});
    }
  }
  return members;
}

}  // namespace gangplan
