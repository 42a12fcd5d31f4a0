#include "extender/frontends/named_group.h"

#include <algorithm>
#include <iterator>

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/leader_worker.h"
#include "extender/frontends/limits.h"
#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/koordinator_words.h"
#include "extender/protocol/owner_object.h"
#include "extender/protocol/spark_words.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

// A system's way to name a group; `count_keys`: where its count stands, the first that there is.
struct NamedKind {
  std::string_view key;
  std::string_view kind;
  std::string_view api_version;  // of the object that tells the size; or empty
  std::string_view count_keys[2] = {};
  bool at_least = false;
  std::string_view wait_key = {};
};

// No label: a field of the pod.
constexpr std::string_view kNativeGroup = "spec.schedulingGroup.podGroupName";
constexpr std::string_view kKoordinatorKind = "Koordinator gang";
constexpr NamedKind kKinds[] = {
    {"kueue.x-k8s.io/pod-group-name",
     kKueuePodGroupKind,
     "",
     {"kueue.x-k8s.io/pod-group-total-count"}},
    {kPodGroupLabel, kPodGroupKind, kPodGroupVersion},
    {"pod-group.scheduling.sigs.k8s.io", "Koordinator PodGroup", kKoordinatorPodGroup},
    {kLightGang, kKoordinatorKind, "", {kLightLeast, kKoordinatorLeast}, true, kKoordinatorWait},
    {"scheduling.volcano.sh/group-name", "Volcano PodGroup", kVolcanoPodGroup},
    {"scheduling.k8s.io/group-name", "Volcano PodGroup", kVolcanoPodGroup},
    {kKoordinatorGang,
     kKoordinatorKind,
     "",
     {kKoordinatorLeast, kLightLeast},
     true,
     kKoordinatorWait},
    {"grove.io/podgang", "Grove PodGang", ""},
    {kNativeGroup, "Kubernetes PodGroup", kNativePodGroup},
    {kSparkApp, "Spark application", ""},
};

// That are no group here: the name of the first one says too little, and that of the second one
// tells gangs of one application apart alone.
constexpr std::string_view kKaiGroup = "pod-group-name";
constexpr std::string_view kYuniKornGroup = "yunikorn.apache.org/task-group-name";
// On pods that Kueue admits themselves, and on those of what it has started.
constexpr std::string_view kKueueManaged = "kueue.x-k8s.io/managed";
constexpr std::string_view kKueuePodSet = "kueue.x-k8s.io/podset";

constexpr std::string_view kServing = "kueue.x-k8s.io/pod-group-serving";

const std::string* NameOn(const PodFacts& pod, std::string_view key) {
  if (key != kNativeGroup) return FindOn(pod, key);
  return pod.scheduling_group.empty() ? nullptr : &pod.scheduling_group;
}

bool Serves(const PodFacts& pod) {
  const std::string* serving = FindOn(pod, kServing);
  return serving != nullptr && *serving == "true";
}

// Without a word of ours its executors go alone, as the driver does with any.
bool IsNoGang(const PodFacts& pod, std::string_view key) {
  if (key == kKinds[0].key) return Serves(pod);
  if (key != kSparkApp) return false;
  return !IsSparkExecutor(pod) || !ReadWords(pod.annotations, pod.labels).any();
}

// Its count is that of its gang. A ReplicaSet or a StatefulSet says how many pods there should be,
// and its PodGroup how many of them have to start together.
bool CountsItsGang(const OwnerRef& controller) {
  return TellsSize(controller) && !controller.api_version.starts_with("apps/");
}

// One that is no time counts for none, as Koordinator has it.
std::optional<absl::Duration> ReadPatience(const std::string* text) {
  absl::Duration told;
  if (text == nullptr || !absl::ParseDuration(*text, &told)) return std::nullopt;
  if (told <= absl::ZeroDuration() || told == absl::InfiniteDuration()) return std::nullopt;
  return std::min(told, kMaxPatience);
}

}  // namespace

