// Gangs whose pods must stand beside other pods, or apart from them and from each other.
#include "tests/extender/planner/lives_world.h"
#include "topology/pod_affinity.h"

namespace gangplan::affinity_test {
namespace {

constexpr std::string_view kRack = "example.com/rack";

PodAffinityTerm Term(std::string_view key, std::string_view app) {
  PodSelector pods;
  pods.namespaces = {"team"};
  pods.labels = {{"app", SelectorOperator::kIn, {std::string(app)}}};
  return {std::string(key), pods};
}

// A gang whose pods are called by an app, with terms.
struct Affine {
  JobSpec job;
  PodAffinity affinity;

  PodFacts Pod(int index) const {
    PodFacts pod = JobPod(job, index);
    pod.affinity = affinity;
    AddResources(pod.requests, ApartOnNode(pod.profile()));
    return pod;
  }
};

Affine Gang(std::string_view app, int32_t size, PodAffinity affinity, int64_t gpus = 1) {
  return {{.name = std::string(app),
           .size = size,
           .gpus = gpus,
           .place = "block=pack!",
           .labels = {{"app", std::string(app)}}},
          std::move(affinity)};
}

PodFacts Runs(std::string_view name, std::string_view app, PodAffinity affinity = {}) {
  PodFacts pod = ForeignPod(name, 0);
  pod.ns = "team";
  pod.labels = {{"app", std::string(app)}};
  pod.affinity = std::move(affinity);
  AddResources(pod.requests, ApartOnNode(pod.profile()));
  return pod;
}

// One block.
struct AffinityWorld : PlannerWorld {
  AffinityWorld(int racks, int nodes) {
    AddNodes(MakeNodes(1, racks, nodes));
    Sync();
  }
  void ShowGang(const Affine& gang) {
    Register(gang.job);
    for (int i = 0; i < gang.job.size; ++i) Show(gang.Pod(i));
  }
  std::string Reason(std::string_view name) { return Report(name).reason; }
  // Every member's domain, in the order of the slots.
  std::vector<std::string> Domains(std::string_view name, int level) {
    std::vector<std::string> domains;
    for (const std::string& node : Nodes(name)) domains.push_back(DomainOf(node, level));
    return domains;
  }
};

using Names = std::vector<std::string>;
const PodAffinity kAlone = {{}, {Term(kHostnameLabel, "ring")}};
const PodAffinity kAloneInRack = {{}, {Term(kRack, "ring")}};
const PodAffinity kTogether = {{Term(kRack, "ring")}, {}};
const PodAffinity kBesideDb = {{Term(kRack, "db")}, {}};
const PodAffinity kNotBesideDb = {{}, {Term(kRack, "db")}};

}  // namespace

TEST_CASE("Affinity: members that exclude each other get a node each") {
  AffinityWorld world(1, 3);
  world.ShowGang(Gang("ring", 3, kAlone));
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0", "b0-r0-n1", "b0-r0-n2"});
}

TEST_CASE("Affinity: more members than nodes that exclude each other are impossible") {
  AffinityWorld world(1, 3);
  world.ShowGang(Gang("ring", 4, kAlone));
  CHECK(world.Report("team/ring").outcome == Outcome::kImpossible);
}

TEST_CASE("Affinity: two gangs of the same kind exclude each other by what they hold") {
  AffinityWorld world(1, 4);
  const Affine first = Gang("ring", 2, kAlone);
  Affine second = first;
  second.job.name = "second";
  world.ShowGang(first);
  world.ShowGang(second);
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0", "b0-r0-n1"});
  CHECK(world.Nodes("team/second") == Names{"b0-r0-n2", "b0-r0-n3"});
}

TEST_CASE("Affinity: a foreign pod of the same kind does not take a held node") {
  AffinityWorld world(1, 3);
  world.ShowGang(Gang("ring", 2, kAlone));
  const PodFacts foreign = Runs("f", "ring", kAlone);
  world.Show(foreign);
  CHECK(world.Passed(foreign) == "b0-r0-n2");
}

TEST_CASE("Affinity: a pod that runs keeps its node from members that exclude it") {
  AffinityWorld world(1, 3);
  const PodFacts foreign = Runs("f", "ring");
  world.ShowBound(foreign, "b0-r0-n1");
  const Affine gang = Gang("ring", 3, kAlone);
  world.ShowGang(gang);
  CHECK(world.Report("team/ring").outcome == Outcome::kWait);
  CHECK(world.Reason("team/ring").ends_with("; 1 node is ruled out by pod anti-affinity"));
  SECTION("until it goes") { world.Delete(foreign); }
  SECTION("until it has finished") { world.ShowFinished(foreign, "b0-r0-n1"); }
  SECTION("until it is called otherwise") {
    PodFacts other = foreign;
    other.labels = {{"app", "other"}};
    world.ShowBound(other, "b0-r0-n1");
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0", "b0-r0-n1", "b0-r0-n2"});
}

TEST_CASE("Affinity: a pod that runs and wants to be alone keeps others off") {
  AffinityWorld world(2, 1);
  const PodFacts db = Runs("db", "db", kAloneInRack);
  world.ShowBound(db, "b0-r0-n0");
  world.ShowGang(Gang("ring", 2, {}, 8));
  CHECK(world.Reason("team/ring").ends_with("; 1 node is ruled out by pod anti-affinity"));
  world.Delete(db);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0", "b0-r1-n0"});
}

TEST_CASE("Affinity: members that exclude each other by a level get a domain each") {
  AffinityWorld world(3, 2);
  const Affine gang = Gang("ring", 3, kAloneInRack);
  SECTION("of an empty cluster") {
    world.ShowGang(gang);
    CHECK(world.Domains("team/ring", 1) == Names{"b0-r0", "b0-r1", "b0-r2"});
  }
  SECTION("beside one that runs") {
    const PodFacts foreign = Runs("f", "ring");
    world.ShowBound(foreign, "b0-r1-n1");
    world.ShowGang(gang);
    CHECK(world.Report("team/ring").outcome == Outcome::kWait);
    CHECK(world.Reason("team/ring").ends_with("; 2 nodes are ruled out by pod anti-affinity"));
    world.Delete(foreign);
    world.Pass(absl::Seconds(1));
    CHECK(world.Domains("team/ring", 1) == Names{"b0-r0", "b0-r1", "b0-r2"});
  }
  SECTION("of which there are too few") {
    world.ShowGang(Gang("ring", 4, kAloneInRack));
    CHECK(world.Report("team/ring").outcome == Outcome::kImpossible);
    CHECK_THAT(world.Reason("team/ring"), ContainsText("max=1"));
  }
}

TEST_CASE("Affinity: pod sets that exclude each other get a node for each member") {
  AffinityWorld world(1, 3);
  Affine gang = Gang("ring", 3, {});
  gang.job.leader_gpus = 1;
  world.Register(gang.job);
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(gang.job, i);
    pod.labels = {{"app", i == 0 ? "leader" : "worker"}};
    pod.affinity.apart = {Term(kHostnameLabel, "worker")};
    AddResources(pod.requests, ApartOnNode(pod.profile()));
    world.Show(pod);
  }
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0", "b0-r0-n1", "b0-r0-n2"});
}

TEST_CASE("Affinity: gangs that exclude each other by a level keep off each other's holds") {
  AffinityWorld world(4, 1);
  const Affine first = Gang("ring", 2, kAloneInRack);
  Affine second = first;
  second.job.name = "second";
  world.ShowGang(first);
  world.ShowGang(second);
  CHECK(world.Domains("team/ring", 1) == Names{"b0-r0", "b0-r1"});
  CHECK(world.Domains("team/second", 1) == Names{"b0-r2", "b0-r3"});
  Affine third = first;
  third.job.name = "third";
  SECTION("one of less worth waits") {
    third.job.size = 1;
    world.ShowGang(third);
    CHECK(world.Report("team/third").outcome == Outcome::kWait);
    for (int i = 0; i < 2; ++i) world.Delete(first.Pod(i));
    world.Pass(absl::Seconds(1));
    CHECK(world.StateOf("team/third") == "Planned");
  }
  SECTION("one of more worth takes them") {
    third.job.priority = 10;
    world.ShowGang(third);
    CHECK(world.StateOf("team/third") == "Planned");
    CHECK(world.HoldCount() == 4);
  }
}

TEST_CASE("Affinity: members go only where a pod runs that they must be beside") {
  AffinityWorld world(3, 2);
  const Affine gang = Gang("ring", 2, kBesideDb);
  world.ShowGang(gang);
  CHECK(world.Report("team/ring").outcome == Outcome::kWait);
  CHECK(world.Reason("team/ring").ends_with("; 6 nodes are ruled out by pod affinity"));
  world.ShowBound(Runs("db", "db"), "b0-r1-n1");
  world.Pass(absl::Seconds(1));
  CHECK(world.Domains("team/ring", 1) == Names{"b0-r1", "b0-r1"});
}

TEST_CASE("Affinity: room held for a gang is no pod to be beside") {
  AffinityWorld world(3, 2);
  const Affine db = Gang("db", 1, {});
  world.ShowGang(db);
  world.ShowGang(Gang("ring", 2, kBesideDb));
  CHECK(world.Report("team/ring").outcome == Outcome::kWait);
  const std::string node = world.FilterAndBind(db.Pod(0));
  CHECK(world.BindAll() == 1);
  world.Pass(absl::Seconds(1));
  CHECK(world.Domains("team/ring", 1) == Names(2, DomainOf(node, 1)));
}

TEST_CASE("Affinity: members keep off the domains of pods that they exclude") {
  AffinityWorld world(2, 2);
  world.ShowBound(Runs("db", "db"), "b0-r0-n0");
  world.ShowGang(Gang("ring", 2, kNotBesideDb));
  CHECK(world.Domains("team/ring", 1) == Names{"b0-r1", "b0-r1"});
}

TEST_CASE("Affinity: members that must be beside each other share a domain") {
  AffinityWorld world(3, 2);
  SECTION("any, while nobody of them runs") {
    world.ShowGang(Gang("ring", 2, kTogether, 8));
    CHECK(world.Domains("team/ring", 1) == Names{"b0-r0", "b0-r0"});
  }
  SECTION("that of those who run") {
    world.ShowBound(Runs("f", "ring"), "b0-r2-n0");
    world.ShowGang(Gang("ring", 2, kTogether, 8));
    CHECK(world.Domains("team/ring", 1) == Names{"b0-r2", "b0-r2"});
  }
  SECTION("and are impossible where none is large enough") {
    world.ShowGang(Gang("ring", 3, kTogether, 8));
    CHECK(world.Report("team/ring").outcome == Outcome::kImpossible);
  }
}

TEST_CASE("Affinity: a replacement goes beside the members that run") {
  AffinityWorld world(2, 3);
  const Affine gang = Gang("ring", 2, kTogether, 8);
  world.ShowGang(gang);
  for (int i = 0; i < 2; ++i) world.FilterAndBind(gang.Pod(i));
  CHECK(world.BindAll() == 2);
  world.DeleteNode("b0-r0-n1");
  world.Delete(gang.Pod(1));
  PodFacts pod = JobPod(gang.job, 1, 1);
  pod.affinity = gang.affinity;
  world.Show(pod);
  CHECK(world.Passed(pod) == "b0-r0-n2");
}

TEST_CASE("Affinity: what neighbours rule out is not learnt as a refusal") {
  AffinityWorld world(1, 3);
  const PodFacts foreign = Runs("f", "ring");
  world.ShowBound(foreign, "b0-r0-n0");
  const Affine gang = Gang("ring", 1, kAlone);
  world.ShowGang(gang);
  PodFacts pod = gang.Pod(0);
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n1"});
  for (int attempt = 0; attempt < 6; ++attempt) {
    world.Filter(pod, {"elsewhere"});
    world.Pass(absl::Milliseconds(600));
    for (const Nomination& one : world.Take<Nomination>()) pod.nominated_node_name = one.node;
  }
  CHECK(world.Report("team/ring").outcome == Outcome::kWait);
  world.Delete(foreign);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/ring") == Names{"b0-r0-n0"});
}

TEST_CASE("Affinity: a node that moves to another domain takes its pods with it") {
  AffinityWorld world(2, 1);
  world.ShowBound(Runs("db", "db"), "b0-r0-n0");
  world.ShowGang(Gang("ring", 1, kNotBesideDb, 8));
  CHECK(world.Nodes("team/ring") == Names{"b0-r1-n0"});
  Affine second = Gang("ring", 1, kNotBesideDb, 8);
  second.job.name = "second";
  world.ShowGang(second);
  CHECK(world.Report("team/second").outcome == Outcome::kWait);
  NodeFacts moved = MakeNode(0, 0, 1);
  moved.labels[1].second = "r9";
  world.Put(moved);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/second") == Names{"b0-r0-n1"});
}

}  // namespace gangplan::affinity_test
