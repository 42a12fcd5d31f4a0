#include "algorithms/tree_ranks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace gangplan {

int32_t TreeDistance(const TreePlace& a, const TreePlace& b) {
  const auto [end_a, end_b] =
      std::mismatch(a.path.begin(), a.path.end(), b.path.begin(), b.path.end());
  return static_cast<int32_t>((a.path.end() - end_a) + (b.path.end() - end_b)) + 2;
}

std::vector<int32_t> RankByDistance(std::span<const TreePlace> pods) {
  const auto at = [&](int32_t i) -> const TreePlace& { return pods[static_cast<size_t>(i)]; };
  std::vector<int32_t> order(pods.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::tie(at(a).path, at(a).pod) < std::tie(at(b).path, at(b).pod);
  });
  auto master = std::find_if(order.begin(), order.end(), [&](int32_t i) {
    return at(i).pod.find(kMasterWord) != std::string_view::npos;
  });
  if (order.empty()) return order;
  if (master == order.end()) master = order.begin();
  std::rotate(order.begin(), master, master + 1);
  std::vector<int32_t> distance(pods.size());
  for (size_t i = 0; i < pods.size(); ++i) distance[i] = TreeDistance(at(order.front()), pods[i]);
  std::stable_sort(order.begin() + 1, order.end(), [&](int32_t a, int32_t b) {
    return distance[static_cast<size_t>(a)] < distance[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace gangplan
