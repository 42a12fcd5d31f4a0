#include "extender/protocol/object_draft.h"

#include <algorithm>
#include <utility>

#include "extender/protocol/json_sax.h"
#include "extender/protocol/limits.h"
#include "extender/protocol/object_steps.h"
#include "extender/protocol/pod_terms.h"
#include "extender/protocol/scheduler_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";

// What the API server fills in when it is left out stands for what is left out in a file.
std::string OrDefault(std::string text, std::string_view fallback) {
  return text.empty() ? std::string(fallback) : std::move(text);
}

absl::Status CheckKind(const ObjectDraft& draft, std::string_view kind) {
  if (!draft.kind.empty() && draft.kind != kind) {
    return Invalid("expected kind {}, found {}", kind, Shown(draft.kind));
  }
  if (!draft.status_text.empty()) return Invalid("status: expected an object, found a string");
  if (draft.metadata.name.empty()) return Invalid("metadata.name is missing");
  return absl::OkStatus();
}

bool HasCondition(const ObjectDraft& draft, std::string_view type, std::string_view status,
                  std::string_view reason) {
  return std::any_of(draft.conditions.begin(), draft.conditions.end(), [&](const auto& condition) {
    return condition.type == type && condition.status == status &&
           (reason.empty() || condition.reason == reason);
  });
}

// The condition says so when the scheduler has tried the pod in vain.
std::string WordsOfScheduler(const ObjectDraft& draft) {
  for (const ConditionDraft& condition : draft.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "False" &&
        condition.reason == "Unschedulable") {
      return SchedulerWords(condition.message);
    }
  }
  return {};
}

PodPhase ReadPhase(std::string_view phase, absl::Status& fault) {
  if (phase.empty() || phase == "Pending") return PodPhase::kPending;
  if (phase == "Running") return PodPhase::kRunning;
  if (phase == "Succeeded") return PodPhase::kSucceeded;
  if (phase == "Failed") return PodPhase::kFailed;
  if (phase == "Unknown") return PodPhase::kUnknown;
  fault.Update(
      Invalid("status.phase: expected Pending, Running, Succeeded, Failed or Unknown, found '{}'",
              Shown(phase)));
  return PodPhase::kUnknown;
}

std::vector<SelectorRequirement> TakeRequirements(std::vector<RequirementDraft>& drafts) {
  std::vector<SelectorRequirement> requirements;
  requirements.reserve(drafts.size());
  for (RequirementDraft& draft : drafts) {
    requirements.push_back({std::move(draft.key), *draft.op, std::move(draft.values)});
  }
  return requirements;
}

// What a pod asks of nodes, counted.
struct NodeWords {
  size_t requirements = 0;
  size_t labels = 0;
  size_t values = 0;

  void Count(const SelectorTermDraft& term) {
    requirements += term.labels.size() + term.fields.size();
    labels += term.labels.size();
    for (const RequirementDraft& one : term.labels) values += one.values.size();
  }
  std::string Fault() const {
    if (requirements > kMaxNodeRequirements) return TooMany("requirements", kMaxNodeRequirements);
    if (labels > kMaxNodeLabels) return TooMany("labels", kMaxNodeLabels);
    if (values > kMaxNodeValues) return TooMany("values of labels", kMaxNodeValues);
    return {};
  }

 private:
  static std::string TooMany(std::string_view what, size_t most) {
    return fmt::format("more than {} {} in all its terms", most, what);
  }
};

// A pod that stands has been let in by its node: it counts, whatever it asks for.
absl::Status CheckNodeAffinity(ObjectDraft& draft) {
  NodeWords required;
  NodeWords preferred;
  required.labels = draft.node_selector.size();
  if (draft.required_terms) {
    for (const SelectorTermDraft& term : *draft.required_terms) required.Count(term);
  }
  for (const PreferredTermDraft& one : draft.preferred_terms) preferred.Count(one.term);
  const std::string fault = required.Fault().empty() ? preferred.Fault() : required.Fault();
  if (fault.empty()) return absl::OkStatus();
  if (draft.node_name.empty()) return Invalid("spec.affinity.nodeAffinity: {}", fault);
  if (!required.Fault().empty()) {
    draft.node_selector.clear();
    draft.required_terms.reset();
  }
  if (!preferred.Fault().empty()) draft.preferred_terms.clear();
  return absl::OkStatus();
}

