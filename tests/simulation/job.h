// One Job of the fake cluster: what its user wants, and how far it is. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/simulation/in_tree_rules.h"
#include "tests/support/planner_world.h"

namespace gangplan::simulation {

// What will never be allowed to one of its members, whoever asks.
enum class Refusal { kNone, kByScheduler, kByApiServer };

// Where there are two topologies: the nodes with the net label are of one, all others of the other.
inline constexpr std::string_view kRacks = "racks", kRings = "rings";

struct Job {
  std::string ns = "team";
  JobSpec spec;             // spec.size: pods that run together
  int32_t completions = 0;  // pods that must succeed; above spec.size: one after the other
  int32_t least = 0;        // so many start together, and others join them; 0: all of them
  int32_t fits = 0;         // members that the empty cluster has room for
  int hard_level = -1;      // 0 block, 1 rack: all in one of these
  std::string constraints;  // not empty: a ConfigMap of Sakkara's users describes it, with these
  InTreeTraits traits;
  std::string topology;     // to whose nodes it goes; empty: there is one
  std::string reservation;  // that it asks for; empty: none
  std::string meant_place;  // not empty: spec.place is wrong, and this was meant
  Refusal refusal = Refusal::kNone;
  int refused_index = 0;
  bool waits = false;         // it is made suspended, and marked for Gangplan to start it
  bool ready = false;         // of a JobSet: all its Jobs are there, and suspended
  bool stopped = true;        // its controller has seen that it is suspended
  bool gated = false;         // its pods are made with our gate
  bool late = false;          // a StatefulSet makes them: the next one when the last one is gone
  bool ordered = false;       // the next pod is made when the last one is bound
  int run = 1;                // how often the same work was started
  bool remade = false;        // deleted by its user, who made it again
  bool keeps_pods = false;    // its pods stay when it is done
  bool was_feasible = false;  // before it was scaled
  bool disturbed = false;     // a pod or a slot of it was taken away: ranks may be out of order
  absl::Duration run_for;
  absl::Duration pod_every;  // how slowly its pods are made

  struct Index {
    std::string pod;         // UID; empty: none now
    int lives = 0;           // pods that it had
    bool succeeded = false;  // so its pod may be gone
    bool ending = false;     // its pod will succeed in a moment
  };
  std::vector<Index> indices;  // at least as many as completions
  absl::Time all_bound_since = absl::InfiniteFuture();
  absl::Time next_pod = absl::InfinitePast();
  std::optional<absl::Time> held_since;  // by its user
  bool done = false;                     // its pods are deleted, none is made any more

  bool feasible() const { return spec.size <= fits && refusal == Refusal::kNone; }
  // All run together and end together.
  bool together() const { return completions == spec.size && least == 0; }
  // So many start together, where so many are left.
  int32_t starts_with() const { return least == 0 ? spec.size : std::min(least, spec.size); }
  bool HasSucceeded() const;
  // As Kueue does: what fits by another order may be missed while something stands.
  bool OneSetAfterTheOther() const { return spec.leader_gpus > 0; }
};

// As of spec, in its namespace.
PodFacts PodOf(const Job& job, int index, int life = 0);
// Whether it is held, as it stands on the Job and on its pods.
void SayHeld(const Job& job, LabelSet& annotations);
// The node is of its topology.
bool IsHome(const Job& job, const NodeFacts& node);
// As the planner names its group.
std::string GroupName(const Job& job);

}  // namespace gangplan::simulation
