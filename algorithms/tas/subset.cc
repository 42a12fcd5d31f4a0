#include "algorithms/tas/subset.h"

#include <algorithm>
#include <functional>

namespace gangplan::tas {
namespace {

constexpr size_t kLongList = 4096;

int32_t MostPods(const LevelView& view, int32_t domain) {
  return std::max(view.pods[domain], view.pods_wl[domain]);
}

class Subset {
 public:
  Subset(const LevelView& view, std::span<const int32_t> domains, const SubsetNeed& need,
         SubsetScratch& scratch)
      : view_(view), domains_(domains), need_(need), scratch_(scratch) {
    size_t lists = 2 * static_cast<size_t>(need.used + 1);
    if (scratch.states.size() < lists) scratch.states.resize(lists);
    for (size_t i = 0; i < lists; ++i) scratch.states[i].clear();
    scratch.ways.clear();
    scratch.known = 0;
    NewStamp();
    scratch.largest.Assign(view, domains);
  }

  std::vector<int32_t> Run() {
    List(0, need_.leaders).push_back({need_.pods, -1});
    for (size_t at = 0; at < domains_.size() && !Exact(); ++at) {
      scratch_.largest.Remove(MostPods(view_, domains_[at]));
      int32_t deepest = std::min<int32_t>(need_.used, static_cast<int32_t>(at) + 1);
      int32_t left = static_cast<int32_t>(domains_.size() - at);
      for (int32_t used = deepest; used >= 1 && used + left > need_.used; --used) {
        for (int32_t leaders = 0; leaders <= need_.leaders; ++leaders)
          Extend(used, leaders, domains_[at]);
      }
      if (steps_ > kMostSubsetSteps) return {};
    }
    return Best();
  }

 private:
  std::vector<SubsetState>& List(int32_t used, int32_t leaders) {
    return scratch_.states[2 * static_cast<size_t>(used) + static_cast<size_t>(leaders)];
  }

  bool Exact() {
    const auto& last = List(need_.used, 0);
    return !last.empty() && last.back().pods_left == 0;
  }

  // From every state with one domain less, with and without the leader on this one.
  void Extend(int32_t used, int32_t leaders, int32_t domain) {
    const std::vector<SubsetState>& from = List(used - 1, leaders);
    steps_ += static_cast<int64_t>(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
      SubsetState state = from[i];
      if (leaders == 0 && state.pods_left <= 0) continue;
      if (leaders > 0 && view_.Leaders(domain) > 0)
        Reach(used, leaders - 1, state.pods_left - view_.pods_wl[domain], domain, state.way);
      if (view_.Slices(domain) > 0)
        Reach(used, leaders, state.pods_left - view_.pods[domain], domain, state.way);
    }
  }

  void Reach(int32_t used, int32_t leaders, int32_t pods_left, int32_t domain, int32_t before) {
    if (scratch_.largest.Of(need_.used - used) < pods_left) return;
    if (used == need_.used && leaders > 0) return;
    if (!Remember(used, leaders, pods_left)) return;
    std::vector<SubsetState>& list = List(used, leaders);
    list.push_back({pods_left, static_cast<int32_t>(scratch_.ways.size())});
    scratch_.ways.push_back({domain, before});
    // An exact fit is kept last, where the scan looks for it.
    bool last_was_exact = list.size() > 1 && list[list.size() - 2].pods_left == 0;
    if (used == need_.used && last_was_exact) std::swap(list[list.size() - 2], list.back());
  }

  std::vector<int32_t> Best() {
    const SubsetState* best = nullptr;
    for (const SubsetState& state : List(need_.used, 0)) {
      if (state.pods_left <= 0 && (!best || state.pods_left > best->pods_left)) best = &state;
    }
    std::vector<int32_t> chosen;
    for (int32_t way = best ? best->way : -1; way >= 0; way = scratch_.ways[way].before)
      chosen.push_back(scratch_.ways[way].domain);
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

  void NewStamp() {
    if (scratch_.seen.empty()) Resize(1024);
    if (++scratch_.stamp == 0) {
      std::fill(scratch_.stamps.begin(), scratch_.stamps.end(), 0);
      scratch_.stamp = 1;
    }
  }

  void Resize(size_t size) {
    scratch_.seen.assign(size, 0);
    scratch_.stamps.assign(size, 0);
  }

  // False when the state is known already. States are few enough to be told apart by 64 bits:
  // 31 of pods, one of leaders, the rest domains used.
  bool Remember(int32_t used, int32_t leaders, int32_t pods_left) {
    uint64_t key = (uint64_t{static_cast<uint32_t>(used)} << 33) |
                   (uint64_t{static_cast<uint32_t>(leaders)} << 32) |
                   static_cast<uint32_t>(pods_left);
    if (scratch_.known * 2 >= scratch_.seen.size()) Grow();
    if (!Insert(key)) return false;
    ++scratch_.known;
    return true;
  }

  bool Insert(uint64_t key) {
    size_t mask = scratch_.seen.size() - 1;
    for (size_t at = (key * 0x9E3779B97F4A7C15ULL) >> 20 & mask;; at = (at + 1) & mask) {
      if (scratch_.stamps[at] != scratch_.stamp) {
        scratch_.stamps[at] = scratch_.stamp;
        scratch_.seen[at] = key;
        return true;
      }
      if (scratch_.seen[at] == key) return false;
    }
  }

  void Grow() {
    std::vector<uint64_t> keys;
    for (size_t at = 0; at < scratch_.seen.size(); ++at) {
      if (scratch_.stamps[at] == scratch_.stamp) keys.push_back(scratch_.seen[at]);
    }
    Resize(scratch_.seen.size() * 2);
    for (uint64_t key : keys) Insert(key);
  }

  const LevelView& view_;
  std::span<const int32_t> domains_;
  SubsetNeed need_;
  SubsetScratch& scratch_;
  int64_t steps_ = 0;
};

}  // namespace

void LargestSums::Assign(const LevelView& view, std::span<const int32_t> domains) {
  pods_.clear();
  for (int32_t domain : domains) pods_.push_back(MostPods(view, domain));
  std::sort(pods_.begin(), pods_.end(), std::greater<>());
  sums_.assign(1, 0);
  for (int32_t pods : pods_) sums_.push_back(sums_.back() + pods);
}

// What is behind the one that goes moves up; the sums beyond the end stay at the sum of all.
void LargestSums::Remove(int32_t pods) {
  if (pods_.size() > kLongList) return;
  auto at = std::lower_bound(pods_.begin(), pods_.end(), pods, std::greater<>());
  for (size_t m = static_cast<size_t>(at - pods_.begin()) + 1; m + 1 < sums_.size(); ++m)
    sums_[m] = sums_[m + 1] - pods;
  sums_.back() -= pods;
  pods_.erase(at);
}

std::vector<int32_t> BestSubset(const LevelView& view, std::span<const int32_t> domains,
                                const SubsetNeed& need, SubsetScratch& scratch) {
  if (need.used <= 0 || static_cast<size_t>(need.used) > domains.size()) return {};
  return Subset(view, domains, need, scratch).Run();
}

}  // namespace gangplan::tas
