// Requests for nodes and their pod templates, as JSON text. A template has one container that asks
// for all that a member does, so that whoever adds nodes counts as Gangplan does; what the members'
// programs are is told to nobody. Pure.
#pragma once

#include <string>
#include <string_view>

#include "extender/cluster/provisioning.h"

namespace gangplan {

// Of the pod set with this number.
std::string TemplateNameOf(const ProvisioningWrite& write, size_t set);

// A ProvisioningRequest that refers to one template for each pod set.
std::string ProvisioningBody(const ProvisioningWrite& write);
// Such a PodTemplate, owned by the request of this UID.
std::string PodTemplateBody(const ProvisioningWrite& write, size_t set, std::string_view uid);

}  // namespace gangplan
