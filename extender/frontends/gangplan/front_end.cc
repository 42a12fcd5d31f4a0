#include "extender/frontends/gangplan/front_end.h"

#include "algorithms/packs.h"
#include "extender/frontends/tas_rules.h"

namespace gangplan {
namespace {

class Gangplan final : public FrontEnd {
  std::string_view name() const override { return "gangplan.io"; }
  EngineChoice engine() const override {
    return {Strategy::kExact, "everything but Kueue's words"};
  }
  std::string EngineFault(std::span<const PodSetSpec> pod_sets, Strategy engine,
                          const Topology& topology) const override {
    return engine == Strategy::kTas ? TasFault(pod_sets, topology) : std::string();
  }
  void Translate(PlacementRequest& request) const override {
    if (request.strategy == Strategy::kTas) SayTasPacks(request.rules);
    if (request.strategy != Strategy::kExact) return;
    BindUpwards(request.rules);
    for (PodSetRequest& set : request.pod_sets) BindUpwards(set.rules);
  }
};

}  // namespace

const FrontEnd& GangplanFrontEnd() {
  static const Gangplan front_end;
  return front_end;
}

}  // namespace gangplan
