#include "extender/cli/capacity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "extender/protocol/pod_requests.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/implied_resource.h"
#include "topology/quantity.h"

namespace gangplan {
namespace {

constexpr std::string_view kPods = "pods";
constexpr std::string_view kExpected =
    "expected COUNT and a resource, as 8gpu, or nvidia.com/gpu=8";
constexpr int64_t kMilli = 1'000;

bool IsDevice(std::string_view resource) { return resource.find('/') != std::string_view::npos; }

// Resources by the names that people have for them.
std::string_view FullName(std::string_view name) { return name == "gpu" ? "nvidia.com/gpu" : name; }

// One domain after the other, each of so many pods.
LevelRoom RoomIn(const Tree& tree, int level, std::span<const int32_t> counts, int64_t size) {
  LevelRoom room;
  for (int32_t i = 0; i < static_cast<int32_t>(counts.size()); ++i) {
    room.gangs += counts[i] / size;
    if (counts[i] <= room.largest) continue;
    room.largest = counts[i];
    room.domain = tree.Path(level, i);
  }
  return room;
}

// All leaves as one domain.
LevelRoom RoomInAll(std::span<const int32_t> counts, int64_t size) {
  LevelRoom room;
  for (const int32_t count : counts) room.largest += count;
  room.gangs = room.largest / size;
  return room;
}

NodeFilter FilterFor(const ResourceList& request) {
  NodeFilter filter;
  for (const ResourceAmount& one : request) {
    if (!IsDevice(one.name)) continue;
    Toleration& toleration = filter.tolerations.emplace_back();
    toleration.key = one.name;
    toleration.exists = true;
  }
  return filter;
}

struct Part {
  std::string_view name;
  std::string_view amount;
};
// "nvidia.com/gpu=8" or "8gpu".
Part SplitPart(std::string_view part) {
  const size_t equals = part.find('=');
  const size_t digits = std::min(part.find_first_not_of("0123456789"), part.size());
  if (equals != std::string_view::npos)
    return Part{part.substr(0, equals), part.substr(equals + 1)};
  return Part{part.substr(digits), part.substr(0, digits)};
}

absl::StatusOr<ResourceAmount> ParsePart(std::string_view text) {
  const Part part = SplitPart(text);
  const std::string_view name = FullName(part.name);
  const bool named = !name.empty() && absl::ascii_isalpha(static_cast<unsigned char>(name.front()));
  if (!named || part.amount.empty()) return Invalid("\"{}\"; {}", Shown(text), kExpected);
  const Scale scale = name == "cpu" ? Scale::kMilli : Scale::kOne;
  const absl::StatusOr<int64_t> amount = ParseQuantity(part.amount, scale, Rounding::kUp);
  if (!amount.ok())
    return Invalid("{}: {}; expected a quantity, as 8, 500m or 512Gi", Shown(name),
                   Message(amount.status()));
  if (*amount <= 0) return Invalid("{}: {}; expected more than 0", Shown(name), *amount);
  return ResourceAmount{std::string(name), *amount};
}

// Of one resource, on all nodes that such a pod may use now. O(nodes).
int64_t FreeOf(const Model& model, ShapeId shape, std::string_view resource) {
  int64_t free = 0;
  const TopologyIndex topology = model.TopologyOf(shape);
  const Tree& tree = model.tree(topology);
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    const NodeIndex node = model.NodeOfLeaf(topology, leaf);
    if (!model.MayUse(node, shape)) continue;
    const ResourceUse use = model.Use(node, resource);
    const int64_t left = use.allocatable - use.used - use.held;
    if (left <= 0) continue;
    if (left > std::numeric_limits<int64_t>::max() - free)
      return std::numeric_limits<int64_t>::max();
    free += left;
  }
  return free;
}

int64_t FreePods(const Model& model, ShapeId shape, const ResourceList& request) {
  int64_t pods = std::numeric_limits<int64_t>::max();
  for (const ResourceAmount& one : request) {
    if (one.amount <= 0 || model.Excludes(one.name)) continue;
    pods = std::min(pods, FreeOf(model, shape, one.name) / one.amount);
  }
  return pods;
}

int64_t Lost(const LevelCapacity& level, int64_t free) {
  constexpr int64_t kAll = 100;
  const int64_t could = std::min(free, level.empty.largest);
  return could <= level.now.largest ? 0 : kAll - kAll * level.now.largest / could;
}

// Of the shape's topology. Of several each line is called by its name as well.
void AddLevels(const Model& model, ShapeId shape, int64_t size, int64_t free, Capacity& capacity) {
  const Tree& tree = model.tree(model.TopologyOf(shape));
  const bool several = model.topologies().size() > 1;
  const std::string& name = tree.topology().name;
  const FitCounts& now = model.Counts(shape);
  const FitCounts& empty = model.EmptyCounts(shape);
  const size_t first = capacity.levels.size();
  const int leaves = tree.leaf_level();
  capacity.levels.push_back({several ? name : "cluster", 1, RoomInAll(now.at(leaves), size),
                             RoomInAll(empty.at(leaves), size), 0});
  for (int level = 0; level < tree.level_count(); ++level) {
    const std::string& own = tree.level(level).name;
    capacity.levels.push_back({several ? fmt::format("{}/{}", name, own) : own, tree.size(level),
                               RoomIn(tree, level, now.at(level), size),
                               RoomIn(tree, level, empty.at(level), size), 0});
  }
  for (size_t i = first; i < capacity.levels.size(); ++i)
    capacity.levels[i].lost = Lost(capacity.levels[i], free);
  capacity.free += free;
  capacity.unplaced -= tree.leaf_count();
}

}  // namespace

