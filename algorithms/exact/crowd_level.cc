#include "algorithms/exact/crowd_level.h"

#include <algorithm>
#include <utility>

#include "algorithms/exact/chooser.h"
#include "algorithms/exact/crowd.h"
#include "algorithms/exact/crowd_split.h"
#include "algorithms/exact/crowd_spread.h"
#include "algorithms/exact/packed_hosts.h"
#include "algorithms/exact/packed_splits.h"

namespace gangplan::exact {
namespace {

// Entries of rooms, and rows of siblings, that are looked at in one step.
constexpr int64_t kLevelWorkAStep = 32;
constexpr int64_t kRowsAStep = 2;

}  // namespace

// Whether half of the steps pay for it; if so they have.
bool CrowdLevels::PayFor(std::span<const int32_t> rows) {
  steps_ -= static_cast<int64_t>(rows.size()) / kLevelWorkAStep + 1;
  const int64_t cost = Fullest::Cost(rows, loads_);
  if (cost > steps_ / 2) return false;
  steps_ -= cost;
  return true;
}

// Of the children; nothing: it takes too much.
const Fullest* CrowdLevels::FullestOf(int level, int32_t index) {
  const int32_t same = room_.Same(level, index);
  std::unique_ptr<Fullest>& known = fullest_[PlaceOf(level, same, 0)];
  if (known != nullptr) return known.get();
  const std::span<const int32_t> rows = room_.Rows(level + 1, Range(level, same));
  const int64_t bytes = Fullest::Bytes(rows.size() / static_cast<size_t>(loads_.count()), loads_);
  if (bytes_ + bytes > kMostCrowdBytes || !PayFor(rows)) return nullptr;
  bytes_ += bytes;
  known = std::make_unique<Fullest>(rows, loads_, steps_);
  return known.get();
}

// The children of a domain. Roughly: perhaps better than otherwise.
CrowdLevel CrowdLevels::Look(int level, int32_t index, int32_t load, int32_t members, bool rough) {
  CrowdLevel found;
  const Terms& terms = TermsBelow(level);
  const int32_t parts = terms.parts > 0 ? terms.parts : kAnyParts;
  const std::span<const int32_t> rows = room_.Rows(level + 1, Range(level, index));
  steps_ -= static_cast<int64_t>(rows.size()) / loads_.count() / kRowsAStep + 1;
  if (ended() || terms.kind == LevelRule::Kind::kAny) return found;
  if (terms.kind == LevelRule::Kind::kSpread) {
    const auto how = rough || LeavesBelow(level) ? SpreadLoosely : SpreadCrowd;
    SpreadLevel spread = how(rows, loads_, load, terms, parts, members, steps_);
    return {spread.known, std::move(spread.split), 0, spread.squares, {}};
  }
  PackedLevel packed;
  if (const Fullest* const fullest = rough ? nullptr : FullestOf(level, index)) {
    packed = PackedCrowd(HeldOf(*fullest, load), terms, parts, members);
  } else {
    const auto siblings = static_cast<int32_t>(rows.size() / static_cast<size_t>(loads_.count()));
    const int64_t hosts = std::min(loads_.pods(load), siblings);
    steps_ -= (hosts + 1) * loads_.count() * loads_.count() / (2 * kLevelWorkAStep);
    if (ended()) return found;
    packed = PackedCrowd(RoughlyFullest(rows, loads_, load).held(), terms, parts, members);
  }
  return {packed.known, std::move(packed.split), packed.used, packed.squares, {}};
}

std::vector<std::vector<Run>> CrowdLevels::NearestSplits(int level, int32_t index, int32_t load,
                                                         int32_t members, CrowdLevel& found) {
  const Terms& terms = TermsBelow(level);
  if (!found.known || terms.kind != LevelRule::Kind::kPack) return {};
  const Fullest* const fullest = FullestOf(level, index);
  if (fullest == nullptr) return {};
  Terms loose = terms;  // as if a domain had no more than it must: all are possible, and more
  loose.min = 1;
  PackedLevel packed;
  packed.used = found.used;
  while (true) {
    PackedSplits nearest =
        FindPackedSplits(*fullest, loads_, terms, load, packed.used, members, steps_);
    if (!nearest.known && loose.least() < terms.least())
      nearest = FindPackedSplits(*fullest, loads_, loose, load, packed.used, members, steps_);
    if (!nearest.known) return {};
    if (!nearest.splits.empty()) {
      found.squares = std::min(found.squares, nearest.squares);
      return std::move(nearest.splits);
    }
    if (terms.parts > 0) return {};
    packed = PackedCrowd(HeldOf(*fullest, load), terms, packed.used + 1, members);
    if (!packed.known) return {};
    found.used = packed.used;
    found.squares = packed.squares;
  }
}

// Of packed leaves: by a look where that meets the bound, else by a table.
void CrowdLevels::FindHosts(const Fullest& fullest, const Terms& terms, int32_t load,
                            int32_t members, CrowdLevel& found) {
  std::optional<PackedHosts> packed;
  steps_ -= int64_t{load} * fullest.siblings() / kLevelWorkAStep + 1;
  if (!found.split.empty()) packed = TraceHosts(fullest, loads_, load, found.split);
  if (!packed || packed->squares < found.squares)
    packed = PackHosts(fullest, loads_, terms, load, found.used, members, found.squares, steps_);
  if (!packed) return;
  found.squares = std::min(found.squares, packed->squares);
  found.hosts = std::move(packed->hosts);
}

// The same of leaves, where nothing is below: what they cost in the best split.
CrowdLevel CrowdLevels::LookAtLeaves(int level, int32_t index, int32_t load, int32_t members) {
  const Terms& terms = TermsBelow(level);
  const int32_t parts = terms.parts > 0 ? terms.parts : kAnyParts;
  CrowdLevel found = Look(level, index, load, members, false);
  if (!found.known) return found;
  if (load == 0) {
    found.hosts.emplace();
  } else if (terms.kind == LevelRule::Kind::kSpread) {
    const std::span<const int32_t> rows = room_.Rows(level + 1, Range(level, index));
    const SpreadLevel spread = SpreadLeaves(rows, loads_, load, terms, parts, members, steps_);
    found.squares = std::max(found.squares, spread.squares);
    if (!spread.parts.empty()) found.hosts.emplace();
    for (size_t at = 0; at < spread.parts.size(); ++at)
      if (spread.parts[at] > 0)
        found.hosts->push_back({static_cast<int32_t>(at), spread.parts[at]});
  } else if (const Fullest* const fullest = FullestOf(level, index)) {
    std::optional<Fullest> own;
    if (room_.Same(level, index) != index) {  // who is alike may have its leaves in another order
      const std::span<const int32_t> rows = room_.Rows(level + 1, Range(level, index));
      if (!PayFor(rows)) return found;
      own.emplace(rows, loads_, steps_);
    }
    FindHosts(own ? *own : *fullest, terms, load, members, found);
  }
  return found;
}

// The rows of the leaves that any domain has, as many of a kind as one domain has; leaves that are
// the same have the same first leaf. Nothing: that takes too many steps.
std::span<const int32_t> CrowdLevels::AnyLeaves() {
  steps_ -= any_leaves_.empty() ? tree_.leaf_count() / kRowsAStep + 1 : 0;
  if (!any_leaves_.empty() || ended()) return any_leaves_;
  const int level = tree_.leaf_level() - 1;
  std::vector<int32_t> most(static_cast<size_t>(tree_.leaf_count()), 0), here = most;
  for (int32_t domain = 0; domain < DomainCount(tree_, level); ++domain) {
    const Tree::Range leaves = Range(level, domain);
    for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
      const auto kind = static_cast<size_t>(room_.Same(tree_.leaf_level(), leaf));
      most[kind] = std::max(most[kind], ++here[kind]);
    }
    for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
      here[static_cast<size_t>(room_.Same(tree_.leaf_level(), leaf))] = 0;
  }
  for (int32_t kind = 0; kind < tree_.leaf_count(); ++kind) {
    const std::span<const int32_t> row = room_.Row(tree_.leaf_level(), kind);
    for (int32_t copy = 0; copy < most[static_cast<size_t>(kind)]; ++copy)
      any_leaves_.insert(any_leaves_.end(), row.begin(), row.end());
  }
  return any_leaves_;
}

