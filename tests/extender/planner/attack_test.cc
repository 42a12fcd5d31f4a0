// What somebody who may create pods in one namespace can make of the planner's turns: work is
// counted where it can be, and elsewhere held below what a quadratic walk would take.
#include <memory>

#include "extender/planner/limits.h"
#include "extender/planner/neighbours.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/clock.h"

namespace gangplan::attack_test {
namespace {

void CarryOutCopies(Planner& planner, absl::Time now) {
  for (Effect& effect : planner.TakeEffects()) {
    auto* solve = std::get_if<SolveOnCopy>(&effect);
    if (solve == nullptr) continue;
    solve->task->Run();
    planner.OnSolved(now, *solve->task);
  }
}

PodFacts PodOf(std::string_view name, std::string_view group, int size, int64_t gpus) {
  PodFacts pod = ForeignPod(name, gpus);
  SetWord(pod.annotations, "gangplan.io/group", group);
  SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", size));
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
  return pod;
}

PodFacts MemberOf(std::string_view set, int index, int of_each) {
  PodFacts pod = ForeignPod(fmt::format("{}-{}", set, index), 0);
  SetWord(pod.annotations, "gangplan.io/group", "pairs");
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
  SetWord(pod.annotations, "gangplan.io/pod-set", set);
  SetWord(pod.annotations, "gangplan.io/pod-sets", fmt::format("a={},b={}", of_each, of_each));
  return pod;
}

// Selects pods of all namespaces that have a label of this name.
PodSelector Wide(int key) {
  PodSelector pods;
  pods.all_namespaces = true;
  pods.labels = {{fmt::format("key-{}", key), SelectorOperator::kExists, {}}};
  return pods;
}

ProfileRef Apart(const std::vector<int>& keys) {
  PodProfile who{"team", PackedLabels(LabelSet{{"app", "a"}}), {}};
  for (int key : keys) who.affinity.apart.push_back({"example.com/rack", Wide(key)});
  return std::make_shared<const PodProfile>(std::move(who));
}

// Nothing is ever decided; counts who was asked for in a turn, and who beside it.
struct Undecided {
  int in_turns = 0;
  int beside = 0;

