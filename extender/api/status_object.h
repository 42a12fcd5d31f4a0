// The Status objects by which an API of Kubernetes says no. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "extender/kube/access.h"
#include "extender/server/http_call.h"

namespace gangplan {

// A reply of HTTP status `code` whose reason follows from it; `about`, where there is one, is what
// was asked for.
HttpReply StatusReply(int code, std::string_view message, const Access* about);
// Likewise, about nothing.
HttpReply PlainStatus(int code, std::string_view message);

// As the API server says it: `gangs.gangplan.io "a" is forbidden: User "jane" cannot get resource
// "gangs" in API group "gangplan.io" in the namespace "ml"`.
HttpReply ForbiddenReply(const User& user, const Access& access);
HttpReply NotFoundReply(const Access& access);
// Of a path that is that of no resource.
HttpReply NoResourceReply();

}  // namespace gangplan
