// What a PodGroup says of how many of its pods start, and what it asks for in words of its system
// that nobody here reads. Pure; any thread. Internal to this room.
#pragma once

#include <string>

#include "extender/protocol/owner_object.h"
#include "topology/pod_facts.h"

namespace gangplan {

// Of one of coscheduling, of Koordinator or of Volcano.
void TakeMinMember(OwnerObjectDraft& draft, OwnerFacts& owner);
// Of kube-scheduler's own.
void TakeGangPolicy(const OwnerObjectDraft& draft, OwnerFacts& owner);
// Of any; empty: nothing.
std::string UnmetRules(const OwnerObjectDraft& draft);

}  // namespace gangplan
