// The objects of groups that pods name: PodGroups of coscheduling, of Koordinator, of Volcano and
// of Kubernetes itself. Constant data; any thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {

// Of the pods of a PodGroup of coscheduling.
inline constexpr std::string_view kPodGroupLabel = "scheduling.x-k8s.io/pod-group";
inline constexpr std::string_view kPodGroupKind = "PodGroup";
inline constexpr std::string_view kPodGroupVersion = "scheduling.x-k8s.io/v1alpha1";
inline constexpr std::string_view kKoordinatorPodGroup = "scheduling.sigs.k8s.io/v1alpha1";
inline constexpr std::string_view kVolcanoPodGroup = "scheduling.volcano.sh/v1beta1";
inline constexpr std::string_view kNativePodGroup = "scheduling.k8s.io/v1alpha2";

// Each of them is called PodGroup where it stands.
struct NamedObject {
  std::string_view kind;  // of the gang
  std::string_view api_version;
};
inline constexpr NamedObject kNamedObjects[] = {
    {kPodGroupKind, kPodGroupVersion},
    {"Koordinator PodGroup", kKoordinatorPodGroup},
    {"Volcano PodGroup", kVolcanoPodGroup},
    {"Kubernetes PodGroup", kNativePodGroup},
};

// Null: none of these.
inline const NamedObject* FindNamedObject(std::string_view api_version) {
  const auto* found =
      std::find_if(std::begin(kNamedObjects), std::end(kNamedObjects),
                   [&](const NamedObject& one) { return one.api_version == api_version; });
  return found == std::end(kNamedObjects) ? nullptr : found;
}

// What it has in the place of its UID, which no pod tells. No UID has a '/'.
inline std::string NamedUid(const NamedObject& object, std::string_view ns, std::string_view name) {
  return fmt::format("{} {}/{}", object.kind, ns, name);
}

}  // namespace gangplan
