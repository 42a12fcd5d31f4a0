#include "extender/api/caller.h"

#include <map>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "extender/api/percent.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

// One reader would take other bytes for another name than the next.
bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const bool ascii = static_cast<unsigned char>(text[0]) < 0x80;
    const size_t length = ascii ? 1 : Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

absl::Status Nobody(std::string_view why) { return absl::UnauthenticatedError(ToAbsl(why)); }

// Of the first of these headers that is there.
absl::StatusOr<std::string> OneOf(const HttpHead& head, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::vector<std::string_view> values = HeadersOf(head, name);
    if (values.size() > 1) return Nobody(fmt::format("{} is there {} times", name, values.size()));
    if (values.size() == 1 && !values.front().empty()) return std::string(values.front());
  }
  return std::string();
}

bool AllUtf8(const User& user) {
  bool all = IsUtf8(user.name) && IsUtf8(user.uid);
  for (const std::string& group : user.groups) all = all && IsUtf8(group);
  for (const auto& [key, values] : user.extra) {
    all = all && IsUtf8(key);
    for (const std::string& value : values) all = all && IsUtf8(value);
  }
  return all;
}

}  // namespace

absl::StatusOr<User> CallerOf(const HttpHead& head, const ProxyHeaders& names) {
  User user;
  GANGPLAN_ASSIGN_OR_RETURN(user.name, OneOf(head, names.user));
  if (user.name.empty()) return Nobody("no header names a user");
  GANGPLAN_ASSIGN_OR_RETURN(user.uid, OneOf(head, names.uid));
  for (const std::string& name : names.groups) {
    for (const std::string_view group : HeadersOf(head, name)) user.groups.emplace_back(group);
  }
  std::map<std::string, std::vector<std::string>> extra;
  for (const auto& [name, value] : head.headers) {
    for (const std::string& beginning : names.extra) {
      if (!absl::StartsWithIgnoreCase(ToAbsl(name), beginning)) continue;
      const std::string small = absl::AsciiStrToLower(ToAbsl(name.substr(beginning.size())));
      extra[PercentDecoded(small).value_or(small)].emplace_back(value);
    }
  }
  user.extra.assign(extra.begin(), extra.end());
  if (!AllUtf8(user)) return Nobody("a name in the headers is no UTF-8");
  return user;
}

}  // namespace gangplan
