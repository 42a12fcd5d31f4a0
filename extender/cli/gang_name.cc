#include "extender/cli/gang_name.h"

#include <algorithm>

#include "extender/cli/server_call.h"
#include "extender/kube/resource_path.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

enum class Kind { kNone, kPod, kOther };

// Also as kubectl prints it, with its group: job.batch.
Kind KindOf(std::string_view word) {
  word = word.substr(0, word.find('.'));
  for (const char* pod : {"pod", "pods", "po"})
    if (word == pod) return Kind::kPod;
  for (const char* other : {"job", "jobs", "jobset", "jobsets", "group", "gang"})
    if (word == other) return Kind::kOther;
  return Kind::kNone;
}

std::vector<std::string_view> SplitAtSlashes(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find('/'); end != std::string_view::npos; end = text.find('/')) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

bool MayBeNamespace(std::string_view word) { return word.find('.') == std::string_view::npos; }

}  // namespace

std::string AskedGang::Path() const {
  return fmt::format("{}{}/{}", pod ? "pod/" : "", PercentEncode(ns), PercentEncode(name));
}

absl::StatusOr<std::vector<AskedGang>> ReadGang(std::string_view text, std::string_view ns) {
  std::vector<std::string_view> parts = SplitAtSlashes(text);
  const Kind kind = parts.size() > 1 ? KindOf(parts[0]) : Kind::kNone;
  const bool whole =
      std::none_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (parts.size() > (kind == Kind::kNone ? 2 : 3) || !whole)
    return Invalid("\"{}\"; expected NAME, NAMESPACE/NAME, pod/NAME or job/NAME", Shown(text));
  std::vector<AskedGang> asked;
  if (kind != Kind::kNone) {
    if (ns.empty() && parts.size() == 2 && MayBeNamespace(parts[0]))
      asked.push_back({false, std::string(parts[0]), std::string(parts[1])});
    parts.erase(parts.begin());
  }
  const std::string_view own = parts.size() == 2 ? parts[0] : std::string_view();
  if (!ns.empty() && !own.empty() && ns != own) {
    return Invalid("\"{}\" and -n {}: two namespaces; expected one of them", Shown(text),
                   Shown(ns));
  }
  const std::string_view usual = ns.empty() ? std::string_view("default") : ns;
  asked.push_back(
      {kind == Kind::kPod, std::string(own.empty() ? usual : own), std::string(parts.back())});
  return asked;
}

absl::StatusOr<std::string> AskGang(const std::string& server, std::string_view what,
                                    const std::vector<AskedGang>& asked) {
  absl::StatusOr<std::string> answer;
  for (const AskedGang& one : asked) {
    answer = AskServer(server, fmt::format("{}/{}", what, one.Path()));
    if (!absl::IsNotFound(answer.status())) break;
  }
  return answer;
}

}  // namespace gangplan
