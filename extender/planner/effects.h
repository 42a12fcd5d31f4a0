// What the planner wants done outside: values, in the order in which they arose. The planner itself
// does no I/O; the service carries effects out after it has let the lock go, and reports back.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

// One bind call of the scheduler that waits for its answer.
using CallId = int64_t;

struct PodName {
  std::string ns;
  std::string name;
  std::string uid;
};

// Write a Binding; the outcome comes back by Planner::OnBindResult.
struct PostBinding {
  PodName pod;
  std::string node;
  LabelSet annotations;
  absl::Time not_after;
  LabelSet labels = {};
};
// A Binding's outcome is unknown: read the pod until it tells. Comes back the same way.
struct ProveBinding {
  PodName pod;
  std::string node;
};
// Answer a bind call; empty error: bound.
struct AnswerCall {
  CallId call = 0;
  std::string error;
};
// Every member is in bind: look which calls have lost their peer, then Planner::Commit.
struct CommitReady {
  int64_t group = 0;
};
// Point the scheduler to the pod's planned node, and wake the pod.
struct NominatePod {
  PodName pod;
  std::string node;
};
struct ReadOwner {
  std::string ns;
  OwnerRef owner;
};
// Change the data of the ConfigMap that describes a group. Comes back as OnResultsWritten.
struct WriteResults {
  int64_t group = 0;
  std::string ns;
  std::string name;
  std::string uid;
  LabelPatch data;
};
// Change a member's labels. Comes back likewise.
struct WriteMemberLabels {
  int64_t group = 0;
  PodName pod;
  LabelPatch labels;
};
struct TellOwner {
  std::string ns;
  OwnerRef regarding;
  bool warning = false;
  std::string reason;
  std::string note;
};

using Effect = std::variant<PostBinding, ProveBinding, AnswerCall, CommitReady, NominatePod,
                            ReadOwner, WriteResults, WriteMemberLabels, TellOwner>;
using Effects = std::vector<Effect>;

// What became of a Binding (see the cluster's BindOutcome; these are the planner's own words).
enum class Settled { kBound, kElsewhere, kGone, kNotBound, kUnknown };

}  // namespace gangplan
