// Whose room it is that is kept for nobody's pod: it stands beside nobody, and whoever comes there
// is judged then. Constant data; any thread.
#pragma once

#include <memory>

#include "topology/pod_affinity.h"

namespace gangplan {

inline const ProfileRef& Nobody() {
  static const auto& nobody = *new ProfileRef(std::make_shared<const PodProfile>());
  return nobody;
}

}  // namespace gangplan
