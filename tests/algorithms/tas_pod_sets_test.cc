// Several pod sets through the tas engine: each in what the ones before it left, a leader beside
// its workers, members that stand, and what is said of those that find no room.
#include "algorithms/explain.h"
#include "algorithms/leaf_room.h"
#include "algorithms/tas/engine.h"
#include "tests/algorithms/pack_world.h"

namespace gangplan::tas_pod_sets_test {
namespace {

// Nodes with room in GPUs; a member of a pod set takes some of them.
class GpuRoom : public LeafRoom {
 public:
  GpuRoom(const FitCounts& gpus, const std::vector<int32_t>& each) : gpus_(gpus), each_(each) {}

  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    int32_t room = gpus_.levels.back()[leaf];
    for (size_t i = 0; i < taken.size(); ++i) room -= taken[i] * each_[i];
    return std::max(room, 0) / each_[pod_set];
  }

 private:
  const FitCounts& gpus_;
  const std::vector<int32_t>& each_;
};

struct PodSetsWorld : PackWorld {
  explicit PodSetsWorld(const std::vector<LeafSpec>& specs) : PackWorld(specs) {
    request.strategy = Strategy::kTas;
  }

  void Add(std::string name, int32_t count, int32_t gpus, int32_t group = -1) {
    request.pod_sets.push_back({std::move(name), count, 0, group});
    each.push_back(gpus);
  }
  void Stand(int32_t pod_set, std::string_view node, int32_t rank) {
    request.fixed.push_back({pod_set, rank, Leaf(node)});
  }

  // The counts of each pod set; they belong to the world.
  PlacementView View(std::vector<FitCounts>& counts, const LeafRoom& room) {
    const std::vector<int32_t> none(each.size());
    counts.clear();
    for (size_t i = 0; i < each.size(); ++i) {
      PerLeaf leaves;
      for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
        leaves.push_back(room.Fit(leaf, static_cast<int32_t>(i), none));
      counts.push_back(RollUpCounts(tree, leaves));
    }
    PlacementView view{&tree, {}, &room};
    for (const FitCounts& one : counts) view.counts.push_back(&one);
    return view;
  }

  PlacementResult Solve() {
    return Place(
        View(counts_now, room_now), [&] { return View(counts_empty, room_empty); }, request,
        Budget{});
  }

  // "leader n1 | workers n1 n2 n2": nodes by rank; else what is said.
  std::string Said() {
    const PlacementResult result = Solve();
    if (result.outcome != Outcome::kPlaced) return ShortReason(tree, request, result, "gang g");
    std::string text;
    for (size_t i = 0; i < request.pod_sets.size(); ++i) {
      text += (i > 0 ? " | " : "") + request.pod_sets[i].name;
      for (const PlacedMember& member : result.members) {
        if (member.pod_set == static_cast<int32_t>(i)) text += " " + tree.name(2, member.leaf);
      }
    }
    return text;
  }