NodeFilter TakeFilter(ObjectDraft& draft) {
  NodeFilter filter;
  filter.node_selector = TakeLabels(draft.node_selector);
  if (draft.required_terms.has_value()) {
    auto& terms = filter.required_terms.emplace();
    for (SelectorTermDraft& term : *draft.required_terms) {
      terms.push_back({TakeRequirements(term.labels), TakeRequirements(term.fields)});
    }
  }
  filter.tolerations = std::move(draft.tolerations);
  return filter;
}

// Which pod it is, and what it takes of its node.
PodFacts TakeUsage(ObjectDraft& draft, absl::Status& fault) {
  PodFacts pod;
  pod.phase = ReadPhase(draft.phase, fault);
  draft.requests.host_network = draft.host_network;
  draft.requests.resize_refused = HasCondition(draft, "PodResizePending", "True", "Infeasible");
  pod.requests = PodRequests(draft.requests, fault);
  pod.controller = Controller(draft.metadata);
  pod.uid = std::move(draft.metadata.uid);
  pod.ns = OrDefault(std::move(draft.metadata.ns), kDefaultNamespace);
  pod.name = std::move(draft.metadata.name);
  pod.labels = TakeLabels(draft.metadata.labels);
  pod.node_name = std::move(draft.node_name);
  pod.ready = HasCondition(draft, "Ready", "True", "");
  pod.terminating = draft.metadata.terminating;
  pod.created = draft.metadata.created;
  pod.priority = draft.priority;
  pod.never_preempts = draft.preemption_policy == "Never";
  pod.run = {object_steps::ReadTimestamp(draft.start_time), InSeconds(draft.deadline_seconds),
             InSeconds(draft.grace_seconds)};
  pod.affinity = TakePodAffinity(draft, pod.ns, pod.labels);
  if (!pod.affinity.apart.empty()) AddResources(pod.requests, ApartOnNode(pod.profile()));
  return pod;
}

PodGates GatesOf(const std::vector<GateDraft>& drafts) {
  PodGates gates;
  for (const GateDraft& gate : drafts) {
    const bool ours = gate.name == kGangGate;
    const bool kueue = gate.name == kKueueTopologyGate;
    gates.gang = gates.gang || ours;
    gates.kueue_topology = gates.kueue_topology || kueue;
    gates.others = gates.others || (!ours && !kueue);
  }
  return gates;
}

std::string HostOf(const ObjectDraft& draft) {
  std::string host(draft.hostname);
  if (!host.empty() && !draft.subdomain.empty()) host.append(".").append(draft.subdomain);
  return host;
}

// What it asks for, of nodes and of schedulers.
void TakeWords(ObjectDraft& draft, PodFacts& pod) {
  pod.annotations = TakeLabels(draft.metadata.annotations);
  pod.scheduler_name = OrDefault(std::move(draft.scheduler_name), kDefaultScheduler);
  pod.scheduling_group = std::move(draft.scheduling_group);
  pod.host = HostOf(draft);
  pod.nominated_node_name = std::move(draft.nominated_node_name);
  pod.gates = GatesOf(draft.gates);
  pod.applied = draft.metadata.applied;
  pod.filter = TakeFilter(draft);
  pod.scheduler_words = WordsOfScheduler(draft);
  for (PreferredTermDraft& preferred : draft.preferred_terms) {
    pod.preferred_terms.push_back(
        {{TakeRequirements(preferred.term.labels), TakeRequirements(preferred.term.fields)},
         static_cast<int32_t>(preferred.weight)});
  }
}

}  // namespace

