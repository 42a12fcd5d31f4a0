#include "extender/planner/refusals.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {

// Something that the scheduler may have counted on the node.
bool Refusals::HasLeftSince(NodeIndex node, uint64_t departures) const {
  const auto index = static_cast<size_t>(node);
  return index < last_departure_.size() && last_departure_[index] > departures;
}

bool Refusals::Doubt(absl::Time now, GroupId group, int32_t pod_set, NodeIndex node) {
  const Doubted doubt{now, departures_};
  const auto [it, first] = doubted_.try_emplace({group, pod_set, node}, doubt);
  if (first) return false;
  const absl::Duration age = now - it->second.since;
  if (age < kDoubtAtLeast) return false;
  const int times = age > kDoubtAtMost ? 1 : it->second.times + 1;
  const bool disturbed = HasLeftSince(node, it->second.departures);
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

bool Refusals::Others::Has(NodeIndex node) const {
  return !of_.HasLeftSince(node, departures_) && !offered_.contains(node);
}

// Of all nodes that a pod may use none comes without a reason: where that is so, another extender
// has cut a sample.
bool Refusals::IsCut(const Listed& before, const std::set<NodeIndex>& offered) const {
  return std::any_of(offered.begin(), offered.end(), [&](NodeIndex node) {
    return node != kNoNode && !before.offered.contains(node) &&
           !HasLeftSince(node, before.departures);
  });
}

std::optional<Refusals::Others> Refusals::List(absl::Time now, GroupId group, int32_t pod_set,
                                               std::set<NodeIndex> offered) {
  const auto [it, first] = lists_.try_emplace({group, pod_set}, Listed{now, departures_, offered});
  Listed& last = it->second;
  const absl::Duration age = now - last.since;
  if (first || age < kDoubtAtLeast) return std::nullopt;
  std::optional<Others> others;
  if (age <= kDoubtAtMost && !IsCut(last, offered)) {
    last.offered.insert(offered.begin(), offered.end());
    others.emplace(Others(*this, last.departures, std::move(last.offered)));
  }
  last = {now, departures_, std::move(offered)};
  return others;
}

void Refusals::LearnOthers(GroupId group, int32_t pod_set, std::vector<bool> refused,
                           absl::Time until, const std::string& text) {
  if (refused.empty() && !refused_.contains({group, pod_set})) return;
  Refused& known = refused_[{group, pod_set}];
  known.others = std::move(refused);
  known.others_until = until;
  if (!text.empty()) known.text = text;
  first_end_.SetEarlier({group, pod_set}, until);
}

bool Refusals::Refused::HasOther(NodeIndex node) const {
  const auto index = static_cast<size_t>(node);
  return index < others.size() && others[index];
}

std::vector<NodeIndex> Refusals::Of(GroupId group, int32_t pod_set) const {
  std::vector<NodeIndex> nodes;
  auto it = refused_.find({group, pod_set});
  if (it == refused_.end()) return nodes;
  const Refused& refused = it->second;
  auto next = refused.until.begin();
  for (NodeIndex node = 0; node < static_cast<NodeIndex>(refused.others.size()); ++node) {
    for (; next != refused.until.end() && next->first < node; ++next) nodes.push_back(next->first);
    const bool both = next != refused.until.end() && next->first == node;
    if (refused.HasOther(node) && !both) nodes.push_back(node);
  }
  for (; next != refused.until.end(); ++next) nodes.push_back(next->first);
  return nodes;
}

bool Refusals::Has(GroupId group, int32_t pod_set, NodeIndex node) const {
  auto it = refused_.find({group, pod_set});
  return it != refused_.end() && (it->second.until.contains(node) || it->second.HasOther(node));
}

std::string Refusals::TextOf(GroupId group, int32_t pod_set) const {
  auto it = refused_.find({group, pod_set});
  if (it == refused_.end()) return {};
  const size_t nodes = Of(group, pod_set).size();
  if (nodes == 0) return {};
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
    if (it->second.others_until <= now) it->second.others = {};
    for (const auto& [node, until] : it->second.until) first_end_.SetEarlier(key, until);
    if (!it->second.others.empty()) first_end_.SetEarlier(key, it->second.others_until);
    if (it->second.until.empty() && it->second.others.empty()) refused_.erase(it);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

void Refusals::ForgetNode(NodeIndex node) {
  for (auto it = refused_.begin(); it != refused_.end();) {
    it->second.until.erase(node);
    if (it->second.HasOther(node)) it->second.others[static_cast<size_t>(node)] = false;
    const bool none = it->second.until.empty() && it->second.others.empty();
    it = none ? refused_.erase(it) : std::next(it);
  }
  std::erase_if(doubted_, [&](const auto& doubt) { return std::get<2>(doubt.first) == node; });
}

void Refusals::ForgetGroup(GroupId group) {
  auto it = refused_.lower_bound({group, 0});
  while (it != refused_.end() && it->first.first == group) {
    first_end_.Clear(it->first);
    it = refused_.erase(it);
  }
  lists_.erase(lists_.lower_bound({group, 0}), lists_.lower_bound({group + 1, 0}));
  const auto first = doubted_.lower_bound({group, 0, 0});
  doubted_.erase(first, doubted_.lower_bound({group + 1, 0, 0}));
}

}  // namespace gangplan
