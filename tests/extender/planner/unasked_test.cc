// Gangs that start although nobody calls the verbs: each pod is released to its own node.
#include "fmt/format.h"
#include "tests/extender/planner/gates_world.h"
#include "tests/support/sentences.h"
#include "topology/model.h"

namespace gangplan::unasked_test {
namespace {

using Names = std::vector<std::string>;

JobSpec Pair() { return Whole("train", 2); }

int64_t UsedOn(PlannerWorld& world, std::string_view node) {
  const Model& model = world.planner().model();
  return model.Use(model.FindNode(node), "example.com/gpu").used;
}

// Nobody makes it active, either.
struct UnaskedWorld : PlannerWorld {
  explicit UnaskedWorld(const PlannerOptions& options = GatesWorld::Unasked())
      : PlannerWorld(options) {
    Begin();
  }
  void Begin(int racks = 2) {
    AddNodes(MakeNodes(1, racks, 2));
    Sync();
  }
  void ShowGated(const JobSpec& job, int life = 0) {
    Register(job);
    for (int i = 0; i < job.size; ++i) Show(GatesWorld::Behind(JobPod(job, i, life)));
  }
  void Tell(const PodRelease& release, const absl::Status& status = absl::OkStatus()) {
    planner().OnReleased(now(), release.pod.uid, release.attempt, status);
    REQUIRE(planner().BrokenInvariant() == "");
  }
  // All are released, and shown so.
  std::vector<PodRelease> ReleaseAll(const JobSpec& job) {
    const std::vector<PodRelease> releases = Take<PodRelease>();
    REQUIRE(releases.size() == static_cast<size_t>(job.size));
    for (int i = 0; i < job.size; ++i) {
      Tell(releases[static_cast<size_t>(i)]);
      Show(After(job, i, releases));
    }
    return releases;
  }
  static PodFacts After(const JobSpec& job, int index, const std::vector<PodRelease>& releases) {
    return GatesWorld::After(JobPod(job, index), releases[static_cast<size_t>(index)]);
  }
};

// The second pod, made again, goes to the third node of the first rack.
void CheckMadeAnew(UnaskedWorld& world, const JobSpec& job) {
  world.Show(GatesWorld::Behind(JobPod(job, 1, 1)));
  const auto again = world.Take<PodRelease>();
  REQUIRE(again.size() == 1);
  CHECK(NamesOf(again[0].required_terms) == Names{NodeNameAt(0, 0, 2)});
}

}  // namespace

TEST_CASE("Unasked: each pod is released to its own node, with its rank, and bound by the others") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  for (int i = 0; i < 2; ++i) {
    const PodRelease& release = releases[static_cast<size_t>(i)];
    CHECK(NamesOf(release.required_terms) == Names{NodeNameAt(0, 0, i)});
    CHECK(*FindLabel(release.annotations, kPinnedAnnotation) == "node");
    CHECK(*FindLabel(release.annotations, kAssignedRankAnnotation) == fmt::format("{}", i));
    CHECK(*FindLabel(release.annotations, kPlanAnnotation) == "train.1");
  }
  CHECK(world.HoldCount() == 2);
  for (int i = 0; i < 2; ++i)
    world.ShowBound(UnaskedWorld::After(job, i, releases), NodeNameAt(0, 0, i));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.HoldCount() == 0);
  CHECK(world.Take<PodRelease>().empty());
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Unasked: who is not bound in time keeps its room, and somebody is told") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  bool one = false;
  SECTION("none of them is") {}
  SECTION("one of them is") { one = true; }
  if (one) world.ShowBound(UnaskedWorld::After(job, 0, releases), NodeNameAt(0, 0, 0));
  for (int minutes = 0; minutes < 20; ++minutes) world.Pass(absl::Minutes(1));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == (one ? 1 : 2));
  CHECK(world.Nodes("team/train") == Names{NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1)});
  const std::string why = world.Report("team/train").reason;
  CHECK(why == (one ? "" : Sentence("released and not bound", "train", 2).text()));
  world.ShowBound(UnaskedWorld::After(job, 1, releases), NodeNameAt(0, 0, 1));
  if (!one) world.ShowBound(UnaskedWorld::After(job, 0, releases), NodeNameAt(0, 0, 0));
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Unasked: whom the scheduler refuses for a while is planned elsewhere, and made anew") {
  UnaskedWorld world;
  world.Put(MakeNode(0, 0, 2));
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 1));
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  const std::string refused = NamesOf(releases[1].required_terms)[0];
  PodFacts pod = UnaskedWorld::After(job, 1, releases);
  pod.scheduler_words = "0/5 nodes are available: 1 node(s) had a full disk.";
  world.Show(pod);
  world.ForgetEffects();
  world.Pass(kRefusedFor - absl::Milliseconds(1));
  CHECK(world.Nodes("team/train")[1] == refused);
  world.Pass(absl::Milliseconds(1));
  CHECK(world.Nodes("team/train")[1] == NodeNameAt(0, 0, 2));
  const auto events = world.Take<EventNote>();
  REQUIRE(events.size() == 1);
  CHECK(events[0].note ==
        Sentence("refused where it was released to", "train", 2, pod.scheduler_words));
  CHECK(UsedOn(world, refused) == 8);  // it may still go there
  world.Pass(kFruitlessPause);
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 1);
  CHECK(deletes[0].pod.uid == pod.uid);
  CHECK(UsedOn(world, refused) == 8);
  world.Delete(JobPod(job, 1));
  CHECK(UsedOn(world, refused) == 0);
  CheckMadeAnew(world, job);
}

