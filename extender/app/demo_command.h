// `gangplan demo [--pause MS] [--no-color]`: see demo.h. Exit codes: 0 all went as said, 1 it did
// not, 2 wrong words.
#pragma once

#include <span>
#include <string_view>

namespace gangplan {

int RunDemo(std::span<const std::string_view> args);

}  // namespace gangplan
