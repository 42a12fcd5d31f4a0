// The object of a group of coscheduling. Constant data; any thread.
#pragma once

#include <string>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {

inline constexpr std::string_view kPodGroupKind = "PodGroup";
inline constexpr std::string_view kPodGroupGroup = "scheduling.x-k8s.io/";
inline constexpr std::string_view kPodGroupVersion = "scheduling.x-k8s.io/v1alpha1";

// What it has in the place of its UID, which no pod tells. No UID has a '/'.
inline std::string PodGroupUid(std::string_view ns, std::string_view name) {
  return fmt::format("{} {}/{}", kPodGroupKind, ns, name);
}

}  // namespace gangplan
