// Gangs that ask for less the longer they wait.
#include <algorithm>
#include <string>

#include "extender/cluster/annotations.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::ladders_test {
namespace {

constexpr std::string_view kLadder = "rack=pack! | after 10m: block=pack! | after 1h: any";

JobSpec Climber(int32_t size) {
  JobSpec job = Whole("train", size);
  job.place = kLadder;
  return job;
}

// Two blocks of two racks of two nodes with eight GPUs each.
struct LaddersWorld : PlannerWorld {
  explicit LaddersWorld(int blocks = 2) {
    AddNodes(MakeNodes(blocks, 2, 2));
    Sync();
  }
  // All of it is there, and asked for.
  void Make(const JobSpec& job) {
    Register(job);
    for (int i = 0; i < job.size; ++i) Show(Created(job, i));
    Ask(job);
  }
  PodFacts Created(const JobSpec& job, int index) const {
    PodFacts pod = JobPod(job, index);
    pod.created = absl::ToUnixSeconds(made);
    return pod;
  }
  // In place of the first one of this index.
  PodFacts Remade(const JobSpec& job, int index) const {
    PodFacts pod = JobPod(job, index, 1);
    pod.created = absl::ToUnixSeconds(now());
    return pod;
  }
  void Ask(const JobSpec& job) {
    for (int i = 0; i < job.size; ++i) Filter(Created(job, i));
  }
  bool Placed() { return Report("team/train").state == GroupState::kPlanned; }

  absl::Time made = now();
};

}  // namespace

TEST_CASE("Ladders: a gang that finds no room asks for less when the time of the next rung comes") {
  LaddersWorld world;
  const JobSpec job = Climber(4);  // a rack has two nodes
  world.Make(job);
  CHECK(world.Report("team/train").outcome == Outcome::kImpossible);
  CHECK(world.Report("team/train")
            .reason.ends_with("; after 10m of waiting \"block=pack!\" will do"));
  world.Pass(absl::Minutes(10) - absl::Seconds(1));
  CHECK_FALSE(world.Placed());
  world.Pass(absl::Seconds(1));
  CHECK(world.Placed());
  CHECK(world.Report("team/train").place == std::string(kLadder) + " (in force: block=pack!)");
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(world.Created(job, i));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 4);
  CHECK(*FindLabel(posts[0].annotations, kAssignedRungAnnotation) == "1");
}

TEST_CASE("Ladders: rungs that do not help are passed, and the last one is told without a next") {
  LaddersWorld world;
  world.Make(Climber(5));  // a block has four nodes
  world.Pass(absl::Minutes(10));
  CHECK(world.Report("team/train").reason.ends_with("; after 1h of waiting \"any\" will do"));
  world.Pass(absl::Minutes(50));
  CHECK(world.Placed());
}

TEST_CASE("Ladders: no rung is told where there is none left") {
  LaddersWorld world;
  world.Make(Climber(9));
  world.Pass(absl::Hours(2));
  CHECK(world.Report("team/train").outcome == Outcome::kImpossible);
  CHECK(world.Report("team/train").reason.find("will do") == std::string::npos);
}

TEST_CASE("Ladders: the time counts from when its oldest pod was made, also after a restart") {
  LaddersWorld world;
  const JobSpec job = Climber(4);
  world.Make(job);
  world.Pass(absl::Minutes(9));
  world.Restart();
  world.AddNodes(MakeNodes(2, 2, 2));
  world.Register(job);
  for (int i = 0; i < job.size; ++i) world.Show(world.Created(job, i));
  world.Sync();
  world.Ask(job);
  CHECK_FALSE(world.Placed());
  world.Pass(absl::Minutes(1));
  CHECK(world.Placed());
}

TEST_CASE("Ladders: who runs by a weaker rung keeps it, and is repaired by it after a restart") {
  LaddersWorld world;
  const JobSpec job = Climber(4);
  world.Make(job);
  world.Pass(absl::Minutes(10));
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(world.Created(job, i));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 4);
  world.Restart();
  world.AddNodes(MakeNodes(2, 2, 2));
  world.Register(job);
  std::string lost;
  for (int i = 0; i < 4; ++i) {
    PodFacts pod = world.Created(job, i);
    const auto post = std::find_if(posts.begin(), posts.end(),
                                   [&](const BindingWrite& one) { return one.pod.uid == pod.uid; });
    for (const auto& [key, value] : post->annotations) SetLabel(pod.annotations, key, value);
    if (i < 3) world.ShowBound(std::move(pod), post->node);
    if (i == 3) lost = post->node;
  }
  world.Show(world.Created(job, 3));
  world.Sync();
  CHECK(world.Passed(world.Created(job, 3)) == lost);
}

