#include "extender/cli/manifest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "extender/kube/yaml_json.h"
#include "extender/protocol/jobset_words.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";

const YamlNode* FindPath(const YamlNode* node, std::initializer_list<std::string_view> path) {
  for (const std::string_view key : path) node = node == nullptr ? nullptr : node->Find(key);
  return node;
}
std::string_view TextAt(const YamlNode* node, std::initializer_list<std::string_view> path) {
  node = FindPath(node, path);
  return node == nullptr ? std::string_view() : std::string_view(node->text);
}

// Nobody's UID, since it has letters that no UID of the API server has.
constexpr std::string_view kNotMadeYet = "not made yet, by gangplan plan";

// What the API server and the controllers would write.
void SetIfMissing(YamlNode& map, std::string_view key, std::string value) {
  if (map.Find(key) != nullptr) return;
  YamlNode& node = map.items.emplace_back();
  node.kind = YamlNode::Kind::kScalar;
  node.quoted = true;
  node.key = key;
  node.text = std::move(value);
}

absl::StatusOr<JobFacts> ReadJob(YamlNode document, const OwnerKind& kind, std::string_view ns) {
  const auto metadata = std::find_if(document.items.begin(), document.items.end(),
                                     [](const YamlNode& one) { return one.key == "metadata"; });
  if (metadata != document.items.end() && metadata->kind == YamlNode::Kind::kMap) {
    // Jobs are often made under a name that ends as the server likes.
    const std::string prefix(TextAt(&*metadata, {"generateName"}));
    if (!prefix.empty()) SetIfMissing(*metadata, "name", prefix + "xxxxx");
    SetIfMissing(*metadata, "namespace", std::string(ns));
    std::erase_if(metadata->items, [](const YamlNode& one) { return one.key == "uid"; });
    SetIfMissing(*metadata, "uid", std::string(kNotMadeYet));
  }
  std::string json = ToJson(document);
  return DecodeJob(json, kind);
}

// The labels that the Job's controller writes on the pods of one of its Jobs.
void LabelForJob(PodFacts& pod) {
  for (const std::string_view prefix : {"", "batch.kubernetes.io/"}) {
    SetLabel(pod.labels, fmt::format("{}job-name", prefix), pod.controller->name);
    SetLabel(pod.labels, fmt::format("{}controller-uid", prefix), pod.controller->uid);
  }
}

// `each` pods of one Job; `indexed`: they have a completion index.
void AddPods(const PodFacts& like, int64_t each, bool indexed, std::vector<PodFacts>& pods) {
  for (int64_t i = 0; i < each; ++i) {
    PodFacts& pod = pods.emplace_back(like);
    pod.name = fmt::format("{}-{}", like.controller->name, i);
    pod.uid = fmt::format("{}-{}", like.controller->uid, i);
    LabelForJob(pod);
    pod.gates = {};  // whoever takes them away takes time, and no room
    if (!indexed) continue;
    SetLabel(pod.annotations, kIndex, fmt::format("{}", i));
    SetLabel(pod.labels, kIndex, fmt::format("{}", i));
  }
}

// A JobSet's Jobs are indexed when they say nothing else.
bool IsIndexed(const YamlNode& document, std::string_view pod_set) {
  const YamlNode* all = FindPath(&document, {"spec", "replicatedJobs"});
  if (all == nullptr) return true;
  const auto set = std::find_if(all->items.begin(), all->items.end(), [&](const YamlNode& one) {
    return TextAt(&one, {"name"}) == pod_set;
  });
  return set == all->items.end() ||
         TextAt(&*set, {"template", "spec", "completionMode"}) != "NonIndexed";
}

void AddSetPods(const YamlNode& document, const JobFacts& job, Manifest& manifest) {
  for (size_t i = 0; i < job.pods.size(); ++i) {
    const OwnerPodSet& set = job.owner.pod_sets[i];
    manifest.firsts.push_back(manifest.pods.size());
    for (int64_t at = 0; at < set.jobs; ++at) {
      PodFacts like = job.pods[i];
      like.controller->name = fmt::format("{}-{}-{}", job.owner.ref.name, set.name, at);
      like.controller->uid = fmt::format("{}-{}-{}", job.owner.ref.uid, set.name, at);
      SetLabel(like.labels, kJobSetJobIndex, fmt::format("{}", at));
      AddPods(like, set.each, IsIndexed(document, set.name), manifest.pods);
    }
  }
}

// What admission completes. Of classes that nobody knows it is noted what they count as.
absl::Status Complete(const AdmissionRules& admission, JobFacts& job,
                      std::vector<std::string>& notes) {
  std::string missing = admission.rules.ProblemOf(job);
  if (!missing.empty() && admission.classes) return Invalid("{}", missing);
  if (!missing.empty()) notes.push_back(missing + " in the snapshot, so nothing of it counts");
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < job.pods.size(); ++i) pods.push_back(admission.rules.PodOf(job, i));
  job.pods = std::move(pods);
  return absl::OkStatus();
}

absl::StatusOr<Manifest> Made(const YamlNode& document, const OwnerKind& kind, std::string_view ns,
                              const AdmissionRules& admission) {
  GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, ReadJob(document, kind, ns));
  for (const PodFacts& pod : job.pods) {
    if (!pod.fault.empty()) return Invalid("{}", pod.fault);
  }
  int64_t count = job.owner.size.value_or(0);
  for (const OwnerPodSet& set : job.owner.pod_sets) count += set.size();
  if (count == 0) return Invalid("it makes no pods");
  if (count > kMaxManifestPods)
    return Invalid("it makes {} pods; expected at most {}", count, kMaxManifestPods);
  Manifest manifest;
  if (std::any_of(job.pods.begin(), job.pods.end(), [](const auto& pod) { return pod.gated(); }))
    manifest.notes.push_back("its pods wait behind a scheduling gate until that is taken away");
  if (job.owner.in_order)
    manifest.notes.push_back(
        "its sets start one after the other, each a gang of its own: each is planned beside those "
        "before it, as if they still ran");
  GANGPLAN_RETURN_IF_ERROR(Complete(admission, job, manifest.notes));
  if (kind.kind == kJobKind.kind) {
    const bool indexed = TextAt(&document, {"spec", "completionMode"}) == "Indexed";
    manifest.firsts.push_back(0);
    AddPods(job.pods.front(), count, indexed, manifest.pods);
  } else {
    AddSetPods(document, job, manifest);
  }
  manifest.owners.push_back(std::move(job.owner));
  return manifest;
}

}  // namespace

absl::StatusOr<Manifest> ReadManifest(std::string_view text, std::string_view name,
                                      std::string_view default_namespace,
                                      const AdmissionRules& admission) {
  GANGPLAN_ASSIGN_OR_RETURN(const std::vector<YamlNode> documents,
                            ParseYaml(text, YamlRulesFor(text), fmt::format("{}:", name)));
  const YamlNode* found = nullptr;
  for (const YamlNode& document : documents) {
    if (FindOwnerKind(TextAt(&document, {"kind"})) == nullptr) continue;
    if (found != nullptr)
      return Invalid("{}:{}: a second Job or JobSet; expected one", name, document.line);
    found = &document;
  }
  if (found == nullptr) return Invalid("{}: no Job and no JobSet in it", name);
  const OwnerKind& kind = *FindOwnerKind(TextAt(found, {"kind"}));
  absl::StatusOr<Manifest> manifest = Made(*found, kind, default_namespace, admission);
  if (!manifest.ok()) return Invalid("{}: {}", name, Message(manifest.status()));
  return manifest;
}

}  // namespace gangplan
