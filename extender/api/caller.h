// Who asks, by the headers that the API server's front proxy writes. Only to be believed of a
// connection that has shown the proxy's certificate: the server refuses all others before.
//
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/kube/access.h"
#include "extender/server/http_head.h"

namespace gangplan {

// Which headers the proxy writes, as the cluster names them.
struct ProxyHeaders {
  std::vector<std::string> user;  // the first that is there counts
  std::vector<std::string> uid;   // likewise
  std::vector<std::string> groups;
  std::vector<std::string> extra;  // beginnings of names
  friend bool operator==(const ProxyHeaders&, const ProxyHeaders&) = default;
};

// Unauthenticated: nobody is named, one header names two, or a name is no UTF-8.
absl::StatusOr<User> CallerOf(const HttpHead& head, const ProxyHeaders& names);

}  // namespace gangplan
