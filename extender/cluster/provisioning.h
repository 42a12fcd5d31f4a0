// Requests for nodes (ProvisioningRequests of autoscaling.x-k8s.io/v1): what one of ours asks for,
// and how it stands. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "topology/labels.h"
#include "topology/node_filter.h"
#include "topology/pod_affinity.h"
#include "topology/pod_facts.h"
#include "topology/resources.h"

namespace gangplan {

struct ProvisioningPods {
  int32_t count = 0;
  ResourceList requests;  // of each, as PodFacts has them
  NodeFilter filter;
  LabelSet labels;
  PodAffinity affinity;
  std::string ns;  // of these pods
};

// One request, and behind it a template for each of its pod sets, which it owns, so that they go
// with it.
struct ProvisioningWrite {
  std::string ns;
  std::string name;  // the templates have it, too, with a number behind it
  std::string uid;   // of one that is there, whose templates alone are written; empty: it is made
  std::string by;    // the scheduler whose Gangplan it is
  std::string gang;  // "namespace/name"
  std::optional<OwnerRef> owner;  // it goes with that; nothing: it has none
  std::string class_name;
  LabelSet parameters;
  std::vector<ProvisioningPods> pod_sets;
};

// Only while it is of this UID. Its templates go with it.
struct ProvisioningDelete {
  std::string ns;
  std::string name;
  std::string uid;
};

// As it stands.
struct ProvisioningFacts {
  struct Condition {
    bool is = false;
    absl::Time since = absl::InfinitePast();
    std::string message;  // cut
  };
  std::string ns;
  std::string name;
  std::string uid;
  std::string gang;  // whose it says that it is; empty: it says nothing
  bool going = false;
  absl::Time made = absl::InfiniteFuture();  // nobody has told: later than any
  Condition awaited;  // it is not provisioned yet: whoever is to answer it has tried in vain
  Condition provisioned;
  Condition failed;
  Condition expired;  // what was booked for it is booked no more
  Condition revoked;  // what it was given is gone
  LabelSet details;   // status.provisioningClassDetails, cut
};

}  // namespace gangplan
