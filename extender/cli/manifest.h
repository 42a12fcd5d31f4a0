// A Job or a JobSet as people write it, with the pods that its controller would make. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/pod_facts.h"

namespace gangplan {

// So many pods of one manifest are made, and no more.
inline constexpr int64_t kMaxManifestPods = 200'000;

struct Manifest {
  std::vector<OwnerFacts> owners;  // itself
  std::vector<PodFacts> pods;      // in the order of their pod sets and indices
  std::vector<std::string> notes;  // what is not known of them, for people
};

// The one Job or JobSet of a YAML or JSON text, of which other objects are passed over. That it is
// suspended does not matter: these are the pods that come when it is not. Errors begin with `name`.
absl::StatusOr<Manifest> ReadManifest(std::string_view text, std::string_view name,
                                      std::string_view default_namespace);

}  // namespace gangplan