TEST_CASE("Ladders: a member that is made anew climbs by its own age, and the others stay") {
  LaddersWorld world;
  const JobSpec job = Climber(2);
  world.Make(job);
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(world.Created(job, i));
  CHECK(world.BindAll() == 2);
  world.Pass(absl::Minutes(30));
  CHECK(world.Report("team/train").place == std::string(kLadder) + " (in force: rack=pack!)");
  const std::vector<std::string> nodes = world.Nodes("team/train");
  world.DeleteNode(nodes[1]);
  world.Delete(world.Created(job, 1));
  const PodFacts again = world.Remade(job, 1);
  world.Show(again);
  world.Pass(absl::Minutes(10) - absl::Seconds(1));
  CHECK(world.Passed(again).empty());
  world.Pass(absl::Seconds(1));
  const std::string node = world.Passed(again);
  CHECK(DomainOf(node, 0) == DomainOf(nodes[0], 0));
  CHECK(DomainOf(node, 1) != DomainOf(nodes[0], 1));
}

TEST_CASE("Ladders: a gang that was started by a weaker rung keeps it without a restart") {
  LaddersWorld world;
  const JobSpec job = Climber(4);
  world.Make(job);
  world.Pass(absl::Minutes(10));
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(world.Created(job, i));
  CHECK(world.BindAll() == 4);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  world.Pass(absl::Minutes(51));
  CHECK(world.Report("team/train").place == std::string(kLadder) + " (in force: block=pack!)");
  world.Delete(world.Created(job, 3));
  const PodFacts again = world.Remade(job, 3);
  world.Show(again);
  world.Pass(absl::Seconds(1));
  CHECK(world.Passed(again) == nodes[3]);
}

TEST_CASE("Ladders: a Job that was started by a weaker rung keeps it when its pods come") {
  SuspendedWorld world;
  const JobSpec job = Climber(4);
  world.Register(job);
  JobFacts facts = world.Facts(job);
  facts.owner.created = facts.suspended_since = absl::ToUnixSeconds(world.now());
  world.See(facts);
  JobWrite write;
  REQUIRE(world.SecondsToWrite(700, write) > 0);
  world.Tell(write);
  world.Leave(job);
  for (int i = 0; i < job.size; ++i) {
    PodFacts pod = SuspendedWorld::Born(job, i, write);
    pod.created = absl::ToUnixSeconds(world.now());
    world.Show(pod);
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/train").place == std::string(kLadder) + " (in force: block=pack!)");
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(SuspendedWorld::Born(job, i, write));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 4);
  CHECK(FindLabel(posts[0].annotations, kAssignedRungAnnotation) != nullptr);
}

TEST_CASE("Ladders: what is planned keeps its rung while it waits to be bound") {
  LaddersWorld world;
  world.made = world.now() - absl::Minutes(10) + absl::Seconds(2);
  const JobSpec job = Climber(2);
  world.Make(job);
  REQUIRE(world.Placed());
  world.Pass(absl::Seconds(3));
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(world.Created(job, i));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  CHECK(FindLabel(posts[0].annotations, kAssignedRungAnnotation) == nullptr);
}

TEST_CASE("Ladders: a restart takes nobody's place") {
  LaddersWorld world(1);
  world.DeleteNode(NodeNameAt(0, 1, 1));
  const JobSpec job = Climber(4);
  world.Make(job);
  world.Pass(absl::Minutes(20));
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));  // the node is back
  world.Register(job);
  for (int i = 0; i < job.size; ++i) world.Show(world.Created(job, i));
  JobSpec younger = Whole("younger", 2);
  world.Register(younger);
  for (int i = 0; i < younger.size; ++i) {
    PodFacts pod = JobPod(younger, i);
    pod.created = absl::ToUnixSeconds(world.now());
    world.Show(pod);
  }
  world.Sync();
  world.Pass(absl::Seconds(1));
  CHECK(world.Placed());
}

