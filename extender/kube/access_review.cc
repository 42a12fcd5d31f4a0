#include "extender/kube/access_review.h"

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "topology/base/status_macros.h"

namespace gangplan {

absl::StatusOr<bool> MayDo(Transport& transport, const Access& access, const Account& account,
                           const CallTools& tools) {
  const HttpRequest request = {
      .method = "POST",
      .target = std::string("/apis/authorization.k8s.io/v1/") +
                (account.empty() ? "selfsubjectaccessreviews" : "subjectaccessreviews"),
      .content_type = "application/json",
      .body = AccessReviewBody(access, account),
      .read_timeout = tools.read_timeout};
  GANGPLAN_ASSIGN_OR_RETURN(const HttpResponse answer, SendPatiently(transport, request, tools));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, "asking for rights"));
  return ParseAccessAnswer(answer.body);
}

}  // namespace gangplan
