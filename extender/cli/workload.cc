#include "extender/cli/workload.h"

#include <algorithm>
#include <iterator>

#include "extender/cli/yaml_paths.h"
#include "extender/frontends/leader_worker.h"
#include "extender/kube/yaml_json.h"
#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/decimal.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";
constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";
constexpr std::string_view kLwsName = "leaderworkerset.sigs.k8s.io/name";
constexpr std::string_view kLwsReplica = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::string_view kLwsWorker = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr std::string_view kLwsSize = "leaderworkerset.sigs.k8s.io/size";
constexpr std::string_view kLwsGroupKey = "leaderworkerset.sigs.k8s.io/group-key";
constexpr std::string_view kLwsSubGroupKey = "leaderworkerset.sigs.k8s.io/subgroup-key";
constexpr std::string_view kLwsSubGroupSize = "leaderworkerset.sigs.k8s.io/subgroup-size";
// What the API server and controllers put behind a name.
constexpr std::string_view kMadeUp = "xxxxx";

// More replicas of a LeaderWorkerSet make more pods than are read of a manifest.
constexpr int64_t kMostReplicas = 200'001;

using Maker = absl::StatusOr<Workload> (*)(const YamlNode&);

// ---- documents

std::string_view MetadataName(const YamlNode& document) {
  return TextAt(&document, {"metadata", "name"});
}

// The template at this path, or an empty one, which is told as such when it is read.
YamlNode TemplateAt(const YamlNode& document, std::string_view path) {
  const YamlNode* found = FindAt(document, path);
  if (found != nullptr && found->kind == YamlNode::Kind::kMap) return *found;
  YamlNode none;
  none.kind = YamlNode::Kind::kMap;
  return none;
}

absl::StatusOr<int64_t> CountAt(const YamlNode& document, std::string_view path, int64_t usual) {
  const YamlNode* found = FindAt(document, path);
  if (found == nullptr || found->kind == YamlNode::Kind::kNull) return usual;
  const std::optional<int32_t> count = ReadDecimal<int32_t>(found->text);
  if (found->kind != YamlNode::Kind::kScalar || !count || *count < 0)
    return Invalid("{}: \"{}\"; expected a number from 0 on", path, Shown(found->text));
  return *count;
}

absl::StatusOr<OwnerFacts> OwnerOf(const YamlNode& document) {
  std::string json = ToJson(document);
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(json);
  if (owner.ok() && !owner->fault.empty()) return Invalid("{}", owner->fault);
  return owner;
}

YamlNode& Child(YamlNode& map, std::string_view key) {
  const auto found = std::find_if(map.items.begin(), map.items.end(),
                                  [&](const YamlNode& one) { return one.key == key; });
  if (found != map.items.end()) return *found;
  YamlNode& made = map.items.emplace_back();
  made.key = key;
  made.line = made.key_line = map.line;
  return made;
}
void SetText(YamlNode& map, std::string_view key, std::string text) {
  YamlNode& child = Child(map, key);
  child.kind = YamlNode::Kind::kScalar;
  child.quoted = true;
  child.text = std::move(text);
  child.items.clear();
}

// What its controller makes of it first: the same metadata, another kind, a name that ends anew.
YamlNode Made(const YamlNode& document, std::string_view api_version, std::string_view kind) {
  YamlNode made = document;
  SetText(made, "apiVersion", std::string(api_version));
  SetText(made, "kind", std::string(kind));
  SetText(Child(made, "metadata"), "name", fmt::format("{}-{}", MetadataName(document), kMadeUp));
  return made;
}

// ---- kinds

absl::StatusOr<Workload> OfPod(const YamlNode& document) {
  PodPart part;
  part.pod = document;
  part.name = MetadataName(document);
  part.numbered = false;
  return Workload{"Pod", "", {}, {std::move(part)}};
}

// A StatefulSet or a ReplicaSet: one template, and a number.
absl::StatusOr<Workload> OfReplicas(const YamlNode& document) {
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts owner, OwnerOf(document));
  PodPart part;
  part.path = "spec.template";
  part.pod = TemplateAt(document, part.path);
  part.count = owner.size.value_or(1);
  part.controller = owner.ref;
  part.name = owner.ref.name;
  if (owner.ref.kind == "StatefulSet") part.index_label = kPodIndex;
  Workload made{owner.ref.kind, "spec.replicas", {}, {std::move(part)}};
  made.owners.push_back(std::move(owner));
  return made;
}

absl::StatusOr<Workload> OfDeployment(const YamlNode& document) {
  absl::StatusOr<Workload> made = OfReplicas(Made(document, "apps/v1", "ReplicaSet"));
  if (made.ok()) made->kind = "Deployment";
  return made;
}

// The MPI operator makes the launcher by a Job of its own.
OwnerFacts LauncherJob(const OwnerFacts& owner) {
  OwnerFacts job;
  job.ref = {std::string(kJobKind.api_version), std::string(kJobKind.kind),
             owner.ref.name + "-launcher", owner.ref.uid + "-launcher"};
  job.ns = owner.ns;
  job.size = 1;
  job.part_of = owner.ref;
  return job;
}

