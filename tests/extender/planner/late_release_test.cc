// Releases from gates that land late, twice or not at all, and gates of others beside ours.
#include "fmt/format.h"
#include "tests/extender/planner/gates_world.h"

namespace gangplan::late_release_test {
namespace {

using Names = std::vector<std::string>;

JobSpec Pair() { return Whole("train", 2); }

PodFacts OfVersion(PodFacts pod, std::string version) {
  pod.resource_version = std::move(version);
  return pod;
}

// What is asked for when both of a pair are shown, gated and of this version.
std::vector<PodRelease> ReleasesOf(GatesWorld& world, const JobSpec& job, std::string version) {
  world.Register(job);
  for (int i = 0; i < 2; ++i) world.Show(OfVersion(GatesWorld::Behind(JobPod(job, i)), version));
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  return releases;
}

}  // namespace

TEST_CASE("Late release: each write is of the version of its pod that was planned") {
  GatesWorld world;
  const JobSpec job = Pair();
  const auto releases = ReleasesOf(world, job, "7");
  CHECK(releases[0].resource_version == "7");
  world.Tell(releases[0], absl::AbortedError("the object has been modified"));
  world.Show(OfVersion(GatesWorld::Behind(JobPod(job, 0)), "8"));
  world.Pass(kReleaseRetry - absl::Milliseconds(1));
  CHECK(world.Take<PodRelease>().empty());
  world.Pass(absl::Milliseconds(1));
  const auto again = world.Take<PodRelease>();
  REQUIRE(again.size() == 1);
  CHECK(again[0].resource_version == "8");
  CHECK(again[0].required_terms == releases[0].required_terms);
  CHECK(world.Take<EventNote>().empty());  // nobody has to do anything
}

TEST_CASE("Late release: who is to be made anew goes when the watch has shown its version") {
  GatesWorld world;
  const JobSpec job = Pair();
  const auto releases = ReleasesOf(world, job, "7");
  for (const PodRelease& release : releases) world.Tell(release);
  for (int i = 0; i < 2; ++i) world.DeleteNode(NodeNameAt(0, 0, i));
  world.Pass(2 * kFruitlessPause);
  CHECK(world.Take<PodDelete>().empty());
  for (int i = 0; i < 2; ++i)
    world.Show(OfVersion(GatesWorld::After(JobPod(job, i), releases[static_cast<size_t>(i)]), "8"));
  world.Pass(kReleaseRetry);
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 2);
  CHECK(deletes[0].resource_version == "8");
}

TEST_CASE("Late release: who comes out of the gate when its gang has no plan is made anew") {
  GatesWorld world;
  JobSpec job{.name = "train", .size = 2, .gpus = 8, .place = "rack=pack"};
  const auto releases = ReleasesOf(world, job, "7");
  job.size = 3;  // more than the nodes that they are released to can take
  world.Reregister(job);
  world.Show(GatesWorld::Behind(JobPod(job, 2)));
  AwaitOwners(world);
  REQUIRE(world.StateOf("team/train") == "Blocked");
  for (const PodRelease& release : releases) world.Tell(release);
  for (int i = 0; i < 2; ++i)
    world.Show(OfVersion(GatesWorld::After(JobPod(job, i), releases[static_cast<size_t>(i)]), "8"));
  for (int i = 0; i < 2; ++i) world.Pass(kFruitlessPause);
  CHECK(world.Take<PodDelete>().size() == 2);
}

