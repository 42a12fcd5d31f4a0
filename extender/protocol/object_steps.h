// The steps of reading an object that do more than to keep a value: what object_shapes.h calls.
// Internal to this room. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "extender/protocol/object_draft.h"

namespace gangplan::object_steps {

absl::Status KeepLabel(LabelSet& labels, std::string_view key, std::string_view value);
// It names a group or a place in it.
bool IsKeptAnnotation(std::string_view key);
// Keeps the annotations that do, drops the others.
absl::Status KeepAnnotation(LabelSet& annotations, std::string_view key, std::string_view value);
// Keeps that of kKueueSliceAnnotation alone.
absl::Status KeepSliceName(LabelSet& annotations, std::string_view key, std::string_view value);
absl::Status NoteDeletion(MetadataDraft& metadata, std::string_view timestamp);
absl::Status NoteManager(MetadataDraft& metadata, std::string_view operation);
// Unix seconds. What is no time was written by no API server: 0, as if it were not told.
int64_t ReadTimestamp(std::string_view timestamp);
absl::Status NoteCreation(MetadataDraft& metadata, std::string_view timestamp);

absl::Status SetProtocol(PortDraft& port, std::string_view protocol);
absl::Status SetTaintEffect(TaintDraft& taint, std::string_view effect);
absl::Status SetEffect(Toleration& toleration, std::string_view effect);
absl::Status SetOperator(Toleration& toleration, std::string_view op);
absl::Status SetOperator(RequirementDraft& requirement, std::string_view op);
absl::Status AddValue(std::vector<std::string>& values, std::string_view value);

// When the last element is whole.
absl::Status CheckTaint(std::vector<TaintDraft>& taints);
absl::Status CheckToleration(std::vector<Toleration>& tolerations);
absl::Status CheckLabelRequirement(std::vector<RequirementDraft>& requirements);
absl::Status CheckFieldRequirement(std::vector<RequirementDraft>& requirements);
absl::Status CheckPreferred(std::vector<PreferredTermDraft>& terms);

void NoteUnreadNear(ObjectDraft& draft, absl::Status status);
void NoteUnreadApart(ObjectDraft& draft, absl::Status status);

// Where the contents of a value go; a list is made empty first.
std::vector<SelectorTermDraft>& RequiredTerms(ObjectDraft& draft);
LabelSelectorDraft& PodsOf(PodTermDraft& term);
LabelSelectorDraft& NamespacesOf(PodTermDraft& term);
std::vector<PodTermDraft>& NearTerms(ObjectDraft& draft);
std::vector<PodTermDraft>& ApartTerms(ObjectDraft& draft);
std::vector<ContainerDraft>& Containers(ObjectDraft& draft);
std::vector<ContainerDraft>& InitContainers(ObjectDraft& draft);
std::vector<ContainerStatusDraft>& ContainerStatuses(ObjectDraft& draft);
std::vector<ContainerStatusDraft>& InitContainerStatuses(ObjectDraft& draft);
AmountDraft& Overhead(ObjectDraft& draft);
ResourcesDraft& PodLevel(ObjectDraft& draft);
AmountDraft& AllocatedToPod(ObjectDraft& draft);
ResourcesDraft& ActualOfPod(ObjectDraft& draft);

}  // namespace gangplan::object_steps
