#include "tests/bench/tas_cluster.h"

#include <utility>

#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

constexpr std::string_view kBlock = "cloud.provider.com/topology-block";
constexpr std::string_view kRack = "cloud.provider.com/topology-rack";
constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr int64_t kGpusOfNode = 8;

// A 64-bit linear congruential generator; its high 31 bits are drawn.
class Usage {
 public:
  uint64_t Draw() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33;
  }

 private:
  uint64_t state_ = 1;
};

class Digest {
 public:
  void AddLine(std::string_view name, int64_t number) {
    for (const char c : fmt::format("{} {}\n", name, number))
      sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  std::string Text() const { return fmt::format("{:016x}", sum_); }

 private:
  uint64_t sum_ = 0xcbf29ce484222325U;
};

Topology Levels() {
  return *CompleteTopology({"default",
                            {{"block", std::string(kBlock)},
                             {"rack", std::string(kRack)},
                             {"hostname", std::string(kHostnameLabel)}}});
}

NodeFacts Node(int32_t block, int32_t rack, int32_t host) {
  const std::string block_name = fmt::format("b{:03}", block);
  const std::string rack_name = fmt::format("{}-r{:03}", block_name, rack);
  NodeFacts node;
  node.name = fmt::format("{}-h{:03}", rack_name, host);
  node.labels = {{std::string(kBlock), block_name},
                 {std::string(kRack), rack_name},
                 {std::string(kHostnameLabel), node.name}};
  node.allocatable = {{"cpu", 96'000},
                      {"memory", int64_t{512} << 30},
                      {std::string(kGpu), kGpusOfNode},
                      {"pods", 110}};
  node.ready = true;
  return node;
}

}  // namespace

Model MakeTasCluster(const TasCluster& cluster) {
  Model model(Levels());
  Usage usage;
  for (int32_t block = 0; block < cluster.blocks; ++block) {
    for (int32_t rack = 0; rack < cluster.racks; ++rack) {
      for (int32_t host = 0; host < cluster.hosts; ++host) {
        const NodeFacts node = Node(block, rack, host);
        GANGPLAN_CHECK(model.UpsertNode(node).ok());
        if (usage.Draw() % 1000 >= cluster.used_permille) continue;
        const auto used = static_cast<int64_t>(1 + usage.Draw() % kGpusOfNode);
        model.PutPod("load-" + node.name, node.name, {{std::string(kGpu), used}, {"pods", 1}});
      }
    }
  }
  return model;
}

ResourceList TasDemand(int64_t gpus) {
  return {{"cpu", 1000}, {std::string(kGpu), gpus}, {"pods", 1}};
}

std::string ClusterDigest(Model& model) {
  Digest digest;
  for (int32_t leaf = 0; leaf < model.tree(0).leaf_count(); ++leaf) {
    const NodeIndex node = model.NodeOfLeaf(0, leaf);
    digest.AddLine(model.NodeName(node), model.Use(node, kGpu).used);
  }
  return digest.Text();
}

std::string AnswerDigest(Model& model, const std::vector<TasShare>& shares) {
  Digest digest;
  for (const TasShare& share : shares)
    digest.AddLine(model.NodeName(model.NodeOfLeaf(0, share.domain)), share.count);
  return digest.Text();
}

}  // namespace gangplan