absl::StatusOr<AskedPod> ParseShape(std::string_view text) {
  ResourceList request = {{std::string(kPods), 1}};
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    GANGPLAN_ASSIGN_OR_RETURN(ResourceAmount part, ParsePart(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool known = std::any_of(request.begin(), request.end(),
                                   [&](const auto& one) { return one.name == part.name; });
    if (known) return Invalid("{}: stands twice, or by itself", Shown(part.name));
    request.push_back(std::move(part));
  }
  if (request.size() == 1) return Invalid("it is empty; {}", kExpected);
  std::sort(request.begin(), request.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  NodeFilter filter = FilterFor(request);
  return AskedPod{std::move(request), std::move(filter)};
}

absl::StatusOr<AskedPod> AskedOf(const std::vector<PodFacts>& pods) {
  const PodFacts& first = pods.front();
  const auto other = std::find_if(pods.begin(), pods.end(), [&](const PodFacts& pod) {
    return pod.requests != first.requests || pod.filter != first.filter;
  });
  if (other == pods.end()) return AskedPod{first.requests, first.filter};
  if (other->requests == first.requests)
    return Invalid("{} and {} ask for different nodes; expected pods that are alike, or --shape",
                   first.name, other->name);
  return Invalid("{} asks for {}, {} for {}; expected pods that are alike, or --shape", first.name,
                 ShapeText(first.requests), other->name, ShapeText(other->requests));
}

std::string ShapeText(const ResourceList& request) {
  std::vector<std::string> parts;
  for (const ResourceAmount& one : request) {
    if (one.name == kPods || IsImplied(one.name)) continue;
    const bool milli = one.name == "cpu" && one.amount % kMilli != 0;
    const int64_t amount = one.name == "cpu" && !milli ? one.amount / kMilli : one.amount;
    parts.push_back(fmt::format("{}={}{}", one.name, amount, milli ? "m" : ""));
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ","));
}

std::string UsualShape(const Model& model) {
  std::map<std::string_view, int64_t> nodes;  // that have the device
  for (const NodeFacts* node : model.AllFacts()) {
    for (const ResourceAmount& one : node->allocatable) {
      const bool readable = one.name.find_first_of(",=") == std::string::npos;
      const bool counted = readable && !model.Excludes(one.name);
      if (IsDevice(one.name) && counted && one.amount > 0) ++nodes[one.name];
    }
  }
  const auto most = std::max_element(
      nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{}=1", most == nodes.end() ? "cpu" : most->first);
}

std::vector<std::string> UnknownResources(const Model& model, const ResourceList& request) {
  std::vector<std::string> unknown;
  const std::vector<const NodeFacts*> nodes = model.AllFacts();
  for (const ResourceAmount& one : request) {
    const bool known = std::any_of(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
      return AmountOf(node->allocatable, one.name) > 0;
    });
    const bool asked = !IsImplied(one.name) && !model.Excludes(one.name);
    if (asked && one.name != kPodsResource && !known) unknown.push_back(one.name);
  }
  return unknown;
}

Capacity CapacityOf(const Model& model, const AskedPod& pod, int64_t size) {
  Model asked = model;
  Capacity capacity;
  capacity.unplaced = asked.node_count();
  for (size_t i = 0; i < asked.topologies().size(); ++i) {
    const ShapeId shape =
        asked.AcquireShape(static_cast<TopologyIndex>(i), pod.request, pod.filter);
    AddLevels(asked, shape, size, FreePods(asked, shape, pod.request), capacity);
  }
  for (const NodeFacts* node : asked.AllFacts())
    capacity.tainted += !ToleratesLastingTaints(pod.filter, *node);
  return capacity;
}

}  // namespace gangplan
