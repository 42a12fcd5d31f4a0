#include "extender/planner/neighbours.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::neighbours_test {
namespace {

constexpr std::string_view kRack = "example.com/rack";
using Leaves = std::vector<int32_t>;

PodSelector App(std::string_view app, std::vector<std::string> namespaces = {"team"}) {
  PodSelector pods;
  pods.all_namespaces = namespaces.empty();
  pods.namespaces = std::move(namespaces);
  pods.labels = {{"app", SelectorOperator::kIn, {std::string(app)}}};
  return pods;
}

ProfileRef Pod(std::string_view app, PodAffinity affinity = {}, std::string_view ns = "team") {
  return std::make_shared<const PodProfile>(
      PodProfile{std::string(ns), PackedLabels({{"app", std::string(app)}}), std::move(affinity)});
}

PodAffinity Near(PodSelector pods) { return {{{std::string(kRack), std::move(pods)}}, {}}; }
PodAffinity Apart(PodSelector pods) { return {{}, {{std::string(kRack), std::move(pods)}}}; }

// Two racks of two nodes: leaves 0 and 1, 2 and 3; a node is called by its leaf.
struct TwoRacks {
  TwoRacks() : model(ThreeLevels()) {
    for (const NodeFacts& node : MakeNodes(1, 2, 2)) REQUIRE(model.UpsertNode(node).ok());
  }
  NodeIndex Node(int32_t leaf) const { return model.NodeOfLeaf(0, leaf); }
  Neighbours::StandId Put(int32_t leaf, ProfileRef who, bool held = false) {
    return neighbours.Put(Node(leaf), std::move(who), held);
  }
  Neighbours::Ruled Ruled(const ProfileRef& who, bool company = false) const {
    return neighbours.RuledOut(model, 0, *who, company);
  }

  Model model;
  Neighbours neighbours;
};

}  // namespace

TEST_CASE("Neighbours: nothing is ruled out for those whom nobody minds") {
  TwoRacks world;
  const ProfileRef plain = Pod("a");
  world.neighbours.Seek(1, 0, plain);
  world.Put(0, Pod("b", Apart(App("c"))));
  world.Put(0, Pod("c"));
  CHECK(world.Ruled(plain).apart.empty());
  CHECK(world.Ruled(plain).near.empty());
  CHECK_FALSE(world.Ruled(plain).first);
}

TEST_CASE("Neighbours: anti-affinity goes both ways, for pods and holds, before and after") {
  TwoRacks world;
  const bool held = GENERATE(false, true);
  const bool before = GENERATE(false, true);
  const bool owned = GENERATE(false, true);
  const ProfileRef who = owned ? Pod("a") : Pod("a", Apart(App("b")));
  const ProfileRef other = owned ? Pod("b", Apart(App("a"))) : Pod("b");
  if (!before) world.neighbours.Seek(1, 0, who);
  const auto stand = world.Put(2, other, held);
  world.Put(0, Pod("b", {}, "elsewhere"));
  if (before) world.neighbours.Seek(1, 0, who);
  CHECK(world.Ruled(who).apart == Leaves{2, 3});
  const uint64_t gain = world.neighbours.Gain(1);
  const auto second = world.Put(2, other, held);
  CHECK(world.neighbours.Gain(1) == gain);
  world.neighbours.Erase(second);
  CHECK(world.neighbours.Gain(1) == gain);
  const uint64_t version = world.neighbours.version();
  world.neighbours.Erase(stand);
  CHECK(world.neighbours.version() > version);
  CHECK(world.neighbours.Gain(1) != gain);
  CHECK(world.Ruled(who).apart.empty());
}

TEST_CASE("Neighbours: what is lifted for a moment is no gain") {
  TwoRacks world;
  const ProfileRef who = Pod("a", Apart(App("a")));
  world.neighbours.Seek(1, 0, who);
  const auto stand = world.Put(0, who, true);
  const uint64_t gain = world.neighbours.Gain(1);
  const uint64_t version = world.neighbours.version();
  world.neighbours.Erase(stand, true);
  CHECK(world.Ruled(who).apart.empty());
  world.Put(0, who, true);
  CHECK(world.neighbours.Gain(1) == gain);
  CHECK(world.neighbours.version() == version);
}

