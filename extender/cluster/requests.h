// What is asked of the cluster, and what came of it. The planner's effects and the Cluster take the
// same values, so that nothing is translated on the way. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "topology/labels.h"
#include "topology/node_filter.h"
#include "topology/pod_facts.h"
#include "topology/pod_group_facts.h"
#include "topology/workload_facts.h"

namespace gangplan {

// One Binding to be written, with annotations and labels that land on the pod in the same write.
struct BindingWrite {
  PodRef pod;
  std::string node;
  LabelSet annotations;
  absl::Time not_after;  // never written once this moment has passed
  // As annotations do, they replace what the pod has under these keys; Kubernetes before 1.35
  // leaves them out, and says nothing.
  LabelSet labels = {};
  // The asker's number of this write; it comes back with what became of it.
  int64_t attempt = 0;
};

// A read of what became of a Binding whose outcome was kUnknown.
struct BindingRead {
  PodRef pod;
  std::string node;
  int64_t attempt = 0;  // of the write in doubt
};

enum class BindOutcome {
  kBound,       // proved by a 201, or by a read that shows this pod on this node
  kElsewhere,   // the pod is bound to another node (named in the message)
  kGone,        // the pod does not exist, has another UID, or is being deleted
  kRefused,     // the API server said no; nothing was written
  kNotWritten,  // too late, or stopping; nothing was sent
  kUnknown,     // sent, and no read could tell what became of it
};
struct BindResult {
  BindOutcome outcome = BindOutcome::kUnknown;
  std::string message;
};

// Point the scheduler to the pod's planned node (status.nominatedNodeName), and wake the pod by it;
// to none when `node` is empty.
struct Nomination {
  PodRef pod;
  std::string node;
};

struct OwnerRead {
  std::string ns;
  OwnerRef owner;
};

struct ConfigMapRef {
  std::string ns;
  std::string name;
  std::string uid;
};
// Changes the data of a ConfigMap, the labels of a pod; what the patch does not name stays as it
// is, whoever wrote it.
struct DataWrite {
  ConfigMapRef object;
  LabelPatch data;
};
struct LabelsWrite {
  PodRef pod;
  LabelPatch labels;
};

// Has the status of a PodGroup of coscheduling say how many of its pods there are, as its own
// controller would; where anybody else writes it, nothing is written.
struct PodGroupWrite {
  std::string ns;
  std::string name;
  PodGroupCounts counts;
};

// What a template is to have of required node affinity, in place of what it has; empty: none.
struct TemplateTerms {
  std::string name;  // of a replicated Job, whose Jobs' templates are meant; empty: a Job's own
  int64_t jobs = 0;  // so many Jobs must be there, suspended; 0: those that are
  std::vector<NodeSelectorTerm> required;
};

// Says in admission checks of Kueue's where the owner stands. Only ever of the version that was
// seen; a Retry of one that was Ready of whatever version that is still so.
struct CheckWrite {
  std::string workload;
  std::string uid;  // of that
  std::vector<std::string> names;
  CheckState state = CheckState::kPending;
  std::string message;
  std::vector<WorkloadFacts::Update> updates = {};  // of one that is Ready
  // Others of ours, which stay as they are: what is not applied once more would be taken away.
  std::vector<WorkloadFacts::Check> standing = {};
};

// Starts a Job or a JobSet that is suspended, or suspends one: in one write of it, and only while
// it is still of this version. One to suspend of any version is read first: never is one that
// somebody else has suspended marked as ours. The Jobs of a JobSet are written before.
struct JobWrite {
  std::string ns;
  OwnerRef job;
  std::string resource_version = {};  // empty: of any
  bool suspend = false;
  // Of a suspension: it is somebody else's run that ends. Refused where another controller would
  // undo it.
  bool evicts = false;
  LabelPatch labels = {};
  LabelPatch annotations = {};
  std::vector<TemplateTerms> templates = {};  // those that are not named stay as they are
  // Not the owner is written, but these; the version is their Workload's.
  std::optional<CheckWrite> check = {};
  // The asker's number of this write; it comes back with what became of it.
  int64_t attempt = 0;
};

// Takes the gates that are ours from a pod, and gives it its nodes in the same write, and only
// while the pod is still of this version.
struct PodRelease {
  PodRef pod;
  std::string resource_version = {};  // empty: of any
  bool kueue = false;                 // Kueue's topology gate goes, too
  // Its managedFields go: who has written which field, which nobody asks of such a pod.
  bool disown = false;
  LabelSet annotations = {};  // that it gets
  // Of its required node affinity; the terms that it has already may only grow. Empty: none is
  // written.
  std::vector<NodeSelectorTerm> required_terms = {};
  // The asker's number of this write; it comes back with what became of it.
  int64_t attempt = 0;
};

// Deletes a pod, so that its controller makes another one, and only while it is still of this
// version. The pod is marked as disrupted, not as failed by itself.
struct PodDelete {
  enum class How {
    kEvict,
    kTry,    // asks whether it would be evicted; nothing is done
    kForce,  // also where a disruption budget refuses it; it is marked as nothing
  };
  PodRef pod;
  std::string resource_version = {};  // likewise
  int64_t attempt = 0;                // likewise
  How how = How::kEvict;
  // Of a kTry: the UIDs of all that are to go, of this one's namespace. It is refused where some
  // disruption budget allows each of them to go, and not all, and tells which are kept
  // (kept_by_budget.h). Empty: that is not asked.
  std::vector<std::string> together = {};
};

// Annotates a pod.
struct PodMark {
  PodRef pod;
  LabelPatch annotations;
  int64_t attempt = 0;  // likewise
};

// One Kubernetes Event on a pod's owner (or on the pod when it has none).
struct EventNote {
  std::string ns;
  OwnerRef regarding;  // without a name: the pod that we run in, in whatever namespace that is
  bool warning = false;
  std::string reason;  // CamelCase
  std::string action;
  std::string note;  // cut to 1 kB
};
// The action of Events about where a group goes, or why it waits.
inline constexpr char kPlanAction[] = "Plan";

}  // namespace gangplan
