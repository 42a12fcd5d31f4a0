#include "extender/kube/access_review.h"

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "topology/base/status_macros.h"

namespace gangplan {

namespace {

HttpRequest Review(const Access& access, const User& user, absl::Duration read_timeout) {
  return {.method = "POST",
          .target = std::string("/apis/authorization.k8s.io/v1/") +
                    (user.name.empty() ? "selfsubjectaccessreviews" : "subjectaccessreviews"),
          .content_type = "application/json",
          .body = AccessReviewBody(access, user),
          .read_timeout = read_timeout};
}

absl::StatusOr<bool> Answered(const absl::StatusOr<HttpResponse>& answer) {
  if (!answer.ok()) return answer.status();
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(*answer, "asking for rights"));
  return ParseAccessAnswer(answer->body);
}

}  // namespace

absl::StatusOr<bool> MayDo(Transport& transport, const Access& access, const Account& account,
                           const CallTools& tools) {
  return Answered(
      SendPatiently(transport, Review(access, UserOf(account), tools.read_timeout), tools));
}

absl::StatusOr<bool> MayDo(Transport& transport, const Access& access, const User& user,
                           absl::Duration read_timeout) {
  return Answered(transport.Send(Review(access, user, read_timeout)));
}

}  // namespace gangplan
