// Gangs that are not to be planned for as long as somebody says so (gangplan.io/hold).
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::hold_word_test {
namespace {

constexpr char kHeld[] =
    "gang team/train of 2 is held (gangplan.io/hold: waits for data): it is planned when that word "
    "is gone";

JobSpec Held(JobSpec job) {
  SetWord(job.words, kHoldWord, "waits for data");
  return job;
}

TEST_CASE("hold: a gang waits while its pods say so, stands in no line, and starts then") {
  LineWorld world(MakeNodes(1, 1, 2), With(QueueMode::kStrict));
  const JobSpec train = RackGang("train", 2);
  world.Come(Held(train));
  CHECK(world.Refusal(JobPod(Held(train), 0)) == kHeld);
  CHECK(world.Of(train).line_place == 0);
  const JobSpec other = RackGang("other", 2);
  world.Start(other);  // nobody stands before it
  world.End(other);
  world.Show(JobPod(train, 0));
  CHECK(world.Refusal(JobPod(train, 0)) == kHeld);  // the other one says it still
  world.Show(JobPod(train, 1));
  world.Some();
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(train, i));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("hold: what a gang has been given goes back when it is held before it starts") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec train = RackGang("train", 2), other = RackGang("other", 2);
  world.ShowJob(train, 0, 1);
  world.Some();
  REQUIRE(world.HasRoom(train));
  world.Show(JobPod(Held(train), 0));
  world.Some();
  CHECK_FALSE(world.HasRoom(train));
  CHECK(world.Refusal(JobPod(Held(train), 0)) == kHeld);
  world.Start(other);
}

TEST_CASE("hold: a member that comes later and is held takes the room back, until it is gone") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec train = RackGang("train", 2);
  world.ShowJob(train, 0, 1);
  world.Some();
  REQUIRE(world.HasRoom(train));
  world.Show(JobPod(Held(train), 1));
  world.Some();
  CHECK_FALSE(world.HasRoom(train));
  world.Delete(JobPod(train, 1));
  world.Some();
  CHECK(world.HasRoom(train));
}

TEST_CASE("hold: on the owner it is seen to go within a while") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec train = RackGang("train", 2);
  OwnerFacts owner = JobOwner(train);
  SetWord(owner.annotations, kHoldWord, "waits for data");
  world.Register(owner);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(train, i));
  world.Some();
  CHECK(world.Refusal(JobPod(train, 0)) == kHeld);
  world.Reregister(train);
  world.Pass(kOwnerRecheck + absl::Seconds(1));
  world.Some();
  CHECK(world.HasRoom(train));
}

TEST_CASE("hold: on the owner and on its pods it is held until both say so no more") {
  LineWorld world(MakeNodes(1, 1, 2));
  const bool leads = GENERATE(false, true);
  JobSpec train = RackGang("train", 2);
  if (leads) train.leader_gpus = 8;
  world.Come(train);
  REQUIRE(world.HasRoom(train));
  OwnerFacts owner = JobOwner(train);
  SetWord(owner.annotations, kHoldWord, "waits for data");
  world.Reregister(owner);
  world.planner().OnOwner(world.now(), OwnerKey("team", train.Uid()), owner);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(Held(train), i));
  world.Some();
  CHECK(world.Refusal(JobPod(Held(train), 0)) == kHeld);
  world.Pass(absl::Seconds(40));
  world.Some();
  for (int i = 0; i < 2; ++i) world.Show(JobPod(train, i));
  world.Some();
  CHECK(world.Refusal(JobPod(train, 0)) == kHeld);
  world.Reregister(train);
  for (int i = 0; i < 40; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.HasRoom(train));
}

TEST_CASE("hold: \"false\" is none, and neither is one where something runs") {
  LineWorld world(MakeNodes(1, 1, 2));
  JobSpec train = RackGang("train", 2);
  SetWord(train.words, kHoldWord, "false");
  world.Start(train);
  const std::string node = world.At(train)[1];
  world.Delete(world.BoundPod(train, 1));
  const PodFacts again = JobPod(Held(train), 1, 1);
  world.Show(again);
  world.Some();
  CHECK(world.FilterAndBind(again) == node);
}

TEST_CASE("hold: a Job with no other word is held, and is no gang without it") {
  LineWorld world(MakeNodes(1, 1, 2));
  JobSpec train = RackGang("train", 2);
  train.place.clear();
  world.Come(Held(train));
  CHECK(world.Refusal(JobPod(Held(train), 0)) == kHeld);
  for (int i = 0; i < 2; ++i) world.Show(JobPod(train, i));
  world.Some();
  CHECK(world.planner().List(0, 10).empty());
  CHECK(world.Refusal(JobPod(train, 0)).starts_with("passed"));
}

TEST_CASE("hold: a Job that waits suspended is started when it is held no more") {
  SuspendedWorld world;
  const JobSpec train = Pair();
  world.Register(train);
  const auto held = [&](std::string_view word) {
    ++world.version;
    JobFacts facts = world.Facts(train);
    SetWord(facts.owner.annotations, kHoldWord, word);
    world.See(facts);
    world.Pass(absl::Milliseconds(50));
  };
  held("waits for data");
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.Report("team/train").reason == kHeld);
  held("false");
  CHECK_FALSE(world.Written().suspend);
}

TEST_CASE("hold: a Job that is held while it is being started is suspended again") {
  SuspendedWorld world;
  const JobSpec train = Pair();
  const JobWrite start = world.Start(train);
  world.ShowBorn(Held(train), start);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Passed(SuspendedWorld::Born(Held(train), 0, start)).empty());
}

}  // namespace
}  // namespace gangplan::hold_word_test
