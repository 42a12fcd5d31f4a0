#include "extender/planner/nominations.h"

#include "extender/planner/limits.h"
#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"

namespace gangplan::nominations_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(100);

// A Job of which each member holds a GPU of one node. The scheduler offers all nodes, so that only
// who was told to wait is pointed to it.
struct World {
  explicit World(int32_t size, size_t at_once = 100)
      : nominations(100, at_once, ledger, groups, pods, desk, refusals, waker) {
    outbox.SetActive(true);
    REQUIRE(ledger.PutNode(MakeNode(0, 0, 0, 400)).ok());
    job.name = "train";
    job.size = size;
    group = *groups.GroupFor(SpecOf(job, JobPod(job, 0)), JobPod(job, 0));
    for (int32_t i = 0; i < size; ++i) {
      AddMember(*group, job, i);
      pods.Note(JobPod(job, i)).group = group->id();
      waker.MarkRejected(JobPod(job, i).uid, true);
    }
    group->MakeSlots();
    for (int32_t i = 0; i < size; ++i) group->SetHeld(i, 0);
    group->AssignSlots();
  }
  // Nominations since the last call.
  size_t Sent() { return outbox.Take().size(); }
  const Member& At(int32_t slot) const { return *group->At(slot); }

  Outbox outbox;
  Ledger ledger{std::vector<ScopedTopology>{{ThreeLevels()}}};
  GroupBook groups{ClaimLimits()};
  PodBook pods;
  BindDesk desk{absl::Minutes(1), outbox};
  Refusals refusals;
  Waker waker{outbox};
  Nominations nominations;
  JobSpec job;
  Group* group = nullptr;
};

}  // namespace

TEST_CASE("Nominations: a member whose room is held may go there, and is pointed to it once") {
  World world(2);
  CHECK(world.nominations.MayGo(*world.group, world.At(0)));
  world.nominations.Send(*world.group, world.At(0).pod.uid);
  world.nominations.Send(*world.group, world.At(0).pod.uid);
  CHECK(world.Sent() == 1);
  world.group->SetEmpty(1);
  CHECK_FALSE(world.nominations.MayGo(*world.group, world.At(1)));
  world.nominations.Send(*world.group, world.At(1).pod.uid);
  world.nominations.Send(*world.group, "nobody");
  CHECK(world.Sent() == 0);
}

TEST_CASE("Nominations: so many in a turn, and the others in those after it") {
  const auto size = static_cast<int32_t>(kNominatedAtOnce);
  const int32_t more = GENERATE(0, 1);
  World world(size + more);
  world.nominations.SendAll(*world.group);
  CHECK(world.nominations.busy());
  const size_t first = world.Sent();
  CHECK(first == static_cast<size_t>(more == 0 ? size : 0));  // many have used up the turn before
  size_t sent = first;
  for (int turn = 0; turn < 4; ++turn) {
    world.nominations.SendRest();
    sent += world.Sent();
  }
  CHECK(sent == static_cast<size_t>(size + more));
  CHECK_FALSE(world.nominations.busy());
}

TEST_CASE("Nominations: of many who lose their nodes so many are told in a turn") {
  World world(3, 2);
  world.nominations.SendAll(*world.group);
  REQUIRE(world.Sent() == 3);
  CHECK_FALSE(world.nominations.NoteLost(world.group->id(), 2));
  CHECK(world.nominations.NoteLost(world.group->id(), 3));
  for (int32_t i = 0; i < 3; ++i) world.group->SetEmpty(i);
  world.nominations.SendRest();
  CHECK(world.nominations.AnyLost());
  world.nominations.SendRest();
  CHECK_FALSE(world.nominations.AnyLost());
  for (int32_t i = 0; i < 3; ++i) {
    world.group->SetHeld(i, 0);
    world.waker.MarkRejected(world.At(i).pod.uid, true);
  }
  world.nominations.SendAll(*world.group);  // whoever was told is pointed to a node once more
  CHECK(world.Sent() == 3);
}

TEST_CASE("Nominations: a node to which a pod was pointed too often is refused for it") {
  World world(1);
  const std::string uid = world.At(0).pod.uid;
  world.nominations.Send(*world.group, uid);
  int times = 0;
  while (world.nominations.Renew(kNow, uid) && times < 100) ++times;
  CHECK(times > 1);
  CHECK(times < 100);
  CHECK(world.refusals.Has(world.group->id(), 0, 0));
  CHECK(world.nominations.Renew(kNow, "nobody"));
}

}  // namespace gangplan::nominations_test
