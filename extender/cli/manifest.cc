#include "extender/cli/manifest.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "extender/cli/workload.h"
#include "extender/cli/yaml_paths.h"
#include "extender/kube/limits.h"
#include "extender/kube/text_file.h"
#include "extender/kube/yaml_json.h"
#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/jobset_words.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";

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

// As the API server would keep it.
YamlNode Completed(YamlNode document, std::string_view ns) {
  const auto metadata = std::find_if(document.items.begin(), document.items.end(),
                                     [](const YamlNode& one) { return one.key == "metadata"; });
  if (metadata == document.items.end() || metadata->kind != YamlNode::Kind::kMap) return document;
  // Jobs are often made under a name that ends as the server likes.
  const std::string prefix(TextAt(&*metadata, {"generateName"}));
  if (!prefix.empty()) SetIfMissing(*metadata, "name", prefix + "xxxxx");
  SetIfMissing(*metadata, "namespace", std::string(ns));
  std::erase_if(metadata->items, [](const YamlNode& one) { return one.key == "uid"; });
  SetIfMissing(*metadata, "uid",
               fmt::format("{}: {} {}", kNotMadeYet, TextAt(&document, {"kind"}),
                           TextAt(&*metadata, {"name"})));
  return document;
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

// What admission completes. Of classes that nobody knows it is noted what they count as. `path`: of
// the template, ended by a '.'; else only where templates stand.
absl::Status Complete(const AdmissionRules& admission, std::string_view path, JobFacts& job,
                      std::vector<std::string>& notes) {
  std::string missing = admission.rules.ProblemOf(job);
  const bool runtime = missing.find("RuntimeClass") != std::string::npos;
  if (!missing.empty() && admission.classes) {
    const bool whole = path.empty() || path.ends_with('.');
    const std::string_view field = runtime ? "runtimeClassName" : "priorityClassName";
    return Invalid("{}{}{}: {}", path, whole ? "spec." : "", whole ? field : "", missing);
  }
  if (!missing.empty()) {
    missing += " in the snapshot, so nothing of it counts";
    if (std::find(notes.begin(), notes.end(), missing) == notes.end()) notes.push_back(missing);
  }
  std::vector<PodFacts> pods;
  for (size_t i = 0; i < job.pods.size(); ++i) pods.push_back(admission.rules.PodOf(job, i));
  job.pods = std::move(pods);
  return absl::OkStatus();
}

// Each is a product of two numbers of 32 bits: it may be added to one that is within bounds.
void AddCount(int64_t more, int64_t& count) {
  if (count <= kMaxManifestPods) count += more;
}

absl::Status CheckCount(int64_t count, const Manifest& manifest, std::string_view fields) {
  if (count == 0) return Invalid("{}: it makes no pods; expected at least one", fields);
  if (count > kMaxManifestPods - std::ssize(manifest.pods))
    return Invalid("{}: it makes {} pods; expected at most {}", fields, count, kMaxManifestPods);
  return absl::OkStatus();
}

// ---- a Job or a JobSet

absl::Status AddJob(const YamlNode& document, const OwnerKind& kind,
                    const AdmissionRules& admission, Manifest& manifest) {
  std::string json = ToJson(document);
  GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, DecodeJob(json, kind));
  for (const PodFacts& pod : job.pods) {
    if (!pod.fault.empty()) return Invalid("{}", pod.fault);
  }
  int64_t count = job.owner.size.value_or(0);
  for (const OwnerPodSet& set : job.owner.pod_sets) AddCount(set.size(), count);
  GANGPLAN_RETURN_IF_ERROR(
      CheckCount(count, manifest, FindCountedKind(kind.api_version, kind.kind)->fields));
  if (job.owner.in_order)
    manifest.notes.push_back(
        "its sets start one after the other, each a gang of its own: each is planned beside those "
        "before it, as if they still ran");
  const bool plain = kind.kind == kJobKind.kind;
  GANGPLAN_RETURN_IF_ERROR(
      Complete(admission, plain ? "spec.template." : "spec.replicatedJobs", job, manifest.notes));
  if (plain) {
    const bool indexed = TextAt(&document, {"spec", "completionMode"}) == "Indexed";
    manifest.firsts.push_back(manifest.pods.size());
    AddPods(job.pods.front(), count, indexed, manifest.pods);
  } else {
    AddSetPods(document, job, manifest);
  }
  manifest.owners.push_back(std::move(job.owner));
  return absl::OkStatus();
}

// ---- others

