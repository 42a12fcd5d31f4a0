// One case of placing pods on a topology, as kueue/README.md describes it: the cluster, what is in
// use, the pod sets and their topology words. Plain data. Reading sorts label sets and resource
// lists as their types ask; every other order is the file's. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "algorithms/request.h"
#include "rapidjson/document.h"
#include "tests/conformance/assignment.h"
#include "topology/node_facts.h"
#include "topology/node_filter.h"

namespace gangplan::conformance {

// In the order of TasProfile.
inline constexpr std::array<std::string_view, 4> kProfileNames = {
    "mixed", "best_fit", "most_free_capacity", "least_free_capacity"};

struct PlacementOptions {
  TasProfile profile = TasProfile::kMixed;
  bool balanced_placement = false;
  bool preferred_node_affinity = false;
  bool elastic_delta = false;  // keep the previous assignment and place the difference
  bool keep_assignment_for_single_pod_owner = true;
};

// A pod that is not placed by topology.
struct RunningPod {
  std::string name;
  std::string node;  // empty: on none
  std::string phase;
  ResourceList requests;
};

// What placed groups hold of one lowest-level domain in all, `pods` included.
struct UsedDomain {
  std::vector<std::string> domain;  // one value a level
  ResourceList requests;
};

struct SliceLayer {
  std::string level;
  std::optional<int64_t> size;  // none: the request lacks it
};

struct TopologyWords {
  std::optional<std::string> required;
  std::optional<std::string> preferred;
  bool unconstrained = false;
  std::vector<SliceLayer> slices;  // outermost first
};

struct WeightedTerm {
  int64_t weight = 0;
  NodeSelectorTerm term;
};

struct CasePodSet {
  std::string name;
  int64_t count = 0;
  ResourceList requests;                  // of one pod, without `pods`
  std::optional<TopologyWords> topology;  // none: no topology words at all
  std::string group;                      // empty: alone
  NodeFilter filter;                      // of the pod itself, without the flavor's tolerations
  std::vector<WeightedTerm> preferred_terms;
  std::optional<Assignment> previous_assignment;
};

struct AdmittedPodSet {
  std::string pod_set;
  int64_t count = 0;
  Assignment assignment;
};

// The pod sets are to be repaired, not placed afresh.
struct Replacement {
  std::vector<std::string> unhealthy_nodes;
  std::vector<AdmittedPodSet> admitted;
  bool owned_by_single_pod = false;
};

struct PlacementCase {
  std::string id;
  PlacementOptions options;
  std::vector<std::string> levels;  // node label keys, coarsest first
  LabelSet node_filter_labels;
  std::vector<Toleration> flavor_tolerations;
  std::vector<NodeFacts> nodes;
  std::vector<RunningPod> running_pods;
  std::vector<UsedDomain> used;
  std::vector<CasePodSet> pod_sets;
  std::optional<Replacement> replacement;
};

// Fails with the place in the case and what was expected there.
absl::StatusOr<PlacementCase> ReadPlacementCase(const rapidjson::Value& json);

// One line that ReadPlacementCase reads as the same case.
std::string ToJson(const PlacementCase& placement_case);

}  // namespace gangplan::conformance
