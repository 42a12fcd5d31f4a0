#include "extender/kube/pages.h"

#include <utility>

#include "extender/kube/answers.h"
#include "extender/kube/resource_path.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::StatusOr<HttpResponse> AskForPage(Transport& transport, const PagedList& list,
                                        const std::string& token, PageSize& size,
                                        const CallTools& tools) {
  for (;;) {
    std::string target = fmt::format("{}?limit={}{}", list.path, size.items(), list.filter);
    if (!token.empty()) target += "&continue=" + PercentEncode(token);
    absl::StatusOr<HttpResponse> answer = SendPatiently(
        transport, {.target = std::move(target), .read_timeout = tools.read_timeout}, tools);
    if (!absl::IsResourceExhausted(answer.status()) || !size.Halve()) return answer;
  }
}

}  // namespace

absl::Status EachPage(Transport& transport, const PagedList& list, const CallTools& tools,
                      const std::function<absl::StatusOr<std::string>(std::string& page)>& take) {
  PageSize size(list.page_items);
  std::string token;
  for (int page = 0; page < kMaxListPages; ++page) {
    GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer, AskForPage(transport, list, token, size, tools));
    GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, list.what));
    size.Grow();
    GANGPLAN_ASSIGN_OR_RETURN(std::string next, take(answer.body));
    if (next.empty()) return absl::OkStatus();
    if (next == token)
      return Invalid("{}: the list leads back to the page that it continues", list.what);
    token = std::move(next);
  }
  return absl::ResourceExhaustedError(
      ToAbsl(fmt::format("{}: more than {} pages", list.what, kMaxListPages)));
}

}  // namespace gangplan
