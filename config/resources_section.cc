#include "config/resources_section.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "config/limits.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kPrefixes = "excludeResourcePrefixes";
// What every kubelet counts itself, and pods beyond it are refused by.
constexpr std::string_view kOwnOfNodes[] = {"cpu", "memory", "ephemeral-storage", "pods",
                                            "hugepages-"};

bool MayStand(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

bool IsOfNodes(std::string_view prefix) {
  return prefix.starts_with(kOwnOfNodes[4]) ||
         std::any_of(std::begin(kOwnOfNodes), std::end(kOwnOfNodes),
                     [&](std::string_view own) { return own.starts_with(prefix); });
}

}  // namespace

void ReadResources(Section section, std::vector<std::string>& excluded) {
  section.ReadTextList(kPrefixes, 0, kMaxExcludedPrefixes, excluded);
  for (const std::string& one : excluded) {
    if (one.empty()) continue;  // that is told
    const bool sound = one.size() <= kMaxExcludedPrefixBytes &&
                       std::all_of(one.begin(), one.end(), MayStand);
    if (!sound) {
      section.Fail(kPrefixes,
                   fmt::format("\"{}\": expected the beginning of a resource's name, of 1 to {} "
                               "characters, such as example.com/",
                               Shown(one), kMaxExcludedPrefixBytes));
    } else if (IsOfNodes(one)) {
      section.Fail(kPrefixes, fmt::format("\"{}\": what every node counts itself is counted", one));
    }
  }
  section.Finish();
}

}  // namespace gangplan
