#include "extender/kube/pages.h"

#include "extender/kube/answers.h"
#include "extender/kube/resource_path.h"
#include "topology/base/status_macros.h"

namespace gangplan {

absl::Status EachPage(Transport& transport, const std::string& first, std::string_view what,
                      const CallTools& tools,
                      const std::function<absl::StatusOr<std::string>(std::string& page)>& take) {
  for (std::string target = first; !target.empty();) {
    GANGPLAN_ASSIGN_OR_RETURN(
        HttpResponse answer,
        SendPatiently(transport, {.target = target, .read_timeout = tools.read_timeout}, tools));
    GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, what));
    GANGPLAN_ASSIGN_OR_RETURN(const std::string next, take(answer.body));
    target = next.empty() ? "" : first + "&continue=" + PercentEncode(next);
  }
  return absl::OkStatus();
}

}  // namespace gangplan
