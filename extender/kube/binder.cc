#include "extender/kube/binder.h"

#include <algorithm>
#include <optional>

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// What an answer to the POST leaves open.
enum class Doubt {
  kWritten,  // the POST may have landed, or may still land
  kReason,   // nothing was written by it, but why is for the pod to tell
};

class Binder {
 public:
  Binder(Transport& transport, const BindingWrite& write, const CallTools& tools)
      : transport_(transport), write_(write), tools_(tools) {}

  BindResult Run();

 private:
  bool Late(absl::Duration wait = absl::ZeroDuration()) const {
    return tools_.clock->Now() + wait > write_.not_after;
  }
  // The result, or nothing when the POST shall be tried again.
  std::optional<BindResult> Judge(const absl::StatusOr<HttpResponse>& answer);
  std::optional<BindResult> JudgeStatus(const HttpResponse& response);
  BindResult Settle(Doubt doubt, const std::string& cause);

  Transport& transport_;
  const BindingWrite& write_;
  const CallTools& tools_;
  std::string last_refusal_ = "nothing was tried";
  absl::Duration asked_wait_ = absl::ZeroDuration();
};

BindResult Binder::Run() {
  Backoff backoff(kFirstWait, kLongestWait, tools_.jitter);
  HttpRequest post{.method = "POST",
                   .target = PodPath(write_.pod.ns, write_.pod.name, "binding"),
                   .content_type = "application/json",
                   .body = BindingBody(write_),
                   .read_timeout = tools_.read_timeout};
  if (Late()) return {BindOutcome::kNotWritten, "too late: the time for this write has passed"};
  for (int tries = 1;; ++tries) {
    if (auto result = Judge(transport_.Send(post))) return *result;
    const absl::Duration wait = std::max(asked_wait_, backoff.Next());
    if (tries == kBindingTries) return {BindOutcome::kNotWritten, last_refusal_};
    if (Late(wait) || !tools_.pause->For(wait) || Late()) {
      return {BindOutcome::kNotWritten, fmt::format("no time to try again: {}", last_refusal_)};
    }
  }
}

std::optional<BindResult> Binder::Judge(const absl::StatusOr<HttpResponse>& answer) {
  if (answer.ok()) return JudgeStatus(*answer);
  const std::string cause = Message(answer.status());
  if (!absl::IsUnavailable(answer.status())) return Settle(Doubt::kWritten, cause);
  last_refusal_ = cause;
  asked_wait_ = absl::ZeroDuration();
  return std::nullopt;
}

std::optional<BindResult> Binder::JudgeStatus(const HttpResponse& response) {
  if (response.ok()) return BindResult{BindOutcome::kBound, ""};
  const std::string cause = Message(AnswerStatus(response, "binding"));
  switch (response.status) {
    case 404:
      return BindResult{BindOutcome::kGone, cause};
    case 409:
      return Settle(Doubt::kReason, cause);
    case 429:
      last_refusal_ = cause;
      asked_wait_ = response.retry_after;
      return std::nullopt;
    default:
      if (response.status >= 500) return Settle(Doubt::kWritten, cause);
      return BindResult{BindOutcome::kRefused, cause};
  }
}

BindResult Binder::Settle(Doubt doubt, const std::string& cause) {
  Backoff backoff(kFirstWait, kLongestWait, tools_.jitter);
  BindResult read;
  for (int reads = 1;; ++reads) {
    read = ReadBinding(transport_, {write_.pod, write_.node}, tools_);
    if (read.outcome == BindOutcome::kRefused && doubt == Doubt::kReason) {
      return {BindOutcome::kRefused, cause};
    }
    const bool proved =
        read.outcome != BindOutcome::kRefused && read.outcome != BindOutcome::kUnknown;
    if (proved) return read;
    if (reads == kProofReads || !tools_.pause->For(backoff.Next())) break;
  }
  return {BindOutcome::kUnknown, fmt::format("{}; {}", cause, read.message)};
}

BindResult JudgePod(const PodFacts& pod, std::string_view uid, std::string_view node) {
  if (pod.uid != uid) return {BindOutcome::kGone, "another pod has taken the name"};
  if (pod.node_name == node) return {BindOutcome::kBound, ""};
  if (!pod.node_name.empty()) {
    return {BindOutcome::kElsewhere, fmt::format("bound to {}", pod.node_name)};
  }
  if (pod.terminating) return {BindOutcome::kGone, "the pod is being deleted"};
  return {BindOutcome::kRefused, "the pod is not bound"};
}

}  // namespace

BindResult WriteBinding(Transport& transport, const BindingWrite& write, const CallTools& tools) {
  return Binder(transport, write, tools).Run();
}

BindResult ReadBinding(Transport& transport, const BindingRead& read, const CallTools& tools) {
  auto answer = transport.Send(
      {.target = PodPath(read.pod.ns, read.pod.name), .read_timeout = tools.read_timeout});
  if (!answer.ok()) return {BindOutcome::kUnknown, Message(answer.status())};
  if (answer->status == 404) return {BindOutcome::kGone, "the pod does not exist any more"};
  if (!answer->ok()) {
    return {BindOutcome::kUnknown, Message(AnswerStatus(*answer, "reading the pod"))};
  }
  auto facts = DecodePod(answer->body);
  if (!facts.ok()) return {BindOutcome::kUnknown, Message(facts.status())};
  return JudgePod(*facts, read.pod.uid, read.node);
}

}  // namespace gangplan
