// A question to a running gangplan, and what people are told where no answer comes: nobody listens,
// there is no such host, the answer is somebody else's. Blocks; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/cli/command.h"
#include "extender/cli/options.h"

namespace gangplan {

// Where probes and reports are, behind the port-forward that the documents show.
inline constexpr std::string_view kDefaultServer = "http://127.0.0.1:10291";

Option ServerOption(std::string& target);

// The body of GET /v1/`path`, which comes within a minute. NotFound, with the server's words: there
// is no such thing. All other errors say what went wrong, and on a second line what to do.
absl::StatusOr<std::string> AskServer(const std::string& server, std::string_view path);

// Of counts in its answers: any that there may be.
inline constexpr int64_t kAnyCount = std::numeric_limits<int64_t>::max();

// A gangplan may have answered this text: anything else answers anything with a page, or an object.
bool MayBeOurs(std::string_view text);

// What came is no answer of a gangplan, for this reason.
absl::Status NotOurs(const std::string& server, const absl::Status& why);

// "gangplan COMMAND: why". kExitFailed, but kExitWrongWords where --server is no URL.
int TellNoAnswer(std::string_view command, const absl::Status& why, const Output& output);

}  // namespace gangplan
