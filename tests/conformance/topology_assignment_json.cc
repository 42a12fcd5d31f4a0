// Reading assignments: the shapes of both forms, and the compact one spread out.
#include <limits>
#include <optional>
#include <string_view>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "tests/conformance/topology_assignment.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

using Texts = std::vector<std::string>;
using TextViews = std::vector<std::string_view>;
using Counts = std::vector<int32_t>;

constexpr int64_t kMostPods = std::numeric_limits<int32_t>::max();

absl::Status AddText(Texts& texts, std::string_view text) {
  texts.emplace_back(text);
  return absl::OkStatus();
}

absl::Status AddView(TextViews& texts, std::string_view text) {
  texts.push_back(text);
  return absl::OkStatus();
}

absl::Status AddCount(Counts& counts, std::string_view digits) {
  int64_t count = 0;
  GANGPLAN_RETURN_IF_ERROR(json::ReadInteger(digits, 1, kMostPods, count));
  counts.push_back(static_cast<int32_t>(count));
  return absl::OkStatus();
}

constexpr JsonShape MakeCount() {
  JsonShape shape;
  shape.number = [](void* target, const JsonPlace&, std::string_view digits) {
    return AddCount(*static_cast<Counts*>(target), digits);
  };
  return shape;
}
constexpr JsonShape kCount = MakeCount();
constexpr JsonShape kLevel = json::TextFor<&AddText>(kMaxTopologyLabelBytes);
constexpr JsonShape kValue = json::TextFor<&AddText>(kMaxValueBytes);
constexpr JsonShape kRoot = json::TextFor<&AddView>(kMaxValueBytes);

// --- plain
constexpr JsonField kDomainFields[] = {
    {"values", json::Anew<&AssignedDomain::values>(json::Array(kValue, kMaxLevels))},
    {"count", json::Integer<&AssignedDomain::count, 1, kMostPods>()},
};
constexpr JsonShape kDomain =
    json::Appended<std::vector<AssignedDomain>>(json::Object(kDomainFields));
constexpr JsonField kPlainFields[] = {
    {"levels", json::Anew<&TopologyAssignment::levels>(json::Array(kLevel, kMaxLevels))},
    {"domains",
     json::Anew<&TopologyAssignment::domains>(json::Array(kDomain, kMaxAssignmentDomains))},
};
constexpr JsonShape kPlain = json::Object(kPlainFields);

// --- compact; texts point into the body
struct IndividualDraft {
  std::string_view prefix;
  std::string_view suffix;
  TextViews roots;
};

struct ValuesDraft {
  std::optional<std::string_view> universal;
  std::optional<IndividualDraft> individual;
};

struct CountsDraft {
  std::optional<int32_t> universal;
  std::optional<Counts> individual;
};

struct SliceDraft {
  int32_t domain_count = 0;
  std::vector<ValuesDraft> values;
  CountsDraft counts;
};

struct CompactDraft {
  Texts levels;
  std::vector<SliceDraft> slices;
};

IndividualDraft& Individual(ValuesDraft& draft) { return draft.individual.emplace(); }
Counts& Individual(CountsDraft& draft) { return draft.individual.emplace(); }

constexpr JsonField kIndividualFields[] = {
    {"prefix", json::Text<&IndividualDraft::prefix>(kMaxValueBytes)},
    {"suffix", json::Text<&IndividualDraft::suffix>(kMaxValueBytes)},
    {"roots", json::Anew<&IndividualDraft::roots>(json::Array(kRoot, kMaxDomainsPerSlice))},
};
constexpr JsonField kValuesFields[] = {
    {"universal", json::Text<&ValuesDraft::universal>(kMaxValueBytes)},
    {"individual", json::At<static_cast<IndividualDraft& (*)(ValuesDraft&)>(&Individual)>(
                       json::Object(kIndividualFields))},
};
constexpr JsonShape kValues = json::Appended<std::vector<ValuesDraft>>(json::Object(kValuesFields));
constexpr JsonField kCountsFields[] = {
    {"universal", json::Integer<&CountsDraft::universal, 1, kMostPods>()},
    {"individual", json::At<static_cast<Counts& (*)(CountsDraft&)>(&Individual)>(
                       json::Array(kCount, kMaxDomainsPerSlice))},
};
constexpr JsonField kSliceFields[] = {
    {"domainCount", json::Integer<&SliceDraft::domain_count, 1, int64_t{kMaxDomainsPerSlice}>()},
    {"valuesPerLevel", json::Anew<&SliceDraft::values>(json::Array(kValues, kMaxLevels))},
    {"podCounts", json::Anew<&SliceDraft::counts>(json::Object(kCountsFields))},
};
constexpr JsonShape kSlice = json::Appended<std::vector<SliceDraft>>(json::Object(kSliceFields));
constexpr JsonField kCompactFields[] = {
    {"levels", json::Anew<&CompactDraft::levels>(json::Array(kLevel, kMaxLevels))},
    {"slices", json::Anew<&CompactDraft::slices>(json::Array(kSlice, kMaxAssignmentSlices))},
};
constexpr JsonShape kCompact = json::Object(kCompactFields);

