#include "extender/planner/waker.h"

#include "extender/planner/limits.h"

namespace gangplan {

bool Waker::Rejected(std::string_view uid) const {
  auto it = pods_.find(uid);
  return it != pods_.end() && it->second.rejected;
}

void Waker::MarkRejected(std::string_view uid, bool rejected) {
  Waiting& waiting = pods_[std::string(uid)];
  rejected_ += static_cast<int32_t>(rejected) - static_cast<int32_t>(waiting.rejected);
  waiting.rejected = rejected;
}

void Waker::Saw(std::string_view uid, std::string_view nominated) {
  pods_[std::string(uid)].nominated = std::string(nominated);
}

void Waker::Reset(std::string_view uid) {
  auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  it->second.sent = 0;
  it->second.stood = false;
  StopRenewing(uid);
}

void Waker::Send(const PodRef& pod, std::string_view node) {
  Waiting& waiting = pods_[pod.uid];
  ++waiting.sent;
  waiting.stood = false;
  MarkRejected(pod.uid, false);
  StopRenewing(pod.uid);
  outbox_.Push(Nomination{pod, std::string(node)});
}

void Waker::Nominate(const PodRef& pod, std::string_view node, bool sampled) {
  if (!outbox_.active()) return;
  const Waiting& waiting = pods_[pod.uid];
  if (waiting.sent > 0) return;
  if (waiting.rejected || (sampled && waiting.nominated != node)) Send(pod, node);
}

void Waker::Again(absl::Time now, std::string_view uid, const Waiting& waiting) {
  if (again_.Of(std::string(uid)) != absl::InfiniteFuture()) return;
  again_.Set(std::string(uid), now + kNominationBackoff * (1 << (waiting.sent - 1)));
}

void Waker::NominateAgain(absl::Time now, const PodRef& pod, std::string_view node) {
  const Waiting& waiting = pods_[pod.uid];
  if (waiting.sent == 0) {
    Send(pod, node);
    MarkRejected(pod.uid, true);
  } else {
    Again(now, pod.uid, waiting);
  }
}

void Waker::Watch(absl::Time now, std::string_view uid, std::string_view node) {
  auto it = pods_.find(uid);
  if (it == pods_.end() || it->second.sent == 0) return;
  Waiting& waiting = it->second;
  const bool stands = waiting.nominated == node;
  const bool cleared = waiting.stood && !stands;
  waiting.stood = stands;
  if (cleared) Again(now, uid, waiting);
}

bool Waker::Renew(const PodRef& pod, std::string_view node) {
  if (pods_[pod.uid].sent >= kMaxNominations) return false;
  Send(pod, node);
  return true;
}

bool Waker::IsQuestion(std::string_view uid, bool lone_nominated) {
  Waiting& waiting = pods_[std::string(uid)];
  waiting.question = lone_nominated && !waiting.question;
  return waiting.question;
}

void Waker::Forget(std::string_view uid) {
  auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  MarkRejected(uid, false);
  StopRenewing(uid);
  pods_.erase(it);
}

}  // namespace gangplan
