// A Job or a JobSet as people write it, with the pods that its controller would make of it, and the
// API server would complete. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/planner/admission.h"
#include "topology/pod_facts.h"

namespace gangplan {

// So many pods of one manifest are made, and no more.
inline constexpr int64_t kMaxManifestPods = 200'000;

struct Manifest {
  std::vector<OwnerFacts> owners;  // itself
  std::vector<PodFacts> pods;      // in the order of their pod sets and indices
  std::vector<size_t> firsts;      // of each template, the first of its pods
  std::vector<std::string> notes;  // what is not known of them, for people
};

// Which pods the API server would make of a template.
struct AdmissionRules {
  Admission rules;
  bool classes = false;  // all classes of priorities are known, so that another one is not there
};
// The one Job or JobSet of a YAML or JSON text, of which other objects are passed over. That it is
// suspended does not matter: these are the pods that come when it is not. Errors begin with `name`.
absl::StatusOr<Manifest> ReadManifest(std::string_view text, std::string_view name,
                                      std::string_view default_namespace,
                                      const AdmissionRules& admission);

}  // namespace gangplan
