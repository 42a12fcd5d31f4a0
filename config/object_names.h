// Names of objects as Kubernetes takes them. Pure; any thread.
#pragma once

#include <string_view>

namespace gangplan {

// Small letters, digits, '-' and '.', from and to a letter or digit.
bool IsObjectName(std::string_view text);
// NAMESPACE/NAME, of two such names.
bool IsObjectInNamespace(std::string_view text);

}  // namespace gangplan
