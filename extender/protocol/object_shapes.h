// The shapes of Kubernetes objects, as far as facts need them: Pod, Node, Kueue's Topology,
// ConfigMap, and the Status of a watch in one. Constant data. Internal to this room.
#pragma once

#include <limits>

#include "extender/protocol/json_shape.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_draft.h"
#include "extender/protocol/object_steps.h"
#include "topology/quantity.h"
#include "topology/tree.h"

namespace gangplan::object_shapes {

using namespace gangplan::json;          // NOLINT: the makers are the language of this file
using namespace gangplan::object_steps;  // NOLINT: and these its verbs

inline constexpr int64_t kInt32Least = std::numeric_limits<int32_t>::min();
inline constexpr int64_t kMostWeight = 100;
inline constexpr int64_t kInt32Most = std::numeric_limits<int32_t>::max();
inline constexpr int64_t kInt64Least = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kInt64Most = std::numeric_limits<int64_t>::max();

// --- metadata
inline constexpr JsonField kOwnerFields[] = {
    {"apiVersion", Text<&OwnerDraft::api_version>(kMaxNameBytes)},
    {"kind", Text<&OwnerDraft::kind>(kMaxNameBytes)},
    {"name", Text<&OwnerDraft::name>(kMaxNameBytes)},
    {"uid", Text<&OwnerDraft::uid>(kMaxUidBytes)},
    {"controller", Boolean<&OwnerDraft::controller>()},
};
inline constexpr JsonShape kOwner = Appended<std::vector<OwnerDraft>>(Object(kOwnerFields));
inline constexpr JsonShape kLabel = MapTextFor<&KeepLabel>(kMaxValueBytes);
inline constexpr JsonShape kAnnotation = MapTextFor<&KeepAnnotation>(kMaxObjectBytes);
inline constexpr JsonField kManagerFields[] = {
    {"operation", TextFor<&NoteManager>(kMaxNameBytes)},
};
inline constexpr JsonShape kManager = Object(kManagerFields);
inline constexpr JsonField kMetadataFields[] = {
    {"name", Text<&MetadataDraft::name>(kMaxNameBytes)},
    {"namespace", Text<&MetadataDraft::ns>(kMaxNameBytes)},
    {"uid", Text<&MetadataDraft::uid>(kMaxUidBytes)},
    {"resourceVersion", Text<&MetadataDraft::resource_version>(kMaxNameBytes)},
    {"continue", Text<&MetadataDraft::continue_token>(kMaxMessageBytes)},
    {"labels", In<&MetadataDraft::labels>(Map(kLabel, kMaxLabels))},
    {"annotations", In<&MetadataDraft::annotations>(Map(kAnnotation, kMaxLabels))},
    {"ownerReferences", Anew<&MetadataDraft::owners>(Array(kOwner, kMaxOwners))},
    {"creationTimestamp", TextFor<&NoteCreation>(kMaxTokenBytes)},
    {"deletionTimestamp", TextFor<&NoteDeletion>(kMaxTokenBytes)},
    {"managedFields", Array(kManager, kMaxManagers)},
};

// --- resources
inline constexpr JsonShape kRequested = MapQuantityFor<&AddRequested>(kMaxQuantityLength);
inline constexpr JsonShape kRequestedMap = Map(kRequested, kMaxResources);
inline constexpr JsonShape kOffered = MapQuantityFor<&AddOffered>(kMaxQuantityLength);
inline constexpr JsonField kResourcesFields[] = {
    {"requests", In<&ResourcesDraft::requests>(kRequestedMap)},
    {"limits", In<&ResourcesDraft::limits>(kRequestedMap)},
};
inline constexpr JsonShape kResources = Object(kResourcesFields);

// --- containers
inline constexpr int64_t kMostPort = 65'535;
inline constexpr JsonField kPortFields[] = {
    {"containerPort", Integer<&PortDraft::container_port, 0, kMostPort>()},
    {"hostPort", Integer<&PortDraft::host_port, 0, kMostPort>()},
    {"protocol", TextFor<&SetProtocol>(kMaxTokenBytes)},
    {"hostIP", Text<&PortDraft::host_ip>(kMaxNameBytes)},
};
inline constexpr JsonShape kPort = Appended<std::vector<PortDraft>>(Object(kPortFields));
inline constexpr JsonField kContainerFields[] = {
    {"name", Text<&ContainerDraft::name>(kMaxNameBytes)},
    {"restartPolicy", Text<&ContainerDraft::restart_policy>(kMaxTokenBytes)},
    {"resources", In<&ContainerDraft::resources>(kResources)},
    {"ports", Anew<&ContainerDraft::ports>(Array(kPort, kMaxPorts))},
};
inline constexpr JsonShape kContainer =
    Appended<std::vector<ContainerDraft>>(Object(kContainerFields));
inline constexpr JsonShape kContainers = Array(kContainer, kMaxContainers);

inline constexpr JsonField kContainerStatusFields[] = {
    {"name", Text<&ContainerStatusDraft::name>(kMaxNameBytes)},
    {"allocatedResources", In<&ContainerStatusDraft::allocated>(kRequestedMap)},
    {"resources", In<&ContainerStatusDraft::actual>(kResources)},
};
inline constexpr JsonShape kContainerStatus =
    Appended<std::vector<ContainerStatusDraft>>(Object(kContainerStatusFields));
inline constexpr JsonShape kContainerStatuses = Array(kContainerStatus, kMaxContainers);

// --- what a pod says of nodes
inline constexpr JsonShape kRequirementValue = TextFor<&AddValue>(kMaxNameBytes);
inline constexpr JsonField kRequirementFields[] = {
    {"key", Text<&RequirementDraft::key>(kMaxKeyBytes)},
    {"operator",
     TextFor<static_cast<absl::Status (*)(RequirementDraft&, std::string_view)>(&SetOperator)>(
         kMaxTokenBytes)},
    {"values", Anew<&RequirementDraft::values>(Array(kRequirementValue, kMaxRequirementValues))},
};
inline constexpr JsonShape kRequirement =
    Appended<std::vector<RequirementDraft>>(Object(kRequirementFields));
inline constexpr JsonShape kLabelRequirement = Then<&CheckLabelRequirement>(kRequirement);
inline constexpr JsonShape kFieldRequirement = Then<&CheckFieldRequirement>(kRequirement);
inline constexpr JsonField kTermFields[] = {
    {"matchExpressions",
     Anew<&SelectorTermDraft::labels>(Array(kLabelRequirement, kMaxRequirements))},
    {"matchFields", Anew<&SelectorTermDraft::fields>(Array(kFieldRequirement, kMaxRequirements))},
};
inline constexpr JsonField kPreferredFields[] = {
    {"weight", Integer<&PreferredTermDraft::weight, 1, kMostWeight>()},
    {"preference", Anew<&PreferredTermDraft::term>(Object(kTermFields))},
};
inline constexpr JsonShape kPreferred =
    Then<&CheckPreferred>(Appended<std::vector<PreferredTermDraft>>(Object(kPreferredFields)));
inline constexpr JsonShape kTerm = Appended<std::vector<SelectorTermDraft>>(Object(kTermFields));
inline constexpr JsonField kRequiredFields[] = {
    {"nodeSelectorTerms", Array(kTerm, kMaxSelectorTerms)},
};
inline constexpr JsonField kNodeAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", At<&RequiredTerms>(Object(kRequiredFields))},
    {"preferredDuringSchedulingIgnoredDuringExecution",
     Anew<&ObjectDraft::preferred_terms>(Array(kPreferred, kMaxSelectorTerms))},
};

