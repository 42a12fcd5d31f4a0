#include "algorithms/members.h"

#include <algorithm>

#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {

void RankMembers(const PlacementRequest& request, int32_t pod_set,
                 const std::vector<int32_t>& leaves, std::vector<PlacedMember>& members) {
  std::vector<int32_t> taken;
  for (const FixedMember& member : request.fixed) {
    if (member.pod_set == pod_set) taken.push_back(member.rank);
  }
  std::sort(taken.begin(), taken.end());
  GANGPLAN_CHECK(std::adjacent_find(taken.begin(), taken.end()) == taken.end());
  int32_t rank = request.pod_sets[pod_set].first_rank;
  auto next_taken = std::lower_bound(taken.begin(), taken.end(), rank);
  for (int32_t leaf : leaves) {
    for (; next_taken != taken.end() && *next_taken == rank; ++next_taken) ++rank;
    members.push_back({pod_set, rank++, leaf});
  }
}

std::string MembersText(int32_t count) {
  return fmt::format("{} member{}", count, count == 1 ? "" : "s");
}

}  // namespace gangplan
