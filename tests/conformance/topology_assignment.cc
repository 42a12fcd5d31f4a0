#include "tests/conformance/topology_assignment.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "extender/protocol/limits.h"
#include "tests/conformance/assignment_slices.h"
#include "topology/base/json_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

absl::Status Check(const TopologyAssignment& assignment) {
  const size_t levels = assignment.levels.size();
  if (levels < 1 || levels > static_cast<size_t>(kMaxLevels))
    return Invalid("levels: expected 1 to {}, found {}", kMaxLevels, levels);
  for (size_t i = 0; i < assignment.domains.size(); ++i) {
    const AssignedDomain& domain = assignment.domains[i];
    if (domain.values.size() != levels)
      return Invalid("domains[{}].values: expected {}, one a level, found {}", i, levels,
                     domain.values.size());
    if (domain.count < 1)
      return Invalid("domains[{}].count: expected at least 1, found {}", i, domain.count);
  }
  return CheckAscii(assignment);
}

bool AreAscii(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return absl::ascii_isascii(static_cast<unsigned char>(c)); });
  });
}

std::string_view Value(const AssignedDomain& domain, size_t level) { return domain.values[level]; }

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

size_t CommonSuffix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t length = 0;
  while (length < most && a[a.size() - 1 - length] == b[b.size() - 1 - length]) ++length;
  return length;
}

// What the values of one level have in common. The suffix goes first: the prefix gives way where
// both do not fit into the shortest value.
struct Common {
  size_t prefix = 0;
  size_t suffix = 0;
  bool equal = false;
};

Common FindCommon(DomainRun run, size_t level) {
  const std::string_view first = Value(run.front(), level);
  Common common{first.size(), first.size(), true};
  size_t shortest = first.size();
  for (const AssignedDomain& domain : run) {
    const std::string_view value = Value(domain, level);
    common.prefix = std::min(common.prefix, CommonPrefix(first, value));
    common.suffix = std::min(common.suffix, CommonSuffix(first, value));
    common.equal = common.equal && value == first;
    shortest = std::min(shortest, value.size());
  }
  common.prefix = std::min(common.prefix, shortest - common.suffix);
  return common;
}

void WriteValues(DomainRun run, size_t level, JsonText& json) {
  const std::string_view first = Value(run.front(), level);
  const Common common = FindCommon(run, level);
  json.Begin();
  if (common.equal) {
    json.Field("universal", first).End();
    return;
  }
  json.Key("individual").Begin();
  if (common.prefix > 0) json.Field("prefix", first.substr(0, common.prefix));
  if (common.suffix > 0) json.Field("suffix", first.substr(first.size() - common.suffix));
  json.Key("roots").BeginList();
  for (const AssignedDomain& domain : run) {
    const std::string_view value = Value(domain, level);
    json.Value(value.substr(common.prefix, value.size() - common.prefix - common.suffix));
  }
  json.EndList().End().End();
}

void WriteCounts(DomainRun run, JsonText& json) {
  const bool equal = std::all_of(run.begin(), run.end(), [&](const AssignedDomain& domain) {
    return domain.count == run.front().count;
  });
  json.Begin();
  if (equal) {
    json.Field("universal", int64_t{run.front().count}).End();
    return;
  }
  json.Key("individual").BeginList();
  for (const AssignedDomain& domain : run) json.Value(int64_t{domain.count});
  json.EndList().End();
}

void WriteLevels(const TopologyAssignment& assignment, JsonText& json) {
  json.Key("levels").BeginList();
  for (const std::string& level : assignment.levels) json.Value(level);
  json.EndList();
}

std::string WriteCompact(const TopologyAssignment& assignment, const std::vector<DomainRun>& runs) {
  JsonText json;
  json.Begin();
  WriteLevels(assignment, json);
  if (!runs.empty()) json.Key("slices").BeginList();
  for (DomainRun run : runs) {
    json.Begin().Field("domainCount", static_cast<int64_t>(run.size()));
    json.Key("valuesPerLevel").BeginList();
    for (size_t level = 0; level < assignment.levels.size(); ++level) WriteValues(run, level, json);
    json.EndList().Key("podCounts");
    WriteCounts(run, json);
    json.End();
  }
  if (!runs.empty()) json.EndList();
  json.End();
  return json.Take();
}

}  // namespace

absl::Status CheckAscii(const TopologyAssignment& assignment) {
  if (!AreAscii(assignment.levels)) return Invalid("levels: expected ASCII");
  for (size_t i = 0; i < assignment.domains.size(); ++i) {
    if (!AreAscii(assignment.domains[i].values))
      return Invalid("domains[{}].values: expected ASCII", i);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeCompactAssignment(const TopologyAssignment& assignment,
                                                    AssignmentSlices slices) {
  GANGPLAN_RETURN_IF_ERROR(Check(assignment));
  const std::vector<DomainRun> runs = RunsByHostname(assignment);
  if (runs.size() > kMaxAssignmentSlices) {
    return Invalid("domains: {} are more than {} slices of {}", assignment.domains.size(),
                   kMaxAssignmentSlices, kMaxDomainsPerSlice);
  }
  std::string text = WriteCompact(assignment, runs);
  if (slices == AssignmentSlices::kByHostname || runs.size() <= 1) return text;
  if (assignment.domains.size() > kMaxDomainsPerSlice) return text;
  std::string single = WriteCompact(assignment, RunsByLength(assignment.domains));
  return single.size() < text.size() ? single : text;
}

absl::StatusOr<std::string> EncodePlainAssignment(const TopologyAssignment& assignment) {
  GANGPLAN_RETURN_IF_ERROR(Check(assignment));
  if (assignment.domains.size() > kMaxDomainsPerSlice) {
    return Invalid("domains: expected at most {}, found {}", kMaxDomainsPerSlice,
                   assignment.domains.size());
  }
  JsonText json;
  json.Begin();
  WriteLevels(assignment, json);
  json.Key("domains").BeginList();
  for (const AssignedDomain& domain : assignment.domains) {
    json.Begin().Key("values").BeginList();
    for (const std::string& value : domain.values) json.Value(value);
    json.EndList().Field("count", int64_t{domain.count}).End();
  }
  json.EndList().End();
  return json.Take();
}

}  // namespace gangplan