// --- ... and of other pods: required terms only; what is wrong in them is no error
inline constexpr JsonField kLabelSelectorFields[] = {
    {"matchLabels", In<&LabelSelectorDraft::match_labels>(Map(kLabel, kMaxLabels))},
    {"matchExpressions",
     Anew<&LabelSelectorDraft::requirements>(Array(kLabelRequirement, kMaxRequirements))},
};
inline constexpr JsonShape kLabelSelector = Object(kLabelSelectorFields);
inline constexpr JsonShape kLabelKey = TextFor<&AddValue>(kMaxKeyBytes);
inline constexpr JsonField kPodTermFields[] = {
    {"topologyKey", Text<&PodTermDraft::topology_key>(kMaxKeyBytes)},
    {"labelSelector", At<&PodsOf>(kLabelSelector)},
    {"namespaces",
     Anew<&PodTermDraft::namespaces>(Array(kRequirementValue, kMaxRequirementValues))},
    {"namespaceSelector", At<&NamespacesOf>(kLabelSelector)},
    {"matchLabelKeys", Anew<&PodTermDraft::match_keys>(Array(kLabelKey, kMaxRequirements))},
    {"mismatchLabelKeys", Anew<&PodTermDraft::mismatch_keys>(Array(kLabelKey, kMaxRequirements))},
};
inline constexpr JsonShape kPodTerm = Appended<std::vector<PodTermDraft>>(Object(kPodTermFields));
inline constexpr JsonShape kPodTerms = Array(kPodTerm, kMaxPodTerms);
inline constexpr JsonField kPodAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", At<&NearTerms>(kPodTerms)}};
inline constexpr JsonField kPodAntiAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", At<&ApartTerms>(kPodTerms)}};
inline constexpr JsonField kAffinityFields[] = {
    {"nodeAffinity", Object(kNodeAffinityFields)},
    {"podAffinity", Forgiving<&NoteUnreadNear>(Object(kPodAffinityFields))},
    {"podAntiAffinity", Forgiving<&NoteUnreadApart>(Object(kPodAntiAffinityFields))},
};

