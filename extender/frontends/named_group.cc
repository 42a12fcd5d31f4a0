#include "extender/frontends/named_group.h"

namespace gangplan {
namespace {

constexpr NamedGroup kGroups[] = {
    {"kueue.x-k8s.io/pod-group-name", "", "Kueue pod group",
     "kueue.x-k8s.io/pod-group-total-count"},
    {"scheduling.x-k8s.io/pod-group", "", "PodGroup", ""},
    {"pod-group.scheduling.sigs.k8s.io", "", "PodGroup", ""},
    {"scheduling.volcano.sh/group-name", "", "Volcano PodGroup", ""},
    {"scheduling.k8s.io/group-name", "", "Volcano PodGroup", ""},
    {"gang.scheduling.koordinator.sh/name", "", "Koordinator gang", ""},
    {"grove.io/podgang", "", "Grove PodGang", ""},
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

}  // namespace gangplan
