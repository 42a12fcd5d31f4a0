#include "extender/cli/gang_name.h"

#include "extender/kube/resource_path.h"
#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<std::string> GangPath(std::string_view name) {
  const size_t slash = name.find('/');
  const bool good = slash != std::string_view::npos && slash > 0 && slash + 1 < name.size() &&
                    name.find('/', slash + 1) == std::string_view::npos;
  if (!good) return Invalid("\"{}\"; expected NAMESPACE/NAME", Shown(name));
  return fmt::format("{}/{}", PercentEncode(name.substr(0, slash)),
                     PercentEncode(name.substr(slash + 1)));
}

}  // namespace gangplan
