// How the owners' book names an owner: by its namespace and its UID, since anybody may write any
// UID on pods of their own. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "extender/planner/group.h"

namespace gangplan {

// Empty: of nobody.
inline std::string OwnerKey(std::string_view ns, std::string_view uid) {
  return uid.empty() ? std::string() : std::string(ns).append("\n").append(uid);
}
// REQUIRES: it has an owner.
inline std::string OwnerKeyOf(const Group& group) {
  return OwnerKey(group.key().ns, group.owner()->uid);
}
inline std::string_view UidOf(std::string_view owner_key) {
  return owner_key.substr(owner_key.find('\n') + 1);  // npos + 1 is 0
}

}  // namespace gangplan