TEST_CASE("Late release: a pod of the same name is another one") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  world.Delete(JobPod(job, 0));
  PodFacts anew = GatesWorld::Behind(JobPod(job, 0));
  anew.uid = "another";
  world.Show(anew);
  CHECK(world.Take<PodRelease>().size() == 1);
  world.Tell(releases[0]);  // to whomever
  world.Pass(absl::Minutes(2));
  const auto& report = world.Report("team/train");
  CHECK(report.road == Road::kGated);
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Late release: one that lands when its gang is planned elsewhere is made anew") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  for (int i = 0; i < 2; ++i)
    world.ShowBound(ForeignPod(fmt::format("f{}", i), 8), NodeNameAt(0, 0, i));
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = OfVersion(GatesWorld::Behind(JobPod(job, i)), "2");
    SetWord(pod.annotations, "gangplan.io/place", "block=pack!");
    world.Show(pod);
  }
  CHECK(world.Nodes("team/train") == Names{NodeNameAt(0, 1, 0), NodeNameAt(0, 1, 1)});
  world.Tell(releases[1], absl::AbortedError("the object has been modified"));
  world.Pass(kReleaseRetry);
  const auto elsewhere = world.Take<PodRelease>();
  REQUIRE(elsewhere.size() == 1);
  CHECK(elsewhere[0].pod.uid == releases[1].pod.uid);
  CHECK(elsewhere[0].required_terms != releases[1].required_terms);
  world.Tell(elsewhere[0]);
  world.Tell(releases[0]);  // it landed all the same
  world.Pass(absl::Milliseconds(50));
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 1);
  CHECK(deletes[0].pod.uid == releases[0].pod.uid);
  CHECK(world.Take<PodRelease>().empty());
}

TEST_CASE("Late release: an end of a pod that has changed is thought over") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  for (int i = 0; i < 2; ++i) world.DeleteNode(NodeNameAt(0, 0, i));
  world.Pass(kFruitlessPause);
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 2);
  for (const PodDelete& one : deletes)
    world.Tell(one, absl::AbortedError("the object has been modified"));
  world.Put(MakeNode(0, 0, 0));
  SECTION("its room is there again") { world.Put(MakeNode(0, 0, 1)); }
  SECTION("it is not") {
    world.Pass(kReleaseRetry);
    world.Pass(absl::Milliseconds(50));
    world.Pass(kFruitlessPause);
    CHECK(world.Take<PodDelete>().size() == 2);
    return;
  }
  world.Pass(kReleaseRetry);
  world.Pass(kFruitlessPause);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == 2);
}

// ---- after a restart

TEST_CASE("Late release: after a restart what was released goes before greater priorities") {
  bool verbs = true;
  SECTION("where the scheduler asks") {}
  SECTION("where it does not") { verbs = false; }
  GatesWorld world(verbs ? GatesWorld::Gated(GateUse::kGangplan) : GatesWorld::Unasked());
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  world.Restart();
  const JobSpec greater = Whole("greater", 2, 10);
  world.Register(greater);
  world.Register(job);
  world.ShowGated(greater, 0, 2);
  for (size_t i = 0; i < 2; ++i)
    world.Show(GatesWorld::After(JobPod(job, static_cast<int>(i)), releases[i]));
  for (int i = 0; i < 2; ++i)
    world.ShowBound(ForeignPod(fmt::format("f{}", i), 8), NodeNameAt(0, 1, i));
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Nodes("team/train") == Names{NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1)});
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.StateOf("team/greater") == "Blocked");
  CHECK(world.Take<PodDelete>().empty());
}

// ---- gates of others

TEST_CASE("Late release: a gang of which some wait for others is released when these have gone") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  world.ShowGated(job, 0, 1);
  PodFacts second = GatesWorld::Behind(JobPod(job, 1));
  second.gates.others = true;
  world.Show(second);
  world.Pass(absl::Minutes(1));
  CHECK(world.Take<PodRelease>().empty());
  CHECK(world.Report("team/train").seen == 1);  // no member, and nowhere counted
  second.gates.others = false;
  world.Show(second);
  CHECK(world.Report("team/train").seen == 2);
  CHECK(world.Take<PodRelease>().size() == 2);
}

TEST_CASE("Late release: where Kueue has taken its gate away, its nodes are those of the plan") {
  GatesWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = GatesWorld::Behind(JobPod(job, i));
    pod.gates.kueue_topology = true;
    world.Show(pod);
  }
  world.Pass(absl::Minutes(1));
  CHECK(world.Take<PodRelease>().empty());
  CHECK(world.HoldCount() == 0);
  for (int i = 0; i < 2; ++i) {  // Kueue's ungater gives a selector with the same write
    PodFacts pod = GatesWorld::Behind(JobPod(job, i));
    pod.filter.node_selector = {{"example.com/rack", "r1"}};
    world.Show(pod);
  }
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  CHECK(NamesOf(releases[0].required_terms) == Names{NodeNameAt(0, 1, 0), NodeNameAt(0, 1, 1)});
}

}  // namespace gangplan::late_release_test
