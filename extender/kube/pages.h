// A list that comes in pages, of which each is asked for when the one before has been taken. For
// lists that are read at once; those that are followed have a reflector. One transport, any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/kube/patience.h"

namespace gangplan {

// `first`: with its limit. `take` gets the text of a page, and returns the token of the next one;
// empty: there is none, or no more is wanted. `what`: for people.
absl::Status EachPage(Transport& transport, const std::string& first, std::string_view what,
                      const CallTools& tools,
                      const std::function<absl::StatusOr<std::string>(std::string& page)>& take);

}  // namespace gangplan
