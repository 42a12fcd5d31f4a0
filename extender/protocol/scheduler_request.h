// The four requests of kube-scheduler's extender protocol (k8s.io/kube-scheduler/extender/v1), as
// values. Keys are matched in any case, the last duplicate wins, unknown keys are skipped; a list
// that is null and a list that is absent are the same. When a request has both forms of a list, the
// names, or the UIDs, count. Decoders are pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/pod_facts.h"

namespace gangplan {

// The offered nodes of filter and prioritize. With nodeCacheCapable: names only. Without: whole
// Node objects, of which the name and the very bytes are kept (for the echo), never the facts.
// Names are unique: of duplicates the first is kept.
struct OfferedNodes {
  bool full_objects = false;
  std::vector<std::string_view> names;          // into the request's body
  std::vector<std::string_view> items;          // full_objects: the bytes of each Node object
  std::shared_ptr<const std::string> original;  // full_objects: what `items` points into
};

// Views point into the body given to the decoder: it must outlive the request.
struct FilterRequest {
  PodFacts pod;
  std::optional<OfferedNodes> nodes;  // none: both lists were null
};

struct BindRequest {
  std::string pod_name;
  std::string pod_namespace;
  std::string pod_uid;
  std::string node;
};

struct PreemptNode {
  std::string node;
  std::vector<std::string> victim_uids;  // in the order given
  int64_t pdb_violations = 0;
};
struct PreemptRequest {
  PodFacts pod;
  std::vector<PreemptNode> nodes;  // from either form of victims, ordered by node name
};

// `body` is parsed in situ and changed. InvalidArgument names the place (a path such as
// "Pod.spec.containers[0].resources.requests.cpu") and what was expected.
absl::StatusOr<FilterRequest> DecodeFilterRequest(std::string& body);  // also prioritize
absl::StatusOr<BindRequest> DecodeBindRequest(std::string& body);
absl::StatusOr<PreemptRequest> DecodePreemptRequest(std::string& body);

}  // namespace gangplan
