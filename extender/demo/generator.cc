#include "extender/demo/generator.h"

#include <algorithm>
#include <bit>

#include "extender/demo/generated_labels.h"
#include "extender/demo/seeded.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/model.h"
#include "topology/quantity.h"

namespace gangplan {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

// What one node has.
struct NodeSize {
  int64_t cpu_milli = 0;
  int64_t memory = 0;
  int64_t gpus = 0;

  // The load is counted in GPUs, or else in whole cpus.
  int64_t units() const { return gpus > 0 ? gpus : cpu_milli / 1000; }
};

absl::Status CheckCount(std::string_view option, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return Invalid("--{}: {}; expected {} to {}", option, value, low, high);
}

// `low` and `high` in words, for the error.
absl::StatusOr<int64_t> ReadAmount(std::string_view option, std::string_view text, Scale scale,
                                   std::string_view low, std::string_view high) {
  const absl::StatusOr<int64_t> amount = ParseQuantity(text, scale, Rounding::kDown);
  if (!amount.ok()) return Invalid("--{}: {}", option, ToStd(amount.status().message()));
  const bool in_range = *amount >= *ParseQuantity(low, scale, Rounding::kDown) &&
                        *amount <= *ParseQuantity(high, scale, Rounding::kDown);
  if (!in_range) return Invalid("--{}: {}; expected {} to {}", option, text, low, high);
  return *amount;
}

absl::StatusOr<NodeSize> CheckPlan(const ClusterPlan& plan) {
  GANGPLAN_RETURN_IF_ERROR(CheckCount("blocks", plan.blocks, 1, kMaxGeneratedBlocks));
  GANGPLAN_RETURN_IF_ERROR(CheckCount("racks", plan.racks, 1, kMaxGeneratedRacks));
  GANGPLAN_RETURN_IF_ERROR(CheckCount("nodes", plan.nodes, 1, kMaxGeneratedNodes));
  GANGPLAN_RETURN_IF_ERROR(CheckCount("gpus", plan.gpus, 0, kMaxGeneratedGpus));
  GANGPLAN_RETURN_IF_ERROR(CheckCount("load", plan.load, 0, 100));
  const int64_t nodes = int64_t{plan.blocks} * plan.racks * plan.nodes;
  if (nodes > kMaxNodes) {
    return Invalid("{} blocks x {} racks x {} nodes are {} nodes; expected at most {}", plan.blocks,
                   plan.racks, plan.nodes, nodes, kMaxNodes);
  }
  NodeSize size;
  size.gpus = plan.gpus;
  GANGPLAN_ASSIGN_OR_RETURN(size.cpu_milli,
                            ReadAmount("cpu", plan.cpu, Scale::kMilli, "1", kMaxGeneratedCpu));
  GANGPLAN_ASSIGN_OR_RETURN(
      size.memory, ReadAmount("memory", plan.memory, Scale::kOne, "1Gi", kMaxGeneratedMemory));
  return size;
}

NameWidths WidthsOf(const ClusterPlan& plan) {
  const auto digits = [](int32_t count) {
    return static_cast<int>(fmt::formatted_size("{}", count));
  };
  return {digits(plan.blocks), digits(plan.racks), digits(plan.nodes)};
}

std::vector<NodePlace> Places(const ClusterPlan& plan, const NameWidths& widths) {
  std::vector<NodePlace> places;
  Seeded random(plan.uneven.value_or(0));
  for (int32_t block = 0; block < plan.blocks; ++block) {
    for (int32_t rack = 0; rack < plan.racks; ++rack) {
      const int64_t nodes =
          plan.uneven ? random.Between((plan.nodes + 1) / 2, plan.nodes) : plan.nodes;
      for (int32_t node = 0; node < nodes; ++node) {
        places.push_back({block, rack, node,
                          fmt::format("b{:0{}}-r{:0{}}-n{:0{}}", block + 1, widths.block, rack + 1,
                                      widths.rack, node + 1, widths.node)});
      }
    }
  }
  return places;
}

NodeFacts MakeNode(const NodePlace& place, const LabelMaker& labels, const NodeSize& size) {
  NodeFacts node;
  node.name = place.name;
  node.labels = labels.Labels(place);
  node.allocatable = {{"cpu", size.cpu_milli}, {"memory", size.memory}};
  if (size.gpus > 0) node.allocatable.push_back({std::string(kGpu), size.gpus});
  node.allocatable.push_back({"pods", kPodsOfNode});
  node.ready = true;
  return node;
}

// Marks exactly `chosen` of `count`, each set as likely as any other.
std::vector<bool> Choose(int64_t count, int64_t chosen, Seeded& random) {
  std::vector<bool> marks;
  for (int64_t left = count; left > 0; --left) {
    marks.push_back(random.Chance(chosen, left));
    chosen -= marks.back();
  }
  return marks;
}

// The units in use on each node, `percent` of all in sum. Three quarters of them fill whole nodes,
// as large jobs do; the others are spread over few nodes, so that there are free ones, too.
std::vector<int64_t> SpreadLoad(int64_t nodes, int64_t units, int64_t percent, Seeded& random) {
  int64_t left = nodes * units * percent / 100;
  const std::vector<bool> full = Choose(nodes, units > 0 ? left * 3 / 4 / units : 0, random);
  std::vector<int64_t> used;
  for (bool filled : full) {
    used.push_back(filled ? units : 0);
    left -= used.back();
  }
  int64_t room = std::count(full.begin(), full.end(), false) * units;
  for (int64_t& node : used) {
    if (node > 0) continue;
    room -= units;
    const int64_t least = std::max<int64_t>(0, left - room);
    const int64_t most = std::min(units, left);
    if (most > 0 && random.Chance(2 * left, room + units)) node = random.Between(1, most);
    node = std::max(node, least);
    left -= node;
  }
  return used;
}

// A pod with `units` of the node's; of cpu and memory it asks for half of its share.
PodFacts MakePod(const NodePlace& place, int number, int64_t units, const NodeSize& size) {
  PodFacts pod;
  pod.ns = "default";
  pod.name = fmt::format("load-{}-{}", place.name, number);
  uint64_t hash = 0;
  for (char letter : pod.name) hash = Mix(hash + static_cast<unsigned char>(letter) + 1);
  pod.uid = fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", hash >> 32, hash >> 16 & 0xffff,
                        hash & 0xfff, Mix(hash) >> 52, Mix(hash) & 0xffff'ffff'ffff);
  pod.scheduler_name = "default-scheduler";
  pod.node_name = place.name;
  pod.phase = PodPhase::kRunning;
  const int64_t milli_of_unit = size.gpus > 0 ? size.cpu_milli / size.units() / 2 : 1000;
  pod.requests = {{"cpu", milli_of_unit * units},
                  {"memory", size.memory / size.units() / 2 * units}};
  if (size.gpus > 0) pod.requests.push_back({std::string(kGpu), units});
  pod.requests.push_back({"pods", 1});
  return pod;
}

}  // namespace

absl::StatusOr<ObjectList> GenerateCluster(const ClusterPlan& plan) {
  GANGPLAN_ASSIGN_OR_RETURN(const NodeSize size, CheckPlan(plan));
  const NameWidths widths = WidthsOf(plan);
  absl::StatusOr<LabelMaker> labels = LabelMaker::Make(plan.preset, widths);
  if (!labels.ok()) return Invalid("--preset: {}", ToStd(labels.status().message()));
  const std::vector<NodePlace> places = Places(plan, widths);
  ObjectList cluster;
  for (const NodePlace& place : places) cluster.nodes.push_back(MakeNode(place, *labels, size));
  Seeded random(plan.seed);
  const std::vector<int64_t> used =
      SpreadLoad(static_cast<int64_t>(places.size()), size.units(), plan.load, random);
  for (size_t i = 0; i < places.size(); ++i) {
    int number = 0;
    for (int64_t left = used[i]; left > 0;) {  // the powers of two that make the sum
      const auto units = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(left)));
      cluster.pods.push_back(MakePod(places[i], ++number, units, size));
      left -= units;
    }
  }
  return cluster;
}

}  // namespace gangplan
