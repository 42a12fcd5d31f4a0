// What the programs of a gang read of where its pods are, in a ConfigMap that is mounted in them:
// `hostfile`, the host of each rank on a line of its own, as MPI's launchers have it, and
// `placement.json`, of each rank its pod set, pod, host, node and the domains around that. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/labels.h"

namespace gangplan {

inline constexpr std::string_view kHostfileKey = "hostfile";
inline constexpr std::string_view kPlacementKey = "placement.json";
// Of more members none is made: it would not fit anyway.
inline constexpr int32_t kMaxListedRanks = 16'384;

// Valid as long as what it points to.
struct ListedRank {
  std::string_view pod_set;
  int32_t rank = 0;  // within its pod set
  std::string_view pod;
  std::string_view host;
  std::vector<std::string_view> path;  // the units that hold its node from the top, the node last
};

struct RankListData {
  LabelPatch data;                   // both keys, whatever the object has
  std::vector<std::string> too_big;  // keys that it does not hold beside what is in it
};

// Without pods both are taken away. `gang`: "namespace/name"; `incarnation`: as in its GroupKey.
// O(pods), and of the keys of `data`, which the object has now.
RankListData MakeRankList(std::string_view gang, std::string_view incarnation,
                          std::span<const ListedRank> by_rank, const LabelSet& data);

}  // namespace gangplan
