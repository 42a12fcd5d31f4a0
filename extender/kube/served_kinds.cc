#include "extender/kube/served_kinds.h"

#include <algorithm>
#include <utility>

#include "extender/kube/resource_path.h"
#include "extender/protocol/discovery.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// A path of one part: what a pod writes in an owner reference adds no other.
std::string Escaped(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return fmt::format("/api/{}", PercentEncode(api_version));
  return fmt::format("/apis/{}/{}", PercentEncode(api_version.substr(0, slash)),
                     PercentEncode(api_version.substr(slash + 1)));
}

}  // namespace

Served IsServed(Transport& transport, std::string_view api_version, std::string_view kind,
                const CallTools& tools) {
  absl::StatusOr<HttpResponse> answer = SendPatiently(
      transport, {.target = Escaped(api_version), .read_timeout = tools.read_timeout}, tools);
  if (!answer.ok()) return Served::kUnknown;
  if (answer->status == 404) return Served::kNo;
  if (!answer->ok()) return Served::kUnknown;
  const absl::StatusOr<std::vector<std::string>> kinds = DecodeServedKinds(answer->body);
  if (!kinds.ok()) return Served::kUnknown;
  const bool there = std::find(kinds->begin(), kinds->end(), kind) != kinds->end();
  return there ? Served::kYes : Served::kNo;
}

std::vector<std::string> ServedVersions(Transport& transport, std::string_view api_version,
                                        const CallTools& tools) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  absl::StatusOr<HttpResponse> answer = SendPatiently(
      transport,
      {.target = fmt::format("/apis/{}", PercentEncode(group)), .read_timeout = tools.read_timeout},
      tools);
  if (!answer.ok() || !answer->ok()) return {};
  absl::StatusOr<std::vector<std::string>> versions = DecodeServedVersions(answer->body);
  return versions.ok() ? *std::move(versions) : std::vector<std::string>();
}

}  // namespace gangplan
