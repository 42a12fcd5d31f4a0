// The groups that ConfigMaps of Sakkara's users describe, behind the face that the planner knows.
#pragma once

#include <memory>

#include "extender/frontends/group_objects.h"

namespace gangplan {

std::unique_ptr<GroupObjects> MakeSakkaraGroups();

}  // namespace gangplan