YamlNode MapOf(std::string key, std::vector<YamlNode> items) {
  YamlNode map;
  map.kind = YamlNode::Kind::kMap;
  map.key = std::move(key);
  map.items = std::move(items);
  return map;
}
YamlNode TextOf(std::string key, std::string_view text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.quoted = true;
  node.key = std::move(key);
  node.text = text;
  return node;
}

// A template is read as that of a Job: what the API server completes of it is the same.
YamlNode JobAround(const PodPart& part, std::string_view ns) {
  YamlNode pod = part.pod;
  pod.key = "template";
  return MapOf("", {TextOf("apiVersion", kJobKind.api_version), TextOf("kind", kJobKind.kind),
                    MapOf("metadata", {TextOf("name", part.name), TextOf("namespace", ns),
                                       TextOf("uid", kNotMadeYet)}),
                    MapOf("spec", {std::move(pod)})});
}

// Seen from the document.
std::string FaultIn(const PodPart& part, std::string_view fault) {
  constexpr std::string_view kTemplate = "spec.template";
  if (!fault.starts_with(kTemplate)) return fmt::format("{}: {}", part.path, fault);
  fault.remove_prefix(kTemplate.size());
  if (part.path.empty() && fault.starts_with('.')) fault.remove_prefix(1);
  if (part.path.empty() && fault.starts_with(": ")) fault.remove_prefix(2);
  return part.path + std::string(fault);
}

absl::StatusOr<PodFacts> FirstOf(const PodPart& part, std::string_view ns,
                                 const AdmissionRules& admission, std::vector<std::string>& notes) {
  std::string json = ToJson(JobAround(part, ns));
  GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, DecodeJob(json));
  if (!job.pods.front().fault.empty()) return Invalid("{}", FaultIn(part, job.pods.front().fault));
  const std::string path = part.path.empty() ? "" : part.path + ".";
  GANGPLAN_RETURN_IF_ERROR(Complete(admission, path, job, notes));
  PodFacts pod = std::move(job.pods.front());
  pod.controller = part.controller;
  for (const auto& [key, value] : part.labels) SetLabel(pod.labels, key, value);
  for (const auto& [key, value] : part.annotations) SetLabel(pod.annotations, key, value);
  for (PodAffinityTerm term : part.apart) {
    term.pods.namespaces = {pod.ns};
    pod.affinity.apart.push_back(std::move(term));
  }
  return pod;
}

absl::Status AddPart(const PodPart& part, std::string_view ns, const AdmissionRules& admission,
                     Manifest& manifest) {
  GANGPLAN_ASSIGN_OR_RETURN(const PodFacts like, FirstOf(part, ns, admission, manifest.notes));
  manifest.firsts.push_back(manifest.pods.size());
  for (int64_t i = part.first_index; i < part.first_index + part.count; ++i) {
    PodFacts& pod = manifest.pods.emplace_back(like);
    pod.name = part.numbered ? fmt::format("{}-{}", part.name, i) : part.name;
    pod.uid = fmt::format("{}: pod {} of {}", kNotMadeYet, pod.name, ns);
    if (!part.index_label.empty()) SetLabel(pod.labels, part.index_label, fmt::format("{}", i));
  }
  return absl::OkStatus();
}

absl::Status AddOther(const YamlNode& document, const AdmissionRules& admission,
                      Manifest& manifest) {
  if (TextAt(&document, {"metadata", "name"}).empty()) return Invalid("metadata.name is missing");
  GANGPLAN_ASSIGN_OR_RETURN(Workload made, WorkloadOf(document));
  int64_t count = 0;
  for (const PodPart& part : made.parts) AddCount(part.count, count);
  if (made.kind != kPodGroupKind)
    GANGPLAN_RETURN_IF_ERROR(CheckCount(count, manifest, made.counted_by));
  for (const PodPart& part : made.parts) {
    GANGPLAN_RETURN_IF_ERROR(
        AddPart(part, TextAt(&document, {"metadata", "namespace"}), admission, manifest));
  }
  std::move(made.owners.begin(), made.owners.end(), std::back_inserter(manifest.owners));
  return absl::OkStatus();
}

// ---- the text

// Lists of objects, as kubectl prints them, by their items.
void AddObjects(std::vector<YamlNode> documents, std::vector<YamlNode>& objects) {
  for (YamlNode& document : documents) {
    const auto items = std::find_if(document.items.begin(), document.items.end(),
                                    [](const YamlNode& one) { return one.key == "items"; });
    const bool list = document.kind == YamlNode::Kind::kMap && items != document.items.end() &&
                      TextAt(&document, {"kind"}) == "List";
    if (list) {
      AddObjects(std::move(items->items), objects);
    } else {
      objects.push_back(std::move(document));
    }
  }
}

