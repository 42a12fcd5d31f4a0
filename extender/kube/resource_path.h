// Paths of the Kubernetes API, in which names of objects are percent-encoded. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "topology/owner_kinds.h"
#include "topology/pod_facts.h"

namespace gangplan {

// RFC 3986: everything but letters, digits and -._~ becomes %XX.
std::string PercentEncode(std::string_view text);

// "/api/v1/namespaces/NS/pods/NAME", then `/subresource` when there is one.
std::string PodPath(std::string_view ns, std::string_view name, std::string_view subresource = {});

// "/api/v1/configmaps", of all namespaces when `ns` is empty; else
// "/api/v1/namespaces/NS/configmaps", then `/NAME` when there is one.
std::string ConfigMapPath(std::string_view ns, std::string_view name = {});

// Of all Leases of the namespace.
std::string LeasesPath(std::string_view ns);

// "/apis/batch/v1/namespaces/NS/jobs/NAME", then `/subresource` when there is one; of another kind
// likewise. Without a name the list.
std::string KindPath(const OwnerKind& kind, std::string_view ns, std::string_view name,
                     std::string_view subresource = {});
inline std::string JobPath(std::string_view ns, std::string_view name,
                           std::string_view subresource = {}) {
  return KindPath(kJobKind, ns, name, subresource);
}

// Of Kueue's Workload, or of its status; and of the status of an AdmissionCheck.
std::string WorkloadPath(std::string_view ns, std::string_view name,
                         std::string_view subresource = {});
std::string AdmissionCheckStatusPath(std::string_view name);

// The path of an owner by its apiVersion and kind. The resource's name is the kind in small letters
// in the plural: +s, +es after s, x, ch and sh, ies for a consonant's y. InvalidArgument when a
// part is empty or the apiVersion is not `version` or `group/version`.
absl::StatusOr<std::string> OwnerPath(std::string_view ns, const OwnerRef& owner);

}  // namespace gangplan
