#include "tests/conformance/placement_answer.h"

#include <algorithm>

#include "algorithms/tas/repair.h"
#include "tests/conformance/capacity.h"
#include "tests/support/tas_words.h"
#include "topology/base/text.h"

namespace gangplan::conformance {
namespace {

KueueCompatibility EngineMode(Compatibility compatibility) {
  return compatibility == Compatibility::kExact ? KueueCompatibility::kExact
                                                : KueueCompatibility::kFixed;
}

std::string_view KindText(TasFailure::Kind kind) {
  switch (kind) {
    case TasFailure::Kind::kNoFit:
      return "no_fit";
    case TasFailure::Kind::kNoFitLayers:
      return "no_fit_layers";
    case TasFailure::Kind::kNoDomainsAtLevel:
      return "no_domains_at_level";
    case TasFailure::Kind::kLevelNotSpecified:
      return "level_not_specified";
    case TasFailure::Kind::kUnknownLevel:
      return "unknown_level";
    case TasFailure::Kind::kUnknownSliceLevel:
      return "unknown_slice_level";
    case TasFailure::Kind::kSliceSizeMissing:
      return "slice_size_missing";
    case TasFailure::Kind::kSliceLevelAbovePodSetLevel:
      return "slice_level_above_podset_level";
    case TasFailure::Kind::kSliceLayersNotDescending:
      return "slice_layers_not_descending";
    case TasFailure::Kind::kSliceLayerSizeNotDivisor:
      return "slice_layer_size_not_divisor";
    case TasFailure::Kind::kStaleAssignment:
      return "replacement_stale_assignment";
  }
  return "";
}

TasWords WordsOf(const CasePodSet& pod_set) {
  TasWords words;
  if (!pod_set.topology) return words;
  words.given = true;
  words.required = pod_set.topology->required;
  words.preferred = pod_set.topology->preferred;
  words.unconstrained = pod_set.topology->unconstrained;
  for (const SliceLayer& layer : pod_set.topology->slices) {
    words.slices.push_back({layer.level, std::nullopt});
    if (layer.size) words.slices.back().size = static_cast<int32_t>(*layer.size);
  }
  return words;
}

class Answerer {
 public:
  Answerer(const PlacementCase& placement_case, Compatibility compatibility, CaseCapacity& capacity)
      : case_(placement_case), compatibility_(compatibility), capacity_(capacity) {
    for (const CasePodSet& pod_set : case_.pod_sets) pod_sets_.push_back(PodSetOf(pod_set));
  }

  PlacementAnswer Run() {
    if (!case_.replacement)
      return Spelled(PlaceTasWorkload(capacity_.tree(), pod_sets_, capacity_, scratch_));
    const Replacement& replacement = *case_.replacement;
    if (replacement.owned_by_single_pod && case_.options.keep_assignment_for_single_pod_owner)
      return Kept();
    std::vector<std::vector<TasStanding>> standing;
    for (const CasePodSet& pod_set : case_.pod_sets) standing.push_back(StandingOf(pod_set));
    return Spelled(RepairTasWorkload(capacity_.tree(), pod_sets_, standing, capacity_, scratch_));
  }

 private:
  TasPodSet PodSetOf(const CasePodSet& pod_set) {
    const TasWords words = WordsOf(pod_set);
    TasPodSet result;
    auto resolved = ResolveTas(capacity_.tree(), capacity_.lowest(), words,
                               static_cast<int32_t>(pod_set.count));
    if (auto* failure = std::get_if<TasFailure>(&resolved)) {
      result.invalid = *failure;
    } else {
      result.request = std::get<TasRequest>(resolved);
    }
    result.request.count = static_cast<int32_t>(pod_set.count);
    result.request.profile = case_.options.profile;
    result.request.balanced = case_.options.balanced_placement;
    result.request.compatibility = EngineMode(compatibility_);
    result.slices_alone = SlicesAlone(words);
    result.group = GroupOf(pod_set);
    if (case_.options.elastic_delta && pod_set.previous_assignment)
      result.previous = SharesOf(*pod_set.previous_assignment);
    return result;
  }

  int32_t GroupOf(const CasePodSet& pod_set) const {
    if (pod_set.group.empty()) return -1;
    const auto first = std::find_if(case_.pod_sets.begin(), case_.pod_sets.end(),
                                    [&](const auto& p) { return p.group == pod_set.group; });
    return static_cast<int32_t>(first - case_.pod_sets.begin());
  }

