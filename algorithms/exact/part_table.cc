#include "algorithms/exact/part_table.h"

#include <algorithm>
#include <functional>

#include "algorithms/exact/alike.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/part_question.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// What a state takes beside its way.
constexpr int64_t kState = 8;

}  // namespace

PartTable::PartTable(const PlacementView& view, const PlacementRequest& request, const Parts& parts,
                     const PartCosts& costs, bool counted, int64_t& steps)
    : view_(view),
      tree_(*view.tree),
      request_(request),
      parts_(parts),
      costs_(costs),
      counted_(counted),
      steps_(steps) {}

// Domains with the same children in the same order, down to leaves of the same room on which the
// same members stand.
void PartTable::FindKinds() {
  std::map<std::vector<int32_t>, int32_t> numbers;
  const auto number = [&](const std::vector<int32_t>& sign) {
    return numbers.try_emplace(sign, static_cast<int32_t>(numbers.size())).first->second;
  };
  kinds_.resize(static_cast<size_t>(tree_.level_count()) + 1);
  const std::vector<int32_t> leaves = LeafSigns(tree_, parts_.shapes(), steps_);
  if (ended()) return;
  for (int32_t leaf = 0; leaf < tree_.leaf_count(); ++leaf) {
    std::vector<int32_t> sign = {tree_.leaf_level(), leaves[leaf]};
    CountWork(Work::kFind, 3);
    const auto stand = parts_.standing().find(leaf);
    if (stand != parts_.standing().end())
      sign.insert(sign.end(), stand->second.begin(), stand->second.end());
    kinds_.back().push_back(number(sign));
  }
  for (int level = tree_.leaf_level() - 1; level >= -1; --level) {
    steps_ -= tree_.size(level + 1);
    for (int32_t domain = 0; domain < DomainCount(tree_, level); ++domain) {
      std::vector<int32_t> sign = {level};
      const Tree::Range children = ChildrenOf(tree_, level, domain);
      for (int32_t child = children.begin; child < children.end; ++child)
        sign.push_back(KindOf(level + 1, child));
      kinds_[level + 1].push_back(number(sign));
    }
  }
}

std::optional<PartPlacement> PartTable::Best() {
  FindKinds();
  if (ended()) return std::nullopt;
  PartCounts all;
  for (const Part& part : parts_.all()) all.push_back(part.count);
  const Entry& whole = At(-1, 0, all);
  if (!whole.placed || ended()) return std::nullopt;
  PartPlacement placed;
  Collect(-1, 0, all, placed);
  return placed;
}

const PartTable::Entry& PartTable::At(int level, int32_t domain, const PartCounts& members) {
  const auto key = std::make_tuple(level, KindOf(level, domain), members);
  const auto known = entries_.find(key);
  CountWork(Work::kFind, 3);
  if (known != entries_.end()) return known->second;
  Entry entry;
  if (level == tree_.leaf_level()) {
    steps_ -= kState;
    entry.placed = parts_.Holds(domain, members);
    entry.costs.assign(costs_.size(), 0);
    PartCounts from_first = members;
    if (entry.placed) entry.leaves.emplace(0, std::move(from_first));
  } else {
    entry = level >= parts_.bottom() ? Below(level, domain, members) : Deal(level, domain, members);
  }
  states_ += Weight() * (1 + std::ssize(entry.children) / 4);
  return entries_.emplace(key, std::move(entry)).first->second;
}

PartTable::Entry PartTable::Below(int level, int32_t domain, const PartCounts& members) {
  Entry entry;
  const InsideAnswer inside =
      AskInside(view_, request_, parts_, {level, domain, members}, counted_, steps_);
  proven_ = proven_ && inside.proven;
  entry.placed = inside.placed;
  if (!inside.placed) return entry;
  entry.leaves = inside.leaves;
  PartPlacement placed;
  const int32_t first = tree_.leaves(level, domain).begin;
  for (const auto& [leaf, counts] : inside.leaves) placed.emplace(first + leaf, counts);
  entry.costs = costs_.Sum(placed);
  // What its own level and those above cost is for who puts the members there.
  for (size_t i = 0; i < entry.costs.size(); ++i)
    if (costs_.numbers()[i].level <= level) entry.costs[i] = 0;
  return entry;
}

