#include "algorithms/exact/one_domain.h"

#include <algorithm>
#include <numeric>

#include "algorithms/exact/domains.h"
#include "topology/fit_counts.h"

namespace gangplan::exact {
namespace {

int64_t RoomIn(const Shapes& shapes, size_t shape, int level, int32_t domain) {
  const FitCounts& counts = shapes.counts(shape);
  if (level >= 0) return counts.at(level)[static_cast<size_t>(domain)];
  const std::span<const int32_t> all = counts.at(0);
  return std::accumulate(all.begin(), all.end(), int64_t{0});
}

}  // namespace

int OneDomainLevel(std::span<const Terms> terms) {
  int level = -1;
  while (level + 1 < static_cast<int>(terms.size()) &&
         terms[static_cast<size_t>(level) + 1].parts == 1)
    ++level;
  return level;
}

std::vector<int32_t> HopefulDomains(const Tree& tree, const Shapes& shapes, int level) {
  std::vector<int32_t> domains;
  for (int32_t domain = 0; domain < DomainCount(tree, level); ++domain) {
    size_t shape = 0;
    while (shape < shapes.all().size() &&
           RoomIn(shapes, shape, level, domain) >= shapes.all()[shape].missing)
      ++shape;
    if (shape == shapes.all().size()) domains.push_back(domain);
  }
  std::stable_sort(domains.begin(), domains.end(), [&](int32_t a, int32_t b) {
    return RoomIn(shapes, shapes.main(), level, a) < RoomIn(shapes, shapes.main(), level, b);
  });
  return domains;
}

int32_t MostInOneDomain(const Tree& tree, const Shapes& shapes, int level) {
  int64_t most = 0;
  for (int32_t domain = 0; domain < DomainCount(tree, level); ++domain) {
    int64_t members = 0;
    for (size_t shape = 0; shape < shapes.all().size(); ++shape)
      members +=
          std::min(RoomIn(shapes, shape, level, domain), int64_t{shapes.all()[shape].missing});
    most = std::max(most, members);
  }
  return static_cast<int32_t>(most);
}

}  // namespace gangplan::exact
