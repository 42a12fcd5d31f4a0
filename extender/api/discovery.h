// What the aggregated API serves, as clients of Kubernetes find it out. Constant data; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "extender/api/question.h"
#include "extender/server/http_call.h"

namespace gangplan {

// Of /apis, /apis/gangplan.io and /apis/gangplan.io/v1alpha1; nothing: of no other path.
std::optional<HttpReply> Discovery(const std::vector<std::string>& path, AnswerForm form);

}  // namespace gangplan