  Solved Ask(const PlacementRequest& request, const Budget& budget) {
    ++(budget.steps == kSolveSteps ? in_turns : beside);
    Solved solved;
    solved.result.outcome = Outcome::kWait;
    solved.result.proven = request.pod_sets.empty();
    return solved;
  }
};

}  // namespace

TEST_CASE("Attack: groups that no engine decides are asked once in a turn, and once beside it") {
  constexpr int kGroups = 40;
  const auto asked = std::make_shared<Undecided>();
  PlannerOptions options = PlannerWorld::Options();
  options.engine = [asked](const auto&, const auto&, const PlacementRequest& request,
                           const Budget& budget) { return asked->Ask(request, budget); };
  Planner planner(std::move(options));
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  for (const NodeFacts& node : MakeNodes(1, 1, 4)) REQUIRE(planner.OnNode(now, node).ok());
  planner.SetActive(now, true);
  planner.OnSynced(now);
  for (int i = 0; i < kGroups; ++i)
    planner.OnPod(now, PodOf(fmt::format("p{}", i), fmt::format("g{}", i), 1, 1));
  for (int i = 0; i < 3 * kGroups; ++i) {
    CarryOutCopies(planner, now);
    planner.Tick(now);
  }
  CHECK(asked->in_turns == kGroups);
  CHECK(asked->beside == kGroups);
}

TEST_CASE("Attack: pods that are too many for one pod set do not slow what becomes of another") {
  constexpr int kOfEach = 600;
  Planner planner(PlannerWorld::Options());
  absl::Time now = absl::FromUnixSeconds(1'000'000);
  for (const NodeFacts& node : MakeNodes(5, 5, 5)) REQUIRE(planner.OnNode(now, node).ok());
  planner.SetActive(now, true);
  planner.OnSynced(now);
  planner.OnPod(now, MemberOf("b", 0, kOfEach));
  for (int i = 0; i < 3 * kOfEach; ++i) planner.OnPod(now, MemberOf("a", i, kOfEach));
  REQUIRE(planner.Report("team/pairs")->state == GroupState::kGathering);
  now += absl::Minutes(6);
  const absl::Duration start = ThreadCpuTime();
  planner.Tick(now);
  CHECK(ThreadCpuTime() - start < absl::Milliseconds(500));
  CHECK(planner.BrokenInvariant() == "");
}

TEST_CASE("Attack: a gang's room is held against others' terms once, not slot by slot") {
  constexpr int kTerms = 1'000;
  Neighbours neighbours;
  for (int i = 0; i < kTerms; ++i) neighbours.Seek(i, 0, Apart({i}));
  const ProfileRef who = Apart({});
  std::vector<Neighbours::StandId> stands;
  for (int i = 0; i < 500; ++i) stands.push_back(neighbours.Put(i, who, true));
  for (Neighbours::StandId stand : stands) neighbours.Erase(stand);
  CHECK(neighbours.compared() == kTerms);
  // Others are followed now.
  neighbours.Seek(kTerms, 0, Apart({kTerms}));
  neighbours.Put(0, who, true);
  CHECK(neighbours.compared() == 2 * kTerms + 1);
}

TEST_CASE("Attack: terms that go by the thousand are not held against every group") {
  constexpr int kGroups = 200;
  const bool beyond = GENERATE(false, true);
  Neighbours neighbours;
  for (int i = 0; i < kGroups; ++i) neighbours.Seek(i, 0, Apart({}));
  const uint64_t before = neighbours.Gain(0);
  const int terms = static_cast<int>(kMaxGoneLooks) / kGroups + static_cast<int>(beyond);
  std::vector<Neighbours::StandId> stands;
  for (int i = 0; i < terms; ++i) stands.push_back(neighbours.Put(0, Apart({i}), false));
  for (Neighbours::StandId stand : stands) neighbours.Erase(stand);
  const uint64_t after = neighbours.Gain(0);
  CHECK(neighbours.compared() == (beyond ? 0 : static_cast<int64_t>(kMaxGoneLooks)));
  CHECK((after > before) == beyond);  // none of them has selected it
}

TEST_CASE("Attack: a template that goes has so many pods of its group judged anew in one turn") {
  const int others = static_cast<int>(kMaxJudgedAnew) + GENERATE(0, 1);
  Planner planner(PlannerWorld::Options());
  absl::Time now = absl::FromUnixSeconds(1'000'000);
  for (const NodeFacts& node : MakeNodes(1, 1, 4)) REQUIRE(planner.OnNode(now, node).ok());
  planner.SetActive(now, true);
  planner.OnSynced(now);
  const PodFacts teller = PodOf("teller", "g", others, 1);
  planner.OnPod(now, teller);
  for (int i = 0; i < others; ++i) planner.OnPod(now, PodOf(fmt::format("p{}", i), "g", others, 2));
  REQUIRE(planner.Report("team/g")->problems.size() == static_cast<size_t>(others));
  planner.OnPodDeleted(now, teller.uid);
  CHECK(planner.Report("team/g")->seen == static_cast<int>(kMaxJudgedAnew));
  CHECK(planner.BrokenInvariant() == "");
  planner.Tick(now);
  CHECK(planner.Report("team/g")->seen == others);
  CHECK(planner.BrokenInvariant() == "");
}

TEST_CASE("Attack: a group that begins with a faulty pod claims no more than others") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.members = 10;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  PodFacts faulty = PodOf("faulty", "g", 1, 1);
  SetWord(faulty.annotations, "gangplan.io/place", "rack=pakc!");
  world.Show(faulty);
  world.Show(PodOf("greedy", "g", 11, 1));
  CHECK(world.planner().Stats().refused_claims == 1);
  world.Show(PodOf("modest", "g", 10, 1));
  CHECK(world.planner().Stats().refused_claims == 1);
  CHECK(world.Report("team/g").size == 10);
}

TEST_CASE("Attack: of the pods that wait for one owner so many are judged in a turn") {
  const auto most = static_cast<int>(kJoinedAtOnce);
  const JobSpec job = {.name = "train", .size = most + 1, .place = "rack=pack"};
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  world.answer_owners = false;
  for (int i = 0; i <= most; ++i) world.planner().OnPod(world.now(), JobPod(job, i));
  world.planner().OnOwner(world.now(), OwnerKey("team", job.Uid()), JobOwner(job));
  CHECK(world.Report("team/train").seen == most);
  CHECK(world.planner().busy());
  world.planner().Tick(world.now());
  CHECK(world.Report("team/train").seen == most + 1);
}

// Anybody may write any UID on pods of their own, and who comes first at a restart is chance.
TEST_CASE(
    "Attack: a stranger's pod with the UID of somebody's owner speaks of nobody else's gang") {
  const JobSpec job = {.name = "train", .size = 3, .gpus = 8, .place = "rack=pack"};
  PlannerWorld world;
  world.Register(job);
  PodFacts stranger = JobPod(job, 0);
  stranger.name = stranger.uid = "stranger";
  stranger.ns = "evil";
  stranger.controller->name = "forged";
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Show(stranger);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = NodeNameAt(0, 0, i);
    pod.phase = PodPhase::kRunning;
    world.Show(pod);
  }
  world.Show(JobPod(job, 2));
  world.Sync();
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/train").bound == 2);
  CHECK_FALSE(world.Passed(JobPod(job, 2)).empty());
}

}  // namespace gangplan::attack_test
