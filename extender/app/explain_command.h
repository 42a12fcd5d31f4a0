// `gangplan explain NAMESPACE/NAME`: asks a running gangplan, prints text or JSON.
// Exit codes: 0 printed, 1 no such group or no answer, 2 wrong words.
#pragma once

#include <span>
#include <string_view>

namespace gangplan {

int RunExplain(std::span<const std::string_view> args);

}  // namespace gangplan
