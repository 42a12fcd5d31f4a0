// The API server's small answers: a Status object's text, the server's version. What is large is
// decoded in extender/protocol. Pure; bytes from outside, so nothing here trusts their form.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/kube/transport.h"

namespace gangplan {

// The message of a Status object; else the body itself, else "no message". At most
// kMaxServerMessageBytes, control characters as spaces.
std::string ServerMessage(std::string_view body);

// OK for 2xx. 401 Unauthenticated, 403 PermissionDenied, 404 NotFound, 409 Aborted, 410 OutOfRange,
// 400 and 422 FailedPrecondition, 429 ResourceExhausted, 5xx Unavailable, the rest Unknown. The
// text is "WHAT: 403 message".
absl::Status AnswerStatus(const HttpResponse& response, std::string_view what);

struct ServerVersion {
  int major = 0;
  int minor = 0;
};
// Of GET /version: {"major":"1","minor":"34+"}.
absl::StatusOr<ServerVersion> ParseServerVersion(std::string_view body);

// Of a review of rights: {"status":{"allowed":true}}.
absl::StatusOr<bool> ParseAccessAnswer(std::string_view body);

}  // namespace gangplan
