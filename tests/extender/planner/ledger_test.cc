#include "extender/planner/ledger.h"

#include "extender/planner/limits.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/model.h"

namespace gangplan::ledger_test {
namespace {

constexpr std::string_view kGpu = "example.com/gpu";
constexpr absl::Time kEnd = absl::FromUnixSeconds(100);

ResourceList Gpus(int64_t amount) { return {{std::string(kGpu), amount}}; }

// One node with 8 GPUs; each hold is of 2.
struct OneNode {
  OneNode() {
    Resize(8);
    node = ledger.model().FindNode(NodeNameAt(0, 0, 0));
    shape = ledger.AcquireShape(0, Gpus(2), NodeFilter());
  }
  void Resize(int64_t gpus) { REQUIRE(ledger.PutNode(MakeNode(0, 0, 0, gpus)).ok()); }
  void Hold(GroupId group, int32_t slot, int32_t priority = 0) {
    ledger.Hold({group, slot}, node, shape, priority, who);
    ledger.SetEnd(group, HoldReason::kGathering, kEnd);
  }
  int64_t Yielding(int32_t priority) const {
    return AmountOf(ledger.Yielding(node, priority), kGpu);
  }
  bool Kept(const ResourceList& requests, int32_t priority = 0) const {
    return ledger.HasHolds(node) && !ledger.KeptByHolds({{node}}, requests, priority).empty();
  }

