// The request for nodes that a gang's ask makes. Its name says all that it asks for and for whom,
// so that the same ask has the same name whoever makes it and whenever, and another ask another
// one. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"
#include "extender/cluster/provisioning.h"
#include "extender/planner/room_ask.h"

namespace gangplan {

// Pod sets of one request, and so of a gang that one is made for.
inline constexpr size_t kMaxRequestedSets = 32;

// Its name is without an attempt. Of the pods' labels it has those that some affinity of the gang
// looks at. REQUIRES: the ask lacks room.
ProvisioningWrite RequestOf(const RoomAsk& ask, const std::string& gang,
                            const ProvisioningSettings& settings, const std::string& scheduler);

std::string AttemptName(std::string_view base, int attempt);
// 0: it is none of this base.
int AttemptOf(std::string_view name, std::string_view base);

}  // namespace gangplan
