// Large groups that are read anew, or give up what they hold: in pieces, so that no input takes
// long, and as one all the same.
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::reread_test {
namespace {

constexpr int kLarge = 3 * static_cast<int>(kMembersAtOnce) + 7;

int TickUntilDone(PlannerWorld& world) {
  int ticks = 0;
  for (; world.planner().busy() && ticks < 1'000; ++ticks) world.Pass(absl::ZeroDuration());
  return ticks;
}

// One gang whose word stands on its Job, among nodes that have room for a hundred members each.
struct LargeGang : PlannerWorld {
  explicit LargeGang(int size = kLarge) : job{.size = size, .gpus = 0, .cpu = 10} {
    owner = JobOwner(job);
    owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
    answer_owners = false;
    AddNodes(MakeNodes(2, 2, size / 100 + 1));
    for (NodeFacts node : MakeNodes(2, 2, size / 100 + 1)) {
      for (ResourceAmount& amount : node.allocatable)
        amount.amount = std::max<int64_t>(amount.amount, 1'000);
      Put(node);
    }
    Sync();
    for (int i = 0; i < size; ++i) Show(JobPod(job, i));
    Read();
    TickUntilDone(*this);
  }
  void Read() { planner().OnOwner(now(), OwnerKey("team", job.Uid()), owner); }
  void Say(std::string_view place) {
    SetWord(owner.annotations, "gangplan.io/place", place);
    Read();
  }
  GroupReport Told() { return Report("team/train"); }

  JobSpec job;
  OwnerFacts owner;
};

}  // namespace

TEST_CASE("Reread: a large gang whose owner says something else is read in pieces") {
  LargeGang world;
  REQUIRE(world.StateOf("team/train") == "Planned");
  REQUIRE(world.HoldCount() == kLarge);
  world.Say("block=pack!");
  CHECK(world.planner().busy());
  CHECK(world.StateOf("team/train") == "New");
  CHECK(world.planner().List(0, 10).size() == 1);  // however many it stands in
  CHECK(TickUntilDone(world) >= 3);
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.HoldCount() == kLarge);
  CHECK(world.Told().seen == kLarge);
}

TEST_CASE("Reread: who comes, goes or is asked for meanwhile is counted once") {
  LargeGang world;
  world.Say("block=pack!");
  const PodFacts early = JobPod(world.job, 0);
  const PodFacts late = JobPod(world.job, kLarge - 1);
  CHECK_THAT(world.Refusal(late), ContainsText("its owner says something else now"));
  CHECK_THAT(world.Refusal(early), ContainsText("its owner says something else now"));
  for (const PodFacts& pod : {early, late}) world.Delete(pod);
  const PodFacts again = JobPod(world.job, kLarge - 1, 1);
  world.Show(again);
  TickUntilDone(world);
  CHECK(world.Told().seen == kLarge - 1);
  CHECK(world.StateOf("team/train") == "Gathering");
  world.Show(JobPod(world.job, 0, 1));
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.Passed(again) != "");
}

TEST_CASE("Reread: words that change again meanwhile are the ones that count") {
  LargeGang world;
  world.Say("block=pack!");
  world.Say("node=pakc!");
  TickUntilDone(world);
  CHECK(world.StateOf("team/train") == "New");
  world.Say("rack=pack!");
  world.Pass(absl::ZeroDuration());
  world.Say("block=pack!");
  world.Pass(absl::ZeroDuration());
  world.Say("rack=pack!");
  TickUntilDone(world);
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.Told().seen == kLarge);
  CHECK(world.HoldCount() == kLarge);
}

TEST_CASE("Reread: the words of a pod count that has gone over already, or has not yet") {
  const int changed = GENERATE(0, kLarge - 1);
  LargeGang world;
  world.Say("block=pack!");
  world.Pass(absl::ZeroDuration());
  REQUIRE(world.planner().busy());
  PodFacts pod = JobPod(world.job, changed);
  SetWord(pod.annotations, "gangplan.io/hold", "waits");
  world.Show(pod);
  TickUntilDone(world);
  CHECK_THAT(world.Told().reason, ContainsText("is held (gangplan.io/hold: waits)"));
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Reread: a gang of another size, too") {
  LargeGang world;
  world.owner.size = kLarge - 5;
  world.Say("block=pack!");
  TickUntilDone(world);
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.HoldCount() == kLarge - 5);
}

TEST_CASE("Reread: all of it may go meanwhile") {
  LargeGang world;
  world.Say("block=pack!");
  for (int i = 0; i < kLarge; ++i) world.Delete(JobPod(world.job, i));
  TickUntilDone(world);
  CHECK(world.StateOf("team/train") == "(none)");
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE(
    "Reread: room that a large gang gives up comes free in pieces, and is nobody's until then") {
  const int size = 2 * static_cast<int>(kMembersAtOnce) + 1;
  LargeGang world(size);
  REQUIRE(world.HoldCount() == size);
  world.Pass(absl::Minutes(6));  // nobody binds it
  REQUIRE(world.StateOf("team/train") == "Released");
  const JobSpec next{.name = "next", .size = 2, .gpus = 0, .place = "rack=pack!"};
  world.Register(next);
  world.answer_owners = true;
  for (int i = 0; i < 2; ++i) world.Show(JobPod(next, i));
  CHECK(TickUntilDone(world) >= 1);
  CHECK(world.StateOf("team/next") == "Planned");
  CHECK(world.HoldCount() == 2);
}

}  // namespace gangplan::reread_test
