// By which words the pods of Koordinator's gangs tell of them. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

inline constexpr std::string_view kKoordinatorGang = "gang.scheduling.koordinator.sh/name";
inline constexpr std::string_view kKoordinatorLeast =
    "gang.scheduling.koordinator.sh/min-available";
inline constexpr std::string_view kKoordinatorWait = "gang.scheduling.koordinator.sh/waiting-time";
inline constexpr std::string_view kKoordinatorGroups = "gang.scheduling.koordinator.sh/groups";
inline constexpr std::string_view kKoordinatorTopology =
    "gang.scheduling.koordinator.sh/network-topology-spec";
// As labels, in its light form.
inline constexpr std::string_view kLightGang = "pod-group.scheduling.sigs.k8s.io/name";
inline constexpr std::string_view kLightLeast = "pod-group.scheduling.sigs.k8s.io/min-available";

// `json`: the value of kKoordinatorGroups, gangs as "NAMESPACE/NAME" that start together. One of
// them is another one than `own`. What is no list counts for nothing, as there.
bool NamesOtherGangs(std::string_view json, std::string_view own);
// The gangs in it; nothing: it is no list of texts.
std::optional<std::vector<std::string>> GangsNamedIn(std::string_view json);

}  // namespace gangplan
