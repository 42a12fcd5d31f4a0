// Jobs and other workloads as people write them, with the pods that their controllers would make of
// them, and the API server would complete. Pure but for the file; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/planner/admission.h"
#include "topology/pod_facts.h"

namespace gangplan {

// So many pods of one manifest are made, and no more.
inline constexpr int64_t kMaxManifestPods = 200'000;

struct Manifest {
  std::string of;                  // its first object that makes pods: "Job ml/train"
  std::vector<OwnerFacts> owners;  // that are read for its pods
  std::vector<PodFacts> pods;      // in the order of their pod sets and indices
  std::vector<size_t> firsts;      // of each template, the first of its pods
  std::vector<std::string> notes;  // what is not known of them, for people
  // Keys of labels and annotations, and where they stand: "job.yaml:7".
  std::vector<std::pair<std::string, std::string>> words;
};

// Which pods the API server would make of a template.
struct AdmissionRules {
  Admission rules;
  bool classes = false;  // all classes of priorities are known, so that another one is not there
};
// The workloads of a YAML or JSON text (docs/workloads.md), of which other objects are passed over.
// That they are suspended does not matter: these are the pods that come when they are not. Errors
// begin with `name`, the line and the key.
absl::StatusOr<Manifest> ReadManifest(std::string_view text, std::string_view name,
                                      std::string_view default_namespace,
                                      const AdmissionRules& admission);
// As people are told of it: "-" is the standard input.
std::string ManifestName(const std::string& path);
// Of this file, or of the standard input. Blocks on these.
absl::StatusOr<Manifest> ReadManifestFile(const std::string& path,
                                          std::string_view default_namespace,
                                          const AdmissionRules& admission);

}  // namespace gangplan
