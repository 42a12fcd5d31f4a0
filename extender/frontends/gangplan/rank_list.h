// What the programs of a gang read of where its pods are, in a ConfigMap that is mounted in them:
// `hostfile`, the host of each rank on a line of its own, as MPI's launchers have it, and
// `placement.json`, of each rank its pod set, pod, host, node and the domains around that. Beside
// them `list-of` tells whose list it is: nobody takes that of another Gangplan away. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/labels.h"

namespace gangplan {

inline constexpr std::string_view kHostfileKey = "hostfile";
inline constexpr std::string_view kPlacementKey = "placement.json";
inline constexpr std::string_view kListOfKey = "list-of";
// Of more members none is made: it would not fit anyway.
inline constexpr int32_t kMaxListedRanks = 8'192;

// Valid as long as what it points to.
struct ListedRank {
  std::string_view pod_set;
  int32_t rank = 0;  // within its pod set
  std::string_view pod;
  std::string_view host;
  std::vector<std::string_view> path;  // the units that hold its node from the top, the node last
};

// What is known of an object's data; that may be a million bytes, and nobody keeps them.
struct ListedData {
  std::optional<std::string> list_of;    // as far as it may be like ours
  std::optional<std::string> hosts;      // a digest
  std::optional<std::string> placement;  // likewise
  size_t other_bytes = 0;                // keys and values of all other keys
};

// O(bytes of data).
ListedData ReadListedData(const LabelSet& data);

struct RankListData {
  LabelPatch changes;                // of the three keys, to what the object has
  std::vector<std::string> too_big;  // keys that it does not hold beside what is in it
};

// Whose list it is, as `list-of` has it: of which scheduler's gang ("namespace/name"), and of which
// incarnation, as in its GroupKey.
std::string ListOf(std::string_view scheduler, std::string_view gang, std::string_view incarnation);
// The list that the object has is of a gang of this scheduler, or nobody's.
bool MayRemove(std::string_view scheduler, const ListedData& has);

// Without pods all three are taken away. O(pods).
RankListData MakeRankList(std::string_view list_of, std::span<const ListedRank> by_rank,
                          const ListedData& has);

}  // namespace gangplan