  std::vector<TasShare> SharesOf(const Assignment& assignment) const {
    std::vector<TasShare> shares;
    for (const DomainCount& domain : assignment.domains)
      shares.push_back({capacity_.Find(domain.values), static_cast<int32_t>(domain.count)});
    return shares;
  }

  const Assignment& AdmittedOf(const CasePodSet& pod_set) const {
    const auto& admitted = case_.replacement->admitted;
    return std::find_if(admitted.begin(), admitted.end(),
                        [&](const auto& a) { return a.pod_set == pod_set.name; })
        ->assignment;
  }

  std::vector<TasStanding> StandingOf(const CasePodSet& pod_set) const {
    const std::vector<std::string>& failed = case_.replacement->unhealthy_nodes;
    std::vector<TasStanding> standing;
    for (const DomainCount& domain : AdmittedOf(pod_set).domains) {
      const auto at = std::find(failed.begin(), failed.end(), domain.values.back());
      standing.push_back({capacity_.Find(domain.values), static_cast<int32_t>(domain.count),
                          at == failed.end() ? -1 : static_cast<int32_t>(at - failed.begin())});
    }
    return standing;
  }

  PlacementAnswer Kept() const {
    PlacementAnswer answer;
    for (const CasePodSet& pod_set : case_.pod_sets)
      answer.push_back({pod_set.name, AdmittedOf(pod_set)});
    return answer;
  }

  PlacementAnswer Spelled(const std::vector<TasAnswer>& answers) const {
    PlacementAnswer spelled;
    for (const TasAnswer& answer : answers) {
      const std::string& name = case_.pod_sets[answer.pod_set].name;
      if (answer.failure) {
        spelled.push_back({name, Spelled(*answer.failure, answer.pod_set)});
      } else {
        spelled.push_back({name, Spelled(answer.shares)});
      }
    }
    return spelled;
  }

  Assignment Spelled(const std::vector<TasShare>& shares) const {
    Assignment assignment;
    const auto shown = static_cast<std::ptrdiff_t>(
        case_.levels.back() == kHostnameLabel ? 1 : case_.levels.size());
    assignment.levels.assign(case_.levels.end() - shown, case_.levels.end());
    for (const TasShare& share : shares)
      assignment.domains.push_back({capacity_.Shown(share.domain), share.count});
    return assignment;
  }

  Failure Spelled(const TasFailure& failure, int32_t pod_set) const {
    Failure spelled;
    spelled.kind = KindText(failure.kind);
    const auto label = [&](int level) { return case_.levels[level]; };
    if (!failure.name.empty()) spelled.level = failure.name;
    if (failure.kind == TasFailure::Kind::kNoDomainsAtLevel) spelled.level = label(failure.level);
    if (failure.kind == TasFailure::Kind::kNoFit) {
      spelled.unit = failure.in_slices ? "slice" : "pod";
      spelled.fit = failure.fit;
      spelled.of = failure.of;
    }
    for (const TasLayerFit& layer : failure.layers)
      spelled.layers.push_back({label(layer.level), layer.fit, layer.need});
    const bool counted = spelled.fit || !spelled.layers.empty();
    ExclusionStats stats = capacity_.Stats(WorkersOf(pod_set), failure.confined);
    if (counted && !stats.excluded.empty()) spelled.stats = std::move(stats);
    return spelled;
  }

  // The pod set whose room decided: of a group the larger one, the first of equal ones; a repair
  // looks at each alone.
  int32_t WorkersOf(int32_t pod_set) const {
    int32_t workers = pod_set;
    if (case_.replacement) return workers;
    for (size_t i = case_.pod_sets.size(); i-- > 0;) {
      const bool same = pod_sets_[i].group >= 0 && pod_sets_[i].group == pod_sets_[pod_set].group;
      if (same && case_.pod_sets[i].count >= case_.pod_sets[workers].count)
        workers = static_cast<int32_t>(i);
    }
    return workers;
  }

  const PlacementCase& case_;
  const Compatibility compatibility_;
  CaseCapacity& capacity_;
  TasScratch scratch_;
  std::vector<TasPodSet> pod_sets_;
};

}  // namespace

PlacementAnswer Answer(const PlacementCase& placement_case, Compatibility compatibility) {
  absl::StatusOr<CaseCapacity> capacity = CaseCapacity::Make(placement_case, compatibility);
  if (!capacity.ok()) return {};
  return Answerer(placement_case, compatibility, *capacity).Run();
}

}  // namespace gangplan::conformance
