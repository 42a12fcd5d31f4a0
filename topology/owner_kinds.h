// The kinds of owners that may wait suspended until Gangplan starts them, and what differs between
// them. Constant data; any thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace gangplan {

struct OwnerKind {
  std::string_view kind;
  std::string_view api_version;
  std::string_view plural;   // of its resource
  std::string_view most_of;  // for people, how many of it wait: "Jobs"
  // The affinity of a plan goes into its own template. Else into those of the Jobs that it has
  // made, which are there, suspended as it is, before it is started: what stands in its own
  // template of affinity reaches none that exists.
  bool pins_own_template = false;
  // Every cluster has it. Else it is a custom resource: where it is not served, or may not be
  // listed, none of them wait.
  bool built_in = false;
};

inline constexpr OwnerKind kOwnerKinds[] = {
    {"Job", "batch/v1", "jobs", "Jobs", true, true},
    {"JobSet", "jobset.x-k8s.io/v1alpha2", "jobsets", "JobSets", false, false},
};
inline constexpr const OwnerKind& kJobKind = kOwnerKinds[0];
inline constexpr const OwnerKind& kJobSetKind = kOwnerKinds[1];

// Null: none of these.
inline const OwnerKind* FindOwnerKind(std::string_view kind) {
  const auto* found = std::find_if(std::begin(kOwnerKinds), std::end(kOwnerKinds),
                                   [&](const OwnerKind& one) { return one.kind == kind; });
  return found == std::end(kOwnerKinds) ? nullptr : found;
}

// Of any version of its group. `owner`: a reference, or whatever has a kind and an API version.
bool IsOf(const auto& owner, const OwnerKind& kind) {
  const std::string_view group = kind.api_version.substr(0, kind.api_version.find('/') + 1);
  return owner.kind == kind.kind && owner.api_version.starts_with(group);
}

}  // namespace gangplan