absl::StatusOr<Workload> OfKubeflow(const YamlNode& document) {
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts owner, OwnerOf(document));
  const CountedKind& kind = *FindCountedKind(owner.ref.api_version, owner.ref.kind);
  const std::string_view specs = kind.fields;
  const YamlNode* types = FindAt(document, specs);
  if (types == nullptr || types->items.empty())
    return Invalid("{}: is missing; expected its replicas by their types", specs);
  Workload made{owner.ref.kind, std::string(specs), {}, {}};
  for (size_t i = 0; i < owner.pod_sets.size(); ++i) {
    const OwnerPodSet& set = owner.pod_sets[i];
    if (set.size() == 0) continue;
    PodPart& part = made.parts.emplace_back();
    part.path = fmt::format("{}.{}.template", specs, types->items[i].key);
    part.pod = TemplateAt(document, part.path);
    part.count = set.size();
    part.controller = owner.ref;
    part.name = fmt::format("{}-{}", owner.ref.name, set.name);
    part.labels = {{std::string(kind.part_label), set.name}};
    part.index_label = kReplicaIndex;
    if (owner.ref.kind != kMpiJobKind || set.name != kMpiLauncher) continue;
    part.index_label.clear();
    if (kind.part_label != kMpiJobRole) continue;
    made.owners.push_back(LauncherJob(owner));
    part.controller = made.owners.back().ref;
  }
  made.owners.push_back(std::move(owner));
  return made;
}

absl::StatusOr<Workload> OfRayCluster(const YamlNode& document) {
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts owner, OwnerOf(document));
  Workload made{owner.ref.kind, "spec.workerGroupSpecs", {}, {}};
  for (size_t i = 0; i < owner.pod_sets.size(); ++i) {
    const OwnerPodSet& set = owner.pod_sets[i];
    if (set.size() == 0) continue;
    PodPart& part = made.parts.emplace_back();
    part.path = i == 0 ? "spec.headGroupSpec.template"
                       : fmt::format("spec.workerGroupSpecs[{}].template", i - 1);
    part.pod = TemplateAt(document, part.path);
    part.count = set.size();
    part.controller = owner.ref;
    part.name = fmt::format("{}-{}", owner.ref.name, set.name);
    part.labels = {{std::string(kRayGroup), set.name}};
  }
  made.owners.push_back(std::move(owner));
  return made;
}

// A RayJob or a RayService, by the cluster in it.
absl::StatusOr<Workload> OfRayMaker(const YamlNode& document, std::string_view field) {
  const std::string path = fmt::format("spec.{}", field);
  const YamlNode* spec = FindAt(document, path);
  if (spec == nullptr || spec->kind != YamlNode::Kind::kMap)
    return Invalid("{}: is missing; expected the spec of a RayCluster", path);
  YamlNode cluster = Made(document, TextAt(&document, {"apiVersion"}), "RayCluster");
  YamlNode inner = *spec;
  inner.key = "spec";
  Child(cluster, "spec") = std::move(inner);
  GANGPLAN_ASSIGN_OR_RETURN(Workload made, OfRayCluster(cluster));
  made.kind = TextAt(&document, {"kind"});
  for (PodPart& part : made.parts) part.path = path + part.path.substr(std::string("spec").size());
  return made;
}
absl::StatusOr<Workload> OfRayJob(const YamlNode& document) {
  return OfRayMaker(document, "rayClusterSpec");
}
absl::StatusOr<Workload> OfRayService(const YamlNode& document) {
  return OfRayMaker(document, "rayClusterConfig");
}

// What its controller and its webhook write on the pods of a replica so that it, or each of its
// sub-groups, has a domain for itself.
void KeepLwsApart(const YamlNode& document, PodPart& part) {
  const auto word = [&](std::string_view key) {
    return TextAt(&document, {"metadata", "annotations", key});
  };
  if (!word(kExclusiveTopology).empty())
    part.annotations.push_back(
        {std::string(kExclusiveTopology), std::string(word(kExclusiveTopology))});
  const YamlNode* size = FindAt(document, "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize");
  const std::string label(word(kSubGroupTopology));
  if (size == nullptr || label.empty()) return;
  part.annotations.push_back({std::string(kLwsSubGroupSize), size->text});
  part.annotations.push_back({std::string(kSubGroupTopology), label});
  part.labels.push_back({std::string(kLwsGroupKey), part.name});
  part.labels.push_back({std::string(kLwsSubGroupKey), part.name});
  PodAffinityTerm others;
  others.topology_key = label;
  others.pods.labels = {{std::string(kLwsGroupKey), SelectorOperator::kNotIn, {part.name}},
                        {std::string(kLwsSubGroupKey), SelectorOperator::kExists, {}}};
  part.apart.push_back(std::move(others));
}

