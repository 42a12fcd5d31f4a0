#include "extender/planner/steering.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "extender/planner/limits.h"

namespace gangplan {
namespace {

constexpr absl::Duration kSoon = absl::Seconds(1);  // more was found than is taken at once
constexpr size_t kSteeredOfOne = 250;               // groups of one namespace that are looked at
constexpr size_t kLeastShare = 2;  // needs of one namespace: of its nodes, and of its domains
constexpr int32_t kBreaksNone = Steering::kBest / 2;  // the domain has room to spare

}  // namespace

void Steering::Count(const Group& group,
                     std::map<Need, std::map<std::string_view, int32_t>>& groups) const {
  const int leaf = books_.ledger.model().tree(group.topology()).leaf_level();
  for (const PodSet& set : group.pod_sets().sets()) {
    if (set.shape < 0 || set.count == 0 || !set.known || !group.Placeable()) continue;
    if (books_.ledger.model().demand(set.shape).size() > kMaxSteeredRequests) continue;
    const int level = books_.placer.OneDomainOfSet(group, set);
    const std::string_view ns = group.key().ns;
    if (level >= 0 && level < leaf) ++groups[{level, set.count, set.shape}][ns];
    ++groups[{leaf, level == leaf ? set.count : 1, set.shape}][ns];
  }
}

// The needs that most groups have, the largest first where as many have them: of each namespace no
// more than its share, so that one with many gangs of its own kinds leaves room for the others'.
std::vector<Steering::Asked> Steering::AskedMost() const {
  std::map<Need, std::map<std::string_view, int32_t>> groups;
  std::map<std::string_view, size_t> looked_of;
  size_t looked = 0;
  const auto& all = books_.groups.groups();
  for (auto one = all.rbegin(); one != all.rend() && looked < kSteeredGroups; ++one) {
    const Group& group = *one->second;
    if (looked_of[group.key().ns]++ >= kSteeredOfOne) continue;
    ++looked;
    if (group.state() != GroupState::kDone) Count(group, groups);  // until its pods are deleted
  }
  std::vector<Asked> order;
  for (const auto& [need, by_namespace] : groups) {
    Asked asked{need};
    int32_t most = 0;
    for (const auto& [ns, count] : by_namespace) {
      asked.groups += count;
      if (count > most) asked.ns = ns;
      most = std::max(most, count);
    }
    order.push_back(asked);
  }
  std::stable_sort(order.begin(), order.end(), [](const Asked& a, const Asked& b) {
    return std::pair(a.groups, a.need.count) > std::pair(b.groups, b.need.count);
  });
  std::set<std::string_view> spaces;
  for (const Asked& asked : order) spaces.insert(asked.ns);
  const size_t share = std::max(kLeastShare, kMaxNeeds / std::max<size_t>(spaces.size(), 1));
  std::map<std::string_view, size_t> taken;
  std::erase_if(order, [&](const Asked& asked) { return taken[asked.ns]++ >= share; });
  if (order.size() > kMaxNeeds) order.resize(kMaxNeeds);
  return order;
}

// One that is new at a time: its counts may have to be made.
void Steering::Look(absl::Time now) {
  if (now < look_) return;
  const std::vector<Asked> order = AskedMost();
  std::vector<Need> needs;
  bool more = false;
  for (const auto& [need, groups, ns] : order) {
    const bool known = std::find(needs_.begin(), needs_.end(), need) != needs_.end();
    if (!known && std::exchange(more, true)) continue;
    books_.ledger.RetainShape(need.shape);
    needs.push_back(need);
  }
  for (const Need& need : needs_) books_.ledger.ReleaseShape(need.shape);
  needs_ = std::move(needs);
  look_ = now + (needs_.size() < order.size() ? kSoon : kSteeringLook);
}

void Steering::Forget() {
  for (const Need& need : needs_) books_.ledger.ReleaseShape(need.shape);
  needs_.clear();
  look_ = absl::InfinitePast();
}

int32_t Steering::PointsOf(const Need& need, int32_t leaf, ShapeId pod) const {
  const Model& model = books_.ledger.model();
  const Tree& tree = model.tree(model.TopologyOf(need.shape));
  const FitCounts& counts = model.Counts(need.shape);
  const int32_t domain = tree.Ancestor(leaf, need.level);
  const int32_t room = counts.at(need.level)[static_cast<size_t>(domain)];
  if (room < need.count) return kBest;
  const int32_t here = counts.at(tree.leaf_level())[static_cast<size_t>(leaf)];
  if (here <= room % need.count) return kBreaksNone;
  const std::array<ShapeId, 1> beside = {pod};
  const std::array<int32_t, 1> taken = {1};
  const int32_t left = model.FitBeside(leaf, CountKind::kNow, need.shape, beside, taken);
  const bool breaks = (room - here + left) / need.count < room / need.count;
  return breaks ? 0 : kBreaksNone;
}

std::vector<int32_t> Steering::Score(absl::Time now, const PodFacts& pod,
                                     const std::vector<std::string_view>& offer) {
  const KnownPod* record = books_.pods.Find(pod.uid);
  const bool member = record != nullptr && record->group != 0;
  if (member || offer.size() > kMaxSteeredNodes || pod.requests.size() > kMaxSteeredRequests)
    return {};
  Look(now);
  if (needs_.empty()) return {};
  const Model& model = books_.ledger.model();
  const ShapeId shape = books_.ledger.AcquireShape(0, pod.requests, {});
  std::vector<int32_t> scores;
  scores.reserve(offer.size());
  for (std::string_view name : offer) {
    const NodeIndex node = model.FindNode(name);
    const TopologyIndex home = books_.ledger.HomeOf(node);
    const int32_t leaf = home == kNoTopology ? -1 : model.LeafOfNode(home, node);
    int32_t points = 0;
    for (const Need& need : needs_) {
      if (leaf < 0) break;
      const bool its_own = model.TopologyOf(need.shape) == home;
      points += its_own ? PointsOf(need, leaf, shape) : kBest;
    }
    scores.push_back(points / static_cast<int32_t>(needs_.size()));
  }
  books_.ledger.ReleaseShape(shape);
  return scores;
}

}  // namespace gangplan