  std::vector<int32_t> each;
  GpuRoom room_now{now, each}, room_empty{empty, each};
  std::vector<FitCounts> counts_now, counts_empty;
};

TEST_CASE("Pod sets: the second takes what the first has left on a node") {
  PodSetsWorld world({{"b", "r1", "n1", 4, 4}, {"b", "r1", "n2", 4, 4}});
  world.Add("big", 1, 3);
  world.Add("small", 5, 1);
  world.Hard(1);
  CHECK(world.Said() == "big n1 | small n1 n2 n2 n2 n2");
  world.request.pod_sets[1].count = 6;
  CHECK(
      world.Said() ==
      "gang g: impossible: pod set small: 6 members must share one rack; the largest holds 5 when "
      "it is empty");
}

TEST_CASE("Pod sets: a leader and its workers share the rack, whichever is listed first") {
  // r1 holds the six workers, and not the leader beside them.
  PodSetsWorld world({{"b", "r1", "n1", 3, 4},
                      {"b", "r1", "n2", 3, 4},
                      {"b", "r2", "n3", 4, 4},
                      {"b", "r2", "n4", 4, 4}});
  const bool leader_first = GENERATE(true, false);
  if (leader_first) world.Add("leader", 1, 2, 0);
  world.Add("workers", 6, 1, 0);
  if (!leader_first) world.Add("leader", 1, 2, 0);
  world.Hard(1);
  CHECK(world.Said() == (leader_first ? "leader n3 | workers n3 n3 n4 n4 n4 n4"
                                      : "workers n3 n3 n4 n4 n4 n4 | leader n3"));
}

TEST_CASE("Pod sets: alone, each may go to a rack of its own") {
  PodSetsWorld world({{"b", "r1", "n1", 3, 4}, {"b", "r2", "n3", 4, 4}});
  world.Add("leader", 1, 3);
  world.Add("workers", 4, 1);
  world.Hard(1);
  CHECK(world.Said() == "leader n1 | workers n3 n3 n3 n3");
}

TEST_CASE("Pod sets: each has its own rules") {
  PodSetsWorld world({{"b", "r1", "n1", 4, 4}, {"b", "r2", "n3", 4, 4}});
  world.Add("one", 4, 1);
  world.Add("two", 4, 1);
  LevelRules node(3);
  node[2] = HardPack();
  world.request.pod_sets[0].rules = node;
  CHECK(world.Said() == "one n1 n1 n1 n1 | two n3 n3 n3 n3");
  world.request.pod_sets[0].count = 5;
  CHECK(world.Said() ==
        "gang g: impossible: pod set one: 5 members must share one node; the largest holds 4 when "
        "it is empty");
}

TEST_CASE("Pod sets: a leader that finds no room beside its workers") {
  PodSetsWorld world({{"b", "r1", "n1", 2, 4}, {"b", "r1", "n2", 4, 4}});
  world.Add("leader", 1, 1, 0);
  world.Add("workers", 6, 1, 0);
  world.Hard(1);
  CHECK(world.Said() ==
        "gang g: pod set workers, beside 1 of leader: 6 members must share one rack; no rack has "
        "room for all of them now");
  world.request.pod_sets[1].count = 8;
  CHECK(world.Said() ==
        "gang g: impossible: pod set workers, beside 1 of leader: 8 members must share one rack; "
        "no rack holds all of them when it is empty");
}

TEST_CASE("Pod sets: a lost leader stays in the rack of its workers") {
  PodSetsWorld world({{"b", "r1", "n1", 1, 4}, {"b", "r2", "n3", 2, 4}});
  world.Add("leader", 1, 1, 0);
  world.Add("workers", 2, 1, 0);
  world.Hard(1);
  world.Stand(1, "n3", 0);
  world.Stand(1, "n3", 1);
  CHECK(world.Said() == "leader n3 | workers");
  SECTION("which Kueue does not see to") {
    world.request.tas.compatibility = KueueCompatibility::kExact;
    CHECK(world.Said() == "leader n1 | workers");
  }
  SECTION("and waits for room there") {
    world.now = RollUpCounts(world.tree, {1, 0});
    CHECK(world.Said() ==
          "gang g: pod set leader: 1 member must join 2 of workers in b/r2, which has no room for "
          "all of them now");
    world.empty = RollUpCounts(world.tree, {4, 2});
    CHECK(world.Said() ==
          "gang g: impossible: pod set leader: 1 member must join 2 of workers in b/r2, which "
          "holds 0 when it is empty");
  }
}

TEST_CASE("Pod sets: lost members of several sets are placed beside each other") {
  PodSetsWorld world({{"b", "r1", "n1", 4, 9}, {"b", "r2", "n3", 8, 8}});
  world.Add("big", 2, 3);
  world.Add("small", 3, 1);
  world.Hard(1);
  world.Stand(0, "n1", 1);
  world.Stand(1, "n1", 0);
  const PlacementResult result = world.Solve();
  REQUIRE(result.outcome == Outcome::kWait);
  CHECK(result.deciding_pod_set == 1);
  world.request.pod_sets[1].count = 2;
  const PlacementResult placed = world.Solve();
  REQUIRE(placed.outcome == Outcome::kPlaced);
  const int32_t n1 = world.Leaf("n1");
  CHECK(placed.members == std::vector<PlacedMember>{{0, 0, n1}, {1, 1, n1}});
}

TEST_CASE("Pod sets: the evidence is told for each") {
  PodSetsWorld world({{"b", "r1", "n1", 2, 4}, {"b", "r1", "n2", 4, 4}});
  world.Add("leader", 1, 4, 0);
  world.Add("workers", 6, 1, 0);
  world.Hard(1);
  const PlacementView view = world.View(world.counts_now, world.room_now);
  const PlacementView empty = world.View(world.counts_empty, world.room_empty);
  CHECK(EvidenceText(world.tree, world.request, Explain(view, empty, world.request)) ==
        "  pod set leader, beside 6 of workers: asked: room for 1 member in one rack\n"
        "  block (required): most room now in b: 1; when empty 2 in b\n"
        "  rack (required): most room now in b/r1: 1; when empty 2 in b/r1\n"
        "  node: most room now in b/r1/n2: 1; when empty 1 in b/r1/n1\n"
        "  pod set workers, beside 1 of leader: asked: room for 6 members in one rack\n"
        "  block (required): most room now in b: 6; when empty 8 in b\n"
        "  rack (required): most room now in b/r1: 6; when empty 8 in b/r1\n"
        "  node: most room now in b/r1/n2: 4, 2 short; when empty 4 in b/r1/n1");
}

TEST_CASE("Pod sets: what contradicts in one of them is told with its name") {
  PodSetsWorld world({{"b", "r1", "n1", 4, 4}});
  world.Add("one", 2, 1);
  world.Add("two", 0, 1);
  CHECK(world.Said() == "gang g: invalid: pod set two: 0 members: at least 1 is needed");
}

}  // namespace
}  // namespace gangplan::tas_pod_sets_test
