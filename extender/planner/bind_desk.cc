#include "extender/planner/bind_desk.h"

#include "extender/planner/bind_times.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {

absl::Duration BindDesk::PostTimeout() const { return PostTimeoutOf(bind_timeout_); }

absl::Time BindDesk::NotAfter(absl::Time received) const {
  return received + LongestHold(bind_timeout_);
}

absl::Time BindDesk::CallOff(absl::Time received, int32_t members) const {
  return NotAfter(received) - kWriteTimePerPod * members;
}

const HeldCall* BindDesk::CallOf(std::string_view uid) const { return calls_.Find(uid); }

std::vector<CallId> BindDesk::HeldCalls() const {
  std::vector<CallId> calls;
  for (const auto& [call, uid] : pod_of_) calls.push_back(call);
  return calls;
}

void BindDesk::Hold(const HeldCall& call, BindingWrite write) {
  const std::string& uid = write.pod.uid;
  const auto [held, added] = calls_.Make(uid);
  GANGPLAN_CHECK(added);
  *held = call;
  pod_of_.emplace(call.id, uid);
  late_.Set(uid, call.call_off);
  BindingAttempt& attempt = *attempts_.Make(uid).first;
  if (!attempt.written()) {
    attempt.pod = write.pod;
    attempt.node = write.node;
  }
  attempt.next = std::make_unique<BindingWrite>(std::move(write));
}

bool BindDesk::Answer(std::string_view uid, std::string_view error) {
  const HeldCall* call = calls_.Find(uid);
  if (call == nullptr) return false;
  const std::string of(uid);  // its owner may be what is erased
  outbox_.Push(AnswerCall{call->id, std::string(error)});
  pod_of_.erase(call->id);
  late_.Clear(of);
  calls_.Erase(of);
  BindingAttempt* attempt = attempts_.Find(of);
  if (attempt == nullptr) return true;
  attempt->next.reset();
  if (!attempt->written()) attempts_.Erase(of);
  return true;
}

std::vector<std::string> BindDesk::PodsOf(const std::vector<CallId>& calls) const {
  std::vector<std::string> pods;
  for (CallId call : calls) {
    auto it = pod_of_.find(call);
    if (it != pod_of_.end()) pods.push_back(it->second);
  }
  std::sort(pods.begin(), pods.end());
  return pods;
}

const BindingAttempt* BindDesk::AttemptOf(std::string_view uid) const {
  const BindingAttempt* attempt = attempts_.Find(uid);
  return attempt == nullptr || !attempt->written() ? nullptr : attempt;
}

std::string_view BindDesk::NodeOf(std::string_view uid) const {
  const BindingAttempt* attempt = AttemptOf(uid);
  return attempt == nullptr ? std::string_view() : std::string_view(attempt->node);
}

bool BindDesk::Awaits(std::string_view uid) const {
  const BindingAttempt* attempt = attempts_.Find(uid);
  return attempt != nullptr && attempt->next != nullptr;
}

void BindDesk::Write(const std::vector<std::string_view>& uids) {
  WriteBindings all;
  all.writes.reserve(uids.size());
  for (std::string_view uid : uids) all.writes.push_back(Begin(uid));
  outbox_.Push(std::move(all));
}

std::unique_ptr<BindingWrite> BindDesk::Begin(std::string_view uid) {
  BindingAttempt* found = attempts_.Find(uid);
  GANGPLAN_CHECK(found != nullptr && found->next != nullptr);
  BindingAttempt& attempt = *found;
  std::unique_ptr<BindingWrite> write = std::exchange(attempt.next, nullptr);
  const bool again = attempt.written();
  GANGPLAN_CHECK(!again || (attempt.doubtful() && attempt.node == write->node));
  attempt.over_doubt = again;
  attempt.generation = write->attempt = ++generation_;
  attempt.state = AttemptState::kPosting;
  attempt.reads = 0;
  if (again) read_.Clear(attempt.pod.uid);
  return write;
}

// Nobody could tell: the pod is read after a while.
void BindDesk::Doubt(absl::Time now, BindingAttempt& attempt) {
  attempt.state = AttemptState::kInDoubt;
  const int64_t times = int64_t{1} << std::min(attempt.reads++, 4);
  read_.Set(attempt.pod.uid, now + kProveAgainAfter * times);
}

std::optional<Settlement> BindDesk::OnResult(absl::Time now, std::string_view uid,
                                             int64_t generation, const BindResult& result) {
  BindingAttempt* found = attempts_.Find(uid);
  if (found == nullptr || found->generation != generation || !found->open()) return std::nullopt;
  BindingAttempt& attempt = *found;
  const bool reading = attempt.doubtful();
  const bool not_written =
      result.outcome == BindOutcome::kRefused || result.outcome == BindOutcome::kNotWritten;
  if (result.outcome == BindOutcome::kUnknown || (not_written && attempt.over_doubt && !reading)) {
    Doubt(now, attempt);
    return std::nullopt;
  }
  Settlement settled{attempt.pod, attempt.node, result.outcome, result.message};
  read_.Clear(attempt.pod.uid);
  if (result.outcome == BindOutcome::kBound) {
    attempt.state = AttemptState::kProved;
  } else {
    attempts_.Erase(settled.pod.uid);
  }
  return settled;
}

void BindDesk::Forget(std::string_view uid) {
  if (!attempts_.contains(uid)) return;
  const std::string of(uid);  // its owner may be what is erased
  read_.Clear(of);
  attempts_.Erase(of);
}

void BindDesk::ReadDoubtful(absl::Time now) {
  for (const std::string& uid : read_.TakeDue(now)) {
    BindingAttempt& attempt = *attempts_.Find(uid);
    attempt.state = AttemptState::kReading;
    outbox_.Push(BindingRead{attempt.pod, attempt.node, attempt.generation});
  }
}

std::string BindDesk::BrokenInvariant() const {
  if (calls_.size() != pod_of_.size()) return "bind desk: calls are miscounted";
  std::string broken;
  calls_.VisitAll([&](std::string_view uid, const HeldCall& call) {
    auto it = pod_of_.find(call.id);
    if (it == pod_of_.end() || it->second != uid)
      broken = fmt::format("bind desk: call {} of pod {} is lost", call.id, uid);
  });
  attempts_.VisitAll([&](std::string_view uid, const BindingAttempt& attempt) {
    if ((attempt.next != nullptr || !attempt.written()) && !calls_.contains(uid))
      broken = fmt::format("bind desk: a Binding of pod {} waits for no call", uid);
    const bool due = read_.Of(std::string(uid)) != absl::InfiniteFuture();
    if (due != (attempt.state == AttemptState::kInDoubt))
      broken = fmt::format("bind desk: pod {} is in doubt and nobody will ask", uid);
  });
  return broken;
}

}  // namespace gangplan
