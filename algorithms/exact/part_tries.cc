#include "algorithms/exact/part_tries.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/one_domain.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// Domains in which a part that must share one is tried, and placements that are tried after one was
// found. So many are tried whatever steps there are.
constexpr int kDomainsOfAPart = 6;
constexpr int kTriesBeyond = 8;
constexpr int kLeastTries = 2;
// Leaves of which the room is looked at in one step.
constexpr int64_t kTriedLeavesAStep = 4;

// Whose costs a part is placed by.
enum class By {
  kItself,  // by its own rules, and where it has none as if it were alone
  kAll,     // by the rules of all, beside those that were placed before
};

class Tries {
 public:
  Tries(const Tree& tree, const Parts& parts, const PartCosts& costs,
        const std::vector<Terms>& terms, const PartCostList& bound, int64_t& steps)
      : tree_(tree), parts_(parts), costs_(costs), terms_(terms), bound_(bound), steps_(steps) {}

  std::optional<PartTry> Run();

 private:
  bool done() const {
    const bool ended = steps_ <= 0 && tries_ >= kLeastTries;
    return ended || beyond_ > kTriesBeyond || (best_ && best_->costs == bound_);
  }
  std::vector<std::vector<size_t>> Orders() const;
  void TryIn(Tree::Range within);
  void TryOrder(const std::vector<size_t>& order, By by, Tree::Range within);
  bool Place(size_t part, By by, bool last, Tree::Range within, PartPlacement& placed);
  std::vector<Tree::Range> DomainsOf(size_t part, Tree::Range within,
                                     const PartPlacement& placed) const;
  bool PlaceIn(size_t part, By by, bool last, Tree::Range within, PartPlacement& placed);
  std::vector<Terms> TermsFor(size_t part, By by, bool last) const;
  FitCounts RoomFor(size_t part, Tree::Range within, const PartPlacement& placed) const;

  const Tree& tree_;
  const Parts& parts_;
  const PartCosts& costs_;
  const std::vector<Terms>& terms_;
  const PartCostList& bound_;
  int64_t& steps_;
  std::optional<PartTry> best_;
  int tries_ = 0;
  int beyond_ = 0;  // of these, since
};

