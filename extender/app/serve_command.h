// `gangplan serve --config FILE [--check]`: the extender, until SIGTERM or SIGINT.
// Exit codes: 0 drained (or the file is good), 1 could not run, 2 wrong words or a bad file.
#pragma once

#include <span>
#include <string_view>

namespace gangplan {

int RunServe(std::span<const std::string_view> args);

}  // namespace gangplan
