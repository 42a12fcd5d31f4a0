#include "algorithms/exact/crowd_places.h"

#include <vector>

namespace gangplan::exact {

bool CrowdPlaces::Put(LevelRule::Kind kind, Tree::Range leaves, int32_t load,
                      std::span<const Run> split) {
  if (kind == LevelRule::Kind::kSpread) return PutSpread(leaves, load, split);
  PutPacked(leaves, load, split);
  return true;
}

void CrowdPlaces::PutAt(int32_t leaf, int32_t part) {
  const Mix& more = room_.loads().mix(part);
  Mix& mix = put_.try_emplace(leaf, more.size(), 0).first->second;
  for (size_t shape = 0; shape < mix.size(); ++shape) mix[shape] += more[shape];
}

void CrowdPlaces::PutHosts(int32_t first, std::span<const Fullest::Host> hosts) {
  for (const Fullest::Host& host : hosts) PutAt(first + host.sibling, host.part);
}

// All that are used but the last one are full, and it takes what is left.
void CrowdPlaces::PutPacked(Tree::Range leaves, int32_t load, std::span<const Run> split) {
  const Fullest fullest(room_.Rows(tree_.leaf_level(), leaves), room_.loads());
  int32_t used = 0;
  int64_t members = 0;
  for (const Run& run : split) {
    used += run.count;
    members += int64_t{run.value} * run.count;
  }
  const int32_t last = split.back().value;
  for (int32_t part = fullest.Held(used, load) > members ? load : -1; part >= 0; --part) {
    const bool full = room_.loads().Within(part, load) &&
                      fullest.Held(used - 1, part) >= members - last;
    if (!full) continue;
    const Fullest::Used first = fullest.Trace(used - 1, part);
    if (PutRest(leaves, first, load - part, last)) return PutHosts(leaves.begin, first.hosts);
  }
  PutHosts(leaves.begin, fullest.Trace(used, load).hosts);
}

// On one of the others, the one with the least room. False: there is none.
bool CrowdPlaces::PutRest(Tree::Range leaves, const Fullest::Used& used, int32_t rest,
                          int32_t members) {
  std::vector<char> taken(static_cast<size_t>(leaves.end - leaves.begin), 0);
  for (const Fullest::Host& host : used.hosts) taken[static_cast<size_t>(host.sibling)] = 1;
  for (const int32_t other : used.others) taken[static_cast<size_t>(other)] = 1;
  int32_t best = -1, least = INT32_MAX;
  for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
    const int32_t most = Most(leaf, rest);
    if (taken[static_cast<size_t>(leaf - leaves.begin)] != 0 || most < members || most >= least)
      continue;
    best = leaf;
    least = most;
  }
  if (best >= 0 && rest > 0) PutAt(best, rest);
  return best >= 0;
}

// One pod after the other, on leaves that still take the largest value with it, else the least.
bool CrowdPlaces::PutSpread(Tree::Range leaves, int32_t load, std::span<const Run> split) {
  const Loads& loads = room_.loads();
  std::vector<int32_t> has(static_cast<size_t>(leaves.end - leaves.begin), 0);
  int32_t left = load;
  for (const int32_t value : {split.front().value, split.back().value}) {
    for (bool more = true; more && left > 0;) {
      more = false;
      for (int32_t leaf = leaves.begin; leaf < leaves.end && left > 0; ++leaf) {
        int32_t& part = has[static_cast<size_t>(leaf - leaves.begin)];
        int32_t one = 1;  // the first pod that is left
        while (loads.pods(one) != 1 || !loads.Within(one, left)) ++one;
        if (loads.pods(part) >= value || Most(leaf, part + one) < value) continue;
        part += one;
        left -= one;
        more = true;
      }
    }
  }
  for (size_t at = 0; at < has.size(); ++at)
    if (has[at] > 0) PutAt(leaves.begin + static_cast<int32_t>(at), has[at]);
  return left == 0;
}

}  // namespace gangplan::exact
