// What the tests of several topologies share: racks, which are the default, and rings in one
// planner. Single-threaded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan {

inline constexpr char kPool[] = "pool";

inline NodeScope Pool(std::string_view pool) {
  return {{{kPool, SelectorOperator::kIn, {std::string(pool)}}}};
}

// Racks by the usual labels, the default, and rings.
inline PlannerOptions RacksAndRings() {
  PlannerOptions options = PlannerWorld::Options();
  Topology racks = ThreeLevels();
  racks.name = "racks";
  const Topology rings = *CompleteTopology({"rings", {{"ring", "example.com/ring"}}});
  options.topologies = {{{racks, Pool("racks")}}, {{rings, Pool("rings")}}};
  return options;
}

inline NodeFacts RackNode(int rack, int node) {
  NodeFacts facts = MakeNode(0, rack, node);
  SetLabel(facts.labels, kPool, "racks");
  return facts;
}

inline NodeFacts RingNode(std::string_view ring, int node) {
  NodeFacts facts = MakeNode(9, 0, node);
  facts.name = fmt::format("{}-{}", ring, node);
  facts.labels = {{"example.com/ring", std::string(ring)},
                  {"kubernetes.io/hostname", facts.name},
                  {kPool, "rings"}};
  return facts;
}

// Two racks of two nodes and two rings of two, of eight GPUs each, and a node of neither.
inline std::vector<NodeFacts> AllNodes() {
  NodeFacts stray = MakeNode(7, 7, 7);
  stray.name = "stray";
  return {RackNode(0, 0),   RackNode(0, 1),   RackNode(1, 0),   RackNode(1, 1), RingNode("x", 0),
          RingNode("x", 1), RingNode("y", 0), RingNode("y", 1), stray};
}

struct TopologiesWorld : PlannerWorld {
  explicit TopologiesWorld(PlannerOptions options = RacksAndRings())
      : PlannerWorld(std::move(options)) {
    AddNodes(AllNodes());
    Sync();
  }
  void Run(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    for (int i = 0; i < job.size; ++i) FilterAndBind(JobPod(job, i));
    REQUIRE(BindAll() == job.size);
    REQUIRE(StateOf("team/" + job.name) == "Running");
  }
};

inline JobSpec InRings(std::string name, int32_t size, int64_t gpus = 8) {
  return {.name = std::move(name),
          .size = size,
          .gpus = gpus,
          .place = "ring=pack!",
          .words = {{"gangplan.io/topology", "rings"}}};
}

}  // namespace gangplan
