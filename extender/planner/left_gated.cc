#include "extender/planner/left_gated.h"

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
  left.again = now + again_after;
  again_.emplace(left.again, pod.uid);
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
  if (*by_name_.Find(name) == uid) by_name_.Erase(name);
  again_.erase({left->again, left->pod.uid});
  left_.Erase(uid);
}

std::string LeftGated::Why(std::string_view name) const {
  const std::string* uid = by_name_.Find(name);
  return uid == nullptr ? std::string() : left_.Find(*uid)->note.why;
}

std::vector<LeftGated::Told> LeftGated::TakeTold(absl::Time now, size_t most) {
  std::vector<Told> told;
  while (told.size() < most && !due_.empty() && due_.begin()->first <= now) {
    Topic& topic = topics_.find(due_.begin()->second)->second;
    due_.erase(due_.begin());
    topic.due = absl::InfiniteFuture();
    topic.told = true;
    const Left& left = *left_.Find(*topic.pods.begin());
    told.push_back({left.pod, left.note.why});
  }
  return told;
}

std::vector<PodFacts> LeftGated::TakeAgain(absl::Time now, size_t most) {
  std::vector<PodFacts> pods;
  while (pods.size() < most && !again_.empty() && again_.begin()->first <= now) {
    Left& left = *left_.Find(again_.begin()->second);
    again_.erase(again_.begin());
    left.again = absl::InfiniteFuture();
    pods.push_back(std::move(*left.facts));
    left.facts.reset();
  }
  return pods;
}

}  // namespace gangplan
