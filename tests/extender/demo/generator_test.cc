#include "extender/demo/generator.h"

#include <map>
#include <set>

#include "config/presets.h"
#include "config/settings.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"
#include "topology/tree.h"

namespace gangplan::generator_test {
namespace {

ClusterPlan Plan(int32_t blocks, int32_t racks, int32_t nodes) {
  ClusterPlan plan;
  plan.blocks = blocks;
  plan.racks = racks;
  plan.nodes = nodes;
  return plan;
}

ObjectList Generate(const ClusterPlan& plan) {
  absl::StatusOr<ObjectList> cluster = GenerateCluster(plan);
  REQUIRE(cluster.ok());
  return *std::move(cluster);
}

std::string ErrorOf(const ClusterPlan& plan) { return Message(GenerateCluster(plan).status()); }

Tree TreeOf(const ObjectList& cluster, std::vector<Level> levels) {
  std::vector<const NodeFacts*> nodes;
  for (const NodeFacts& node : cluster.nodes) nodes.push_back(&node);
  absl::StatusOr<Topology> topology = CompleteTopology({"default", std::move(levels)});
  REQUIRE(topology.ok());
  return Tree(*topology, nodes);
}

std::map<std::string, int64_t> UsedByNode(const ObjectList& cluster, std::string_view resource) {
  std::map<std::string, int64_t> used;
  for (const PodFacts& pod : cluster.pods) used[pod.node_name] += AmountOf(pod.requests, resource);
  return used;
}

TEST_CASE("A generated node has labels and room and is ready") {
  const ObjectList cluster = Generate(Plan(2, 12, 3));
  REQUIRE(cluster.nodes.size() == 72);
  CHECK(cluster.pods.empty());
  const NodeFacts& node = cluster.nodes[3 * 11 + 2];
  CHECK(node.name == "b1-r12-n3");
  CHECK(node.labels == LabelSet{{"example.com/block", "block-1"},
                                {"example.com/rack", "rack-12"},
                                {"kubernetes.io/arch", "amd64"},
                                {"kubernetes.io/hostname", "b1-r12-n3"},
                                {"kubernetes.io/os", "linux"}});
  CHECK(node.allocatable == ResourceList{{"cpu", 192'000},
                                         {"memory", int64_t{2048} << 30},
                                         {"nvidia.com/gpu", 8},
                                         {"pods", 110}});
  CHECK(node.ready);
  CHECK(cluster.nodes.front().name == "b1-r01-n1");
}

TEST_CASE("The default labels are those of the default configuration") {
  const ObjectList cluster = Generate(Plan(3, 4, 5));
  const Tree tree = TreeOf(cluster, Settings().topologies.front().levels);
  CHECK(tree.unplaced().empty());
  CHECK(tree.size(0) == 3);
  CHECK(tree.size(1) == 12);
  CHECK(tree.leaf_count() == 60);
}

TEST_CASE("Every preset gives a strict tree of its own labels") {
  // Domains of the first levels, with 4 blocks of 3 racks of 2 nodes.
  const std::map<std::string_view, std::vector<int32_t>> sizes = {
      {"aws-3", {1, 4, 12, 24}},
      {"aws-4", {1, 2, 4, 12, 24}},
      {"coreweave", {1, 4, 12, 24}},
      {"crusoe", {4, 12, 24}},
      {"generic", {4, 12, 24}},
      {"gke", {4, 12, 24, 24}},
      {"nebius", {1, 2, 4, 12, 24}},
      {"oci-rdma", {1, 4, 12, 24, 24}},
      {"topograph-0.5", {1, 4, 12, 12, 24}},
      {"volcano", {4, 12, 24}},
  };
  REQUIRE(PresetNames().size() == sizes.size());
  for (std::string_view preset : PresetNames()) {
    INFO(preset);
    ClusterPlan plan = Plan(4, 3, 2);
    plan.preset = preset;
    const ObjectList cluster = Generate(plan);
    const std::vector<Level>& levels = *FindPreset(preset);
    const Tree tree = TreeOf(cluster, levels);
    CHECK(tree.unplaced().empty());
    std::vector<int32_t> found;
    for (int level = 0; level < tree.level_count(); ++level) {
      found.push_back(tree.size(level));
      std::set<std::string> values;  // a value stands under one parent only
      for (int32_t i = 0; i < tree.size(level); ++i) values.insert(tree.name(level, i));
      CHECK(static_cast<int32_t>(values.size()) == tree.size(level));
      for (const std::string& value : values) CHECK(value.size() <= 63);
    }
    CHECK(found == sizes.at(preset));
  }
}

TEST_CASE("The load is what was asked and fits the nodes") {
  const int32_t load = GENERATE(0, 1, 33, 50, 99, 100);
  const uint64_t seed = GENERATE(1, 2, 3);
  ClusterPlan plan = Plan(4, 8, 10);
  plan.load = load;
  plan.seed = seed;
  const ObjectList cluster = Generate(plan);
  int64_t sum = 0;
  for (const auto& [node, used] : UsedByNode(cluster, "nvidia.com/gpu")) {
    CHECK(used <= 8);
    sum += used;
  }
  CHECK(sum == 320 * 8 * load / 100);
  for (const auto& [node, used] : UsedByNode(cluster, "cpu")) CHECK(used <= 192'000);
  for (const auto& [node, used] : UsedByNode(cluster, "memory")) CHECK(used <= int64_t{2048} << 30);
  std::set<std::string> uids;
  for (const PodFacts& pod : cluster.pods) uids.insert(pod.uid);
  CHECK(uids.size() == cluster.pods.size());
}

TEST_CASE("Without GPUs the load takes whole cpus") {
  ClusterPlan plan = Plan(2, 2, 2);
  plan.gpus = 0;
  plan.cpu = "7500m";
  plan.load = 50;
  const ObjectList cluster = Generate(plan);
  int64_t sum = 0;
  for (const auto& [node, used] : UsedByNode(cluster, "cpu")) {
    CHECK(used <= 7000);
    sum += used;
  }
  CHECK(sum == 8 * 7 * 1000 / 2);
  CHECK(AmountOf(cluster.nodes.front().allocatable, "nvidia.com/gpu") == 0);
}

TEST_CASE("Some nodes are free and some partly taken at half load") {
  ClusterPlan plan = Plan(4, 8, 10);
  plan.load = 50;
  int full = 0;
  int partly = 0;
  for (const auto& [node, used] : UsedByNode(Generate(plan), "nvidia.com/gpu"))
    ++(used == 8 ? full : partly);
  CHECK(full >= 120);
  CHECK(partly > 20);
  CHECK(320 - full - partly > 80);
}

TEST_CASE("Equal options give equal clusters and another seed another one") {
  ClusterPlan plan = Plan(2, 4, 8);
  plan.load = 40;
  plan.uneven = 7;
  const ObjectList one = Generate(plan);
  const ObjectList two = Generate(plan);
  CHECK(one.nodes == two.nodes);
  CHECK(one.pods == two.pods);
  plan.seed = 2;
  CHECK(Generate(plan).nodes == one.nodes);
  CHECK(Generate(plan).pods != one.pods);
}

TEST_CASE("Uneven racks have half of their nodes or more") {
  ClusterPlan plan = Plan(4, 8, 9);
  plan.uneven = 1;
  const Tree tree = TreeOf(Generate(plan), Settings().topologies.front().levels);
  std::set<int32_t> sizes;
  for (int32_t rack = 0; rack < tree.size(1); ++rack)
    sizes.insert(tree.leaves(1, rack).end - tree.leaves(1, rack).begin);
  CHECK(tree.size(1) == 32);
  CHECK(sizes == std::set<int32_t>{5, 6, 7, 8, 9});
}

TEST_CASE("Plans out of range are refused with the option and the range") {
  ClusterPlan plan = Plan(0, 1, 1);
  CHECK(ErrorOf(plan) == "--blocks: 0; expected 1 to 10000");
  plan.blocks = 10'001;
  CHECK(ErrorOf(plan) == "--blocks: 10001; expected 1 to 10000");
  CHECK(ErrorOf(Plan(1, 10'001, 1)) == "--racks: 10001; expected 1 to 10000");
  CHECK(ErrorOf(Plan(1, 1, 10'001)) == "--nodes: 10001; expected 1 to 10000");
  plan = Plan(1, 1, 1);
  plan.gpus = 65;
  CHECK(ErrorOf(plan) == "--gpus: 65; expected 0 to 64");
  plan.gpus = 64;
  CHECK(ErrorOf(plan).empty());
  plan.load = 101;
  CHECK(ErrorOf(plan) == "--load: 101; expected 0 to 100");
  plan.load = 100;
  plan.cpu = "999m";
  CHECK(ErrorOf(plan) == "--cpu: 999m; expected 1 to 4096");
  plan.cpu = "4097";
  CHECK(ErrorOf(plan) == "--cpu: 4097; expected 1 to 4096");
  plan.cpu = "4096";
  plan.memory = "1Mi";
  CHECK(ErrorOf(plan) == "--memory: 1Mi; expected 1Gi to 64Ti");
  plan.memory = "64Ti";
  CHECK(ErrorOf(plan).empty());
  plan.preset = "azure";
  CHECK_THAT(ErrorOf(plan),
             StartsWith("--preset: \"azure\" is not a preset; expected one of aws-3"));
}

TEST_CASE("At most 100000 nodes are made") {
  CHECK(Generate(Plan(10, 100, 100)).nodes.size() == 100'000);
  CHECK(ErrorOf(Plan(10, 100, 101)) ==
        "10 blocks x 100 racks x 101 nodes are 101000 nodes; expected at most 100000");
  CHECK(
      ErrorOf(Plan(10'000, 10'000, 10'000)) ==
      "10000 blocks x 10000 racks x 10000 nodes are 1000000000000 nodes; expected at most 100000");
}

}  // namespace
}  // namespace gangplan::generator_test
