#include "extender/frontends/front_end.h"

namespace gangplan {

PodSetTies FrontEnd::Tie(std::span<const PodSetSpec> pod_sets) const {
  return {std::vector<int32_t>(pod_sets.size(), -1), std::vector<int32_t>(pod_sets.size()), {}};
}

LabelPatch FrontEnd::MemberLabels(int32_t, int32_t) const { return {}; }

}  // namespace gangplan
