#include "extender/frontends/sakkara/front_end.h"

#include <algorithm>

#include "extender/frontends/tas_rules.h"
#include "extender/protocol/sakkara_results.h"

namespace gangplan {
namespace {

class Sakkara final : public FrontEnd {
  std::string_view name() const override { return "Sakkara"; }
  EngineChoice engine() const override {
    return {Strategy::kExact, "everything but Kueue's words"};
  }
  RankOrder rank_order() const override { return RankOrder::kByDistance; }
  bool keeps_rank_zero() const override { return true; }
  bool tells_results() const override { return true; }
  std::string EngineFault(std::span<const PodSetSpec> pod_sets, Strategy engine,
                          const Topology& topology) const override {
    return engine == Strategy::kTas ? TasFault(pod_sets, topology) : std::string();
  }
  void Translate(PlacementRequest& request) const override {
    if (request.strategy == Strategy::kTas) SayTasPacks(request.rules);
  }
  LabelPatch MemberLabels(int32_t rank, int32_t plans) const override {
    return SakkaraMemberLabels({SakkaraStatus::kBound, std::max(0, plans - 1), rank});
  }
};

}  // namespace

const FrontEnd& SakkaraFrontEnd() {
  static const Sakkara front_end;
  return front_end;
}

}  // namespace gangplan
