#include "extender/frontends/named_group.h"

#include <string>

#include "extender/frontends/gangplan/words.h"
#include "extender/protocol/owner_object.h"
#include "extender/protocol/pod_group_words.h"

namespace gangplan {
namespace {

constexpr NamedGroup kGroups[] = {
    {"kueue.x-k8s.io/pod-group-name", "", "Kueue pod group", "",
     "kueue.x-k8s.io/pod-group-total-count"},
    {"scheduling.x-k8s.io/pod-group", "", kPodGroupKind, kPodGroupVersion, ""},
    {"pod-group.scheduling.sigs.k8s.io", "", kPodGroupKind, "", ""},
    {"scheduling.volcano.sh/group-name", "", "Volcano PodGroup", "", ""},
    {"scheduling.k8s.io/group-name", "", "Volcano PodGroup", "", ""},
    {"gang.scheduling.koordinator.sh/name", "", "Koordinator gang", "", ""},
    {"grove.io/podgang", "", "Grove PodGang", "", ""},
};

constexpr std::string_view kServing = "kueue.x-k8s.io/pod-group-serving";

const std::string* FindOn(const PodFacts& pod, std::string_view key) {
  const std::string* label = FindLabel(pod.labels, key);
  return label != nullptr ? label : FindLabel(pod.annotations, key);
}

bool Serves(const PodFacts& pod) {
  const std::string* serving = FindOn(pod, kServing);
  return serving != nullptr && *serving == "true";
}

// Its count is that of its gang. A ReplicaSet or a StatefulSet says how many pods there should be,
// and its PodGroup how many of them have to start together.
bool CountsItsGang(const OwnerRef& controller) {
  return TellsSize(controller) && !controller.api_version.starts_with("apps/");
}

}  // namespace

NamedGroup NamedGroupOf(const PodFacts& pod) {
  for (NamedGroup group : kGroups) {
    const std::string* name = FindOn(pod, group.key);
    if (name == nullptr || (group.key == kGroups[0].key && Serves(pod))) continue;
    group.name = *name;
    if (!group.count_key.empty()) group.count = FindOn(pod, group.count_key);
    return group;
  }
  return {};
}

std::optional<OwnerRef> PodGroupOf(const PodFacts& pod) {
  const NamedGroup group = NamedGroupOf(pod);
  const GroupWords words = ReadWords(pod.annotations, pod.labels);
  if (group.object.empty() || words.group || words.size || words.pod_sets) return std::nullopt;
  if (pod.controller && CountsItsGang(*pod.controller)) return std::nullopt;
  return OwnerRef{std::string(group.object), std::string(group.kind), std::string(group.name),
                  PodGroupUid(pod.ns, group.name)};
}

}  // namespace gangplan
