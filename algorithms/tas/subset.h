// The best set of exactly k domains for balanced placement: enough pods in all, one of them holding
// the leader, and as few pods too many as possible.
//
// Dynamic programming over (domains used, leaders left, pods left), scanning the domains in the
// order given and keeping the first way that leads to a state, which is how Kueue breaks ties.
// States that can no longer become enough are not kept, and the scan ends at the first exact fit:
// neither changes the answer. Cost: O(domains x states); few states where domains are alike, since
// k is the least number that is enough.
// Thread rule: one call at a time per scratch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/tas/state.h"

namespace gangplan::tas {

// States looked at before the search is given up, as if there were no such set.
inline constexpr int64_t kMostSubsetSteps = 8'000'000;

struct SubsetState {
  int32_t pods_left = 0;
  int32_t way = -1;  // index into ways
};

// The most pods that any m of some domains hold, while domains are taken out of them one by one.
class LargestSums {
 public:
  void Assign(const LevelView& view, std::span<const int32_t> domains);
  // Does nothing for long lists, where it costs more than it saves: the sums stay upper bounds.
  void Remove(int32_t pods);
  // REQUIRES: m domains were there once.
  int64_t Of(int32_t m) const { return sums_[m]; }

 private:
  std::vector<int32_t> pods_;  // largest first
  std::vector<int64_t> sums_;  // of the first m
};

// A domain taken on top of another way.
struct SubsetWay {
  int32_t domain = 0;
  int32_t before = -1;
};

struct SubsetScratch {
  std::vector<std::vector<SubsetState>> states;  // [2 * used + leaders left]
  std::vector<SubsetWay> ways;
  LargestSums largest;         // of the domains that are still to be scanned
  std::vector<uint64_t> seen;  // open addressing: states that are known, by stamp
  std::vector<uint32_t> stamps;
  uint32_t stamp = 0;
  size_t known = 0;
};

struct SubsetNeed {
  int32_t pods = 0;
  int32_t leaders = 0;  // 0 or 1
  int32_t used = 0;     // k
};

// The chosen domains, in the order of `domains`; empty when there is no such set.
std::vector<int32_t> BestSubset(const LevelView& view, std::span<const int32_t> domains,
                                const SubsetNeed& need, SubsetScratch& scratch);

}  // namespace gangplan::tas
