// The objects of a manifest that make pods of gangs, by docs/workloads.md, and which pods their
// controllers would make of them. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/base/yaml_tree.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Pods that are made of one template.
struct PodPart {
  YamlNode pod;      // its metadata and spec
  std::string path;  // where it stands in its document; empty: it is the document
  int64_t count = 1;
  std::optional<OwnerRef> controller;
  std::string name;      // of the pods, before "-" and their index
  bool numbered = true;  // else the one pod has the name as it is
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<std::string, std::string>> annotations;
  std::vector<PodAffinityTerm> apart;  // beside those of the template; of the pods' own namespace
  std::string index_label;             // by which they are told apart; empty: by none
  int64_t first_index = 0;
};

struct Workload {
  std::string kind;                // of the object
  std::string counted_by;          // the field that says how many pods it makes, for people
  std::vector<OwnerFacts> owners;  // that are read for its pods
  std::vector<PodPart> parts;      // none: others make pods for it, or name it
};

// It makes pods, or is named by pods; a Job and a JobSet are, too.
bool IsWorkload(const YamlNode& document);
// For people: those that are.
std::string WorkloadKinds();

// Of an object that is a workload, but no Job and no JobSet: `document` has its namespace and UID.
// Errors begin with the key.
absl::StatusOr<Workload> WorkloadOf(const YamlNode& document);

}  // namespace gangplan
