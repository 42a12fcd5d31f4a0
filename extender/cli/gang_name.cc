#include "extender/cli/gang_name.h"

#include "extender/kube/resource_path.h"
#include "topology/base/text.h"

namespace gangplan {

absl::StatusOr<std::string> GangPath(std::string_view name, std::string_view ns) {
  const size_t slash = name.find('/');
  const bool alone = slash == std::string_view::npos;
  const std::string_view own = alone ? std::string_view() : name.substr(0, slash);
  const std::string_view last = alone ? name : name.substr(slash + 1);
  if (last.empty() || last.find('/') != std::string_view::npos || (!alone && own.empty()))
    return Invalid("\"{}\"; expected NAMESPACE/NAME, or NAME alone", Shown(name));
  if (!alone && !ns.empty() && ns != own)
    return Invalid("\"{}\" and -n {}: two namespaces", Shown(name), Shown(ns));
  const std::string_view usual = ns.empty() ? std::string_view("default") : ns;
  return fmt::format("{}/{}", PercentEncode(alone ? usual : own), PercentEncode(last));
}

}  // namespace gangplan