TEST_CASE("Neighbours: affinity leads to pods, not to holds") {
  TwoRacks world;
  const ProfileRef who = Pod("a", Near(App("b")));
  world.neighbours.Seek(1, 0, who);
  world.Put(0, Pod("b"), true);
  CHECK(world.Ruled(who).near == Leaves{0, 1, 2, 3});
  CHECK(world.Ruled(who).first);
  const uint64_t gain = world.neighbours.Gain(1);
  const auto stand = world.Put(3, Pod("b"));
  CHECK(world.neighbours.Gain(1) != gain);
  CHECK(world.Ruled(who).near == Leaves{0, 1});
  CHECK_FALSE(world.Ruled(who).first);
  const uint64_t beside = world.neighbours.Gain(1);
  world.neighbours.Erase(stand);
  CHECK(world.neighbours.Gain(1) != beside);  // the next may be the first
}

TEST_CASE("Neighbours: who is among company may be the first, where the labels are") {
  TwoRacks world;
  NodeFacts bare = MakeNode(0, 0, 0);
  bare.labels.push_back({"zone", "z"});
  REQUIRE(world.model.UpsertNode(bare).ok());
  PodAffinity affinity = Near(App("a"));
  affinity.near.push_back({"zone", App("a")});
  const ProfileRef who = Pod("a", affinity);
  world.neighbours.Seek(1, 0, who);
  CHECK(world.Ruled(who, true).near == Leaves{1, 2, 3});
  CHECK(world.Ruled(who, false).near == Leaves{0, 1, 2, 3});
}

TEST_CASE("Neighbours: affinity asks for pods that all of its terms select") {
  TwoRacks world;
  PodAffinity affinity = Near(App("b"));
  affinity.near.push_back({std::string(kHostnameLabel), App("c")});
  const ProfileRef who = Pod("a", affinity);
  world.neighbours.Seek(1, 0, who);
  world.Put(0, Pod("b"));
  world.Put(0, Pod("c"));
  CHECK(world.Ruled(who).first);
}

TEST_CASE("Neighbours: terms of all namespaces") {
  TwoRacks world;
  const ProfileRef who = Pod("a", Apart(App("b", {})));
  world.Put(0, Pod("b", {}, "elsewhere"));
  world.neighbours.Seek(1, 0, who);
  CHECK(world.Ruled(who).apart == Leaves{0, 1});
  const auto stand = world.Put(2, Pod("c", Apart(App("a", {})), "elsewhere"));
  CHECK(world.Ruled(who).apart == Leaves{0, 1, 2, 3});
  const uint64_t gain = world.neighbours.Gain(1);
  world.neighbours.Erase(stand);
  CHECK(world.neighbours.Gain(1) != gain);
}

TEST_CASE("Neighbours: labels of nodes that change may be a gain") {
  TwoRacks world;
  const ProfileRef who = Pod("a", Apart(App("b")));
  world.neighbours.NoteNodes();
  CHECK(world.neighbours.version() == 0);  // nobody minds
  world.neighbours.Seek(1, 0, who);
  const uint64_t gain = world.neighbours.Gain(1);
  world.neighbours.NoteNodes();
  CHECK(world.neighbours.Gain(1) != gain);
}

TEST_CASE("Neighbours: each stand is counted for what it is, in any order") {
  TwoRacks world;
  const ProfileRef a = Pod("a", Apart(App("a")));
  const ProfileRef b = Pod("b", Apart(App("b")));
  world.neighbours.Seek(1, 0, a);
  world.neighbours.Seek(1, 1, b);
  std::vector<Neighbours::StandId> stands;
  for (int32_t leaf : {0, 2, 0, 2}) {
    stands.push_back(world.Put(leaf, leaf == 0 ? a : b));
    CHECK(world.neighbours.at(stands.back()).node == world.Node(leaf));
    CHECK(world.neighbours.size() == stands.size());
  }
  world.neighbours.Erase(stands[0]);
  world.neighbours.Erase(stands[3]);
  CHECK(world.Ruled(a).apart == Leaves{0, 1});
  CHECK(world.Ruled(b).apart == Leaves{2, 3});
  world.neighbours.Seek(2, 0, a);  // those who stand are counted once
  world.neighbours.Forget(1);
  world.neighbours.Erase(stands[2]);
  CHECK(world.Ruled(a).apart.empty());
  CHECK(world.Ruled(b).apart == Leaves{2, 3});
  CHECK(world.neighbours.Gain(1) == 0);
  world.neighbours.Forget(1);      // again
  world.neighbours.Seek(2, 0, b);  // another template
  CHECK(world.Ruled(b).apart == Leaves{2, 3});
}

}  // namespace gangplan::neighbours_test
