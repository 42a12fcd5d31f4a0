// What a namespaced object is known by, to people and here. Pure.
#pragma once

#include <string>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {

// "NS/NAME".
inline std::string NameInNamespace(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

}  // namespace gangplan
