#include "extender/protocol/kueue_placement.h"

#include <algorithm>
#include <utility>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Placed = WorkloadFacts::Domain;

// One more domain, by what of its values matters: the last one, where that is the node.
absl::Status AddDomain(std::vector<std::string> values, int64_t count, bool by_host,
                       PlacementLimits& left, std::vector<Placed>& domains) {
  if (by_host) values.erase(values.begin(), values.end() - 1);
  size_t bytes = 0;
  for (const std::string& value : values) bytes += value.size();
  if (left.domains == 0) return Invalid("more than {} domains", kMaxWorkloadDomains);
  if (bytes > left.bytes)
    return Invalid("the names of its domains take more than {} bytes", kMaxWorkloadDomainBytes);
  --left.domains;
  left.bytes -= bytes;
  domains.push_back({std::move(values), static_cast<int32_t>(count)});
  return absl::OkStatus();
}

std::string ValueOf(const LevelValuesDraft& level, size_t i) {
  return level.universal ? *level.universal : level.prefix + (*level.roots)[i] + level.suffix;
}

absl::Status CheckSlice(const SliceDraft& slice, size_t levels) {
  const auto domains = static_cast<size_t>(slice.domains);
  if (slice.values.size() != levels)
    return Invalid("valuesPerLevel: expected one for each of {} levels, found {}", levels,
                   slice.values.size());
  for (const LevelValuesDraft& level : slice.values) {
    if (level.universal.has_value() == level.roots.has_value())
      return Invalid("valuesPerLevel: expected either universal or individual");
    if (level.roots && level.roots->size() != domains)
      return Invalid("roots: expected {}, found {}", domains, level.roots->size());
  }
  const PodCountsDraft& counts = slice.counts;
  if ((counts.universal != 0) == counts.individual.has_value())
    return Invalid("podCounts: expected either universal or individual");
  if (counts.individual && counts.individual->size() != domains)
    return Invalid("podCounts: expected {}, found {}", domains, counts.individual->size());
  return absl::OkStatus();
}

absl::Status AddSlice(const SliceDraft& slice, size_t levels, bool by_host, PlacementLimits& left,
                      std::vector<Placed>& domains) {
  GANGPLAN_RETURN_IF_ERROR(CheckSlice(slice, levels));
  for (int64_t i = 0; i < slice.domains; ++i) {
    const auto at = static_cast<size_t>(i);
    std::vector<std::string> values;
    for (size_t level = by_host ? levels - 1 : 0; level < levels; ++level)
      values.push_back(ValueOf(slice.values[level], at));
    const PodCountsDraft& counts = slice.counts;
    const int64_t count = counts.individual ? (*counts.individual)[at] : counts.universal;
    GANGPLAN_RETURN_IF_ERROR(AddDomain(std::move(values), count, by_host, left, domains));
  }
  return absl::OkStatus();
}

// Each once, in the order of their values.
void Merge(std::vector<Placed>& domains) {
  std::stable_sort(domains.begin(), domains.end(),
                   [](const Placed& a, const Placed& b) { return a.values < b.values; });
  std::vector<Placed> merged;
  for (Placed& one : domains) {
    if (merged.empty() || merged.back().values != one.values) {
      merged.push_back(std::move(one));
    } else {
      const int64_t sum = int64_t{merged.back().count} + one.count;
      merged.back().count =
          static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
    }
  }
  domains = std::move(merged);
}

}  // namespace

absl::StatusOr<WorkloadFacts::Placement> TakePlacement(PlacementDraft& draft,
                                                       PlacementLimits& left) {
  WorkloadFacts::Placement placement;
  if (draft.levels.empty()) return Invalid("levels: expected some, found none");
  const size_t levels = draft.levels.size();
  const bool by_host = draft.levels.back() == kHostnameLabel;
  for (const SliceDraft& slice : draft.slices)
    GANGPLAN_RETURN_IF_ERROR(AddSlice(slice, levels, by_host, left, placement.domains));
  for (DomainDraft& one : draft.domains) {
    if (one.values.size() != levels)
      return Invalid("domains: expected a value for each of {} levels, found {}", levels,
                     one.values.size());
    if (one.count == 0) continue;
    GANGPLAN_RETURN_IF_ERROR(
        AddDomain(std::move(one.values), one.count, by_host, left, placement.domains));
  }
  Merge(placement.domains);
  if (by_host) draft.levels.erase(draft.levels.begin(), draft.levels.end() - 1);
  placement.levels = std::move(draft.levels);
  return placement;
}

}  // namespace gangplan