LabelSet TakeLabels(LabelSet& written) {
  LabelSet sorted = std::exchange(written, {});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // Of equals the last: unique keeps the first of a run, so run backwards.
  auto first = std::unique(sorted.rbegin(), sorted.rend(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
  sorted.erase(sorted.begin(), first.base());
  return sorted;
}

std::vector<SelectorRequirement> TakeSelector(LabelSelectorDraft& draft) {
  std::vector<SelectorRequirement> labels;
  for (auto& [key, value] : TakeLabels(draft.match_labels))
    labels.push_back({key, SelectorOperator::kIn, {value}});
  for (SelectorRequirement& one : TakeRequirements(draft.requirements))
    labels.push_back(std::move(one));
  return labels;
}

std::string FullName(const MetadataDraft& metadata) {
  return metadata.ns.empty() ? metadata.name : metadata.ns + "/" + metadata.name;
}

int64_t InSeconds(int64_t told) { return std::clamp<int64_t>(told, 0, kMaxRunSeconds); }

OwnerRef RefOf(const OwnerDraft& owner) {
  return {std::string(owner.api_version), std::string(owner.kind), std::string(owner.name),
          std::string(owner.uid)};
}

std::optional<OwnerRef> Controller(const MetadataDraft& metadata) {
  for (const OwnerDraft& owner : metadata.owners) {
    if (!owner.controller) continue;
    return RefOf(owner);
  }
  return std::nullopt;
}

// 0: none is told.
int64_t MaintenanceOf(const LabelSet& annotations) {
  const std::string* word = FindLabel(annotations, kMaintenanceWord);
  if (word == nullptr) return 0;
  const std::optional<absl::Time> at = ReadTime(*word);
  return at ? std::max(absl::ToUnixSeconds(*at), kMaintenanceUnread + 1) : kMaintenanceUnread;
}

absl::StatusOr<NodeFacts> TakeNode(ObjectDraft& draft) {
  GANGPLAN_RETURN_IF_ERROR(CheckKind(draft, "Node"));
  NodeFacts node;
  node.name = std::move(draft.metadata.name);
  node.labels = TakeLabels(draft.metadata.labels);
  node.allocatable = TakeAmounts(draft.allocatable);
  for (const TaintDraft& taint : draft.taints) {
    node.taints.push_back({std::string(taint.key), std::string(taint.value), *taint.effect});
  }
  node.ready = HasCondition(draft, "Ready", "True", "");
  node.unschedulable = draft.unschedulable;
  node.maintenance = MaintenanceOf(TakeLabels(draft.metadata.annotations));
  return node;
}

absl::StatusOr<PodFacts> TakePod(ObjectDraft& draft) {
  absl::Status unnamed = CheckKind(draft, "Pod");
  if (unnamed.ok() && draft.metadata.uid.empty()) unnamed = Invalid("metadata.uid is missing");
  if (!unnamed.ok()) return draft.fault.ok() ? unnamed : draft.fault;
  return TakeNamedPod(draft);
}

PodFacts TakeNamedPod(ObjectDraft& draft) {
  absl::Status fault = draft.fault.ok() ? CheckNodeAffinity(draft) : draft.fault;
  PodFacts pod = TakeUsage(draft, fault);
  pod.fault = Message(fault);
  pod.resource_version = draft.metadata.resource_version;
  if (fault.ok()) TakeWords(draft, pod);
  return pod;
}

absl::StatusOr<LeaseFacts> TakeLease(ObjectDraft& draft) {
  GANGPLAN_RETURN_IF_ERROR(CheckKind(draft, "Lease"));
  LeaseFacts lease;
  lease.ns = OrDefault(std::move(draft.metadata.ns), kDefaultNamespace);
  lease.name = std::move(draft.metadata.name);
  lease.holder = std::string(draft.holder);
  lease.lasts = absl::Seconds(std::max(draft.lease_seconds, 0));
  const bool told =
      absl::ParseTime(absl::RFC3339_full, ToAbsl(draft.renew_time), &lease.renewed, nullptr);
  if (!told) lease.renewed = absl::InfinitePast();
  return lease;
}

absl::StatusOr<ConfigMapFacts> TakeConfigMap(ObjectDraft& draft) {
  GANGPLAN_RETURN_IF_ERROR(CheckKind(draft, "ConfigMap"));
  ConfigMapFacts object;
  object.ns = OrDefault(std::move(draft.metadata.ns), kDefaultNamespace);
  object.name = std::move(draft.metadata.name);
  object.uid = std::move(draft.metadata.uid);
  object.resource_version = std::move(draft.metadata.resource_version);
  object.labels = TakeLabels(draft.metadata.labels);
  object.data = TakeLabels(draft.data);
  return object;
}

}  // namespace gangplan