TEST_CASE("Unasked: whom the scheduler refuses for a moment stays where it is") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  PodFacts pod = UnaskedWorld::After(job, 1, releases);
  pod.scheduler_words = "0/4 nodes are available.";
  world.Show(pod);
  world.Pass(kRefusedFor / 2);
  pod.scheduler_words.clear();
  world.Show(pod);
  world.Pass(kRefusedFor);
  world.Pass(kFruitlessPause);
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Unasked: a release that may land keeps its room, also when its group is made anew") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  for (const PodRelease& release : releases)
    world.Tell(release, absl::UnavailableError("time-out"));
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 0));  // which makes the other rack better
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = GatesWorld::Behind(JobPod(job, i));
    SetWord(pod.annotations, "gangplan.io/place", "block=pack!");
    pod.resource_version = "2";
    world.Show(pod);
  }
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Nodes("team/train") == Names{NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1)});
  const JobSpec other = Whole("other", 2);
  world.ShowGated(other);
  CHECK(world.StateOf("team/other") == "Blocked");
  for (int i = 0; i < 2; ++i) world.Show(UnaskedWorld::After(job, i, releases));
  world.Pass(absl::Minutes(2));
  CHECK(world.Nodes("team/train") == Names{NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1)});
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Unasked: anybody may say that a pod was released: of no gang it has no room") {
  UnaskedWorld world;
  PodFacts pod = ForeignPod("forged", 8);
  SetWord(pod.annotations, kPinnedAnnotation, "node");
  pod.filter.required_terms = PinToOne({}, NodeNameAt(0, 0, 0)).terms;
  SECTION("as any other pod") {}
  SECTION("behind a gate of somebody else") { pod.gates.others = true; }
  SECTION("of another scheduler") { pod.scheduler_name = "other"; }
  SECTION("while groups are found again") { world.Restart(); }
  world.Show(pod);
  if (world.planner().model().FindNode(NodeNameAt(0, 0, 1)) == kNoNode) world.Begin();
  CHECK(UsedOn(world, NodeNameAt(0, 0, 0)) == 0);
  JobSpec job = Whole("train", 4);
  job.place = "block=pack!";
  world.ShowGated(job);
  CHECK(world.HoldCount() == 4);
}

TEST_CASE("Unasked: who is put out of its slot by one that was released there gets another") {
  UnaskedWorld world;
  JobSpec job = Pair();
  job.indexed = false;
  world.Restart();
  world.Register(job);
  PodFacts released = JobPod(job, 1);
  SetWord(released.annotations, kPinnedAnnotation, "node");
  SetWord(released.annotations, kAssignedRankAnnotation, "0");
  SetWord(released.annotations, kPlanAnnotation, "train.1");
  released.filter.required_terms = PinToOne({}, NodeNameAt(0, 0, 0)).terms;
  world.Show(released);
  world.Show(GatesWorld::Behind(JobPod(job, 0)));
  world.Begin();
  world.Pass(absl::Seconds(1));
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 1);
  CHECK(releases[0].pod.name == JobPod(job, 0).name);
}

