#include "extender/planner/refusals.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {

bool Refusals::Doubt(absl::Time now, GroupId group, int32_t pod_set, NodeIndex node) {
  const Doubted doubt{now, departures_};
  const auto [it, first] = doubted_.try_emplace({group, pod_set, node}, doubt);
  if (first) return false;
  const absl::Duration age = now - it->second.since;
  if (age < kDoubtAtLeast) return false;
  const size_t index = static_cast<size_t>(node);
  const uint64_t last = index < last_departure_.size() ? last_departure_[index] : 0;
  const int times = age > kDoubtAtMost ? 1 : it->second.times + 1;
  const bool disturbed = last > it->second.departures;
  if (times == 1 || (disturbed && times < kMaxDoubts)) {
    it->second = {now, departures_, times};
    return false;
  }
  doubted_.erase(it);
  return true;
}

void Refusals::Disturb(NodeIndex node) {
  if (node == kNoNode) return;
  const size_t index = static_cast<size_t>(node);
  if (index >= last_departure_.size()) last_departure_.resize(index + 1);
  last_departure_[index] = ++departures_;
}

void Refusals::Learn(GroupId group, int32_t pod_set, NodeIndex node, absl::Time until,
                     const std::string& text) {
  Refused& refused = refused_[{group, pod_set}];
  refused.until[node] = until;
  if (!text.empty()) refused.text = text;
  first_end_.SetEarlier({group, pod_set}, until);
}

std::vector<NodeIndex> Refusals::Of(GroupId group, int32_t pod_set) const {
  std::vector<NodeIndex> nodes;
  auto it = refused_.find({group, pod_set});
  if (it == refused_.end()) return nodes;
  for (const auto& [node, until] : it->second.until) nodes.push_back(node);
  return nodes;
}

bool Refusals::Has(GroupId group, int32_t pod_set, NodeIndex node) const {
  auto it = refused_.find({group, pod_set});
  return it != refused_.end() && it->second.until.contains(node);
}

std::string Refusals::TextOf(GroupId group, int32_t pod_set) const {
  auto it = refused_.find({group, pod_set});
  if (it == refused_.end()) return {};
  const size_t nodes = it->second.until.size();
  std::string text =
      fmt::format("refused by the scheduler on {} node{}", nodes, nodes == 1 ? "" : "s");
  if (!it->second.text.empty()) text += fmt::format(": {}", it->second.text);
  return text;
}

// Round and round, so many a call.
void Refusals::SweepDoubts(absl::Time now) {
  auto next = doubted_.upper_bound(swept_);
  for (size_t left = kSweptDoubts; left > 0 && next != doubted_.end(); --left) {
    swept_ = next->first;
    next = next->second.since + kDoubtAtMost < now ? doubted_.erase(next) : std::next(next);
  }
  if (next == doubted_.end()) swept_ = {};
}

std::vector<GroupId> Refusals::Expire(absl::Time now) {
  SweepDoubts(now);
  std::vector<GroupId> groups;
  for (const Key& key : first_end_.TakeDue(now)) {
    auto it = refused_.find(key);
    if (it == refused_.end()) continue;
    std::erase_if(it->second.until, [&](const auto& entry) { return entry.second <= now; });
    groups.push_back(key.first);
    for (const auto& [node, until] : it->second.until) first_end_.SetEarlier(key, until);
    if (it->second.until.empty()) refused_.erase(it);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

void Refusals::ForgetNode(NodeIndex node) {
  for (auto it = refused_.begin(); it != refused_.end();) {
    it->second.until.erase(node);
    it = it->second.until.empty() ? refused_.erase(it) : std::next(it);
  }
  std::erase_if(doubted_, [&](const auto& doubt) { return std::get<2>(doubt.first) == node; });
}

void Refusals::ForgetGroup(GroupId group) {
  auto it = refused_.lower_bound({group, 0});
  while (it != refused_.end() && it->first.first == group) {
    first_end_.Clear(it->first);
    it = refused_.erase(it);
  }
  const auto first = doubted_.lower_bound({group, 0, 0});
  doubted_.erase(first, doubted_.lower_bound({group + 1, 0, 0}));
}

}  // namespace gangplan
