#include "extender/frontends/kueue/front_end.h"

#include <algorithm>

#include "algorithms/packs.h"
#include "extender/frontends/kueue/rules.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

bool HasRule(const PodSetSpec& set) {
  return std::any_of(set.rules.begin(), set.rules.end(),
                     [](const auto& rule) { return rule.has_value(); });
}

// These words are about a pod set and leave a last slice in part; the exact engine's rules are
// about the whole gang, and its factor leaves no rest.
std::string ExactFault(std::span<const PodSetSpec> pod_sets, const Topology& topology) {
  constexpr std::string_view kEngine =
      "the exact engine, which engines.strategy sets for every group,";
  const PodSetSpec& first = pod_sets.front();
  for (size_t level = 0; pod_sets.size() == 1 && level < first.rules.size(); ++level) {
    const int32_t size = first.rules[level] ? first.rules[level]->factor.value_or(1) : 1;
    if (first.count % size == 0) continue;
    return fmt::format(
        "slices of {} in one {}: {} places whole slices only; expected a multiple of {} members "
        "instead of {}, or engines.strategy: auto",
        size, topology.levels[level].name, kEngine, size, first.count);
  }
  const auto own = std::find_if(pod_sets.begin(), pod_sets.end(), HasRule);
  if (pod_sets.size() == 1 || own == pod_sets.end()) return {};
  return fmt::format(
      "pod set {}: \"{}\": {} knows rules of all {} pod sets together only; expected "
      "gangplan.io/place on all, or engines.strategy: auto",
      own->name, own->place, kEngine, pod_sets.size());
}

class Kueue final : public FrontEnd {
  std::string_view name() const override { return "Kueue"; }
  EngineChoice engine() const override { return {Strategy::kTas, "Kueue's words"}; }
  bool rules_per_pod_set() const override { return true; }
  bool keeps_slices_whole() const override { return true; }
  PodSetTies Tie(std::span<const PodSetSpec> pod_sets) const override {
    return TieKueuePodSets(pod_sets);
  }
  std::string EngineFault(std::span<const PodSetSpec> pod_sets, Strategy engine,
                          const Topology& topology) const override {
    return engine == Strategy::kExact ? ExactFault(pod_sets, topology) : std::string();
  }
  void Translate(PlacementRequest& request) const override {
    if (request.strategy == Strategy::kExact) BindUpwards(request.rules);
  }
};

}  // namespace

const FrontEnd& KueueFrontEnd() {
  static const Kueue front_end;
  return front_end;
}

}  // namespace gangplan