  Ledger ledger{std::vector<ScopedTopology>{{ThreeLevels()}}};
  NodeIndex node = kNoNode;
  ShapeId shape = -1;
  ProfileRef who = std::make_shared<const PodProfile>();
};

using Ids = std::vector<HoldId>;

}  // namespace

TEST_CASE("Ledger: a hold has an owner and takes room until it is released") {
  OneNode room;
  room.Hold(7, 1);
  room.Hold(7, 0);
  room.Hold(3, 0);
  CHECK(room.ledger.HoldsOf(7) == Ids{{7, 0}, {7, 1}});
  CHECK(room.ledger.GroupsOn(room.node) == std::vector<GroupId>{3, 7});
  CHECK(room.ledger.hold_count() == 3);
  CHECK(room.ledger.model().Use(room.node, kGpu).held == 6);
  for (HoldId id : Ids{{7, 0}, {7, 1}, {3, 0}}) room.ledger.Release(id);
  CHECK(room.ledger.held_node_count() == 0);
  CHECK(room.ledger.model().Use(room.node, kGpu).held == 0);
}

TEST_CASE("Ledger: of many holds the room comes free in pieces, and yields meanwhile") {
  constexpr auto kOnce = static_cast<int32_t>(kMembersAtOnce);
  for (const int32_t beyond : {0, 1, kOnce + 1}) {
    OneNode room;
    room.Resize(4 * kOnce + 8);
    for (int32_t slot = 0; slot < kOnce + beyond; ++slot) room.Hold(7, slot);
    CHECK(room.ledger.ReleaseOpen(7).size() == static_cast<size_t>(kOnce + beyond));
    CHECK(room.ledger.HoldCount(7) == 0);
    CHECK(room.ledger.AnySpent() == (beyond > 0));
    CHECK(room.ledger.hold_count() == beyond);
    CHECK(room.Yielding(-1'000'000'000) == 2 * beyond);
    CHECK(room.ledger.BrokenInvariant().empty());
    int32_t turns = 0;
    for (; room.ledger.AnySpent(); ++turns) room.ledger.FreeSpent();
    CHECK(turns == (beyond + kOnce - 1) / kOnce);
    CHECK(room.ledger.model().Use(room.node, kGpu).held == 0);
    CHECK(room.ledger.BrokenInvariant().empty());
  }
}

TEST_CASE("Ledger: a node that goes takes what is spent there along") {
  constexpr auto kOnce = static_cast<int32_t>(kMembersAtOnce);
  OneNode room;
  room.Resize(4 * kOnce);
  for (int32_t slot = 0; slot < 2 * kOnce; ++slot) room.Hold(7, slot);
  room.ledger.ReleaseOpen(7);
  room.Resize(8);
  CHECK(room.ledger.ShedNode(room.node).released.size() == static_cast<size_t>(kOnce - 4));
  CHECK(room.ledger.BrokenInvariant().empty());
  room.ledger.FreeSpent();
  CHECK_FALSE(room.ledger.AnySpent());
}

TEST_CASE("Ledger: a hold without an end breaks the invariant, by its reason") {
  OneNode room;
  room.ledger.Hold({1, 0}, room.node, room.shape, 0, room.who);
  CHECK_THAT(room.ledger.BrokenInvariant(), ContainsText("have no end"));
  room.ledger.SetEnd(1, HoldReason::kRepairing, absl::InfiniteFuture());
  CHECK_THAT(room.ledger.BrokenInvariant(), ContainsText("(repairing) have no end"));
  room.ledger.SetEnd(1, HoldReason::kRepairing, kEnd);
  CHECK(room.ledger.BrokenInvariant().empty());
}

TEST_CASE("Ledger: a pinned hold needs no end") {
  OneNode room;
  room.ledger.Hold({1, 0}, room.node, room.shape, 0, room.who);
  room.ledger.Pin({1, 0}, true);
  CHECK(room.ledger.BrokenInvariant().empty());
  room.ledger.Pin({1, 0}, false);
  CHECK_FALSE(room.ledger.BrokenInvariant().empty());
}

TEST_CASE("Ledger: ends are taken once, the earliest first, and go with the last hold") {
  OneNode room;
  for (GroupId group : {1, 2, 3}) room.Hold(group, 0);
  room.ledger.SetEnd(2, HoldReason::kStarting, kEnd - absl::Seconds(1));
  room.ledger.Release({3, 0});
  CHECK(room.ledger.EndOf(3) == absl::InfiniteFuture());
  CHECK(room.ledger.TakeEnded(kEnd - absl::Seconds(2), 9).empty());
  CHECK(room.ledger.TakeEnded(kEnd, 9) == std::vector<GroupId>{2, 1});
  CHECK(room.ledger.TakeEnded(kEnd, 9).empty());
}

TEST_CASE("Ledger: of many ends some are taken in a turn, the earliest first") {
  OneNode room;
  for (const GroupId group : {5, 4, 3}) {
    for (const int32_t slot : {0, 1}) room.Hold(group, slot);
    room.ledger.SetEnd(group, HoldReason::kStarting, kEnd - absl::Seconds(group));
  }
  using Groups = std::vector<GroupId>;
  CHECK(room.ledger.TakeEnded(kEnd, 1) == Groups{5});
  CHECK(room.ledger.EndOf(4) < kEnd);
  CHECK(room.ledger.TakeEnded(kEnd, 1) == Groups{4});  // one group at least
  CHECK(room.ledger.TakeEnded(kEnd, 1) == Groups{3});
  CHECK(room.ledger.TakeEnded(kEnd, 1).empty());
}

TEST_CASE("Ledger: holds yield to a greater priority, and to the cluster's own pods") {
  OneNode room;
  room.Hold(1, 0, 0);
  room.Hold(2, 0, 5);
  room.Hold(3, 0, kSystemPriority);
  CHECK(room.Yielding(0) == 0);
  CHECK(room.Yielding(1) == 2);
  CHECK(room.Yielding(6) == 4);
  CHECK(room.Yielding(kSystemPriority) == 6);
}

TEST_CASE("Ledger: a pinned hold yields to nobody") {
  OneNode room;
  room.Hold(1, 0, 0);
  room.ledger.Pin({1, 0}, true);
  CHECK(room.Yielding(kSystemPriority) == 0);
  CHECK(room.ledger.Has({1, 0}, room.node, true));
  CHECK_FALSE(room.ledger.Has({1, 0}, room.node, false));
}

TEST_CASE("Ledger: room is kept by holds that do not give way, and by nothing else") {
  OneNode room;
  CHECK_FALSE(room.Kept(Gpus(9)));  // there are no holds
  for (int32_t slot = 0; slot < 3; ++slot) room.Hold(1, slot, 5);
  CHECK_FALSE(room.Kept(Gpus(2), 0));  // beside them
  CHECK(room.Kept(Gpus(3), 5));
  CHECK_FALSE(room.Kept(Gpus(3), 6));
  CHECK(room.ledger.HasRoom(room.node, Gpus(8), 6));
}

TEST_CASE("Ledger: what a node does not list, or lists none of, is not asked of it") {
  OneNode room;
  room.Hold(1, 0);
  const ResourceList other = {{"example.com/other", 1}};
  CHECK(room.ledger.HasRoom(room.node, other, 0));
  CHECK_FALSE(room.Kept(other));
  NodeFacts facts = MakeNode(0, 0, 0);
  facts.allocatable.insert(facts.allocatable.begin() + 2, {"example.com/other", 0});
  REQUIRE(room.ledger.PutNode(facts).ok());
  CHECK(room.ledger.HasRoom(room.node, other, 0));
  CHECK_FALSE(room.Kept(other));
  facts.allocatable[2].amount = 1;
  REQUIRE(room.ledger.PutNode(facts).ok());
  CHECK_FALSE(room.ledger.HasRoom(room.node, {{"example.com/other", 2}}, 0));
}

TEST_CASE("Ledger: a node sheds the least priority, then the youngest, then the highest slot") {
  OneNode room;
  room.Hold(1, 0, 5);
  room.Hold(1, 1, 5);
  room.Hold(2, 0, 0);
  room.Hold(3, 0, 0);
  CHECK(room.ledger.ShedNode(room.node).released.empty());
  room.Resize(5);
  CHECK(room.ledger.ShedNode(room.node).released == Ids{{3, 0}, {2, 0}});
  room.Resize(3);
  CHECK(room.ledger.ShedNode(room.node).released == Ids{{1, 1}});
  CHECK(room.ledger.HoldsOf(1) == Ids{{1, 0}});
}

TEST_CASE("Ledger: a pinned hold that can not be kept stays and is told") {
  OneNode room;
  room.Hold(1, 0, 5);
  room.Hold(2, 0, 0);
  room.ledger.Pin({2, 0}, true);
  room.Resize(1);
  const Ledger::Shed shed = room.ledger.ShedNode(room.node);
  CHECK(shed.pinned == Ids{{2, 0}});
  CHECK(shed.released == Ids{{1, 0}});
  CHECK(room.ledger.ShedAll(room.node).pinned == Ids{{2, 0}});
  CHECK(room.ledger.hold_count() == 1);
}

TEST_CASE("Ledger: a moved node sheds also what it could keep") {
  OneNode room;
  room.Hold(1, 0);
  CHECK(room.ledger.ShedAll(room.node).released == Ids{{1, 0}});
  CHECK(room.ledger.held_node_count() == 0);
}

TEST_CASE("Ledger: lifted holds come back with their reason and end, or none does") {
  OneNode room;
  room.Hold(1, 0);
  room.Hold(1, 1);
  room.ledger.SetEnd(1, HoldReason::kStarting, kEnd);
  const std::vector<Ledger::Lifted> lifted = room.ledger.Lift(1);
  CHECK(room.ledger.hold_count() == 0);
  REQUIRE(room.ledger.PutBack(1, lifted));
  CHECK(room.ledger.HoldsOf(1) == Ids{{1, 0}, {1, 1}});
  CHECK(room.ledger.EndOf(1) == kEnd);
  CHECK(room.ledger.Lift(1).front().reason == HoldReason::kStarting);

  for (int32_t slot = 0; slot < 3; ++slot) room.Hold(2, slot);  // room for one of the two is left
  CHECK_FALSE(room.ledger.PutBack(1, lifted));
  CHECK(room.ledger.HoldsOf(1).empty());
  CHECK(room.ledger.BrokenInvariant().empty());
}

TEST_CASE("Ledger: below a priority are the least, then the youngest, without pinned ones") {
  OneNode room;
  room.Hold(1, 0, 0);
  room.Hold(2, 0, 0);
  room.Hold(3, 0, -1);
  room.Hold(4, 0, 5);
  const auto below = [&](int32_t priority, size_t most) {
    std::vector<GroupId> groups;
    room.ledger.VisitBelow(priority, [&](GroupId group) {
      groups.push_back(group);
      return groups.size() < most;
    });
    return groups;
  };
  CHECK(below(5, 9) == std::vector<GroupId>{3, 2, 1});
  CHECK(below(5, 2) == std::vector<GroupId>{3, 2});
  room.ledger.Pin({2, 0}, true);
  CHECK(below(6, 9) == std::vector<GroupId>{3, 1, 4});
  room.ledger.Pin({2, 0}, false);
  CHECK(below(5, 9) == std::vector<GroupId>{3, 2, 1});
}

TEST_CASE("Ledger: the share of a pod is that of its scarcest resource in the cluster") {
  OneNode room;
  CHECK(room.ledger.ShareOf({{"cpu", 6'400}, {std::string(kGpu), 4}}) == 500'000);
  REQUIRE(room.ledger.PutNode(MakeNode(0, 0, 1, 8)).ok());
  CHECK(room.ledger.ShareOf(Gpus(4)) == 250'000);
  room.ledger.RemoveNode(NodeNameAt(0, 0, 1));
  CHECK(room.ledger.ShareOf(Gpus(4)) == 500'000);
  CHECK(room.ledger.ShareOf({{"example.com/other", 4}}) == 0);
}

}  // namespace gangplan::ledger_test
