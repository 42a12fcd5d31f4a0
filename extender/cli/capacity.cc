#include "extender/cli/capacity.h"

#include <algorithm>
#include <map>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/quantity.h"

namespace gangplan {
namespace {

constexpr std::string_view kPods = "pods";

bool IsDevice(std::string_view resource) { return resource.find('/') != std::string_view::npos; }

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

absl::StatusOr<ResourceAmount> ParsePart(std::string_view part) {
  const size_t equals = part.find('=');
  if (equals == 0 || equals == std::string_view::npos)
    return Invalid("\"{}\"; expected RESOURCE=QUANTITY, as nvidia.com/gpu=8", Shown(part));
  const std::string_view name = part.substr(0, equals);
  const Scale scale = name == "cpu" ? Scale::kMilli : Scale::kOne;
  const absl::StatusOr<int64_t> amount =
      ParseQuantity(part.substr(equals + 1), scale, Rounding::kUp);
  if (!amount.ok()) return Invalid("{}: {}", Shown(name), Message(amount.status()));
  if (*amount <= 0) return Invalid("{}: {}; expected more than 0", Shown(name), *amount);
  return ResourceAmount{std::string(name), *amount};
}

}  // namespace

absl::StatusOr<ResourceList> ParseShape(std::string_view text) {
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
  if (request.size() == 1) return Invalid("it is empty; expected RESOURCE=QUANTITY,...");
  std::sort(request.begin(), request.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return request;
}

std::string UsualShape(const Model& model) {
  std::map<std::string_view, int64_t> nodes;  // that have the device
  for (const NodeFacts* node : model.AllFacts()) {
    for (const ResourceAmount& one : node->allocatable) {
      const bool readable = one.name.find_first_of(",=") == std::string::npos;
      if (IsDevice(one.name) && readable && one.amount > 0) ++nodes[one.name];
    }
  }
  const auto most = std::max_element(
      nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{}=1", most == nodes.end() ? "cpu" : most->first);
}

Capacity CapacityOf(const Model& model, const ResourceList& request, int64_t size) {
  Model asked = model;
  const NodeFilter filter = FilterFor(request);
  const ShapeId shape = asked.AcquireShape(request, filter);
  const Tree& tree = asked.tree();
  const FitCounts& now = asked.Counts(shape);
  const FitCounts& empty = asked.EmptyCounts(shape);
  Capacity capacity;
  const int leaves = tree.leaf_level();
  capacity.levels.push_back(
      {"cluster", 1, RoomInAll(now.at(leaves), size), RoomInAll(empty.at(leaves), size)});
  for (int level = 0; level < tree.level_count(); ++level) {
    capacity.levels.push_back({tree.level(level).name, tree.size(level),
                               RoomIn(tree, level, now.at(level), size),
                               RoomIn(tree, level, empty.at(level), size)});
  }
  for (const NodeFacts* node : asked.AllFacts())
    capacity.tainted += !ToleratesLastingTaints(filter, *node);
  capacity.unplaced = static_cast<int64_t>(tree.unplaced().size());
  return capacity;
}

}  // namespace gangplan
