// What planning needs of an owner, a Job or a JobSet, that waits, suspended, until Gangplan starts
// it. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/pod_facts.h"
#include "topology/workload_facts.h"

namespace gangplan {

// What of a template the API server completes when it makes a pod of it (admission_rule.h).
struct TemplateNeeds {
  struct InitContainer {
    bool sidecar = false;
    ResourceList requests;  // a limit without a request is one
    friend bool operator==(const InitContainer&, const InitContainer&) = default;
  };
  std::vector<InitContainer> init_containers;  // in their order
  std::vector<ResourceList> containers;        // likewise, what each asks for
  ResourceList pod_level;                      // of the whole pod, in place of the sums
  ResourceList overhead;
  std::string runtime_class;   // empty: none is named
  std::string priority_class;  // likewise
  friend bool operator==(const TemplateNeeds&, const TemplateNeeds&) = default;
};

// A Workload of Kueue's has quota for the owner, and its admission checks of ours have to say that
// there is room: these are written, and the owner is left to Kueue.
struct RoomCheck {
  enum class State : uint8_t {
    kNone,   // it has no quota, no check of ours, or others have to say something first
    kWaits,  // for us
    kReady,  // we have said that there is room
    kLost,   // that there is none: it loses its quota
  };
  // Of each of the owner's templates.
  struct PodSet {
    std::string name;  // in the Workload
    std::vector<std::string> flavors;
    LabelSet node_selector;                    // that the checks add; ours, too
    std::vector<Toleration> tolerations = {};  // likewise
    friend bool operator==(const PodSet&, const PodSet&) = default;
  };

  State state = State::kNone;
  std::string workload;  // its name
  std::string uid;
  std::vector<std::string> names;  // of the checks; while one waits, of those that are not Ready
  std::string message;             // of the first of them, as it stands
  std::vector<PodSet> pod_sets;
  // Why nothing is planned of the Workload, which stands in place of an owner then; empty: it is.
  std::string unplanned = {};
  int64_t quota_since = 0;                          // Unix seconds; 0: not told
  std::vector<WorkloadFacts::Check> standing = {};  // the others of ours
  friend bool operator==(const RoomCheck&, const RoomCheck&) = default;
};

struct JobFacts {
  OwnerFacts owner;              // as its pods would have it
  std::string resource_version;  // of this state of it
  bool suspended = false;
  int64_t suspended_since = 0;  // Unix seconds, as its controller tells; 0: not told
  bool terminating = false;
  bool finished = false;  // it makes no pods any more
  // It may be started: a JobSet when its Jobs are all there, and suspended.
  bool ready = true;
  // Its controller has seen that it is suspended, and no pod of its last run is left: one that is
  // resumed earlier would keep them. Without a last run as well.
  bool stopped = true;
  // Who would start it again if somebody suspended it, for people: its controller, or Kueue. Empty:
  // nobody.
  std::string managed_by;
  // Of a JobSet: some of its Jobs have ended.
  bool begun = false;
  // For each template one pod that it would make now: of a Job one, of a JobSet one for each of
  // owner.pod_sets. Its name is the owner's, it has no UID and no index, and nothing that admission
  // adds. Its fault: the template cannot be read.
  std::vector<PodFacts> pods;
  std::vector<TemplateNeeds> needs;  // of each of them
  // It waits for a check of ours, and has no mark. Its resource_version is the Workload's.
  std::optional<RoomCheck> check = {};

  bool MayStart() const { return ready && stopped; }
  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

}  // namespace gangplan