// Members of one domain to its children, in order.
class PartTable::Dealing {
 public:
  Dealing(PartTable& table, int level, int32_t domain, const PartCounts& members)
      : table_(table),
        level_(level + 1),
        children_(ChildrenOf(table.tree_, level, domain)),
        members_(members) {
    const Terms& all = table.costs_.terms(level_);
    if (all.parts > 0) rules_.push_back({-1, all.parts});
    for (size_t part = 0; part < members.size(); ++part) {
      const int32_t asked = table.parts_.all()[part].own[static_cast<size_t>(level_)].parts;
      if (asked > 0 && members[part] > 0) rules_.push_back({static_cast<int>(part), asked});
    }
  }

  Entry Run();

 private:
  // So many children are used, by all members (-1) or those of a part.
  struct NumberRule {
    int part = -1;
    int32_t asked = 0;
  };

  Entry Read(const std::vector<Layer>& layers) const;
  void FindRests();
  void Spread(int32_t child, const State& state, const Way& way, Layer& next);
  void Take(int32_t child, size_t part, const State& state, const Way& way, PartCounts& take,
            Layer& next);
  void Put(int32_t child, const State& state, const Way& way, const PartCounts& take, Layer& next);
  bool AllOrNothing(size_t part) const;
  int32_t Count(const PartCounts& take, int part) const {
    return part < 0 ? PodsIn(take) : take[static_cast<size_t>(part)];
  }

  PartTable& table_;
  const int level_;  // of the children
  const Tree::Range children_;
  const PartCounts& members_;
  std::vector<NumberRule> rules_;
  // Of each child and those behind it: members that they hold at most, and that stand there.
  std::vector<PartCounts> most_, stand_;
};

void PartTable::Dealing::FindRests() {
  const auto count = static_cast<size_t>(children_.end - children_.begin);
  table_.steps_ -= static_cast<int64_t>(count * members_.size());
  most_.assign(count + 1, PartCounts(members_.size(), 0));
  stand_ = most_;
  for (size_t i = count; i-- > 0;) {
    const int32_t child = children_.begin + static_cast<int32_t>(i);
    most_[i] = table_.parts_.MostIn(table_.tree_, level_, child);
    stand_[i] = table_.parts_.StandingIn(table_.tree_, level_, child);
    AddTo(most_[i], most_[i + 1]);
    AddTo(stand_[i], stand_[i + 1]);
  }
}

bool PartTable::Dealing::AllOrNothing(size_t part) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const NumberRule& rule) {
    return rule.asked == 1 && (rule.part < 0 || static_cast<size_t>(rule.part) == part);
  });
}

PartTable::Entry PartTable::Dealing::Run() {
  FindRests();
  std::vector<Layer> layers(1);
  State start = members_;
  start.resize(members_.size() + rules_.size(), 0);
  layers.front()[start] = {PartCostList(table_.costs_.size(), 0), nullptr, {}};
  for (int32_t child = children_.begin; child < children_.end; ++child) {
    Layer next;
    for (const auto& [state, way] : layers.back()) {
      if (table_.ended()) return {};
      Spread(child, state, way, next);
    }
    table_.states_ += table_.Weight() * static_cast<int64_t>(next.size());
    layers.push_back(std::move(next));
  }
  Entry entry = Read(layers);
  // The layers go; what they held as states of others counts no more.
  for (const Layer& layer : layers)
    table_.states_ -= table_.Weight() * static_cast<int64_t>(layer.size());
  return entry;
}

