#include "extender/app/advisor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "extender/app/limits.h"
#include "extender/planner/advice_question.h"

namespace gangplan {

int64_t Advisor::solved() {
  MutexLock lock(mutex_);
  return solved_;
}

// Time is the system's: what others take of the machine counts as ours.
bool Advisor::TakeTurn() {
  MutexLock lock(mutex_);
  if (waiting_ >= kMaxAdviceWaiters) return false;
  ++waiting_;
  const absl::Time until = SystemClock().Now() + patience_;
  for (absl::Time now = SystemClock().Now(); busy_ || now < rests_until_;
       now = SystemClock().Now()) {
    const absl::Time next = busy_ ? until : std::min(until, rests_until_);
    if (now >= until || (!busy_ && rests_until_ > until)) break;
    free_.wait_for(mutex_, absl::ToChronoMicroseconds(next - now) + std::chrono::microseconds(1));
  }
  --waiting_;
  if (busy_ || SystemClock().Now() < rests_until_) return false;
  busy_ = true;
  return true;
}

void Advisor::EndTurn(absl::Duration took) {
  MutexLock lock(mutex_);
  busy_ = false;
  rests_until_ = SystemClock().Now() + kAdviceRest * took;
  free_.notify_all();
}

std::optional<Advice> Advisor::Known(std::string_view name, uint64_t fingerprint) {
  const absl::Time now = clock_.Now();
  MutexLock lock(mutex_);
  std::erase_if(kept_, [&](const auto& one) { return now - one.second.at >= kAdviceLasts; });
  const auto it = kept_.find(name);
  if (it == kept_.end() || it->second.fingerprint != fingerprint) return std::nullopt;
  return it->second.advice;
}

void Advisor::Keep(std::string_view name, Kept kept) {
  MutexLock lock(mutex_);
  ++solved_;
  if (kept_.size() >= kMaxAdviceKept && !kept_.contains(name)) {
    kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second.at < b.second.at;
    }));
  }
  kept_.insert_or_assign(std::string(name), std::move(kept));
}

std::optional<Advised> Advisor::Answer(std::string_view name) {
  const absl::Time now = clock_.Now();
  const std::shared_ptr<AdviceQuestion> question = planner_.Take(
      TurnFor::kReport, [&](Planner& planner) { return planner.AskAdvice(now, name); });
  if (question == nullptr) return std::nullopt;
  const uint64_t fingerprint = question->Fingerprint();
  Advised advised{{}, question->ns, question->regarding};
  if (std::optional<Advice> known = Known(name, fingerprint)) {
    advised.advice = *std::move(known);
    return advised;
  }
  advised.advice = question->Find();
  Keep(name, {fingerprint, now, advised.advice});
  return advised;
}

std::optional<Advice> Advisor::Of(std::string_view name) {
  std::optional<Advised> advised = Ask(name);
  if (!advised) return std::nullopt;
  return std::move(advised->advice);
}

std::optional<Advised> Advisor::Ask(std::string_view name) {
  if (!TakeTurn()) {
    Advised advised;
    advised.advice.later = true;
    return advised;
  }
  const absl::Time begun = SystemClock().Now();
  const absl::Cleanup end = [&] { EndTurn(SystemClock().Now() - begun); };  // whatever is thrown
  return Answer(name);
}

}  // namespace gangplan
