#include "tests/conformance/assignment_slices.h"

#include <algorithm>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "extender/protocol/limits.h"
#include "topology/base/text_map.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

// For each domain the ends of the prefixes of its host name, the shortest first; the last byte of
// a name ends none.
std::vector<std::vector<size_t>> PrefixEnds(DomainRun domains) {
  std::vector<std::vector<size_t>> ends;
  for (const AssignedDomain& domain : domains) {
    const std::string& host = domain.values.back();
    std::vector<size_t>& own = ends.emplace_back();
    for (size_t at = 0; at + 1 < host.size(); ++at)
      if (host[at] == '-') own.push_back(at + 1);
  }
  return ends;
}

using PrefixCounts = absl::flat_hash_map<std::string_view, size_t, TextHash, TextEqual>;

PrefixCounts CountPrefixes(DomainRun domains, const std::vector<std::vector<size_t>>& ends) {
  PrefixCounts counts;
  for (size_t i = 0; i < domains.size(); ++i)
    for (size_t end : ends[i]) ++counts[std::string_view(domains[i].values.back()).substr(0, end)];
  return counts;
}

// The longest prefix of at most `depth` dashes that is there twice; empty: none.
std::string_view KeyOf(std::string_view host, const std::vector<size_t>& ends, size_t depth,
                       const PrefixCounts& counts) {
  for (size_t i = std::min(ends.size(), depth); i > 0; --i) {
    const std::string_view prefix = host.substr(0, ends[i - 1]);
    if (counts.find(prefix)->second >= 2) return prefix;
  }
  return {};
}

std::vector<DomainRun> RunsOfDepth(DomainRun domains, const std::vector<std::vector<size_t>>& ends,
                                   const PrefixCounts& counts, size_t depth) {
  std::vector<DomainRun> runs;
  std::string_view last;
  for (size_t i = 0; i < domains.size(); ++i) {
    const std::string_view key = KeyOf(domains[i].values.back(), ends[i], depth, counts);
    if (i == 0 || key != last || runs.back().size() == kMaxDomainsPerSlice) {
      runs.push_back(domains.subspan(i, 1));
    } else {
      runs.back() = {runs.back().data(), runs.back().size() + 1};
    }
    last = key;
  }
  return runs;
}

}  // namespace

std::vector<DomainRun> RunsByLength(DomainRun domains) {
  std::vector<DomainRun> runs;
  while (!domains.empty()) {
    const size_t length = std::min(domains.size(), kMaxDomainsPerSlice);
    runs.push_back(domains.first(length));
    domains = domains.subspan(length);
  }
  return runs;
}

std::vector<DomainRun> RunsByHostname(const TopologyAssignment& assignment) {
  const DomainRun domains = assignment.domains;
  if (assignment.levels.back() != kHostnameLabel) return RunsByLength(domains);
  const std::vector<std::vector<size_t>> ends = PrefixEnds(domains);
  const PrefixCounts counts = CountPrefixes(domains, ends);
  size_t depth = 0;
  for (const std::vector<size_t>& own : ends) depth = std::max(depth, own.size());
  for (; depth > 0; --depth) {
    std::vector<DomainRun> runs = RunsOfDepth(domains, ends, counts, depth);
    if (runs.size() <= kMaxAssignmentSlices) return runs;
  }
  return RunsByLength(domains);
}

}  // namespace gangplan
