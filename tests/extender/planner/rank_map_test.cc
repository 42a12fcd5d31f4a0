// Gangs with a rank map (gangplan.io/ranks): which rank goes to which node when they start, when
// members are lost and come back, and after a restart.
#include <functional>
#include <set>

#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/support/replica.h"

namespace gangplan::rank_map_test {
namespace {

// Two GPUs each, so four of them to a node, in units of four by node and eight by rack.
JobSpec Mapped(int32_t size) {
  return {.name = "train",
          .size = size,
          .gpus = 2,
          .words = {{"gangplan.io/ranks", "tp=4 node; pp=2 rack; dp block"}}};
}

struct MappedWorld : PlannerWorld {
  MappedWorld(int blocks, int racks, int nodes) {
    AddNodes(MakeNodes(blocks, racks, nodes));
    Sync();
  }
  std::vector<std::string> Nodes() { return PlannerWorld::Nodes("team/train"); }
  // The domains of a level that hold the ranks from `first` on.
  std::set<std::string> Of(int level, size_t first, size_t count) {
    std::set<std::string> domains;
    const std::vector<std::string> nodes = Nodes();
    for (size_t rank = first; rank < first + count; ++rank)
      domains.insert(level == 2 ? nodes[rank] : DomainOf(nodes[rank], level));
    return domains;
  }
  void CheckUnits(size_t members) {
    for (size_t rank = 0; rank < members; rank += 4) CHECK(Of(2, rank, 4).size() == 1);
    for (size_t rank = 0; rank < members; rank += 8) CHECK(Of(1, rank, 8).size() == 1);
    CHECK(Of(0, 0, members).size() == 1);
  }
  // Each is made anew, once more than `life` times; true: all start again.
  bool Renew(const JobSpec& job, std::vector<int> ranks, int life) {
    for (const int rank : ranks) Delete(JobPod(job, rank, life));
    for (const int rank : ranks) Show(JobPod(job, rank, life + 1));
    Pass(absl::Seconds(1));
    for (const int rank : ranks)
      if (!Try(*this, JobPod(job, rank, life + 1))) return false;
    return BindAll() == static_cast<int>(ranks.size());
  }
};

}  // namespace

TEST_CASE("Rank map: units of consecutive ranks are each in one domain of their level") {
  MappedWorld world(2, 2, 3);
  // One node of each rack of the first block has no room for a unit.
  for (const char* node : {"b0-r0-n1", "b0-r1-n0"})
    world.ShowBound(ForeignPod(fmt::format("on-{}", node), 2), node);
  const JobSpec job = Mapped(16);
  Run(world, job);
  world.CheckUnits(16);
  CHECK(world.Report("team/train").place == "ranks tp=4 node; pp=2 rack; dp block");
  CHECK(world.Nodes()[3] == world.Nodes()[0]);
}

TEST_CASE("Rank map: members that are lost come back to the rest of their units") {
  MappedWorld world(1, 3, 3);
  const JobSpec job = Mapped(24);
  Run(world, job);
  const std::vector<std::string> before = world.Nodes();
  REQUIRE(world.Renew(job, {13, 2, 22}, 0));
  CHECK(world.Nodes() == before);
  // A whole unit, whose node is taken by somebody else meanwhile: it goes to another one beside the
  // other unit of its rack.
  for (const int rank : {4, 5, 6, 7}) world.Delete(JobPod(job, rank));
  world.ShowBound(ForeignPod("other", 8), before[4]);
  for (const int rank : {4, 5, 6, 7}) world.Show(JobPod(job, rank, 1));
  world.Pass(absl::Seconds(1));
  for (const int rank : {4, 5, 6, 7}) REQUIRE(Try(world, JobPod(job, rank, 1)));
  REQUIRE(world.BindAll() == 4);
  world.CheckUnits(24);
  CHECK(world.Nodes()[4] != before[4]);
}

// By number alone the four that are lost would be one unit on another node.
TEST_CASE("Rank map: halves of two units on one node are both made whole there") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2, 8));
  world.Sync();
  JobSpec job = Mapped(8);
  job.gpus = 1;
  Run(world, job);
  const std::vector<std::string> before = world.Nodes("team/train");
  REQUIRE(std::set<std::string>(before.begin(), before.end()).size() == 1);
  for (const int rank : {1, 2, 5, 6}) world.Delete(JobPod(job, rank));
  for (const int rank : {5, 6, 1, 2}) world.Show(JobPod(job, rank, 1));
  world.Pass(absl::Seconds(1));
  for (const int rank : {1, 2, 5, 6}) REQUIRE(Try(world, JobPod(job, rank, 1)));
  REQUIRE(world.BindAll() == 4);
  CHECK(world.Nodes("team/train") == before);
}

