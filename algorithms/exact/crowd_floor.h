// What domains of leaves cost at least below themselves for a crowd, whichever they are: as if one
// had of each kind of leaf as many as any has. Of many that share a load it is not said which host
// it: the least of all ways.
//
//   racks of nodes for up to 8 workers: no rack holds 20 members on less than three nodes, and no
//   two racks with 20 each do on less than six
//
// Thread rule: one call at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/chooser.h"
#include "algorithms/exact/crowd_level.h"
#include "algorithms/exact/key.h"
#include "algorithms/exact/loads.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/work.h"
#include "topology/tree.h"

namespace gangplan::exact {

template <int kWords>
class CrowdFloor {
 public:
  using KeyOf = Key<kWords>;

  // REQUIRES: all outlive this. `steps` pays for what is looked at.
  CrowdFloor(const Tree& tree, const Loads& loads, const KeyLayout& layout, CrowdLevels& levels,
             int64_t& steps)
      : leaf_level_(tree.leaf_level()),
        loads_(loads),
        layout_(layout),
        levels_(levels),
        steps_(steps) {}

  // Of one. Roughly: cheaper, and perhaps less than otherwise.
  KeyOf OfOne(int32_t load, int32_t members, bool rough);
  // Of those that are dealt the split with the load on any of them, all together.
  KeyOf OfAll(const std::vector<Run>& split, int32_t load);

 private:
  static constexpr int64_t kKeysAStep = 8;

  using Costs = std::vector<std::optional<KeyOf>>;  // by load; nothing: it is not possible

  Costs CostsOfOne(int32_t members);
  void AddOne(const Costs& one);

  const int leaf_level_;
  const Loads& loads_;
  const KeyLayout& layout_;
  CrowdLevels& levels_;
  int64_t& steps_;
  absl::flat_hash_map<uint64_t, KeyOf> rough_, near_;  // by load and members
  std::vector<Run> split_;                             // the one of `all_`
  Costs all_;
};

template <int kWords>
Key<kWords> CrowdFloor<kWords>::OfOne(int32_t load, int32_t members, bool rough) {
  absl::flat_hash_map<uint64_t, KeyOf>& known = rough ? rough_ : near_;
  const uint64_t place = PlaceOf(leaf_level_, load, members);
  if (const auto found = known.find(place); found != known.end()) return found->second;
  const CrowdLevel level = levels_.LookAtAnyLeaves(load, members, rough);
  KeyOf key;
  if (level.known) layout_.AddAll(leaf_level_, level.used, level.squares, key);
  if (steps_ > 0) known.emplace(place, key);
  return key;
}

template <int kWords>
typename CrowdFloor<kWords>::Costs CrowdFloor<kWords>::CostsOfOne(int32_t members) {
  Costs costs(static_cast<size_t>(loads_.count()));
  for (int32_t load = 0; load < loads_.count(); ++load)
    if (loads_.pods(load) <= members) costs[static_cast<size_t>(load)] = OfOne(load, members, true);
  return costs;
}

// One more, which costs so much by its part.
template <int kWords>
void CrowdFloor<kWords>::AddOne(const Costs& one) {
  Costs next(all_.size());
  CountWork(Work::kEntry, static_cast<int64_t>(all_.size() * (all_.size() + 1)));
  for (size_t load = 0; load < all_.size(); ++load) {
    for (size_t part = 0; part <= load; ++part) {
      const std::optional<KeyOf>& others = all_[load - part];
      if (!others || !one[part]) continue;
      if (!loads_.Within(static_cast<int32_t>(part), static_cast<int32_t>(load))) continue;
      const KeyOf key = *others + *one[part];
      if (!next[load] || key < *next[load]) next[load] = key;
    }
  }
  all_ = std::move(next);
}

// No more of them host than the load has pods.
template <int kWords>
Key<kWords> CrowdFloor<kWords>::OfAll(const std::vector<Run>& split, int32_t load) {
  const auto width = static_cast<size_t>(loads_.count());
  if (all_.empty() || split != split_) {
    split_ = split;
    all_.assign(width, std::nullopt);
    all_.front().emplace();
    KeyOf others;
    for (const Run& run : split) {
      const int32_t hosts = std::min(run.count, loads_.pods(loads_.whole()));
      steps_ -= static_cast<int64_t>(width * width) * hosts / kKeysAStep + 1;
      const Costs one = CostsOfOne(run.value);
      for (int32_t host = 0; host < hosts; ++host) AddOne(one);
      others += *one.front() * (run.count - hosts);
    }
    for (std::optional<KeyOf>& key : all_)
      if (key) *key += others;
  }
  return all_[static_cast<size_t>(load)].value_or(KeyOf{});
}

}  // namespace gangplan::exact
