#include "extender/kube/patience.h"

#include <algorithm>
#include <utility>

namespace gangplan {
namespace {

bool MayPass(const absl::StatusOr<HttpResponse>& answer, bool (*also)(const HttpResponse&)) {
  if (!answer.ok()) return absl::IsUnavailable(answer.status()) || absl::IsUnknown(answer.status());
  return answer->status == 429 || answer->status >= 500 || (also != nullptr && also(*answer));
}

}  // namespace

absl::StatusOr<HttpResponse> SendPatiently(Transport& transport, const HttpRequest& request,
                                           const CallTools& tools,
                                           bool (*may_pass)(const HttpResponse&),
                                           std::vector<absl::StatusOr<HttpResponse>>* earlier) {
  Backoff backoff(kFirstWait, kLongestWait, tools.jitter);
  for (int count = 1;; ++count) {
    absl::StatusOr<HttpResponse> answer = transport.Send(request);
    if (!MayPass(answer, may_pass) || count == kPatientTries) return answer;
    const absl::Duration asked = answer.ok() ? answer->retry_after : absl::ZeroDuration();
    if (asked > kLongestWait || !tools.pause->For(std::max(asked, backoff.Next()))) return answer;
    if (earlier != nullptr) earlier->push_back(std::move(answer));
  }
}

}  // namespace gangplan
