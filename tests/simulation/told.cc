#include "tests/simulation/told.h"

#include <algorithm>

namespace gangplan::simulation {

void Told::OnPod(const PodFacts& pod) {
  const auto known = pods_.find(pod.uid);
  if (known != pods_.end() && known->second.requests != pod.requests)
    pod_changes_[pod.uid].push_back({time_.now(), AmountsOf(known->second.requests)});
  pods_[pod.uid] = pod;
  Stay& stay = StayOf(pod.uid);
  stay.bound = stay.bound || !pod.node_name.empty();
  if (pod.finished()) stay.to = std::min(stay.to, time_.now());
  if (!pod.node_name.empty()) bound_.try_emplace(pod.uid, time_.now());
}

void Told::OnPodGone(const std::string& uid) {
  pods_.erase(uid);
  Stay& stay = StayOf(uid);
  stay.to = std::min(stay.to, time_.now());
}

void Told::OnFilter(const PodFacts& pod, const FilterDecision&) { StayOf(pod.uid); }

void Told::OnNode(const NodeFacts& node) {
  const auto known = nodes_.find(node.name);
  if (known == nodes_.end() || !(known->second == node)) node_news_[node.name] = time_.now();
  if (known != nodes_.end() && known->second.allocatable != node.allocatable)
    node_changes_[node.name].push_back({time_.now(), AmountsOf(known->second.allocatable)});
  nodes_[node.name] = node;
}

void Told::OnNodeGone(const std::string& name) {
  node_news_[name] = time_.now();
  nodes_.erase(name);
}

void Told::OnOwner(const OwnerFacts& owner) { sizes_[owner.ref.uid] = owner.size; }

// That is about its next run: pods that are there are of the last one.
void Told::OnJob(const JobFacts& job) {
  const bool runs = std::any_of(pods_.begin(), pods_.end(), [&](const auto& entry) {
    return entry.second.controller && entry.second.controller->uid == job.owner.ref.uid;
  });
  if (!runs) OnOwner(job.owner);
}

void Told::OnPosts(const std::vector<BindingWrite>& posts) {
  for (const BindingWrite& post : posts) {
    posted_[post.pod.uid] = time_.now();
    open_[post.pod.uid] = post.node;
  }
}

void Told::AfterResult(const BindingRead& about, BindOutcome outcome) {
  if (outcome != BindOutcome::kUnknown) open_.erase(about.pod.uid);
  if (outcome == BindOutcome::kBound) done_.insert(about.pod.uid);
}

void Told::OnEvent(const EventNote& event) {
  warnings_[event.regarding.uid] += static_cast<int64_t>(event.warning);
}

int64_t Told::Warnings(const std::string& object_uid) const {
  const auto found = warnings_.find(object_uid);
  return found == warnings_.end() ? 0 : found->second;
}

// What was posted may still be on its way.
void Told::OnRestart() {
  pods_.clear();
  stays_.clear();
  open_.clear();
  done_.clear();
  nodes_.clear();
  bound_.clear();
  pod_changes_.clear();
  node_changes_.clear();
  node_news_.clear();
  sizes_.clear();
}

const NodeFacts* Told::Node(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::optional<int64_t> Told::Size(const std::string& owner_uid) const {
  const auto found = sizes_.find(owner_uid);
  return found == sizes_.end() ? std::nullopt : found->second;
}

std::string Told::MayBeOn(const std::string& uid) const {
  const auto found = open_.find(uid);
  return found == open_.end() ? std::string() : found->second;
}

absl::Time Told::Posted(const std::string& uid) const {
  const auto found = posted_.find(uid);
  return found == posted_.end() ? absl::InfinitePast() : found->second;
}

bool Told::BoundBefore(const std::string& uid, absl::Time moment) const {
  const auto found = bound_.find(uid);
  return found != bound_.end() && found->second < moment;
}

bool Told::NewsSince(const NodeFacts& node, absl::Time moment) const {
  const NodeFacts* known = Node(node.name);
  const auto news = node_news_.find(node.name);
  return known == nullptr || !(*known == node) ||
         (news != node_news_.end() && news->second >= moment);
}

Amounts Told::LeastTaken(const PodFacts& pod, absl::Time moment) const {
  Amounts least = AmountsOf(pod.requests);
  const auto known = pods_.find(pod.uid);
  if (known != pods_.end()) least = Smaller(least, AmountsOf(known->second.requests));
  const auto changes = pod_changes_.find(pod.uid);
  if (changes == pod_changes_.end()) return least;
  for (const Change& change : changes->second) {
    if (change.when >= moment) least = Smaller(least, change.before);
  }
  return least;
}

Amounts Told::MostAllocatable(const NodeFacts& node, absl::Time moment) const {
  Amounts most = AmountsOf(node.allocatable);
  if (const NodeFacts* known = Node(node.name)) most = Greater(most, AmountsOf(known->allocatable));
  const auto changes = node_changes_.find(node.name);
  if (changes == node_changes_.end()) return most;
  for (const Change& change : changes->second) {
    if (change.when >= moment) most = Greater(most, change.before);
  }
  return most;
}

}  // namespace gangplan::simulation