TEST_CASE("Ladders: an update of a Job that waits does not put it back to the first rung") {
  SuspendedWorld world;
  const JobSpec job = Climber(5);  // no rung helps
  world.Register(job);
  JobFacts facts = world.Facts(job);
  facts.owner.created = facts.suspended_since = absl::ToUnixSeconds(world.now());
  world.See(facts);
  world.Pass(absl::Minutes(15));
  const std::string reason = world.Report("team/train").reason;
  facts.resource_version = "another";
  world.See(facts);
  CHECK(world.Report("team/train").reason == reason);
}

TEST_CASE("Ladders: whose pods are all made anew begins at the first rung") {
  LaddersWorld world;
  const JobSpec job = Climber(5);
  SECTION("while it waits") { world.Make(job); }
  SECTION("while it runs") {
    world.Register(job);
    for (int i = 0; i < job.size; ++i) {
      PodFacts pod = world.Created(job, i);
      SetLabel(pod.annotations, kAssignedRungAnnotation, "1");
      world.ShowBound(std::move(pod), NodeNameAt(i / 4, i / 2 % 2, i % 2));
    }
  }
  world.Pass(absl::Minutes(11));
  for (int i = 0; i < job.size; ++i) {
    world.Show(world.Remade(job, i));
    world.Delete(JobPod(job, i));
  }
  world.Pass(absl::Seconds(10));
  CHECK(world.Report("team/train").place == std::string(kLadder) + " (in force: rack=pack!)");
}

// Each one is there before the next one goes; nothing of the first run is left then.
TEST_CASE("Ladders: likewise where they are made anew one by one, beside those that run") {
  LaddersWorld world;
  JobSpec job = Climber(2);
  job.place = "rack=pack! | after 10m: any";
  world.Register(job);
  const bool weak = GENERATE(true, false);
  const std::vector<std::string> nodes = {NodeNameAt(0, 0, 0),
                                          NodeNameAt(0, weak ? 1 : 0, weak ? 0 : 1)};
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = world.Created(job, i);
    if (weak) SetLabel(pod.annotations, kAssignedRungAnnotation, "1");
    world.ShowBound(std::move(pod), nodes[static_cast<size_t>(i)]);
    if (weak) world.ShowBound(ForeignPod(i == 0 ? "a" : "b", 8), NodeNameAt(0, i, 1));
  }
  world.Pass(absl::Seconds(1));
  for (int i = 0; i < 2; ++i) {
    PodFacts old = world.Created(job, i);
    old.node_name = nodes[static_cast<size_t>(i)];
    world.ShowTerminating(old);
    world.Show(world.Remade(job, i));
    world.Delete(old);
    world.Pass(absl::Seconds(1));
  }
  for (int i = 0; i < 2; ++i) world.FilterAndBind(world.Remade(job, i));
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  CHECK(FindLabel(posts[0].annotations, kAssignedRungAnnotation) == nullptr);
  CHECK(DomainOf(posts[0].node, 1) == DomainOf(posts[1].node, 1));
}

TEST_CASE("Ladders: pods with another ladder are no members") {
  LaddersWorld world;
  JobSpec job = Climber(2);
  world.Register(job);
  world.Show(JobPod(job, 0));
  job.place = "rack=pack! | after 20m: block=pack!";
  world.Show(JobPod(job, 1));
  CHECK(world.Refusal(JobPod(job, 1)).find("asks for") != std::string::npos);
}

TEST_CASE("Ladders: a Job that waits suspended climbs from when it was suspended") {
  SuspendedWorld world;
  const JobSpec job = Climber(4);
  world.Register(job);
  JobFacts facts = world.Facts(job);
  facts.owner.created = absl::ToUnixSeconds(world.now()) - 36'000;
  facts.suspended_since = absl::ToUnixSeconds(world.now());
  world.See(facts);
  JobWrite write;
  const int seconds = world.SecondsToWrite(700, write);
  CHECK(seconds >= 598);
  CHECK(seconds <= 601);
}

}  // namespace gangplan::ladders_test