// Those with rules first, the many first, and the few first.
std::vector<std::vector<size_t>> Tries::Orders() const {
  std::vector<size_t> all(parts_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const auto missing = [&](size_t part) { return parts_.all()[part].missing; };
  std::vector<std::vector<size_t>> orders(3, all);
  std::stable_sort(orders[0].begin(), orders[0].end(), [&](size_t a, size_t b) {
    const bool ruled_a = parts_.all()[a].bottom >= 0, ruled_b = parts_.all()[b].bottom >= 0;
    return ruled_a != ruled_b ? ruled_a : missing(a) > missing(b);
  });
  std::stable_sort(orders[1].begin(), orders[1].end(),
                   [&](size_t a, size_t b) { return missing(a) > missing(b); });
  orders[2].assign(orders[1].rbegin(), orders[1].rend());
  std::sort(orders.begin() + 1, orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

std::optional<PartTry> Tries::Run() {
  const int level = OneDomainLevel(terms_);
  for (const int32_t domain : HopefulDomains(tree_, parts_.shapes(), level)) {
    if (done()) break;
    const Tree::Range within =
        level < 0 ? Tree::Range{0, tree_.leaf_count()} : tree_.leaves(level, domain);
    const bool holds_standing = std::all_of(
        parts_.standing().begin(), parts_.standing().end(),
        [&](const auto& entry) { return entry.first >= within.begin && entry.first < within.end; });
    if (holds_standing) TryIn(within);
  }
  return std::move(best_);
}

void Tries::TryIn(Tree::Range within) {
  for (const std::vector<size_t>& order : Orders()) {
    for (const By by : {By::kAll, By::kItself}) {
      if (done()) return;
      ++tries_;
      TryOrder(order, by, within);
      if (best_) ++beyond_;
    }
  }
}

void Tries::TryOrder(const std::vector<size_t>& order, By by, Tree::Range within) {
  PartPlacement placed = parts_.standing();
  for (size_t i = 0; i < order.size(); ++i) {
    if (parts_.all()[order[i]].missing == 0) continue;
    if (!Place(order[i], by, i + 1 == order.size(), within, placed)) return;
  }
  steps_ -= costs_.Steps(placed.size());
  std::optional<PartCostList> costs = costs_.Of(placed);
  if (!costs || (best_ && best_->costs <= *costs)) return;
  best_ = PartTry{std::move(placed), *std::move(costs)};
}

bool Tries::Place(size_t part, By by, bool last, Tree::Range within, PartPlacement& placed) {
  for (const Tree::Range& domain : DomainsOf(part, within, placed)) {
    if (PlaceIn(part, by, last, domain, placed)) return true;
    if (steps_ <= 0 && tries_ > kLeastTries) return false;
  }
  return false;
}

// Where a part must share one domain: those that have the most of all that is placed first, then
// those with the least room.
std::vector<Tree::Range> Tries::DomainsOf(size_t part, Tree::Range within,
                                          const PartPlacement& placed) const {
  const Part& own = parts_.all()[part];
  const int level = OneDomainLevel(own.own);
  if (level < 0) return {within};
  std::vector<std::tuple<int32_t, int32_t, int32_t>> domains;
  const std::span<const int32_t> counts = parts_.shapes().counts(own.shape).at(level);
  for (int32_t domain = 0; domain < tree_.size(level); ++domain) {
    const Tree::Range leaves = tree_.leaves(level, domain);
    if (leaves.end <= within.begin || leaves.begin >= within.end) continue;
    if (counts[domain] < own.missing) continue;
    if (parts_.StandingIn(tree_, level, domain)[part] != own.count - own.missing) continue;
    int32_t beside = 0;
    for (auto at = placed.lower_bound(leaves.begin); at != placed.end() && at->first < leaves.end;
         ++at)
      beside += PodsIn(at->second);
    domains.emplace_back(-beside, counts[domain], domain);
  }
  std::sort(domains.begin(), domains.end());
  if (domains.size() > kDomainsOfAPart) domains.resize(kDomainsOfAPart);
  std::vector<Tree::Range> ranges;
  for (const auto& [beside, room, domain] : domains) {
    const Tree::Range leaves = tree_.leaves(level, domain);
    ranges.push_back({std::max(leaves.begin, within.begin), std::min(leaves.end, within.end)});
  }
  return ranges;
}

// What is asked of how many there are is asked of the last one only: then all are there.
std::vector<Terms> Tries::TermsFor(size_t part, By by, bool last) const {
  const Part& own = parts_.all()[part];
  std::vector<Terms> terms;
  for (size_t level = 0; level < terms_.size(); ++level) {
    Terms guide;
    guide.kind = terms_[level].kind;
    if (by == By::kItself) {
      terms.push_back(own.ruled[level] != 0 ? own.own[level] : guide);
      continue;
    }
    guide.max = terms_[level].max;
    terms.push_back(last ? terms_[level] : guide);
  }
  return terms;
}

// Of new members of the part beside those that are placed, on these leaves alone.
FitCounts Tries::RoomFor(size_t part, Tree::Range within, const PartPlacement& placed) const {
  const Part& own = parts_.all()[part];
  FitCounts counts;
  counts.levels.resize(static_cast<size_t>(tree_.level_count()));
  std::vector<int32_t>& room = counts.levels.back();
  room.assign(static_cast<size_t>(tree_.leaf_count()), 0);
  const std::span<const int32_t> free = parts_.shapes().counts(own.shape).levels.back();
  const int32_t most = own.own.back().max;
  CountWork(Work::kEntry, 4 * tree_.leaf_count());
  for (int32_t leaf = within.begin; leaf < within.end; ++leaf)
    room[leaf] = std::min({free[leaf], own.missing, most});
  for (const auto& [leaf, members] : placed) {
    if (leaf < within.begin || leaf >= within.end) continue;
    room[leaf] = std::min(parts_.Fit(leaf, part, members), std::max(0, most - members[part]));
  }
  counts.RollUp(tree_);
  return counts;
}

bool Tries::PlaceIn(size_t part, By by, bool last, Tree::Range within, PartPlacement& placed) {
  steps_ -= tree_.leaf_count() / kTriedLeavesAStep + 1;
  const FitCounts counts = RoomFor(part, within, placed);
  std::vector<SpecialLeaf> special;
  int32_t members = parts_.all()[part].missing;
  for (const auto& [leaf, there] : placed) {
    const int32_t stands = by == By::kAll ? PodsIn(there) : there[part];
    if (stands == 0) continue;
    special.push_back({leaf, stands, counts.levels.back()[leaf]});
    members += stands;
  }
  const std::vector<Terms> terms = TermsFor(part, by, last);
  const Answer answer = AskOne(tree_, counts, special, terms, members, steps_);
  if (!answer.solution) return false;
  for (const LeafMembers& leaf : answer.solution->leaves) {
    PartCounts& there = placed.try_emplace(leaf.leaf, parts_.size(), 0).first->second;
    there[part] = leaf.members - (by == By::kAll ? PodsIn(there) - there[part] : 0);
  }
  return true;
}

}  // namespace

std::optional<PartTry> TryParts(const Tree& tree, const Parts& parts, const PartCosts& costs,
                                const std::vector<Terms>& terms, const PartCostList& bound,
                                int64_t& steps) {
  return Tries(tree, parts, costs, terms, bound, steps).Run();
}

}  // namespace gangplan::exact
