#include "extender/protocol/object_steps.h"

#include <algorithm>
#include <array>

#include "absl/time/time.h"
#include "extender/protocol/json_sax.h"
#include "extender/protocol/kueue_words.h"
#include "extender/protocol/limits.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan::object_steps {
namespace {

// Annotations with one of these prefixes are kept: words about groups, ranks and topology.
constexpr std::array<std::string_view, 23> kKeptAnnotations = {
    "gangplan.io/",
    "kueue.x-k8s.io/",
    "sakkara.",
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
    "deployment.kubernetes.io/desired-replicas",
    "kubernetes.io/config.mirror",
    "jobset.sigs.k8s.io/",
    "alpha.jobset.sigs.k8s.io/",
    "leaderworkerset.sigs.k8s.io/",
    "scheduling.k8s.io/group-name",
    "scheduling.x-k8s.io/",
    "scheduling.volcano.sh/",
    "volcano.sh/",
    "gang.scheduling.koordinator.sh/",
    "training.kubeflow.org/",
    "trainer.kubeflow.org/",
    "ray.io/",
    "grove.io/",
    "pod-group-name",
    "yunikorn.apache.org/task-group-name",
    "autoscaling.x-k8s.io/consume-provisioning-request",
    "cluster-autoscaler.kubernetes.io/consume-provisioning-request",
};

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

absl::Status ReadEffect(std::string_view text, std::optional<TaintEffect>& effect) {
  if (text == "NoSchedule") {
    effect = TaintEffect::kNoSchedule;
  } else if (text == "PreferNoSchedule") {
    effect = TaintEffect::kPreferNoSchedule;
  } else if (text == "NoExecute") {
    effect = TaintEffect::kNoExecute;
  } else {
    return Invalid("expected NoSchedule, PreferNoSchedule or NoExecute, found '{}'", Shown(text));
  }
  return absl::OkStatus();
}

struct OperatorWord {
  std::string_view word;
  SelectorOperator op;
};
constexpr std::array<OperatorWord, 6> kOperators = {{
    {"In", SelectorOperator::kIn},
    {"NotIn", SelectorOperator::kNotIn},
    {"Exists", SelectorOperator::kExists},
    {"DoesNotExist", SelectorOperator::kDoesNotExist},
    {"Gt", SelectorOperator::kGt},
    {"Lt", SelectorOperator::kLt},
}};

absl::Status CheckRequirement(const RequirementDraft& requirement) {
  if (requirement.key.empty()) return Invalid("key is missing");
  if (!requirement.op.has_value()) return Invalid("operator is missing");
  const size_t values = requirement.values.size();
  switch (*requirement.op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      return values > 0 ? absl::OkStatus() : Invalid("operators In and NotIn need values");
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      return values == 0 ? absl::OkStatus()
                         : Invalid("operators Exists and DoesNotExist take no values");
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      return values == 1 ? absl::OkStatus() : Invalid("operators Gt and Lt need one value");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status KeepLabel(LabelSet& labels, std::string_view key, std::string_view value) {
  labels.emplace_back(key, value);
  return absl::OkStatus();
}

bool IsKeptAnnotation(std::string_view key) {
  return std::any_of(kKeptAnnotations.begin(), kKeptAnnotations.end(),
                     [&](std::string_view prefix) { return StartsWith(key, prefix); });
}

absl::Status KeepAnnotation(LabelSet& annotations, std::string_view key, std::string_view value) {
  if (!IsKeptAnnotation(key)) return absl::OkStatus();
  if (value.size() > kMaxAnnotationBytes) {
    return Invalid("longer than {} bytes", kMaxAnnotationBytes);
  }
  return KeepLabel(annotations, key, value);
}

absl::Status KeepSliceName(LabelSet& annotations, std::string_view key, std::string_view value) {
  if (key == kKueueSliceAnnotation) annotations.push_back({std::string(key), std::string(value)});
  return absl::OkStatus();
}

absl::Status NoteDeletion(MetadataDraft& metadata, std::string_view timestamp) {
  metadata.terminating = !timestamp.empty();
  return absl::OkStatus();
}

absl::Status NoteManager(MetadataDraft& metadata, std::string_view operation) {
  if (operation == "Apply") metadata.applied = true;
  return absl::OkStatus();
}

int64_t ReadTimestamp(std::string_view timestamp) {
  absl::Time time;
  const bool told = absl::ParseTime(absl::RFC3339_sec, ToAbsl(timestamp), &time, nullptr);
  return told ? std::max<int64_t>(absl::ToUnixSeconds(time), 0) : 0;
}

absl::Status NoteCreation(MetadataDraft& metadata, std::string_view timestamp) {
  metadata.created = ReadTimestamp(timestamp);
  return absl::OkStatus();
}

absl::Status SetProtocol(PortDraft& port, std::string_view protocol) {
  if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP" && !protocol.empty()) {
    return Invalid("expected TCP, UDP or SCTP, found '{}'", Shown(protocol));
  }
  port.protocol = protocol.empty() ? "TCP" : protocol;
  return absl::OkStatus();
}

absl::Status SetTaintEffect(TaintDraft& taint, std::string_view effect) {
  return ReadEffect(effect, taint.effect);
}

absl::Status SetEffect(Toleration& toleration, std::string_view effect) {
  toleration.effect.reset();
  if (effect.empty()) return absl::OkStatus();
  return ReadEffect(effect, toleration.effect);
}

absl::Status SetOperator(Toleration& toleration, std::string_view op) {
  if (op != "Exists" && op != "Equal" && op != "Lt" && op != "Gt" && !op.empty()) {
    return Invalid("expected Equal, Exists, Lt or Gt, found '{}'", Shown(op));
  }
  toleration.exists = op == "Exists";
  toleration.comparison = op == "Lt"   ? TaintComparison::kLess
                          : op == "Gt" ? TaintComparison::kGreater
                                       : TaintComparison::kEqual;
  return absl::OkStatus();
}

absl::Status SetOperator(RequirementDraft& requirement, std::string_view op) {
  auto entry = std::find_if(kOperators.begin(), kOperators.end(),
                            [&](const OperatorWord& o) { return o.word == op; });
  if (entry == kOperators.end()) {
    return Invalid("expected In, NotIn, Exists, DoesNotExist, Gt or Lt, found '{}'", Shown(op));
  }
  requirement.op = entry->op;
  return absl::OkStatus();
}

absl::Status AddValue(std::vector<std::string>& values, std::string_view value) {
  values.emplace_back(value);
  return absl::OkStatus();
}

absl::Status CheckTaint(std::vector<TaintDraft>& taints) {
  if (taints.back().key.empty()) return Invalid("key is missing");
  if (!taints.back().effect.has_value()) return Invalid("effect is missing");
  return absl::OkStatus();
}

absl::Status CheckToleration(std::vector<Toleration>& tolerations) {
  const Toleration& toleration = tolerations.back();
  if (toleration.key.empty() && !toleration.exists) {
    return Invalid("key is missing, which only operator Exists may do without");
  }
  return absl::OkStatus();
}

absl::Status CheckLabelRequirement(std::vector<RequirementDraft>& requirements) {
  return CheckRequirement(requirements.back());
}

absl::Status CheckFieldRequirement(std::vector<RequirementDraft>& requirements) {
  const RequirementDraft& requirement = requirements.back();
  GANGPLAN_RETURN_IF_ERROR(CheckRequirement(requirement));
  if (requirement.key != kNodeNameField) {
    return Invalid("the only field is {}, found '{}'", kNodeNameField, Shown(requirement.key));
  }
  const bool by_value =
      requirement.op == SelectorOperator::kIn || requirement.op == SelectorOperator::kNotIn;
  if (!by_value || requirement.values.size() != 1) {
    return Invalid("a field needs operator In or NotIn with one value");
  }
  return absl::OkStatus();
}

absl::Status CheckPreferred(std::vector<PreferredTermDraft>& terms) {
  return terms.back().weight > 0 ? absl::OkStatus() : Invalid("weight is missing");
}

std::vector<SelectorTermDraft>& RequiredTerms(ObjectDraft& draft) {
  return draft.required_terms.emplace();
}

void NoteUnreadNear(ObjectDraft& draft, absl::Status) { draft.near.unread = true; }
void NoteUnreadApart(ObjectDraft& draft, absl::Status) { draft.apart.unread = true; }

LabelSelectorDraft& PodsOf(PodTermDraft& term) { return term.pods = {.given = true}; }
LabelSelectorDraft& NamespacesOf(PodTermDraft& term) {
  return term.namespace_labels = {.given = true};
}
std::vector<PodTermDraft>& NearTerms(ObjectDraft& draft) { return draft.near.terms = {}; }
std::vector<PodTermDraft>& ApartTerms(ObjectDraft& draft) { return draft.apart.terms = {}; }

std::vector<ContainerDraft>& Containers(ObjectDraft& draft) {
  return draft.requests.containers = {};
}

std::vector<ContainerDraft>& InitContainers(ObjectDraft& draft) {
  return draft.requests.init_containers = {};
}

std::vector<ContainerStatusDraft>& ContainerStatuses(ObjectDraft& draft) {
  return draft.requests.statuses = {};
}

std::vector<ContainerStatusDraft>& InitContainerStatuses(ObjectDraft& draft) {
  return draft.requests.init_statuses = {};
}

AmountDraft& Overhead(ObjectDraft& draft) { return draft.requests.overhead; }
ResourcesDraft& PodLevel(ObjectDraft& draft) { return draft.requests.pod_level; }
AmountDraft& AllocatedToPod(ObjectDraft& draft) { return draft.requests.pod_status.allocated; }
ResourcesDraft& ActualOfPod(ObjectDraft& draft) { return draft.requests.pod_status.actual; }

}  // namespace gangplan::object_steps
