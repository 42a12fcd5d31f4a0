#include "extender/planner/bind_desk.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

// Measured: 1,500 Bindings take 2 s, 5.2 s under load.
constexpr absl::Duration kWriteTimePerPod = absl::Milliseconds(4);

}  // namespace

// What one POST may take before its outcome is asked for.
absl::Duration BindDesk::PostTimeout() const {
  return std::min(absl::Seconds(10), bind_timeout_ / 4);
}

absl::Time BindDesk::NotAfter(absl::Time received) const {
  const absl::Duration margin = std::min(absl::Seconds(5), bind_timeout_ / 10);
  return received + bind_timeout_ - PostTimeout() - margin;
}

absl::Time BindDesk::CallOff(absl::Time received, int32_t members) const {
  return NotAfter(received) - kWriteTimePerPod * members;
}

const HeldCall* BindDesk::CallOf(std::string_view uid) const {
  auto it = calls_.find(uid);
  return it == calls_.end() ? nullptr : &it->second;
}

std::vector<CallId> BindDesk::HeldCalls() const {
  std::vector<CallId> calls;
  for (const auto& [call, uid] : pod_of_) calls.push_back(call);
  std::sort(calls.begin(), calls.end());
  return calls;
}

void BindDesk::Hold(const HeldCall& call, BindingWrite write) {
  const std::string& uid = write.pod.uid;
  const bool added = calls_.emplace(uid, call).second;
  GANGPLAN_CHECK(added);
  pod_of_.emplace(call.id, uid);
  late_.Set(uid, call.call_off);
  BindingAttempt& attempt = attempts_[uid];
  if (!attempt.written()) {
    attempt.pod = write.pod;
    attempt.node = write.node;
  }
  attempt.next = std::make_unique<BindingWrite>(std::move(write));
}

bool BindDesk::Answer(std::string_view uid, std::string_view error) {
  auto it = calls_.find(uid);
  if (it == calls_.end()) return false;
  outbox_.Push(AnswerCall{it->second.id, std::string(error)});
  pod_of_.erase(it->second.id);
  late_.Clear(it->first);
  calls_.erase(it);
  auto attempt = attempts_.find(uid);
  if (attempt == attempts_.end()) return true;
  attempt->second.next.reset();
  if (!attempt->second.written()) attempts_.erase(attempt);
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
  auto it = attempts_.find(uid);
  return it == attempts_.end() || !it->second.written() ? nullptr : &it->second;
}

std::string_view BindDesk::NodeOf(std::string_view uid) const {
  const BindingAttempt* attempt = AttemptOf(uid);
  return attempt == nullptr ? std::string_view() : std::string_view(attempt->node);
}

void BindDesk::Write(std::string_view uid) {
  BindingAttempt& attempt = attempts_.find(uid)->second;
  GANGPLAN_CHECK(attempt.next != nullptr);
  BindingWrite write = std::move(*std::exchange(attempt.next, nullptr));
  const bool again = attempt.written();
  GANGPLAN_CHECK(!again || (attempt.doubtful() && attempt.node == write.node));
  attempt.over_doubt = again;
  attempt.generation = write.attempt = ++generation_;
  attempt.state = AttemptState::kPosting;
  attempt.reads = 0;
  if (again) read_.Clear(attempt.pod.uid);
  outbox_.Push(std::move(write));
}

// Nobody could tell: the pod is read after a while.
void BindDesk::Doubt(absl::Time now, BindingAttempt& attempt) {
  attempt.state = AttemptState::kInDoubt;
  const int64_t times = int64_t{1} << std::min(attempt.reads++, 4);
  read_.Set(attempt.pod.uid, now + kProveAgainAfter * times);
}

std::optional<Settlement> BindDesk::OnResult(absl::Time now, std::string_view uid,
                                             int64_t generation, const BindResult& result) {
  auto it = attempts_.find(uid);
  if (it == attempts_.end() || it->second.generation != generation || !it->second.open())
    return std::nullopt;
  BindingAttempt& attempt = it->second;
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
    attempts_.erase(it);
  }
  return settled;
}

void BindDesk::Forget(std::string_view uid) {
  auto it = attempts_.find(uid);
  if (it == attempts_.end()) return;
  read_.Clear(it->first);
  attempts_.erase(it);
}

void BindDesk::ReadDoubtful(absl::Time now) {
  for (const std::string& uid : read_.TakeDue(now)) {
    BindingAttempt& attempt = attempts_.at(uid);
    attempt.state = AttemptState::kReading;
    outbox_.Push(BindingRead{attempt.pod, attempt.node, attempt.generation});
  }
}

std::string BindDesk::BrokenInvariant() const {
  if (calls_.size() != pod_of_.size()) return "bind desk: calls are miscounted";
  for (const auto& [uid, call] : calls_) {
    auto it = pod_of_.find(call.id);
    if (it == pod_of_.end() || it->second != uid)
      return fmt::format("bind desk: call {} of pod {} is lost", call.id, uid);
  }
  for (const auto& [uid, attempt] : attempts_) {
    if ((attempt.next != nullptr || !attempt.written()) && !calls_.contains(uid))
      return fmt::format("bind desk: a Binding of pod {} waits for no call", uid);
    const bool due = read_.Of(uid) != absl::InfiniteFuture();
    if (due != (attempt.state == AttemptState::kInDoubt))
      return fmt::format("bind desk: pod {} is in doubt and nobody will ask", uid);
  }
  return {};
}

}  // namespace gangplan
