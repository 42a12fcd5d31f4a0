#include "extender/app/room_gauges.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "extender/app/limits.h"
#include "extender/app/node_turns.h"
#include "extender/app/usual_taints.h"
#include "fmt/format.h"
#include "topology/model.h"

namespace gangplan {
namespace {

constexpr int64_t kMilli = 1000;
constexpr std::string_view kWhole = "cluster";  // in place of a level

// Pods in each domain of one level, or of all, now and on the empty cluster.
struct LevelPods {
  std::vector<int64_t> now, empty;
};

int64_t Most(const std::vector<int64_t>& pods) {
  return pods.empty() ? 0 : *std::max_element(pods.begin(), pods.end());
}

LevelPods LeafPods(const std::vector<LeafAmount>& leaves, int64_t each) {
  LevelPods pods;
  for (const LeafAmount& leaf : leaves) {
    pods.now.push_back(leaf.free / each);
    pods.empty.push_back(leaf.all / each);
  }
  return pods;
}

LevelPods Above(const Tree& tree, int level, const LevelPods& below) {
  const auto count = static_cast<size_t>(tree.size(level));
  LevelPods pods{std::vector<int64_t>(count), std::vector<int64_t>(count)};
  for (size_t i = 0; i < below.now.size(); ++i) {
    const auto parent = static_cast<size_t>(tree.parent(level + 1, static_cast<int32_t>(i)));
    pods.now[parent] += below.now[i];
    pods.empty[parent] += below.empty[i];
  }
  return pods;
}

// As `gangplan capacity` has it: of the pods for which all that is free would do in one piece, as
// far as the largest domain could have them, the part that no domain has room for.
RoomGauge GaugeOf(std::string level, const std::string& shape, const LevelPods& pods,
                  int64_t free) {
  RoomGauge gauge{std::move(level), shape, Most(pods.now), 0};
  const int64_t could = std::min(free, Most(pods.empty));
  if (could > gauge.largest)
    gauge.fragmentation = 1 - static_cast<double>(gauge.largest) / static_cast<double>(could);
  return gauge;
}

// By Kubernetes itself, so that no gang goes there: a control plane, a node that is not ready for
// pods.
bool IsSetApart(const NodeFacts& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [](const Taint& taint) {
    return taint.effect != TaintEffect::kPreferNoSchedule && IsUsual(taint);
  });
}

// Of the amounts that nodes have of it the one that most have, of several the greatest.
int64_t WholeNode(const std::vector<LeafAmount>& leaves) {
  std::map<int64_t, int64_t> nodes;
  for (const LeafAmount& leaf : leaves) {
    if (leaf.all > 0) ++nodes[leaf.all];
  }
  std::pair<int64_t, int64_t> most;  // nodes, amount
  for (const auto& [amount, count] : nodes) most = std::max(most, {count, amount});
  return most.second;
}

}  // namespace

std::vector<RoomGauge> RoomGaugesOf(const Tree& tree, const std::vector<LeafAmount>& leaves,
                                    int64_t each, const std::string& shape) {
  const int64_t free =
      std::accumulate(leaves.begin(), leaves.end(), int64_t{0},
                      [](int64_t sum, const LeafAmount& leaf) { return sum + leaf.free; }) /
      each;
  LevelPods pods = LeafPods(leaves, each);
  std::vector<RoomGauge> gauges;
  for (int level = tree.leaf_level(); level >= 0; --level) {
    if (level < tree.leaf_level()) pods = Above(tree, level, pods);
    gauges.push_back(GaugeOf(tree.level(level).name, shape, pods, free));
  }
  // A level of that name stands for itself.
  const bool named = std::any_of(gauges.begin(), gauges.end(),
                                 [](const RoomGauge& gauge) { return gauge.level == kWhole; });
  const auto sum = [](const std::vector<int64_t>& all) {
    return std::vector<int64_t>{std::accumulate(all.begin(), all.end(), int64_t{0})};
  };
  if (!named)
    gauges.push_back(GaugeOf(std::string(kWhole), shape, {sum(pods.now), sum(pods.empty)}, free));
  std::reverse(gauges.begin(), gauges.end());
  return gauges;
}

bool RoomGauges::Due() {
  MutexLock lock(mutex_);
  const absl::Time now = clock_.Now();
  if (now < next_) return false;
  next_ = now + kRoomGaugesEvery;
  return true;
}

void RoomGauges::Refresh() {
  if (!Due()) return;
  const std::vector<std::shared_ptr<const Tree>> trees = TreesNow(planner_);
  std::vector<RoomGauge> gauges;
  for (const auto& tree : trees) {
    if (tree->level_count() == 0) continue;
    // Each has its own: one may be of another vendor.
    for (RoomGauge& gauge : GaugesIn(*tree, ShownResource(planner_, {tree}))) {
      if (trees.size() > 1) gauge.level = fmt::format("{}/{}", tree->topology().name, gauge.level);
      gauges.push_back(std::move(gauge));
    }
  }
  metrics_.SetRoom(std::move(gauges));
}

// In short turns of the planner.
std::vector<RoomGauge> RoomGauges::GaugesIn(const Tree& tree, const std::string& resource) {
  std::vector<LeafAmount> leaves(static_cast<size_t>(tree.leaf_count()));
  EachNode(planner_, tree,
           [&](const Model& model, const NodeFacts& facts, NodeIndex node, int32_t leaf) {
             if (!facts.ready || facts.unschedulable || IsSetApart(facts)) return true;
             const ResourceUse use = model.Use(node, resource);
             const int64_t free = use.allocatable - use.used - use.held;
             leaves[static_cast<size_t>(leaf)] = {use.allocatable, std::max<int64_t>(0, free)};
             return true;
           });
  const bool cpu = resource == "cpu";
  std::vector<RoomGauge> gauges =
      RoomGaugesOf(tree, leaves, cpu ? kMilli : 1, fmt::format("{}=1", resource));
  if (const int64_t whole = WholeNode(leaves); !cpu && whole > 1) {
    for (RoomGauge& gauge :
         RoomGaugesOf(tree, leaves, whole, fmt::format("{}={}", resource, whole)))
      gauges.push_back(std::move(gauge));
  }
  return gauges;
}

}  // namespace gangplan