inline constexpr JsonField kTolerationFields[] = {
    {"key", Text<&Toleration::key>(kMaxKeyBytes)},
    {"operator",
     TextFor<static_cast<absl::Status (*)(Toleration&, std::string_view)>(&SetOperator)>(
         kMaxTokenBytes)},
    {"value", Text<&Toleration::value>(kMaxValueBytes)},
    {"effect", TextFor<&SetEffect>(kMaxTokenBytes)},
};
inline constexpr JsonShape kToleration =
    Then<&CheckToleration>(Appended<std::vector<Toleration>>(Object(kTolerationFields)));

inline constexpr JsonField kTaintFields[] = {
    {"key", Text<&TaintDraft::key>(kMaxKeyBytes)},
    {"value", Text<&TaintDraft::value>(kMaxValueBytes)},
    {"effect", TextFor<&SetTaintEffect>(kMaxTokenBytes)},
};
inline constexpr JsonShape kTaint =
    Then<&CheckTaint>(Appended<std::vector<TaintDraft>>(Object(kTaintFields)));

inline constexpr JsonField kGateFields[] = {{"name", Text<&GateDraft::name>(kMaxNameBytes)}};
inline constexpr JsonShape kGate = Appended<std::vector<GateDraft>>(Object(kGateFields));

// --- the levels of a Topology; a null is a level without a label
inline constexpr JsonField kLevelFields[] = {
    {"nodeLabel", Text<&TopologyLevelDraft::label>(kMaxTopologyLabelBytes)}};
constexpr JsonShape OrNull(JsonShape shape) {
  shape.null = [](void* target) {
    static_cast<std::vector<TopologyLevelDraft>*>(target)->emplace_back();
  };
  return shape;
}
inline constexpr JsonShape kLevel =
    OrNull(Appended<std::vector<TopologyLevelDraft>>(Object(kLevelFields)));

// --- what admission follows
inline constexpr JsonField kLimitFields[] = {
    {"type", Text<&LimitDraft::type>(kMaxTokenBytes)},
    {"defaultRequest", In<&LimitDraft::default_requests>(kRequestedMap)},
};
inline constexpr JsonShape kLimit = Appended<std::vector<LimitDraft>>(Object(kLimitFields));
inline constexpr JsonField kClassOverheadFields[] = {
    {"podFixed", In<&ObjectDraft::class_overhead>(kRequestedMap)},
};
inline constexpr JsonField kClassSchedulingFields[] = {
    {"nodeSelector", In<&ObjectDraft::node_selector>(Map(kLabel, kMaxLabels))},
    {"tolerations", Anew<&ObjectDraft::tolerations>(Array(kToleration, kMaxTolerations))},
};

// --- kube-scheduler's own gangs
inline constexpr JsonField kSchedulingGroupFields[] = {
    {"podGroupName", Text<&ObjectDraft::scheduling_group>(kMaxNameBytes)},
};