const std::string* FindOn(const PodFacts& pod, std::string_view key) {
  if (key.empty()) return nullptr;
  const std::string* label = FindLabel(pod.labels, key);
  return label != nullptr ? label : FindLabel(pod.annotations, key);
}

bool IsPartOfMore(const PodFacts& pod) {
  for (const std::string_view key :
       {kKaiGroup, kYuniKornGroup, kKueueManaged, kKueuePodSet, kLeaderWorkerSet})
    if (FindOn(pod, key) != nullptr) return true;
  const auto is_of = [&](const CountedKind& kind) {
    if (kind.part_label.empty()) return false;
    const bool made = pod.controller &&
                      FindCountedKind(pod.controller->api_version, pod.controller->kind) == &kind;
    return made || FindLabel(pod.labels, kind.part_label) != nullptr;
  };
  return std::any_of(std::begin(kCountedKinds), std::end(kCountedKinds), is_of);
}

bool IsSparkExecutor(const PodFacts& pod) {
  const std::string* role = FindLabel(pod.labels, kSparkRole);
  return role != nullptr && *role == kSparkExecutor && FindLabel(pod.labels, kSparkApp) != nullptr;
}

NamedGroup NamedGroupOf(const PodFacts& pod) {
  for (const NamedKind& kind : kKinds) {
    const std::string* name = NameOn(pod, kind.key);
    if (name == nullptr || IsNoGang(pod, kind.key)) continue;
    NamedGroup group{kind.key, *name, kind.kind, FindNamedObject(kind.api_version)};
    group.count_key = kind.count_keys[0];
    group.at_least = kind.at_least;
    for (std::string_view key : kind.count_keys) {
      if (group.count != nullptr) break;
      group.count = FindOn(pod, key);
      if (group.count != nullptr) group.count_key = key;
    }
    group.patience = ReadPatience(FindOn(pod, kind.wait_key));
    return group;
  }
  return {};
}

bool NamesPodGroup(const LabelSet& annotations, const LabelSet& labels) {
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](const NamedKind& kind) {
    return !kind.api_version.empty() &&
           (FindLabel(labels, kind.key) != nullptr || FindLabel(annotations, kind.key) != nullptr);
  });
}

bool IsNamedGroup(std::string_view kind) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const NamedKind& one) { return one.kind == kind; });
}

std::optional<OwnerRef> PodGroupOf(const PodFacts& pod) {
  const NamedGroup group = NamedGroupOf(pod);
  const GroupWords words = ReadWords(pod.annotations, pod.labels);
  if (group.object == nullptr || words.group || words.size || words.pod_sets) return std::nullopt;
  if (pod.controller && CountsItsGang(*pod.controller)) return std::nullopt;
  return OwnerRef{std::string(group.object->api_version), std::string(kPodGroupKind),
                  std::string(group.name), NamedUid(*group.object, pod.ns, group.name)};
}

std::string UnmetOf(const NamedGroup& group, const PodFacts& pod, const OwnerFacts* object) {
  if (object != nullptr && !object->unmet.empty()) {
    return fmt::format("{} {}: {}", group.kind, group.name, object->unmet);
  }
  if (!group.kind.starts_with("Koordinator")) return {};
  const LabelSet& words = object == nullptr ? pod.annotations : object->annotations;
  const std::string* groups = FindLabel(words, kKoordinatorGroups);
  if (groups != nullptr && NamesOtherGangs(*groups, NameInNamespace(pod.ns, group.name))) {
    return fmt::format(
        "{}: gangs that start together are not read; expected one gang, or {} on "
        "the pods of all",
        kKoordinatorGroups, kGroupWord);
  }
  if (FindLabel(words, kKoordinatorTopology) == nullptr) return {};
  return fmt::format("{}: is not read; expected {}", kKoordinatorTopology, kPlaceWord);
}

}  // namespace gangplan
