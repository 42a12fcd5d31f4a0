#include "extender/planner/lesser_room.h"

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"
#include "topology/model.h"

namespace gangplan::lesser_room_test {
namespace {

// A gang of whole nodes that holds some of block 0, rack 1, and has not begun.
struct Held {
  explicit Held(int size = 2, int32_t priority = 0) {
    Add({.name = "low", .size = size, .gpus = 8, .priority = priority});
  }
  // One more, on nodes of its own behind those of the others.
  void Add(const JobSpec& job) {
    const PodFacts pod = JobPod(job, 0);
    const GroupSpec spec = SpecOf(job, pod);
    group = *book.GroupFor(spec, pod);
    group->Add(pod, spec, absl::UnixEpoch());
    shape = ledger.AcquireShape(0, pod.requests, {});
    for (int i = 0; i < job.size; ++i, ++nodes) {
      REQUIRE(ledger.PutNode(MakeNode(0, 1, nodes)).ok());
      Hold(i, NodeNameAt(0, 1, nodes));
    }
  }
  void Hold(int slot, std::string_view node) {
    ledger.Hold({group->id(), slot}, ledger.model().FindNode(node), shape, group->priority(),
                profile);
    ledger.SetEnd(group->id(), HoldReason::kGathering, absl::UnixEpoch());
  }
  int64_t MostIn(std::string_view node) {
    const Model& model = ledger.model();
    const LesserRoom::ByDomain& most = room.MostOf(shape, 1, work);
    const int32_t leaf = model.LeafOfNode(0, model.FindNode(node));
    const auto found = most.find(model.tree(0).Ancestor(leaf, 1));
    return found == most.end() ? 0 : found->second;
  }

  Ledger ledger{std::vector<ScopedTopology>{{ThreeLevels()}}};
  GroupBook book{ClaimLimits()};
  Group* group = nullptr;  // the last one
  ShapeId shape = -1;
  ProfileRef profile = std::make_shared<const PodProfile>();
  int nodes = 0;
  LesserRoom room{ledger, book};
  int64_t work = 0;
};

}  // namespace

TEST_CASE("LesserRoom: room yields to greater priorities alone") {
  Held held;
  held.room.Renew(held.work);
  CHECK_FALSE(held.room.YieldsTo(0));
  CHECK(held.room.YieldsTo(1));
  CHECK(held.room.Below(0, 0, held.work).empty());
  CHECK(held.room.Below(0, 1, held.work) == std::vector<GroupId>{held.group->id()});
}

TEST_CASE("LesserRoom: how many more there might be, by domain") {
  Held held;
  CHECK(held.MostIn(NodeNameAt(0, 1, 0)) == 2);
  held.ledger.Release({held.group->id(), 1});
  CHECK(held.MostIn(NodeNameAt(0, 1, 0)) == 1);
  held.Hold(1, NodeNameAt(0, 1, 1));
  held.room.Note(*held.group);
  CHECK(held.MostIn(NodeNameAt(0, 1, 0)) == 2);
}

TEST_CASE("LesserRoom: domains are those of the tree as it is") {
  Held held;
  REQUIRE(held.MostIn(NodeNameAt(0, 1, 0)) == 2);
  // Of a rack that stands before the other one.
  REQUIRE(held.ledger.PutNode(MakeNode(0, 0, 0)).ok());
  CHECK(held.MostIn(NodeNameAt(0, 1, 0)) == 2);
  CHECK(held.MostIn(NodeNameAt(0, 0, 0)) == 0);
}

TEST_CASE("LesserRoom: so many slots at most are looked behind") {
  const int beyond = GENERATE(0, 1);
  Held held(static_cast<int>(kMaxLiftedInAll) + beyond);
  CHECK(held.room.Below(0, 1, held.work).empty() == (beyond == 1));
  CHECK((held.MostIn(NodeNameAt(0, 1, 0)) == 0) == (beyond == 1));
}

TEST_CASE("LesserRoom: a large one gives way whoever comes before it") {
  const int beyond = GENERATE(0, 1);
  Held held(static_cast<int>(kMaxLiftedInAll) - 2 + beyond);
  std::vector<GroupId> expected = {held.group->id()};
  held.Add({.name = "young", .size = 2, .gpus = 8});  // the youngest comes first
  if (beyond == 1) expected.clear();
  expected.insert(expected.begin(), held.group->id());
  CHECK(held.room.Below(0, 1, held.work) == expected);
}

TEST_CASE("LesserRoom: those that come after a large one are looked behind, too") {
  Held held(2);
  std::vector<GroupId> expected = {held.group->id()};
  for (const JobSpec& next :
       {JobSpec{.name = "large", .size = static_cast<int32_t>(kMaxLiftedSlots) + 1, .gpus = 8},
        JobSpec{.name = "young", .size = 2, .gpus = 8}}) {
    held.Add(next);
    expected.insert(expected.begin(), held.group->id());
  }
  CHECK(held.room.Below(0, 1, held.work) == expected);
}

TEST_CASE("LesserRoom: a gang of another namespace takes it, and is not named") {
  LivesWorld world(2);
  const JobSpec low = Whole("low", 2);
  world.ShowJob(low, 0, 1);
  const auto call = world.Bind(JobPod(low, 0), world.Passed(JobPod(low, 0)));
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = ForeignPod(fmt::format("falcon-{}", i), 8, 1000);
    pod.ns = "mergers";
    SetWord(pod.annotations, "gangplan.io/group", "falcon");
    SetWord(pod.annotations, "gangplan.io/size", "2");
    world.Show(pod);
  }
  CHECK(world.StateOf("team/low") == "Blocked");
  CHECK(world.Answer(call.id) ==
        "gang team/low gives way to a gang of another namespace of greater priority");
}

}  // namespace gangplan::lesser_room_test
