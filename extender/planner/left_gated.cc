#include "extender/planner/left_gated.h"

#include <utility>

#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

std::string NameOf(const PodRef& pod) { return fmt::format("{}/{}", pod.ns, pod.name); }

}  // namespace

LeftGated::Left& LeftGated::Put(absl::Time now, const PodFacts& pod, Note note) {
  const Left* known = left_.Find(pod.uid);
  if (known != nullptr && known->note.topic != note.topic) Forget(pod.uid);
  Left& left = *left_.Make(pod.uid).first;
  again_.erase({left.again, pod.uid});
  left = {{pod.ns, pod.name, pod.uid}, std::move(note), absl::InfiniteFuture(), nullptr};
  *by_name_.Make(NameOf(left.pod)).first = pod.uid;
  Topic& topic = topics_[left.note.topic];
  topic.pods.insert(pod.uid);
  const bool first = left.note.told_after && !topic.told && topic.due == absl::InfiniteFuture();
  if (first) {
    topic.due = now + *left.note.told_after;
    due_.emplace(topic.due, left.note.topic);
  }
  return left;
}

void LeftGated::Leave(absl::Time now, const PodFacts& pod, Note note) {
  Put(now, pod, std::move(note));
}

void LeftGated::LeaveForNow(absl::Time now, const PodFacts& pod, Note note,
                            absl::Duration again_after) {
  Left& left = Put(now, pod, std::move(note));
  left.facts = std::make_unique<PodFacts>(pod);
  SetAgain(pod.uid, left, now + again_after);
  Topic& topic = topics_.find(left.note.topic)->second;
  if (topic.next <= now) topic.next = left.again;
  topic.open = false;
}

void LeftGated::SetAgain(const std::string& uid, Left& left, absl::Time again) {
  again_.erase({left.again, uid});
  left.again = again;
  again_.emplace(again, uid);
}

void LeftGated::Forget(std::string_view uid) {
  const Left* left = left_.Find(uid);
  if (left == nullptr) return;
  const auto topic = topics_.find(left->note.topic);
  topic->second.pods.erase(left->pod.uid);
  if (topic->second.pods.empty()) {
    due_.erase({topic->second.due, topic->first});
    topics_.erase(topic);
  }
  const std::string name = NameOf(left->pod);
  // Another one may have had its name since, and have gone.
  const std::string* named = by_name_.Find(name);
  if (named != nullptr && *named == uid) by_name_.Erase(name);
  again_.erase({left->again, left->pod.uid});
  left_.Erase(uid);
}

std::string LeftGated::Why(std::string_view name) const {
  const std::string* uid = by_name_.Find(name);
  return uid == nullptr ? std::string() : left_.Find(*uid)->note.why;
}

std::optional<LeftGated::Told> LeftGated::TakeTold(absl::Time now) {
  if (due_.empty() || due_.begin()->first > now || now < quiet_until_) return std::nullopt;
  quiet_until_ = now + kLeftToldEach;
  Topic& topic = topics_.find(due_.begin()->second)->second;
  due_.erase(due_.begin());
  topic.due = absl::InfiniteFuture();
  topic.told = true;
  const Left& left = *left_.Find(*topic.pods.begin());
  return Told{left.pod, left.note.why};
}

std::vector<LeftGated::Again> LeftGated::TakeAgain(absl::Time now, size_t most) {
  std::vector<Again> pods;
  for (; most > 0 && !again_.empty() && again_.begin()->first <= now; --most) {
    const std::string uid = again_.begin()->second;
    Left& left = *left_.Find(uid);
    Topic& topic = topics_.find(left.note.topic)->second;
    if (topic.next > now && !topic.open) {
      SetAgain(uid, left, topic.next);
      continue;
    }
    again_.erase(again_.begin());
    left.again = absl::InfiniteFuture();
    topic.next = now + kClaimRetry;
    pods.push_back({left.note.topic, std::move(*left.facts)});
    left.facts.reset();
  }
  return pods;
}

void LeftGated::Hurry(absl::Time now, std::string_view topic) {
  const auto found = topics_.find(topic);
  if (found == topics_.end() || std::exchange(found->second.open, true)) return;
  for (const std::string& uid : found->second.pods) {
    Left& left = *left_.Find(uid);
    if (left.facts != nullptr) SetAgain(uid, left, now);
  }
}

}  // namespace gangplan