// --- spec and status
inline constexpr JsonField kSpecFields[] = {
    {"containers", At<&Containers>(kContainers)},
    {"initContainers", At<&InitContainers>(kContainers)},
    {"overhead", At<&Overhead>(kRequestedMap)},
    {"resources", At<&PodLevel>(kResources)},
    {"hostNetwork", Boolean<&ObjectDraft::host_network>()},
    {"schedulerName", Text<&ObjectDraft::scheduler_name>(kMaxNameBytes)},
    {"schedulingGroup", Object(kSchedulingGroupFields)},
    {"hostname", Text<&ObjectDraft::hostname>(kMaxNameBytes)},
    {"subdomain", Text<&ObjectDraft::subdomain>(kMaxNameBytes)},
    {"nodeName", Text<&ObjectDraft::node_name>(kMaxNameBytes)},
    {"preemptionPolicy", Text<&ObjectDraft::preemption_policy>(kMaxNameBytes)},
    {"activeDeadlineSeconds", Integer<&ObjectDraft::deadline_seconds, kInt64Least, kInt64Most>()},
    {"terminationGracePeriodSeconds",
     Integer<&ObjectDraft::grace_seconds, kInt64Least, kInt64Most>()},
    {"priority", Integer<&ObjectDraft::priority, kInt32Least, kInt32Most>()},
    {"priorityClassName", Text<&ObjectDraft::priority_class>(kMaxNameBytes)},
    {"runtimeClassName", Text<&ObjectDraft::runtime_class>(kMaxNameBytes)},
    {"schedulingGates", Anew<&ObjectDraft::gates>(Array(kGate, kMaxGates))},
    {"nodeSelector", In<&ObjectDraft::node_selector>(Map(kLabel, kMaxLabels))},
    {"affinity", Object(kAffinityFields)},
    {"nodeLabels", In<&ObjectDraft::node_selector>(Map(kLabel, kMaxLabels))},  // ResourceFlavor
    {"tolerations", Anew<&ObjectDraft::tolerations>(Array(kToleration, kMaxTolerations))},
    {"taints", Anew<&ObjectDraft::taints>(Array(kTaint, kMaxTaints))},
    {"unschedulable", Boolean<&ObjectDraft::unschedulable>()},
    {"levels", Anew<&ObjectDraft::levels>(Array(kLevel, kMaxLevels))},
    {"limits", Anew<&ObjectDraft::limits>(Array(kLimit, kMaxLimits))},
    {"holderIdentity", Text<&ObjectDraft::holder>(kMaxHolderBytes)},
    {"renewTime", Text<&ObjectDraft::renew_time>(kMaxTokenBytes)},
    {"leaseDurationSeconds", Integer<&ObjectDraft::lease_seconds, kInt32Least, kInt32Most>()},
};

inline constexpr JsonField kConditionFields[] = {
    {"type", Text<&ConditionDraft::type>(kMaxKeyBytes)},
    {"status", Text<&ConditionDraft::status>(kMaxTokenBytes)},
    {"reason", Text<&ConditionDraft::reason>(kMaxMessageBytes)},
    {"lastTransitionTime", Text<&ConditionDraft::since>(kMaxTokenBytes)},
    {"message", Text<&ConditionDraft::message>(kMaxObjectBytes)},
};
inline constexpr JsonShape kCondition =
    Appended<std::vector<ConditionDraft>>(Object(kConditionFields));

inline constexpr JsonField kStatusFields[] = {
    {"phase", Text<&ObjectDraft::phase>(kMaxTokenBytes)},
    {"startTime", Text<&ObjectDraft::start_time>(kMaxTokenBytes)},
    {"nominatedNodeName", Text<&ObjectDraft::nominated_node_name>(kMaxNameBytes)},
    {"conditions", Anew<&ObjectDraft::conditions>(Array(kCondition, kMaxConditions))},
    {"containerStatuses", At<&ContainerStatuses>(kContainerStatuses)},
    {"initContainerStatuses", At<&InitContainerStatuses>(kContainerStatuses)},
    {"allocatedResources", At<&AllocatedToPod>(kRequestedMap)},
    {"resources", At<&ActualOfPod>(kResources)},
    {"allocatable", In<&ObjectDraft::allocatable>(Map(kOffered, kMaxResources))},
};
constexpr JsonShape OrText(JsonShape shape) {
  shape.text = Text<&ObjectDraft::status_text>(0).text;
  shape.most = kMaxMessageBytes;
  return shape;
}

inline constexpr JsonShape kDatum = MapTextFor<&KeepLabel>(kMaxConfigMapBytes);
inline constexpr JsonField kObjectFields[] = {
    {"apiVersion", Text<&ObjectDraft::api_version>(kMaxNameBytes)},
    {"kind", Text<&ObjectDraft::kind>(kMaxNameBytes)},
    {"metadata", In<&ObjectDraft::metadata>(Object(kMetadataFields))},
    {"spec", Object(kSpecFields)},
    {"status", OrText(Object(kStatusFields))},
    {"data", In<&ObjectDraft::data>(Map(kDatum, kMaxConfigMapEntries))},
    {"overhead", Object(kClassOverheadFields)},
    {"scheduling", Object(kClassSchedulingFields)},
    {"value", Integer<&ObjectDraft::value, kInt32Least, kInt32Most>()},
    {"preemptionPolicy", Text<&ObjectDraft::preemption_policy>(kMaxNameBytes)},
    {"globalDefault", Boolean<&ObjectDraft::global_default>()},
    {"message", Text<&ObjectDraft::message>(kMaxMessageBytes)},
    {"code", Integer<&ObjectDraft::code, kInt32Least, kInt32Most>()},
};
// Target: an ObjectDraft.
inline constexpr JsonShape kObject = Object(kObjectFields);

}  // namespace gangplan::object_shapes