// Its pods say everything by themselves, so that no owner is read for them.
absl::StatusOr<Workload> OfLeaderWorkerSet(const YamlNode& document) {
  const std::string base = "spec.leaderWorkerTemplate";
  GANGPLAN_ASSIGN_OR_RETURN(const int64_t replicas, CountAt(document, "spec.replicas", 1));
  GANGPLAN_ASSIGN_OR_RETURN(const int64_t size, CountAt(document, base + ".size", 1));
  if (size < 1) return Invalid("{}.size: {}; expected at least 1", base, size);
  const std::string workers = base + ".workerTemplate";
  const bool own = FindAt(document, base + ".leaderTemplate") != nullptr;
  const std::string name(MetadataName(document));
  Workload made{"LeaderWorkerSet", "spec.replicas", {}, {}};
  for (int64_t replica = 0; replica < std::min<int64_t>(replicas, kMostReplicas); ++replica) {
    PodPart leader;
    leader.path = own ? base + ".leaderTemplate" : workers;
    leader.name = fmt::format("{}-{}", name, replica);
    leader.numbered = false;
    leader.labels = {{std::string(kLwsName), name},
                     {std::string(kLwsReplica), fmt::format("{}", replica)}};
    leader.annotations = {{std::string(kLwsSize), fmt::format("{}", size)}};
    KeepLwsApart(document, leader);
    PodPart rest = leader;
    leader.labels.push_back({std::string(kLwsWorker), "0"});
    leader.pod = TemplateAt(document, leader.path);
    made.parts.push_back(std::move(leader));
    if (size == 1) continue;
    rest.path = workers;
    rest.pod = TemplateAt(document, workers);
    rest.count = size - 1;
    rest.numbered = true;
    rest.index_label = kLwsWorker;
    rest.first_index = 1;
    made.parts.push_back(std::move(rest));
  }
  return made;
}

// Pods name it.
absl::StatusOr<Workload> OfPodGroup(const YamlNode& document) {
  GANGPLAN_ASSIGN_OR_RETURN(OwnerFacts owner, OwnerOf(document));
  Workload made{owner.ref.kind, "", {}, {}};
  made.owners.push_back(std::move(owner));
  return made;
}

struct WorkloadKind {
  std::string_view kind;
  std::string_view group;  // with its '/', of any version; of the core "v1"
  Maker make = nullptr;    // null: read elsewhere
};
constexpr WorkloadKind kKinds[] = {
    {"Job", "batch/"},
    {"JobSet", "jobset.x-k8s.io/"},
    {"Pod", "v1", OfPod},
    {"StatefulSet", "apps/", OfReplicas},
    {"ReplicaSet", "apps/", OfReplicas},
    {"Deployment", "apps/", OfDeployment},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io/", OfLeaderWorkerSet},
    {"PyTorchJob", kMpiJobGroup, OfKubeflow},
    {"TFJob", kMpiJobGroup, OfKubeflow},
    {"XGBoostJob", kMpiJobGroup, OfKubeflow},
    {"PaddleJob", kMpiJobGroup, OfKubeflow},
    {"JAXJob", kMpiJobGroup, OfKubeflow},
    {kMpiJobKind, kMpiJobGroup, OfKubeflow},
    {"RayCluster", "ray.io/", OfRayCluster},
    {"RayJob", "ray.io/", OfRayJob},
    {"RayService", "ray.io/", OfRayService},
    {kPodGroupKind, "scheduling.x-k8s.io/", OfPodGroup},
    {kPodGroupKind, "scheduling.sigs.k8s.io/", OfPodGroup},
    {kPodGroupKind, "scheduling.volcano.sh/", OfPodGroup},
    {kPodGroupKind, "scheduling.k8s.io/", OfPodGroup},
};

}  // namespace

bool IsWorkload(const YamlNode& document) {
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](const WorkloadKind& one) {
    return one.kind == TextAt(&document, {"kind"});
  });
}

std::string WorkloadKinds() {
  std::vector<std::string_view> kinds;
  for (const WorkloadKind& one : kKinds) {
    if (std::find(kinds.begin(), kinds.end(), one.kind) == kinds.end()) kinds.push_back(one.kind);
  }
  return fmt::format("{}", fmt::join(kinds, ", "));
}

absl::StatusOr<Workload> WorkloadOf(const YamlNode& document) {
  const std::string_view version = TextAt(&document, {"apiVersion"});
  const std::string_view kind = TextAt(&document, {"kind"});
  std::vector<std::string> groups;
  for (const WorkloadKind& one : kKinds) {
    if (one.kind != kind) continue;
    if (version.starts_with(one.group)) return one.make(document);
    groups.push_back(one.group.ends_with('/') ? fmt::format("{}...", one.group)
                                              : std::string(one.group));
  }
  return Invalid("apiVersion: \"{}\" of a {}; expected {}", Shown(version), kind,
                 fmt::join(groups, " or "));
}

}  // namespace gangplan
