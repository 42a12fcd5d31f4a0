#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/engine.h"
#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"
#include "topology/model.h"

namespace gangplan {
namespace {

constexpr int32_t kGang = 512;
constexpr std::string_view kGpu = "nvidia.com/gpu";

struct Size {
  int32_t blocks;
  int32_t racks;  // in a block
  int32_t nodes;  // in a rack
};
constexpr Size kSizes[] = {{4, 10, 16}, {8, 20, 32}, {16, 50, 64}};

Topology Levels() {
  return *CompleteTopology({"default",
                            {{"block", "example.com/block"},
                             {"rack", "example.com/rack"},
                             {"node", std::string(kHostnameLabel)}}});
}

ResourceList Gpus(int64_t amount) { return {{std::string(kGpu), amount}}; }

NodeFacts Node(int32_t block, int32_t rack, int32_t number) {
  NodeFacts node;
  node.name = fmt::format("b{}-r{}-n{}", block, rack, number);
  node.labels = {{"example.com/block", fmt::format("b{}", block)},
                 {"example.com/rack", fmt::format("r{}", rack)},
                 {std::string(kHostnameLabel), node.name}};
  node.allocatable = Gpus(8);
  node.ready = true;
  return node;
}

// Each node has 0 to 7 of its 8 GPUs in use, in a fixed pattern.
Model Cluster(const Size& size) {
  Model model(Levels());
  int64_t count = 0;
  for (int32_t block = 0; block < size.blocks; ++block) {
    for (int32_t rack = 0; rack < size.racks; ++rack) {
      for (int32_t number = 0; number < size.nodes; ++number) {
        const NodeFacts node = Node(block, rack, number);
        if (!model.UpsertNode(node).ok()) return model;
        model.PutPod(fmt::format("load-{}", count), node.name, Gpus(count * 5 % 8));
        ++count;
      }
    }
  }
  return model;
}

PlacementRequest OneBlock() {
  PlacementRequest request;
  request.pod_sets = {{"workers", kGang}};
  LevelRule one;
  one.hard = true;
  request.rules = {one, std::nullopt, std::nullopt};
  return request;
}

Outcome Solve(Model& model, ShapeId shape) {
  const PlacementView view{&model.tree(0), {&model.Counts(shape)}};
  const auto empty = [&] { return PlacementView{&model.tree(0), {&model.EmptyCounts(shape)}}; };
  return Place(view, empty, OneBlock(), Budget{}).outcome;
}

bool SolveAt(const Size& size) {
  const Model cluster = Cluster(size);
  const int32_t nodes = size.blocks * size.racks * size.nodes;
  bool placed = cluster.node_count() == nodes;
  Latency cold;
  for (int i = 0; i < 30; ++i) {
    Model model = cluster;
    model.tree(0);  // built when nodes come, not with a solve
    cold.Time([&] {
      const ShapeId shape = model.AcquireShape(0, Gpus(1), NodeFilter{});
      placed = Solve(model, shape) == Outcome::kPlaced && placed;
    });
  }
  Model model = cluster;
  const ShapeId shape = model.AcquireShape(0, Gpus(1), NodeFilter{});
  placed = Solve(model, shape) == Outcome::kPlaced && placed;
  Latency warm;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = model.NodeName(i * 37 % nodes);
    model.PutPod("wanderer", name, Gpus(1));
    warm.Time([&] { placed = Solve(model, shape) == Outcome::kPlaced && placed; });
  }
  Print(fmt::format("solve/{} nodes, gang of {}, cold", nodes, kGang), cold);
  Print(fmt::format("solve/{} nodes, gang of {}, warm", nodes, kGang), warm);
  return placed;
}

}  // namespace

bool SolveBench() {
  bool placed = true;
  for (const Size& size : kSizes) placed = SolveAt(size) && placed;
  return placed;
}

}  // namespace gangplan
