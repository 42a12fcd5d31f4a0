// What Gangplan needs of Kueue's objects: of a Workload the quota that it has, where its admission
// checks stand, and where Kueue itself has placed its pods; of an AdmissionCheck who runs it. Pure
// data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Who runs the checks that are ours: spec.controllerName of an AdmissionCheck.
inline constexpr std::string_view kRoomController = "gangplan.io/room";

enum class CheckState : uint8_t { kPending, kReady, kRetry, kRejected };

struct WorkloadFacts {
  // So many pods on the nodes that have these values of the labels of the levels.
  struct Domain {
    std::vector<std::string> values;
    int32_t count = 0;
    friend bool operator==(const Domain&, const Domain&) = default;
  };
  // Where Kueue's topology has placed a pod set. Where the last level is kHostnameLabel there is
  // no other one.
  struct Placement {
    std::vector<std::string> levels;  // labels of nodes, the coarsest first
    std::vector<Domain> domains;      // by their values, each once
    friend bool operator==(const Placement&, const Placement&) = default;
  };
  // Of its admission: what it has quota for.
  struct PodSet {
    std::string name;
    int64_t count = 0;
    std::vector<std::string> flavors;  // by name, each once
    std::optional<Placement> placement = {};
    // Of a placed one: what each of its pods takes; how many of them need nothing any more; who
    // schedules its pods, and the labels and annotations of its template.
    ResourceList each = {};
    // Pods that the set has, those that have succeeded, too; 0: not told, or fewer may be admitted.
    int64_t all = 0;
    int64_t reclaimable = 0;
    PodFacts pod = {};
    friend bool operator==(const PodSet&, const PodSet&) = default;
  };
  // What a check adds to the pods of one of them.
  struct Update {
    std::string pod_set;
    LabelSet node_selector;
    std::vector<Toleration> tolerations = {};
    friend bool operator==(const Update&, const Update&) = default;
  };
  struct Check {
    std::string name;
    CheckState state = CheckState::kPending;
    std::string message;
    std::vector<Update> updates = {};
    friend bool operator==(const Check&, const Check&) = default;
  };

  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  // Whose pods it is about: its controller, or the first one where none controls it. Nothing: it
  // has none yet.
  std::optional<OwnerRef> owner;
  // Quota is reserved for it, and it is neither finished nor about to lose that.
  bool quota = false;
  int64_t quota_since = 0;  // Unix seconds; 0: not told
  bool admitted = false;    // its checks have been passed, too
  std::vector<PodSet> pod_sets;
  std::string unplaced;  // for people, why a place that Kueue has given is not told; else empty
  std::vector<Check> checks;
  friend bool operator==(const WorkloadFacts&, const WorkloadFacts&) = default;

  // As if it had placed none.
  void Unplace() {
    for (PodSet& set : pod_sets) set = {std::move(set.name), set.count, std::move(set.flavors)};
  }
  // Kueue itself has placed some of its pods.
  bool placed() const {
    return std::any_of(pod_sets.begin(), pod_sets.end(),
                       [](const PodSet& set) { return set.placement.has_value(); });
  }
};

struct AdmissionCheckFacts {
  std::string name;
  std::string uid;
  std::string controller;
  bool parameters = false;  // it names some
  // What its condition Active says; nothing: there is none yet.
  std::optional<bool> active;
  friend bool operator==(const AdmissionCheckFacts&, const AdmissionCheckFacts&) = default;

  bool IsOurs() const { return controller == kRoomController; }
  // Ours reads none.
  bool MayBeActive() const { return !parameters; }
};

}  // namespace gangplan