std::string NameOf(const YamlNode& document) {
  return fmt::format("{} {}/{}", TextAt(&document, {"kind"}),
                     TextAt(&document, {"metadata", "namespace"}),
                     TextAt(&document, {"metadata", "name"}));
}

void NoteWords(const YamlNode& node, std::string_view file, Manifest& manifest) {
  const bool words = node.key == "annotations" || node.key == "labels";
  for (const YamlNode& one : node.items) {
    if (words) manifest.words.push_back({one.key, fmt::format("{}:{}", file, one.key_line)});
    NoteWords(one, file, manifest);
  }
}

// What is in the file instead.
absl::Status NothingIn(const std::vector<YamlNode>& objects, std::string_view file) {
  constexpr size_t kTold = 3;
  std::vector<std::string> found;
  for (const YamlNode& one : objects) {
    const std::string_view kind = TextAt(&one, {"kind"});
    if (!kind.empty() && found.size() < kTold)
      found.push_back(fmt::format("{} (line {})", Shown(kind), LineOf(one, "kind")));
  }
  return Invalid("{}: no object in it makes pods of gangs: found {}; expected kind: {}", file,
                 found.empty() ? "no kind" : fmt::format("{}", fmt::join(found, ", ")),
                 WorkloadKinds());
}

// A fault as the manifest has it, whose keys begin below the kind, with what a quantity is.
std::string Seen(std::string why, std::string_view kind) {
  for (const std::string_view end : {".", ": "}) {
    const std::string before = fmt::format("{}{}", kind, end);
    if (why.starts_with(before)) why.erase(0, before.size());
  }
  if (why.find(": quantity \"") != std::string::npos)
    why += "; expected a quantity, as 8, 500m or 512Gi";
  return why;
}

absl::Status Add(const YamlNode& document, const AdmissionRules& admission, Manifest& manifest) {
  const std::string_view kind = TextAt(&document, {"kind"});
  const OwnerKind* of_jobs = FindOwnerKind(kind);
  GANGPLAN_RETURN_IF_ERROR(of_jobs != nullptr ? AddJob(document, *of_jobs, admission, manifest)
                                              : AddOther(document, admission, manifest));
  if (manifest.of.empty() && !manifest.pods.empty()) manifest.of = NameOf(document);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Manifest> ReadManifest(std::string_view text, std::string_view name,
                                      std::string_view default_namespace,
                                      const AdmissionRules& admission) {
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<YamlNode> documents,
                            ParseYaml(text, YamlRulesFor(text), fmt::format("{}:", name)));
  std::vector<YamlNode> objects;
  AddObjects(std::move(documents), objects);
  Manifest manifest;
  std::set<std::string> names;
  for (const YamlNode& object : objects) {
    if (!IsWorkload(object)) continue;
    const YamlNode document = Completed(object, default_namespace);
    absl::Status added = Add(document, admission, manifest);
    if (added.ok() && !names.insert(NameOf(document)).second)
      added = Invalid("metadata.name: a second {}; expected another name", NameOf(document));
    if (!added.ok()) {
      const std::string why = Seen(Message(added), TextAt(&object, {"kind"}));
      return Invalid("{}:{}: {}", name, LineOf(object, why), why);
    }
    NoteWords(object, name, manifest);
  }
  if (names.empty()) return NothingIn(objects, name);
  if (manifest.pods.empty())
    return Invalid("{}: only {} in it, and no pod; expected the pods that name it", name,
                   *names.begin());
  const bool gated = std::any_of(manifest.pods.begin(), manifest.pods.end(),
                                 [](const PodFacts& pod) { return pod.gated(); });
  if (gated)
    manifest.notes.push_back("its pods wait behind a scheduling gate until that is taken away");
  for (PodFacts& pod : manifest.pods) pod.gates = {};  // whoever takes them away takes time alone
  return manifest;
}

std::string ManifestName(const std::string& path) { return path == "-" ? "standard input" : path; }

absl::StatusOr<Manifest> ReadManifestFile(const std::string& path,
                                          std::string_view default_namespace,
                                          const AdmissionRules& admission) {
  const absl::StatusOr<std::string> text = path == "-" ? ReadStandardInput(kMaxStoredBytes * 4)
                                                       : ReadTextFile(path, kMaxStoredBytes * 4);
  if (!text.ok()) {
    return Invalid("-f: {}; expected a manifest in YAML or JSON, or - for standard input",
                   Message(text.status()));
  }
  return ReadManifest(*text, ManifestName(path), default_namespace, admission);
}

}  // namespace gangplan
