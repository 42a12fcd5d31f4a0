// A Lease of the Kubernetes API (coordination.k8s.io/v1): who leads, and until when, as its holder
// has written it last. Pure data.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace gangplan {

struct LeaseFacts {
  std::string ns;
  std::string name;
  std::string holder;  // empty: nobody
  absl::Time renewed = absl::InfinitePast();
  absl::Duration lasts = absl::ZeroDuration();  // from then on

  friend bool operator==(const LeaseFacts&, const LeaseFacts&) = default;
};

}  // namespace gangplan
