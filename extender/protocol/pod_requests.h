// What a pod takes of a node: the standard request of Kubernetes. Containers add up; an init
// container needs its own request beside the sidecars that were started before it; the larger of
// the two counts; a request for the whole pod replaces the sum for what it names; overhead comes on
// top; and one of `pods`. A limit without a request is a request. While a pod is resized in place,
// the largest of wanted, allocated and actual counts (only the latter two when the resize is
// refused). A port of the node that a container or a sidecar listens on is an implied resource.
// Internal to this room. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "topology/resources.h"

namespace gangplan {

inline constexpr std::string_view kPodsResource = "pods";  // each pod takes one

// Amounts as written: not sorted, names may repeat (the last one counts).
using AmountDraft = ResourceList;
// Reads a quantity of the resource `name`, rounded up (what is asked for) or down (what there is).
// One that cannot be read is asked for in the largest amount, and offered in none.
absl::Status AddRequested(AmountDraft& amounts, std::string_view name, std::string_view quantity);
absl::Status AddOffered(AmountDraft& amounts, std::string_view name, std::string_view quantity);
// Sorted by name; of equal names the last one.
ResourceList TakeAmounts(AmountDraft& written);

bool Names(const AmountDraft& amounts, std::string_view name);

struct ResourcesDraft {
  AmountDraft requests;
  AmountDraft limits;
};

struct PortDraft {
  int32_t container_port = 0;
  int32_t host_port = 0;  // 0: none
  std::string_view protocol = "TCP";
  std::string_view host_ip;  // empty or 0.0.0.0: every address
};

struct ContainerDraft {
  std::string_view name;
  std::string_view restart_policy;  // Always: a sidecar, among init containers
  ResourcesDraft resources;
  std::vector<PortDraft> ports;
};

struct ContainerStatusDraft {
  std::string_view name;
  AmountDraft allocated;
  ResourcesDraft actual;
};

struct PodRequestsDraft {
  std::vector<ContainerDraft> containers;
  std::vector<ContainerDraft> init_containers;
  std::vector<ContainerStatusDraft> statuses;       // of containers
  std::vector<ContainerStatusDraft> init_statuses;  // of init containers
  ResourcesDraft pod_level;
  ContainerStatusDraft pod_status;  // of the pod level
  AmountDraft overhead;
  bool host_network = false;
  bool resize_refused = false;  // PodResizePending, reason Infeasible
};

// Without entries of zero. `fault` tells of a sum that does not fit in 64 bits, which stops at its
// end, and of more than kMaxPodResources resources and ports of the node.
ResourceList PodRequests(PodRequestsDraft& draft, absl::Status& fault);

}  // namespace gangplan