CrowdLevel CrowdLevels::LookAtAnyLeaves(int32_t load, int32_t members, bool rough) {
  CrowdLevel found;
  const Terms& terms = terms_.back();
  const int32_t parts = terms.parts > 0 ? terms.parts : kAnyParts;
  const std::span<const int32_t> rows = AnyLeaves();
  steps_ -= static_cast<int64_t>(rows.size()) / loads_.count() / kRowsAStep + 1;
  if (ended() || terms.kind == LevelRule::Kind::kAny) return found;
  if (terms.kind == LevelRule::Kind::kSpread) {
    const auto how = rough ? SpreadLoosely : SpreadLeaves;
    const SpreadLevel spread = how(rows, loads_, load, terms, parts, members, steps_);
    return {spread.known, {}, 0, spread.squares, {}};
  }
  if (any_fullest_ == nullptr) {
    if (!PayFor(rows)) return found;
    any_fullest_ = std::make_unique<Fullest>(rows, loads_, steps_);
  }
  PackedLevel packed = PackedCrowd(HeldOf(*any_fullest_, load), terms, parts, members);
  found = {packed.known, std::move(packed.split), packed.used, packed.squares, {}};
  if (found.known && !rough) FindHosts(*any_fullest_, terms, load, members, found);
  return found;
}

}  // namespace gangplan::exact
