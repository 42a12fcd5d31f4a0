// Room that Kueue has given to pods that ask us: it is theirs until our own plan places them.
#include <string>
#include <vector>

#include "extender/planner/owner_key.h"
#include "tests/extender/planner/kueue_world.h"
#include "tests/support/catch.h"

namespace gangplan::kueue_members_test {

// A Workload whose template says nothing of a gang, and names our scheduler.
struct Asking : KueueWorld {
  // `as_told`: its template does; else something else gives its pods that name.
  explicit Asking(bool as_told = true) : KueueWorld(1) {
    WorkloadFacts workload = Placed("train", {{{kFirstNode}, 1}});
    workload.pod_sets[0].pod.scheduler_name =
        as_told ? JobPod(job, 0).scheduler_name : "default-scheduler";
    Tell(workload);
    member = JobPod(job, 0);
    SetWord(member.annotations, "kueue.x-k8s.io/workload", "train");
    SetWord(member.labels, "kueue.x-k8s.io/podset", "main");
    REQUIRE(UsedOn(kFirstNode) == 8);
  }
  void ReadOwner() {
    world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
    REQUIRE(world.planner().BrokenInvariant() == "");
  }
  const JobSpec job{.name = "train", .size = 1, .gpus = 8, .place = "rack=pack!"};
  PodFacts member;
};

TEST_CASE("KueueRoom: a pod that waits for its owner is no member, and one that joins by it is") {
  Asking asking;
  JobSpec other = asking.job;
  other.name = "other";
  asking.world.ShowJob(other, 0, 1);
  asking.world.answer_owners = false;
  asking.world.Show(asking.member);
  asking.world.Pass(absl::Seconds(2));
  CHECK(asking.UsedOn(kFirstNode) == 8);
  CHECK(asking.world.HoldCount() == 0);  // or the other gang would have its room
  asking.world.Delete(JobPod(other, 0));
  asking.ReadOwner();
  CHECK(asking.UsedOn(kFirstNode) == 0);
  CHECK(asking.world.HoldCount() == 1);
  CHECK(asking.world.Passed(asking.member) == kFirstNode);
}

TEST_CASE("KueueRoom: a member that the watch shows after the scheduler has told of it is one") {
  Asking asking(GENERATE(true, false));
  asking.world.Register(asking.job);
  asking.world.Filter(asking.member);
  REQUIRE(asking.world.StateOf("team/train") != "");
  CHECK(asking.UsedOn(kFirstNode) == 8);  // nobody knows of which Workload it is
  asking.world.Show(asking.member);
  CHECK(asking.UsedOn(kFirstNode) == 0);
  CHECK(asking.world.Passed(asking.member) == kFirstNode);
}

TEST_CASE("KueueRoom: a member that fails leaves the room to its Workload's next pod") {
  Asking asking;
  asking.world.Register(asking.job);
  asking.world.Show(asking.member);
  REQUIRE(asking.UsedOn(kFirstNode) == 0);
  asking.world.ShowFinished(asking.member, kFirstNode, PodPhase::kFailed);
  CHECK(asking.UsedOn(kFirstNode) == 8);
}

TEST_CASE("KueueRoom: a gang that gives way leaves its room to whom it gives way to") {
  Asking asking;
  PlannerWorld& world = asking.world;
  world.Register(asking.job);
  world.Show(asking.member);
  REQUIRE(world.Passed(asking.member) == kFirstNode);
  world.ShowBound(asking.member, kFirstNode);
  const JobSpec high = asking.Ask(8);
  REQUIRE(asking.Try() == std::vector<std::string>{asking.member.name});
  for (const PodMark& mark : world.Take<PodMark>()) asking.Evicting::Tell(mark);
  asking.Evicting::Tell(asking.Evict());
  PodFacts pod = asking.member;
  pod.node_name = kFirstNode;
  asking.Stop(pod);
  CHECK(asking.UsedOn(kFirstNode) == 0);
  CHECK(world.Passed(JobPod(high, 0)) == kFirstNode);
  // What comes of it once more is as before.
  world.Delete(JobPod(high, 0));
  PodFacts next = JobPod(asking.job, 0, 1);
  next.annotations = asking.member.annotations;
  next.labels = asking.member.labels;
  world.Show(next);
  CHECK(world.Passed(next) == kFirstNode);
  world.Delete(next);
  CHECK(asking.UsedOn(kFirstNode) == 8);
}

}  // namespace gangplan::kueue_members_test