// From the last child back.
PartTable::Entry PartTable::Dealing::Read(const std::vector<Layer>& layers) const {
  Entry entry;
  State end(members_.size(), 0);
  for (const NumberRule& rule : rules_) end.push_back(rule.asked);
  const auto last = layers.back().find(end);
  if (last == layers.back().end()) return entry;
  entry.placed = true;
  entry.costs = last->second.costs;
  const State* state = &end;
  for (size_t i = layers.size(); i-- > 1;) {
    const Way& way = layers[i].at(*state);
    entry.children.push_back(way.take);
    state = way.from;
  }
  std::reverse(entry.children.begin(), entry.children.end());
  return entry;
}

void PartTable::Dealing::Spread(int32_t child, const State& state, const Way& way, Layer& next) {
  PartCounts take(members_.size(), 0);
  Take(child, 0, state, way, take, next);
}

// Every number of members of `part` and the following ones for this child, the most first.
void PartTable::Dealing::Take(int32_t child, size_t part, const State& state, const Way& way,
                              PartCounts& take, Layer& next) {
  if (table_.ended()) return;
  if (part == members_.size()) return Put(child, state, way, take, next);
  const auto index = static_cast<size_t>(child - children_.begin);
  const int32_t here = most_[index][part] - most_[index + 1][part];
  const int32_t stand = stand_[index][part] - stand_[index + 1][part];
  const int32_t least = std::max(stand, state[part] - most_[index + 1][part]);
  const int32_t most = std::min(here, state[part] - stand_[index + 1][part]);
  const bool all = AllOrNothing(part);
  for (int32_t count = most; count >= least; --count) {
    --table_.steps_;
    CountWork(Work::kEntry, 2);
    if (all && count > 0 && count < members_[part]) {
      count = std::min(count, 1);
      continue;
    }
    take[part] = count;
    Take(child, part + 1, state, way, take, next);
  }
  take[part] = 0;
}

void PartTable::Dealing::Put(int32_t child, const State& state, const Way& way,
                             const PartCounts& take, Layer& next) {
  table_.steps_ -= kState * table_.Weight();
  CountWork(Work::kFind, 4 + std::ssize(way.costs) / 8);
  State to = state;
  for (size_t part = 0; part < take.size(); ++part) to[part] -= take[part];
  for (size_t i = 0; i < rules_.size(); ++i) {
    int32_t& used = to[take.size() + i];
    if (Count(take, rules_[i].part) > 0 && ++used > rules_[i].asked) return;
  }
  Way more{way.costs, &state, take};
  if (PodsIn(take) > 0) {
    const PartCounts standing = table_.parts_.StandingIn(table_.tree_, level_, child);
    if (!table_.costs_.Allows(level_, take) ||
        !table_.parts_.ShapesFit(take, standing, level_, child))
      return;
    const Entry& inside = table_.At(level_, child, take);
    if (!inside.placed) return;
    table_.costs_.Add(level_, take, more.costs);
    for (size_t i = 0; i < more.costs.size(); ++i) more.costs[i] += inside.costs[i];
  }
  const auto [known, fresh] = next.try_emplace(std::move(to));
  if (fresh || more.costs < known->second.costs) known->second = std::move(more);
}

PartTable::Entry PartTable::Deal(int level, int32_t domain, const PartCounts& members) {
  return Dealing(*this, level, domain, members).Run();
}

void PartTable::Collect(int level, int32_t domain, const PartCounts& members,
                        PartPlacement& placed) {
  const Entry& entry = At(level, domain, members);
  if (!entry.leaves.empty()) {
    const int32_t first = tree_.leaves(level, domain).begin;
    for (const auto& [leaf, counts] : entry.leaves) placed.emplace(first + leaf, counts);
    return;
  }
  const Tree::Range children = ChildrenOf(tree_, level, domain);
  for (int32_t child = children.begin; child < children.end; ++child) {
    const PartCounts& take = entry.children[static_cast<size_t>(child - children.begin)];
    if (PodsIn(take) > 0) Collect(level + 1, child, take, placed);
  }
}

}  // namespace gangplan::exact