absl::Status CheckLevels(const Texts& levels) {
  if (!levels.empty()) return absl::OkStatus();
  return Invalid("levels: expected 1 to {}, found none", kMaxLevels);
}

absl::Status CheckValues(const ValuesDraft& values, size_t domains, const std::string& place) {
  if (values.universal.has_value() == values.individual.has_value())
    return Invalid("{}: expected one of universal and individual", place);
  if (values.individual && values.individual->roots.size() != domains)
    return Invalid("{}.individual.roots: expected {}, one a domain, found {}", place, domains,
                   values.individual->roots.size());
  return absl::OkStatus();
}

absl::Status CheckSlice(const SliceDraft& slice, size_t levels, const std::string& place) {
  if (slice.domain_count == 0) return Invalid("{}.domainCount is missing", place);
  const auto domains = static_cast<size_t>(slice.domain_count);
  if (slice.values.size() != levels)
    return Invalid("{}.valuesPerLevel: expected {}, one a level, found {}", place, levels,
                   slice.values.size());
  for (size_t i = 0; i < levels; ++i) {
    GANGPLAN_RETURN_IF_ERROR(
        CheckValues(slice.values[i], domains, fmt::format("{}.valuesPerLevel[{}]", place, i)));
  }
  const CountsDraft& counts = slice.counts;
  if (counts.universal.has_value() == counts.individual.has_value())
    return Invalid("{}.podCounts: expected one of universal and individual", place);
  if (counts.individual && counts.individual->size() != domains)
    return Invalid("{}.podCounts.individual: expected {}, one a domain, found {}", place, domains,
                   counts.individual->size());
  return absl::OkStatus();
}

std::string ValueAt(const ValuesDraft& values, size_t domain) {
  if (values.universal) return std::string(*values.universal);
  const IndividualDraft& own = *values.individual;
  return fmt::format("{}{}{}", own.prefix, own.roots[domain], own.suffix);
}

void Spread(const SliceDraft& slice, std::vector<AssignedDomain>& domains) {
  for (size_t i = 0; i < static_cast<size_t>(slice.domain_count); ++i) {
    AssignedDomain& domain = domains.emplace_back();
    for (const ValuesDraft& values : slice.values) domain.values.push_back(ValueAt(values, i));
    domain.count = slice.counts.universal ? *slice.counts.universal : (*slice.counts.individual)[i];
  }
}

}  // namespace

absl::StatusOr<TopologyAssignment> DecodeCompactAssignment(std::string& json) {
  CompactDraft draft;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, "", kCompact, &draft));
  GANGPLAN_RETURN_IF_ERROR(CheckLevels(draft.levels));
  TopologyAssignment assignment;
  for (size_t i = 0; i < draft.slices.size(); ++i) {
    const SliceDraft& slice = draft.slices[i];
    GANGPLAN_RETURN_IF_ERROR(CheckSlice(slice, draft.levels.size(), fmt::format("slices[{}]", i)));
    if (assignment.domains.size() + static_cast<size_t>(slice.domain_count) > kMaxAssignmentDomains)
      return Invalid("slices: more than {} domains", kMaxAssignmentDomains);
    Spread(slice, assignment.domains);
  }
  assignment.levels = std::move(draft.levels);
  GANGPLAN_RETURN_IF_ERROR(CheckAscii(assignment));
  return assignment;
}

absl::StatusOr<TopologyAssignment> DecodePlainAssignment(std::string& json) {
  TopologyAssignment assignment;
  GANGPLAN_RETURN_IF_ERROR(ParseJson(json, kMaxObjectBytes, "", kPlain, &assignment));
  GANGPLAN_RETURN_IF_ERROR(CheckLevels(assignment.levels));
  for (size_t i = 0; i < assignment.domains.size(); ++i) {
    const AssignedDomain& domain = assignment.domains[i];
    if (domain.values.size() != assignment.levels.size())
      return Invalid("domains[{}].values: expected {}, one a level, found {}", i,
                     assignment.levels.size(), domain.values.size());
    if (domain.count == 0) return Invalid("domains[{}].count is missing", i);
  }
  GANGPLAN_RETURN_IF_ERROR(CheckAscii(assignment));
  return assignment;
}

}  // namespace gangplan
