// What gangs wait for, of what nodes list: extended resources have a domain in their name. Pure.
#pragma once

#include <string>

#include "topology/resources.h"

namespace gangplan {

// There is some, of a resource that is not Kubernetes' own.
inline bool IsDevice(const ResourceAmount& one) {
  return one.amount > 0 && one.name.find('/') != std::string::npos;
}

}  // namespace gangplan
