#include "extender/kube/merge_patch.h"

#include <algorithm>
#include <vector>

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

bool Says(const HttpResponse& answer, std::string_view words) {
  return ServerMessage(answer.body).find(words) != std::string::npos;
}

// A UID that is another one fails as a precondition (409: "Precondition failed: UID in
// precondition: ...", of an eviction "the UID in the precondition (...) does not match"), or as a
// field that may not change (422: `Pod "p" is invalid: metadata.uid: Invalid value: ...`).
bool IsOfAnother(const HttpResponse& answer) {
  const bool precondition =
      Says(answer, "UID in precondition") || Says(answer, "UID in the precondition");
  return (answer.status == 409 && precondition) ||
         (answer.status == 422 && Says(answer, "metadata.uid: "));
}

// "Cannot evict pod as it would violate the pod's disruption budget.", or several budgets.
bool IsOfBudget(const HttpResponse& answer) {
  const bool refused = answer.status == 429 && Says(answer, "disruption budget");
  return refused || (answer.status == 500 && Says(answer, "PodDisruptionBudget"));
}

bool MayPass(const HttpResponse& answer) { return answer.status == 409 && !IsOfAnother(answer); }

absl::Status Judge(const HttpResponse& answer, std::string_view what) {
  const absl::Status status = AnswerStatus(answer, what);
  if (IsOfAnother(answer)) return absl::AbortedError(status.message());
  if (IsOfBudget(answer)) return absl::FailedPreconditionError(status.message());
  // To us an Aborted means another object, and this one was only changed too often.
  return answer.status == 409 ? absl::UnavailableError(status.message()) : status;
}

constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kApply = "application/apply-patch+yaml";
constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
// The object's metadata alone, of answers that nobody reads: whole objects cost the server more to
// write than it takes to find what they say.
constexpr std::string_view kMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
// Bodies are our own, and what they say is tested; the server need not look for fields it does not
// know.
constexpr std::string_view kUnvalidated = "?fieldValidation=Ignore";

HttpRequest PatchRequest(std::string target, std::string body, const CallTools& tools,
                         std::string_view type = kMerge) {
  return {.method = "PATCH",
          .target = std::move(target),
          .content_type = std::string(type),
          .body = std::move(body),
          .read_timeout = tools.read_timeout};
}

using Answers = std::vector<absl::StatusOr<HttpResponse>>;

absl::StatusOr<HttpResponse> Send(Transport& transport, const HttpRequest& request,
                                  std::string_view what, PatchOf of, const CallTools& tools,
                                  Answers* earlier = nullptr) {
  const bool any = of == PatchOf::kAnyVersion;
  Answers own;
  if (earlier == nullptr) earlier = &own;
  GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer, SendPatiently(transport, request, tools,
                                                               any ? &MayPass : nullptr, earlier));
  if (answer.ok()) return answer;
  const bool of_another_version = !any && earlier->empty() && MayPass(answer);
  return of_another_version ? AnswerStatus(answer, what) : Judge(answer, what);
}

// What was sent, and was not answered by what the server makes of it.
bool MayBeDone(const absl::StatusOr<HttpResponse>& answer) {
  if (!answer.ok()) return !absl::IsUnavailable(answer.status());
  return answer->status >= 500 && !IsOfBudget(*answer);
}

// Of an answer nothing but its status matters.
absl::Status SendUnread(Transport& transport, HttpRequest request, std::string_view what,
                        PatchOf of, const CallTools& tools) {
  request.target += kUnvalidated;
  request.accept = kMetadata;
  return Send(transport, request, what, of, tools).status();
}

// The end of an object: where it is gone after an earlier try that may have been done it was.
absl::Status SendEnd(Transport& transport, std::string method, std::string target, std::string body,
                     std::string_view what, PatchOf of, const CallTools& tools) {
  const HttpRequest request = {.method = std::move(method),
                               .target = std::move(target),
                               .content_type = "application/json",
                               .body = std::move(body),
                               .read_timeout = tools.read_timeout};
  Answers earlier;
  const absl::Status status = Send(transport, request, what, of, tools, &earlier).status();
  const bool in_doubt = std::any_of(earlier.begin(), earlier.end(), &MayBeDone);
  const bool gone = absl::IsNotFound(status) || absl::IsAborted(status);
  return in_doubt && gone ? absl::OkStatus() : status;
}

}  // namespace

absl::Status SendMergePatch(Transport& transport, std::string target, std::string body,
                            std::string_view what, const CallTools& tools) {
  return SendUnread(transport, PatchRequest(std::move(target), std::move(body), tools), what,
                    PatchOf::kAnyVersion, tools);
}

absl::Status SendStrategicPatch(Transport& transport, std::string target, std::string body,
                                std::string_view what, PatchOf of, const CallTools& tools) {
  return SendUnread(transport, PatchRequest(std::move(target), std::move(body), tools, kStrategic),
                    what, of, tools);
}

absl::Status SendEviction(Transport& transport, std::string target, std::string body,
                          std::string_view what, PatchOf of, const CallTools& tools) {
  return SendEnd(transport, "POST", std::move(target), std::move(body), what, of, tools);
}

absl::Status SendDelete(Transport& transport, std::string target, std::string body,
                        std::string_view what, PatchOf of, const CallTools& tools) {
  return SendEnd(transport, "DELETE", std::move(target), std::move(body), what, of, tools);
}

absl::StatusOr<HttpResponse> PatchObject(Transport& transport, std::string target, std::string body,
                                         std::string_view what, PatchOf of,
                                         const CallTools& tools) {
  return Send(transport, PatchRequest(std::move(target), std::move(body), tools), what, of, tools);
}

absl::Status SendApply(Transport& transport, std::string target, std::string body,
                       std::string_view what, const CallTools& tools) {
  target += "?fieldManager=gangplan&force=true";
  HttpRequest request = PatchRequest(std::move(target), std::move(body), tools, kApply);
  request.accept = kMetadata;
  return Send(transport, request, what, PatchOf::kOneVersion, tools).status();
}

absl::Status PatchOnce(Transport& transport, std::string target, std::string body,
                       std::string_view what, const CallTools& tools, absl::Duration* asked_wait) {
  *asked_wait = absl::ZeroDuration();
  GANGPLAN_ASSIGN_OR_RETURN(
      const HttpResponse answer,
      transport.Send(PatchRequest(std::move(target), std::move(body), tools)));
  *asked_wait = answer.retry_after;
  return MayPass(answer) ? AnswerStatus(answer, what) : Judge(answer, what);
}

}  // namespace gangplan
