#include "extender/planner/left_gated.h"

#include <algorithm>
#include <utility>

#include "extender/planner/limits.h"
#include "topology/object_name.h"

namespace gangplan {

LeftGated::Left& LeftGated::Put(absl::Time now, const PodFacts& pod, Note note) {
  const Left* known = left_.Find(pod.uid);
  if (known != nullptr && known->note.topic != note.topic) Forget(pod.uid);
  Left& left = *left_.Make(pod.uid).first;
  again_.erase({left.again, pod.uid});
  left = {{pod.ns, pod.name, pod.uid}, std::move(note), absl::InfiniteFuture(), nullptr};
  *by_name_.Make(NameInNamespace(pod.ns, pod.name)).first = pod.uid;
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
  ++moved_;
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
  const std::string name = NameInNamespace(left->pod.ns, left->pod.name);
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

// Of a namespace with many topics each has a moment of its own, given when it is due first: those
// of others need not wait for all of these.
bool LeftGated::MustPause(absl::Time now, const std::string& name, Topic& topic) {
  const std::string& ns = left_.Find(*topic.pods.begin())->pod.ns;
  absl::Time& next = next_in_.try_emplace(ns, now).first->second;
  const absl::Time moment = std::max(next, now);
  next = moment + kLeftToldEachInNamespace;
  topic.paced = true;
  if (moment == now) return false;
  topic.due = moment;
  due_.emplace(moment, name);
  return true;
}

std::optional<LeftGated::Told> LeftGated::TakeTold(absl::Time now) {
  if (now < quiet_until_) return std::nullopt;
  for (size_t left = kMaxTopicsPaced; left > 0; --left) {
    if (due_.empty() || due_.begin()->first > now) return std::nullopt;
    const std::string name = due_.extract(due_.begin()).value().second;
    Topic& topic = topics_.find(name)->second;
    if (!topic.paced && MustPause(now, name, topic)) continue;
    quiet_until_ = now + kLeftToldEach;
    std::erase_if(next_in_, [now](const auto& one) { return one.second <= now; });
    topic.due = absl::InfiniteFuture();
    topic.told = true;
    const Left& one = *left_.Find(*topic.pods.begin());
    return Told{one.pod, name, one.note.why};
  }
  return std::nullopt;
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
    if (topic.open) Pull(now, topic);
  }
  return pods;
}

void LeftGated::Hurry(absl::Time now, std::string_view topic) {
  const auto found = topics_.find(topic);
  if (found == topics_.end() || std::exchange(found->second.open, true)) return;
  found->second.pulled.clear();
  Pull(now, found->second);
}

// The next one of an open topic is due. A topic may have a hundred thousand, so each that is taken
// pulls another one.
void LeftGated::Pull(absl::Time now, Topic& topic) {
  for (auto next = topic.pods.upper_bound(topic.pulled); next != topic.pods.end(); ++next) {
    Left& left = *left_.Find(*next);
    topic.pulled = *next;
    if (left.facts != nullptr) return SetAgain(*next, left, std::min(left.again, now));
  }
}

}  // namespace gangplan
