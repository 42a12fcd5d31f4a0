// What Gangplan needs of Kueue's objects: of a Workload the quota that it has and where its
// admission checks stand, of an AdmissionCheck who runs it. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Who runs the checks that are ours: spec.controllerName of an AdmissionCheck.
inline constexpr std::string_view kRoomController = "gangplan.io/room";

enum class CheckState : uint8_t { kPending, kReady, kRetry, kRejected };

struct WorkloadFacts {
  // Of its admission: what it has quota for.
  struct PodSet {
    std::string name;
    int64_t count = 0;
    std::vector<std::string> flavors;  // by name, each once
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
    std::vector<Update> updates;
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
  std::vector<PodSet> pod_sets;
  std::vector<Check> checks;
  friend bool operator==(const WorkloadFacts&, const WorkloadFacts&) = default;
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