TEST_CASE("Rank map: while only some of a lost unit are made again room is held for all of it") {
  MappedWorld world(1, 2, 3);
  const JobSpec job = Mapped(16);
  Run(world, job);
  const std::vector<std::string> before = world.Nodes();
  for (const int rank : {8, 9, 10, 11}) world.Delete(JobPod(job, rank));
  world.Show(JobPod(job, 9, 1));
  world.Pass(absl::Seconds(1));
  INFO(world.Refusal(JobPod(job, 9, 1)));
  REQUIRE(Try(world, JobPod(job, 9, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.HoldCount() == 3);
  for (const int rank : {8, 10, 11}) world.Show(JobPod(job, rank, 1));
  for (const int rank : {8, 10, 11}) REQUIRE(Try(world, JobPod(job, rank, 1)));
  REQUIRE(world.BindAll() == 3);
  world.CheckUnits(16);
}

TEST_CASE("Rank map: a restart reads it anew from the pods") {
  MappedWorld first(1, 2, 3);
  const JobSpec job = Mapped(16);
  Run(first, job);
  const std::vector<std::string> before = first.Nodes();
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Register(job);
  for (int rank = 0; rank < 16; ++rank) {
    if (rank != 6) world.Show(BoundByUs(job, rank, before[static_cast<size_t>(rank)], rank));
  }
  world.Show(JobPod(job, 6, 1));
  world.Sync();
  world.Pass(absl::Seconds(1));
  REQUIRE(Try(world, JobPod(job, 6, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.Nodes("team/train") == before);
}

TEST_CASE("Rank map: a gang of another size is told, and waits for a better one") {
  MappedWorld world(1, 2, 3);
  const JobSpec job = Mapped(12);
  world.ShowJob(job, 0, 12);
  CHECK(world.Refusal(JobPod(job, 0)) ==
        "gang team/train: invalid: rack=pack ranks=8: 12 members are no multiple of 8");
}

// A leader and seven workers of a LeaderWorkerSet, in units of four.
namespace {

PodFacts OfSet(JobSpec job, int index, int life = 0) {
  if (index == 0) job.cpu = 500;
  PodFacts pod = JobPod(job, index, life);
  pod.controller = OwnerRef{"apps/v1", "StatefulSet", index > 0 ? job.name + "-workers" : "serve",
                            index > 0 ? "uid-workers-" + job.name : "uid"};
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/name", "serve");
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/group-index", "0");
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/worker-index", fmt::format("{}", index));
  SetWord(pod.annotations, "leaderworkerset.sigs.k8s.io/size", "8");
  return pod;
}

void ShowSet(PlannerWorld& world, const std::function<PodFacts(int)>& pod) {
  world.Register(WorkersOf(pod(0).uid, pod(1)));
  for (int i = 0; i < 8; ++i) world.Show(pod(i));
}

}  // namespace

TEST_CASE("Rank map: the leader of a LeaderWorkerSet is the first of its ranks") {
  MappedWorld world(1, 2, 3);
  JobSpec job = Mapped(8);
  job.indexed = false;
  ShowSet(world, [&](int i) { return OfSet(job, i); });
  for (int i = 0; i < 8; ++i) REQUIRE(Try(world, OfSet(job, i)));
  REQUIRE(world.BindAll() == 8);
  const std::vector<std::string> before = world.PlannerWorld::Nodes("team/serve-0");
  for (size_t rank = 0; rank < 8; rank += 4)
    CHECK(std::set<std::string>(before.begin() + static_cast<std::ptrdiff_t>(rank),
                                before.begin() + static_cast<std::ptrdiff_t>(rank + 4))
              .size() == 1);
  // A worker of either unit is made anew.
  for (const int i : {3, 6}) world.Delete(OfSet(job, i));
  for (const int i : {6, 3}) world.Show(OfSet(job, i, 1));
  world.Pass(absl::Seconds(1));
  for (const int i : {3, 6}) REQUIRE(Try(world, OfSet(job, i, 1)));
  REQUIRE(world.BindAll() == 2);
  CHECK(world.PlannerWorld::Nodes("team/serve-0") == before);
}

namespace {

// A pod of a replica of eight, in two sub-groups that have a rack each for themselves.
PodFacts OfSubGroup(int replica, int index, int life = 0) {
  JobSpec job = {.name = fmt::format("serve-{}", replica),
                 .size = 8,
                 .gpus = 2,
                 .indexed = false,
                 .words = {{"gangplan.io/place", "any"}}};
  PodFacts pod = OfSet(job, index, life);
  const std::string number = fmt::format("{}", replica);
  const std::string sub_group = fmt::format("{}-{}", replica, index / 4);
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/group-index", number);
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/group-key", number);
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/subgroup-key", sub_group);
  SetWord(pod.annotations, "leaderworkerset.sigs.k8s.io/subgroup-size", "4");
  SetWord(pod.annotations, "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
          "example.com/rack");
  PodAffinityTerm others;
  others.topology_key = "example.com/rack";
  others.pods.namespaces = {pod.ns};
  others.pods.labels = {
      {"leaderworkerset.sigs.k8s.io/group-key", SelectorOperator::kNotIn, {number}},
      {"leaderworkerset.sigs.k8s.io/subgroup-key", SelectorOperator::kExists, {}}};
  pod.affinity.apart = {others};
  return pod;
}

}  // namespace

TEST_CASE("Rank map: sub-groups of LeaderWorkerSets have a rack each for themselves") {
  MappedWorld world(1, 5, 2);
  std::set<std::string> racks;
  for (const int replica : {0, 1}) {
    ShowSet(world, [&](int i) { return OfSubGroup(replica, i); });
    for (int i = 0; i < 8; ++i) REQUIRE(Try(world, OfSubGroup(replica, i)));
    REQUIRE(world.BindAll() == 8);
    const auto nodes = world.PlannerWorld::Nodes(fmt::format("team/serve-{}", replica));
    for (size_t first = 0; first < 8; first += 4) {
      const std::string rack = DomainOf(nodes[first], 1);
      CHECK(racks.insert(rack).second);
      for (size_t rank = first; rank < first + 4; ++rank) CHECK(DomainOf(nodes[rank], 1) == rack);
    }
  }
  // One rack is left: a third replica needs two.
  ShowSet(world, [&](int i) { return OfSubGroup(2, i); });
  CHECK_FALSE(Try(world, OfSubGroup(2, 0)));
  const std::string why = world.Refusal(OfSubGroup(2, 0));
  INFO(why);
  CHECK(why.find("8 nodes are ruled out by pod anti-affinity") != std::string::npos);

  // Who is lost of either sub-group comes back to its rack, also after a restart.
  const auto before = world.PlannerWorld::Nodes("team/serve-1");
  for (const int i : {1, 6}) world.Delete(OfSubGroup(1, i));
  for (const int i : {6, 1}) world.Show(OfSubGroup(1, i, 1));
  world.Pass(absl::Seconds(1));
  for (const int i : {6, 1}) REQUIRE(Try(world, OfSubGroup(1, i, 1)));
  REQUIRE(world.BindAll() == 2);
  const auto after = world.PlannerWorld::Nodes("team/serve-1");
  for (size_t rank = 0; rank < 8; ++rank)
    CHECK(DomainOf(after[rank], 1) == DomainOf(before[rank], 1));
}

// The last one comes first: the place of the other one beside it is kept meanwhile.
TEST_CASE("Rank map: two ranks that are lost together come back in any order") {
  MappedWorld world(1, 2, 3);
  JobSpec job = Mapped(8);
  job.indexed = false;
  ShowSet(world, [&](int i) { return OfSet(job, i); });
  for (int i = 0; i < 8; ++i) REQUIRE(Try(world, OfSet(job, i)));
  REQUIRE(world.BindAll() == 8);
  const std::vector<std::string> before = world.PlannerWorld::Nodes("team/serve-0");
  for (const int i : {4, 6}) world.Delete(OfSet(job, i));
  world.Show(OfSet(job, 6, 1));
  world.Pass(absl::Seconds(1));
  INFO(world.Refusal(OfSet(job, 6, 1)));
  REQUIRE(Try(world, OfSet(job, 6, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.HoldCount() == 1);
  world.Show(OfSet(job, 4, 1));
  REQUIRE(Try(world, OfSet(job, 4, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.PlannerWorld::Nodes("team/serve-0") == before);
}

namespace {

// Starts with one unit of four; more may join.
JobSpec Joined(int32_t size) {
  JobSpec job = Mapped(size);
  job.words = {{"gangplan.io/ranks", "tp=4 node; dp block"}, {"gangplan.io/start", "4"}};
  return job;
}

void StartJoined(MappedWorld& world, const JobSpec& job) {
  world.ShowJob(job, 0, 4);
  for (const int rank : {0, 1, 2, 3}) REQUIRE(Try(world, JobPod(job, rank)));
  REQUIRE(world.BindAll() == 4);
}

int BindThose(PlannerWorld& world, const JobSpec& job, int first, int end, int life = 0) {
  for (int rank = first; rank < end; ++rank) Try(world, JobPod(job, rank, life));
  return world.BindAll();
}

}  // namespace

TEST_CASE("Rank map: of those who join a gang whole units do, and the rest when it is whole") {
  MappedWorld world(1, 2, 3);
  const JobSpec job = Joined(12);
  StartJoined(world, job);
  for (int rank = 4; rank < 9; ++rank) world.Show(JobPod(job, rank));
  world.Pass(absl::Seconds(1));
  INFO(world.Report("team/train").reason);
  CHECK(BindThose(world, job, 4, 9) == 4);
  CHECK(world.Of(2, 4, 4).size() == 1);
  for (int rank = 9; rank < 12; ++rank) world.Show(JobPod(job, rank));
  world.Pass(absl::Seconds(1));
  CHECK(BindThose(world, job, 8, 12) == 4);
  CHECK(world.Of(2, 8, 4).size() == 1);
}

TEST_CASE("Rank map: who is missing in a unit comes before units that have no room") {
  MappedWorld world(1, 1, 1);
  const JobSpec job = Joined(8);
  StartJoined(world, job);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  for (int rank = 4; rank < 8; ++rank) world.Show(JobPod(job, rank));
  world.Pass(absl::Seconds(1));
  INFO(world.Refusal(JobPod(job, 2, 1)));
  CHECK(BindThose(world, job, 2, 3, 1) == 1);
  CHECK(BindThose(world, job, 4, 8) == 0);
}

TEST_CASE("Rank map: a member comes back to units of which others have succeeded") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2, 8));
  world.Sync();
  JobSpec job = Mapped(8);
  job.gpus = 1;
  job.words = {{"gangplan.io/ranks", "tp=4 node"}};
  Run(world, job);
  const std::vector<std::string> before = world.Nodes("team/train");
  for (const int rank : {0, 1, 4, 5}) world.ShowFinished(JobPod(job, rank), before[0]);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  world.Pass(absl::Seconds(1));
  INFO(world.Report("team/train").reason);
  REQUIRE(Try(world, JobPod(job, 2, 1)));
  REQUIRE(world.BindAll() == 1);
  CHECK(world.Report("team/train").bound == 4);
}

}  // namespace gangplan::rank_map_test
