#include "extender/planner/waker.h"

#include <algorithm>
#include <utility>

#include "extender/planner/limits.h"

namespace gangplan {
namespace {

constexpr int kMostUnsent = 8;  // doublings: some minutes

}  // namespace

bool Waker::Rejected(std::string_view uid) const {
  const Waiting* waiting = pods_.Find(uid);
  return waiting != nullptr && waiting->rejected;
}

void Waker::MarkRejected(std::string_view uid, bool rejected) {
  Waiting& waiting = *pods_.Make(uid).first;
  rejected_ += static_cast<int32_t>(rejected) - static_cast<int32_t>(waiting.rejected);
  waiting.rejected = rejected;
}

void Waker::Saw(std::string_view uid, std::string_view nominated) {
  if (nominated.empty() && !pods_.contains(uid)) return;
  std::string& known = pods_.Make(uid).first->nominated;
  if (known == nominated) return;
  if (!known.empty()) nominated_.erase({known, std::string(uid)});
  if (!nominated.empty()) nominated_.emplace(nominated, uid);
  known = std::string(nominated);
}

std::vector<std::string> Waker::NominatedTo(std::string_view node, size_t most) const {
  std::vector<std::string> pods;
  for (auto it = nominated_.lower_bound({std::string(node), ""});
       it != nominated_.end() && it->first == node && pods.size() < most; ++it)
    if (pods_.Find(it->second)->sent == 0) pods.push_back(it->second);
  return pods;
}

bool Waker::MayStand(std::string_view uid, std::string_view node) const {
  const Waiting* waiting = pods_.Find(uid);
  return waiting != nullptr && (waiting->sent > 0 || waiting->passed || waiting->nominated == node);
}

void Waker::Reset(std::string_view uid) {
  Waiting* waiting = pods_.Find(uid);
  if (waiting == nullptr) return;
  Stop(uid, *waiting);
  waiting->sent = 0;
  waiting->stood = false;
  waiting->passed = false;
  waiting->unsent = 0;
}

void Waker::StopRenewing(std::string_view uid) {
  if (Waiting* waiting = pods_.Find(uid)) Stop(uid, *waiting);
}

void Waker::NotSent(absl::Time now, std::string_view uid) {
  Waiting* waiting = pods_.Find(uid);
  if (waiting == nullptr || waiting->sent == 0) return;
  --waiting->sent;
  MarkRejected(uid, true);
  Again(now, uid, *waiting, std::min(waiting->unsent++, kMostUnsent));
}

void Waker::Stop(std::string_view uid, Waiting& waiting) {
  if (std::exchange(waiting.due, false)) again_.Clear(std::string(uid));
}

std::vector<std::string> Waker::TakeDue(absl::Time now) {
  std::vector<std::string> due = again_.TakeDue(now);
  for (const std::string& uid : due) pods_.Find(uid)->due = false;
  return due;
}

void Waker::Send(const PodRef& pod, std::string_view node) {
  Waiting& waiting = *pods_.Make(pod.uid).first;
  ++waiting.sent;
  waiting.stood = false;
  MarkRejected(pod.uid, false);
  StopRenewing(pod.uid);
  outbox_.Push(Nomination{pod, std::string(node)});
}

void Waker::Nominate(const PodRef& pod, std::string_view node, bool sampled) {
  if (!outbox_.active()) return;
  const Waiting& waiting = *pods_.Make(pod.uid).first;
  if (waiting.sent > 0) return;
  if (waiting.rejected || (sampled && waiting.nominated != node)) Send(pod, node);
}

void Waker::Again(absl::Time now, std::string_view uid, Waiting& waiting, int doublings) {
  if (std::exchange(waiting.due, true)) return;
  again_.Set(std::string(uid), now + kNominationBackoff * (1 << doublings));
}

void Waker::NominateAgain(absl::Time now, const PodRef& pod, std::string_view node) {
  Waiting& waiting = *pods_.Make(pod.uid).first;
  if (waiting.sent == 0) {
    Send(pod, node);
    MarkRejected(pod.uid, true);
  } else {
    Again(now, pod.uid, waiting, std::max(waiting.sent - 2, 0));
  }
}

bool Waker::Watch(absl::Time now, std::string_view uid, std::string_view node) {
  Waiting* known = pods_.Find(uid);
  if (known == nullptr || known->sent == 0) return false;
  Waiting& waiting = *known;
  const bool stands = waiting.nominated == node;
  const bool cleared = waiting.stood && !stands;
  waiting.stood = stands;
  if (stands) waiting.unsent = 0;
  if (cleared && waiting.sent == 1) return true;
  if (cleared) Again(now, uid, waiting, std::max(waiting.sent - 2, 0));
  return false;
}

bool Waker::Renew(const PodRef& pod, std::string_view node) {
  if (pods_.Make(pod.uid).first->sent >= kMaxNominations) return false;
  Send(pod, node);
  return true;
}

bool Waker::IsQuestion(std::string_view uid, bool lone_nominated) {
  Waiting& waiting = *pods_.Make(uid).first;
  waiting.question = lone_nominated && !waiting.question;
  return waiting.question;
}

void Waker::Forget(std::string_view uid) {
  if (!pods_.contains(uid)) return;
  MarkRejected(uid, false);
  Saw(uid, "");
  StopRenewing(uid);
  pods_.Erase(uid);
}

}  // namespace gangplan