TEST_CASE("Unasked: a gang of several shapes that loses a node is made anew where it must be") {
  PlannerOptions options = GatesWorld::Unasked();
  options.leaves_of_several = 0;  // every question goes to a copy
  UnaskedWorld world(options);
  JobSpec job = Whole("train", 3);
  job.leader_gpus = 4;
  job.place = "block=pack!";
  world.ShowBound(ForeignPod("f", 8), NodeNameAt(0, 1, 1));
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  world.DeleteNode(NamesOf(releases[2].required_terms)[0]);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/train") == "Blocked");
  CHECK(world.Take<PodDelete>().empty());
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().size() == 1);
  world.Delete(JobPod(job, 2));
  world.Show(GatesWorld::Behind(JobPod(job, 2, 1)));
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/train") == "Blocked");
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Take<PodDelete>().size() == 2);
}

TEST_CASE("Unasked: nobody lets go of room for a pod that says that it was released to it") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  PodFacts forged = ForeignPod("forged", 8);
  SetWord(forged.annotations, kPinnedAnnotation, "node");
  forged.filter.required_terms = PinToOne({}, NodeNameAt(0, 0, 0)).terms;
  world.Show(forged);
  CHECK(world.HoldCount() == 2);
  CHECK(world.Nodes("team/train")[0] == NodeNameAt(0, 0, 0));
}

TEST_CASE("Unasked: who was released keeps its room when the words of its gang are read anew") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 0));  // which makes the other rack better
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = UnaskedWorld::After(job, i, releases);
    SetWord(pod.annotations, "gangplan.io/place", "block=pack!");
    world.Show(pod);
  }
  world.Pass(absl::Seconds(20));
  CHECK(world.Nodes("team/train") == Names{NodeNameAt(0, 0, 0), NodeNameAt(0, 0, 1)});
  CHECK(world.HoldCount() == 2);
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Unasked: whose node goes is deleted, and the new one goes to where there is room") {
  UnaskedWorld world;
  world.Put(MakeNode(0, 0, 2));
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 1));
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.ReleaseAll(job);
  const std::string lost = NamesOf(releases[1].required_terms)[0];
  world.DeleteNode(lost);
  CHECK(world.HoldCount() == 2);
  world.Pass(absl::Milliseconds(50));
  world.Pass(kFruitlessPause);
  const auto deletes = world.Take<PodDelete>();
  REQUIRE(deletes.size() == 1);
  CHECK(deletes[0].pod.name == "train-1-0");
  world.Delete(JobPod(job, 1));
  CheckMadeAnew(world, job);
}

TEST_CASE("Unasked: the next instance holds the room of who was released, and releases the rest") {
  UnaskedWorld world;
  const JobSpec job = Pair();
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  world.Restart();
  world.Register(job);
  world.Show(UnaskedWorld::After(job, 1, releases));
  world.Show(GatesWorld::Behind(JobPod(job, 0)));
  world.ShowBound(ForeignPod("f", 1), NodeNameAt(0, 1, 0));  // which makes the other rack better
  world.Begin();
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Nodes("team/train")[1] == NodeNameAt(0, 0, 1));
  const auto rest = world.Take<PodRelease>();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].pod.name == "train-0-0");
  CHECK(NamesOf(rest[0].required_terms) == Names{NodeNameAt(0, 0, 0)});
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("Unasked: each of a pod's own terms gets the node") {
  NodeFilter own;
  const SelectorRequirement zone{"zone", SelectorOperator::kIn, {"a"}};
  own.required_terms = {{{zone}, {}}, {{}, {}}};
  const Pin pin = PinToOne(own, "n1");
  REQUIRE(pin.terms.size() == 2);
  CHECK(NamesOf({pin.terms[0]}) == Names{"n1"});
  CHECK(pin.terms[1] == NodeSelectorTerm());
  PodFacts pod;
  pod.filter.required_terms = pin.terms;
  SetWord(pod.annotations, kPinnedAnnotation, pin.words);
  CHECK(OwnNodeOf(pod) == "n1");
  CHECK(OwnFilterOf(pod) == own);
  CHECK(SharedPinOf(pod) == nullptr);
  pod.filter.required_terms = PinToOne({}, "n2").terms;
  CHECK(OwnNodeOf(pod) == "n2");
  CHECK(OwnFilterOf(pod) == NodeFilter());
}

}  // namespace gangplan::unasked_test
