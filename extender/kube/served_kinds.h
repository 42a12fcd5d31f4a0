// What the API server serves, asked when an object is not there: whether there could be one at all.
// Any thread, one transport each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/kube/patience.h"

namespace gangplan {

enum class Served {
  kYes,
  kNo,
  kUnknown,  // it does not say
};

// Objects of this kind, in this version of its group.
Served IsServed(Transport& transport, std::string_view api_version, std::string_view kind,
                const CallTools& tools);
// "GROUP/VERSION" of each version that the group of this one is served in; none where the server
// does not say.
std::vector<std::string> ServedVersions(Transport& transport, std::string_view api_version,
                                        const CallTools& tools);

}  // namespace gangplan
