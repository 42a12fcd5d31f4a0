// A Node, a Pod, a Topology of Kueue or a ConfigMap while it is read: all kinds at once, since an
// object may tell its kind last. Plain data, filled in through the shapes of object_shapes.h;
// string_views point into the text that is being read. Internal to this room. Not shared between
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "extender/protocol/config_map.h"
#include "extender/protocol/pod_requests.h"
#include "topology/labels.h"
#include "topology/lease_facts.h"
#include "topology/node_facts.h"
#include "topology/node_filter.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

// Where an object is that does not say it.
inline constexpr std::string_view kDefaultNamespace = "default";

struct OwnerDraft {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool controller = false;
};

struct MetadataDraft {
  std::string name;
  std::string ns;
  std::string uid;
  std::string resource_version;
  std::string continue_token;  // of a list
  LabelSet labels;             // as written: not sorted, keys may repeat
  LabelSet annotations;        // the kept ones, as written
  std::vector<OwnerDraft> owners;
  bool terminating = false;
  bool applied = false;  // of one of managedFields the operation is Apply
  int64_t created = 0;   // Unix seconds; 0: not told
};

struct ConditionDraft {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view since;  // lastTransitionTime
  std::string_view message;
};

struct TaintDraft {
  std::string_view key;
  std::string_view value;
  std::optional<TaintEffect> effect;
};

struct RequirementDraft {
  std::string key;
  std::optional<SelectorOperator> op;
  std::vector<std::string> values;
};

struct SelectorTermDraft {
  std::vector<RequirementDraft> labels;
  std::vector<RequirementDraft> fields;
};

struct PreferredTermDraft {
  SelectorTermDraft term;
  int64_t weight = 0;  // 0: missing
};

struct LabelSelectorDraft {
  bool given = false;  // also as {}
  LabelSet match_labels = {};
  std::vector<RequirementDraft> requirements = {};
};

struct PodTermDraft {
  std::string topology_key;
  LabelSelectorDraft pods;
  std::vector<std::string> namespaces;
  LabelSelectorDraft namespace_labels;
  std::vector<std::string> match_keys;     // of labels: the same value as the pod's own
  std::vector<std::string> mismatch_keys;  // likewise, another one
};

struct PodTermsDraft {
  std::vector<PodTermDraft> terms;
  bool unread = false;  // something in them is wrong or beyond a limit
};

struct GateDraft {
  std::string_view name;
};

struct TopologyLevelDraft {
  std::string label;
};

// Of a LimitRange.
struct LimitDraft {
  std::string_view type;
  AmountDraft default_requests;
};

struct ObjectDraft {
  absl::Status fault;  // the first thing that was wrong in its text; what was right stands here
  std::string_view api_version;
  std::string_view kind;
  MetadataDraft metadata;
  std::vector<ConditionDraft> conditions;
  // Node
  std::vector<TaintDraft> taints;
  bool unschedulable = false;
  AmountDraft allocatable;
  // Pod
  std::string_view phase;
  std::string scheduler_name;
  std::string scheduling_group;
  std::string_view hostname;
  std::string_view subdomain;
  std::string node_name;
  std::string nominated_node_name;
  int32_t priority = 0;
  std::string_view priority_class;
  std::string_view preemption_policy;
  int64_t deadline_seconds = 0;  // 0: none
  int64_t grace_seconds = 30;
  std::string_view start_time;
  std::string_view runtime_class;
  std::vector<GateDraft> gates;
  LabelSet node_selector;
  std::optional<std::vector<SelectorTermDraft>> required_terms;
  std::vector<PreferredTermDraft> preferred_terms;
  PodTermsDraft near;
  PodTermsDraft apart;
  // Of a template: labels that its pods get from their maker, beside others that it does not know.
  std::optional<LabelSet> made_with;
  std::vector<Toleration> tolerations;
  PodRequestsDraft requests;
  bool host_network = false;
  // Topology
  std::vector<TopologyLevelDraft> levels;
  // ConfigMap
  LabelSet data;  // as written
  // LimitRange, RuntimeClass and ResourceFlavor (whose nodes are those of a pod above),
  // PriorityClass
  std::vector<LimitDraft> limits;
  AmountDraft class_overhead;
  int32_t value = 0;
  bool global_default = false;
  // Lease
  std::string_view holder;
  std::string_view renew_time;
  int32_t lease_seconds = 0;
  // Status, the object of a watch's error: there `status` is a text.
  std::string_view status_text;
  std::string_view message;
  int32_t code = 0;
};

// Sorted by key; of equal keys the last one.
LabelSet TakeLabels(LabelSet& written);
// Its requirements, matchLabels first. REQUIRES: each was checked.
std::vector<SelectorRequirement> TakeSelector(LabelSelectorDraft& draft);
// "namespace/name", or the name alone; empty when there is none.
std::string FullName(const MetadataDraft& metadata);
// A time that was told; longer than anybody waits is as long as kMaxRunSeconds.
int64_t InSeconds(int64_t told);
OwnerRef RefOf(const OwnerDraft& owner);
// The owner with controller: true.
std::optional<OwnerRef> Controller(const MetadataDraft& metadata);

// The facts, taken out of a draft without a fault. An error when it is of another kind, or when
// something is missing or wrong that only shows when all of it is read.
absl::StatusOr<NodeFacts> TakeNode(ObjectDraft& draft);
// Likewise of a draft with one. An error, which leaves the draft as it is, when it does not even
// tell which pod it is; whatever else is wrong is told in the facts.
absl::StatusOr<PodFacts> TakePod(ObjectDraft& draft);
// Likewise of one that has a name, or of a template with its maker's.
PodFacts TakeNamedPod(ObjectDraft& draft);
// Kueue's, and not another group's of this kind.
bool IsKueueTopology(const ObjectDraft& draft);
// The levels as the object has them; see kueue_topology.h.
absl::StatusOr<Topology> TakeTopology(ObjectDraft& draft);
absl::StatusOr<ConfigMapFacts> TakeConfigMap(ObjectDraft& draft);
absl::StatusOr<LeaseFacts> TakeLease(ObjectDraft& draft);

}  // namespace gangplan
