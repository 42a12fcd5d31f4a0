#include "extender/planner/refusals.h"

#include <algorithm>

#include "fmt/format.h"

namespace gangplan {

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

std::vector<GroupId> Refusals::Expire(absl::Time now) {
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
}

void Refusals::ForgetGroup(GroupId group) {
  auto it = refused_.lower_bound({group, 0});
  while (it != refused_.end() && it->first.first == group) {
    first_end_.Clear(it->first);
    it = refused_.erase(it);
  }
}

}  // namespace gangplan
