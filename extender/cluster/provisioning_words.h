// By which words requests for nodes (ProvisioningRequests of autoscaling.x-k8s.io) and the pods
// that use what they book are known. Constant data; any thread.
#pragma once

#include <string_view>

namespace gangplan {

// On pods: whose booked room they use, and of which class that is. Others write the first of them,
// too, in its older form as well: such pods are provided for.
inline constexpr std::string_view kConsumeAnnotation =
    "autoscaling.x-k8s.io/consume-provisioning-request";
inline constexpr std::string_view kOldConsumeAnnotation =
    "cluster-autoscaler.kubernetes.io/consume-provisioning-request";
inline constexpr std::string_view kProvisioningClassAnnotation =
    "autoscaling.x-k8s.io/provisioning-class-name";

// On requests of ours. A label: the scheduler whose Gangplan has made it. An annotation: the gang,
// namespace/name.
inline constexpr std::string_view kProvisioningByLabel = "gangplan.io/provisioning-by";
inline constexpr std::string_view kProvisioningForAnnotation = "gangplan.io/provisioning-for";

}  // namespace gangplan
