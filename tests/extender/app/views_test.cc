#include "extender/app/views.h"

#include <thread>

#include "extender/app/limits.h"
#include "extender/app/topology_gaps.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "kube_fakes.h"
#include "metric_value.h"
#include "standard_error.h"
#include "stub_cluster.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/check.h"

namespace gangplan::views_test {
namespace {

struct World {
  explicit World(PlannerOptions options = PlannerWorld::Options())
      : planner(
            std::move(options), metrics, [](Effects) {}, [] {}) {}
  Metrics metrics;
  StubCluster cluster;
  std::atomic<bool> draining = false;
  LockedPlanner planner;
  FakeClock clock;
  Ticker ticker{planner, [] {}, [] { return Ticker::Signs{true}; }, clock};
  Views views{planner, ticker, cluster, metrics, clock, draining};

  // On any thread, so without an assertion of the test's.
  void Put(const std::vector<NodeFacts>& nodes) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (const NodeFacts& node : nodes)
        GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
    });
  }
  std::string Topology() { return views.Info("topology").body; }
  int ReportTurns() { return MetricValue(metrics, "gangplan_lock_seconds_count{call=\"report\"}"); }
};

TEST_CASE("Views: the topology is told node by node, with the use of the first device") {
  World world;
  NodeFacts bare = MakeNode(0, 0, 0);
  bare.allocatable = {{"cpu", 64'000}};
  NodeFacts cordoned = MakeNode(0, 1, 0, 4);
  cordoned.unschedulable = true;
  NodeFacts lost = MakeNode(0, 0, 9);
  lost.labels = {};
  world.Put({bare, cordoned, lost});
  CHECK(world.Topology() ==
        R"({"name":"default","levels":["block","rack","node"],"resource":"example.com/gpu",)"
        R"("nodes":[{"path":"b0/r0/b0-r0-n0","usable":true,"capacity":0,"used":0,"held":0},)"
        R"({"path":"b0/r1/b0-r1-n0","usable":false,"capacity":4,"used":0,"held":0}],)"
        R"("unplaced":[{"name":"b0-r0-n9","missingLabel":"example.com/block"}]})");
}

TEST_CASE("Views: nodes of no topology are unplaced, and lack no label") {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].topology.nodes.labels = {{"pool", SelectorOperator::kIn, {"a"}}};
  World world(std::move(options));
  NodeFacts ours = MakeNode(0, 0, 0), lost = MakeNode(0, 0, 1);
  SetLabel(ours.labels, "pool", "a");
  lost.labels = {{"pool", "a"}};
  std::vector<NodeFacts> nodes = {ours, lost};
  for (int i = kLeavesPerTurn + 10; i > 1; --i) nodes.push_back(MakeNode(1, 0, i));
  world.Put(nodes);
  const std::string body = world.Topology();
  CHECK(CountIn(body, "\"path\"") == 1);
  CHECK(CountIn(body, "\"missingLabel\"") == kLeavesPerTurn + 10);
  CHECK(body.find(R"("unplaced":[{"name":"b0-r0-n1","missingLabel":"example.com/block"},)"
                  R"({"name":"b1-r0-n10","missingLabel":""},)") != std::string::npos);
  world.views.Metrics();
  CHECK(MetricValue(world.metrics, "\ngangplan_unplaced_nodes") == kLeavesPerTurn + 10);
}

TEST_CASE("Views: a Job that waits without a group is in the list, and explained") {
  World world;
  world.Put(MakeNodes(1, 1, 1));
  JobFacts job;
  job.owner = JobOwner({.name = "train", .size = 2});
  job.suspended = true;
  job.pods = {JobPod({.name = "train", .size = 2}, 0)};
  world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
    planner.OnSynced(absl::UnixEpoch());
    planner.SetActive(absl::UnixEpoch(), true);
    planner.Tick(absl::UnixEpoch());
    planner.OnJob(absl::UnixEpoch(), job);
  });
  const std::string why =
      "job team/train waits suspended for gangplan: nothing says which gang its pods are";
  CHECK(world.views.Info("groups").body.find(why) != std::string::npos);
  const InfoHandler::Answer one = world.views.Info("groups/team/train");
  CHECK(one.status == 200);
  CHECK(one.body.find("\"road\":\"suspended\"") != std::string::npos);
  const std::string text = world.views.Info("explain/team/train").body;
  CHECK(text.starts_with("Job team/train: Blocked; 0 of 2 members seen"));
  CHECK(text.find(why) != std::string::npos);
  const InfoHandler::Answer none = world.views.Info("explain/team/other");
  CHECK(none.status == 404);
  CHECK(none.body == "no group team/other\n");
  CHECK(none.content_type == "text/plain; charset=utf-8");
  CHECK(world.views.Info("groups/team/other").body == R"({"error":"no group team/other"})");
  const std::string expected = world.views.Info("nothing").body;
  for (const char* path : {"groups/pod/", "groups/id/", "explain/", "reservations/text"})
    CHECK(expected.find(path) != std::string::npos);
}

TEST_CASE("Views: a member's name explains its group, and who is not ready says so") {
  World world;
  world.Put(MakeNodes(1, 1, 1));
  const InfoHandler::Answer early = world.views.Info("explain/team/train");
  CHECK(early.status == 503);
  CHECK(early.body == "gangplan is still reading the cluster\n");
  CHECK(world.views.Info("groups/team/train").status == 503);
  world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
    planner.OnSynced(absl::UnixEpoch());
    planner.Tick(absl::UnixEpoch());
    for (const std::string name : {"first", "other"}) {
      for (int i = 0; i < 2; ++i) {
        PodFacts pod = ForeignPod(fmt::format("{}-pod-{}", name, i), 1);
        SetWord(pod.annotations, "gangplan.io/group", name);
        SetWord(pod.annotations, "gangplan.io/size", "2");
        planner.OnPod(absl::UnixEpoch(), pod);
      }
    }
  });
  CHECK(world.views.Info("explain/team/other-pod-1").body ==
        world.views.Info("explain/team/other").body);
  CHECK(world.views.Info("explain/team/other-pod-1").status == 200);
  CHECK(world.views.Info("explain/team/other-pod-2").status == 404);
  CHECK(world.views.Info("explain/others/other-pod-1").status == 404);
  CHECK(world.views.Info("explain/other-pod-1").status == 404);
}

TEST_CASE("Views: the list has where gangs have room, of one namespace or of all") {
  World world;
  world.Put(MakeNodes(1, 1, 2));
  world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
    planner.SetActive(absl::UnixEpoch(), true);
    planner.OnSynced(absl::UnixEpoch());
    planner.Tick(absl::UnixEpoch());
    for (const std::string name : {"fits", "pod"}) {
      for (int i = 0; i < 2; ++i) {
        PodFacts pod = ForeignPod(fmt::format("{}-{}", name, i), name == "fits" ? 8 : 1);
        SetWord(pod.annotations, "gangplan.io/group", name);
        SetWord(pod.annotations, "gangplan.io/size", "2");
        SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
        planner.OnPod(absl::UnixEpoch(), pod);
      }
    }
  });
  const std::string all = world.views.Info("list").body;
  CHECK(all.find(R"j("where":"b0/r0 (2 nodes)","why":"")j") != std::string::npos);
  CHECK(all.find(R"("where":"","why":"2 members must share one rack)") != std::string::npos);
  CHECK(world.views.Info("list/team").body == all);
  CHECK(world.views.Info("list/other").body == R"({"groups":[]})");
  // A pod of a gang has the name of another gang.
  PodFacts pod = ForeignPod("pod", 1);
  SetWord(pod.annotations, "gangplan.io/group", "third");
  SetWord(pod.annotations, "gangplan.io/size", "2");
  world.planner.Take(TurnFor::kEvents,
                     [&](Planner& planner) { planner.OnPod(absl::UnixEpoch(), pod); });
  const auto name_of = [](const InfoHandler::Answer& answer) {
    return answer.body.substr(0, answer.body.find(','));
  };
  CHECK(name_of(world.views.Info("groups/team/pod")) == R"({"name":"team/pod")");
  CHECK(name_of(world.views.Info("groups/pod/team/pod")) == R"({"name":"team/third")");
  CHECK(name_of(world.views.Info("groups/team/fits-1")) == R"({"name":"team/fits")");
  // A Job whose pods name their group themselves.
  const PodFacts owned = JobPod({.name = "maker",
                                 .size = 2,
                                 .words = {{"gangplan.io/group", "fourth"},
                                           {"gangplan.io/place", "rack=pack"},
                                           {"gangplan.io/size", "2"}}},
                                0);
  world.planner.Take(TurnFor::kEvents,
                     [&](Planner& planner) { planner.OnPod(absl::UnixEpoch(), owned); });
  CHECK(name_of(world.views.Info("groups/team/maker")) == R"({"name":"team/fourth")");
  CHECK(world.views.Info("explain/pod/team/maker").status == 404);
  CHECK(world.views.Info("explain/pod/team/fits").status == 404);
  CHECK(world.views.Info("explain/pod/fits").status == 404);  // of a namespace "pod"
}

TEST_CASE("Views: where a large gang stands is not looked at for every list") {
  for (const int size : {kLargeGang, kLargeGang + 1}) {
    World world;
    world.Put(MakeNodes(1, 1, 20));
    world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
      planner.SetActive(absl::UnixEpoch(), true);
      planner.OnSynced(absl::UnixEpoch());
      planner.Tick(absl::UnixEpoch());
      for (int i = 0; i < size; ++i) {
        PodFacts pod = ForeignPod(fmt::format("pod-{}", i), 0);
        SetWord(pod.annotations, "gangplan.io/group", "large");
        SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", size));
        SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
        planner.OnPod(absl::UnixEpoch(), pod);
      }
    });
    const std::string first = world.views.Info("list").body;
    CHECK(first.find("\"where\":\"b0/r0 (") != std::string::npos);
    const int before = world.ReportTurns();
    world.clock.Advance(kReportsLast - absl::Milliseconds(1));
    CHECK(world.views.Info("list").body == first);
    CHECK(world.ReportTurns() == before);
    world.clock.Advance(absl::Milliseconds(1));
    CHECK(world.views.Info("list").body == first);
    // Two pages of groups, one of owners, and the report.
    CHECK(world.ReportTurns() - before == (size > kLargeGang ? 3 : 4));
  }
}

TEST_CASE(
    "Views: reports of all are read twice a second, whoever asks how often, and of one at once") {
  World world;
  world.Put(MakeNodes(1, 1, 2));
  const std::vector<std::string> all = {"groups",   "list",         "list/team",
                                        "topology", "reservations", "reservations/text"};
  for (const std::string& path : all) {
    INFO(path);
    const InfoHandler::Answer first = world.views.Info(path);
    const int before = world.ReportTurns();
    for (int i = 0; i < 20; ++i) CHECK(world.views.Info(path).body == first.body);
    CHECK(world.ReportTurns() == before);
    CHECK(world.views.Info(path).content_type == first.content_type);
    world.clock.Advance(kReportsLast);
    world.views.Info(path);
    CHECK(world.ReportTurns() > before);
  }
  const int before = world.ReportTurns();
  world.views.Info("explain/team/none");
  const int once = world.ReportTurns() - before;
  CHECK(once > 0);
  world.views.Info("explain/team/none");
  CHECK(world.ReportTurns() == before + 2 * once);
}

TEST_CASE("Views: an older gang of a name is told by its number") {
  World world;
  world.Put(MakeNodes(1, 1, 1));
  const JobSpec old{.size = 1, .gpus = 8, .place = "rack=pack!", .uid = "old"};
  JobSpec next = old;
  next.uid = "next";
  world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
    planner.SetActive(absl::UnixEpoch(), true);
    planner.OnSynced(absl::UnixEpoch());
    planner.Tick(absl::UnixEpoch());
    for (const JobSpec& job : {old, next}) {
      PodFacts pod = JobPod(job, 0);
      if (job.uid == "old") pod.node_name = "b0-r0-n0";
      planner.OnPod(absl::UnixEpoch(), pod);
      planner.OnOwner(absl::UnixEpoch(), OwnerKey("team", job.uid), JobOwner(job));
    }
  });
  const auto id_of = [&](const std::string& uid) {
    const std::vector<ListedGroup> listed = world.views.Listed();
    for (const ListedGroup& group : listed)
      if (group.report.key.incarnation == uid) return group.report.id;
    return GroupId{0};
  };
  REQUIRE(id_of("old") > 0);
  REQUIRE(id_of("next") > 0);
  const auto by_id = [&](const std::string& ns, GroupId id) {
    return world.views.Info(fmt::format("groups/id/{}/{}", ns, id));
  };
  CHECK_THAT(world.views.Info("groups/team/train").body,
             ContainsText(fmt::format(R"("id":{},"kind":"Job","uid":"next")", id_of("next"))));
  CHECK_THAT(by_id("team", id_of("old")).body, ContainsText(R"("uid":"old")"));
  CHECK_THAT(by_id("team", id_of("old")).body, ContainsText(R"("node":"b0-r0-n0")"));
  CHECK_THAT(by_id("team", id_of("next")).body, ContainsText(R"("uid":"next")"));
  CHECK(by_id("other", id_of("old")).status == 404);
  CHECK(by_id("team", 77).status == 404);
  CHECK(world.views.Info("groups/id/team/train").status == 404);
  CHECK(world.views.Info("groups/id/12").status == 404);  // of a namespace "id"
}

TEST_CASE("Views: a gang is told which nodes the topology leaves out, and what they have instead") {
  World world;
  NodeFacts without_rack = MakeNode(0, 0, 1);
  std::erase_if(without_rack.labels,
                [](const auto& one) { return one.first == "example.com/rack"; });
  NodeFacts of_aws = MakeNode(0, 0, 0);
  of_aws.labels = {{"kubernetes.io/hostname", of_aws.name},
                   {"topology.k8s.aws/network-node-layer-1", "a"},
                   {"topology.k8s.aws/network-node-layer-2", "b"},
                   {"topology.k8s.aws/network-node-layer-3", "c"}};
  world.Put({of_aws, without_rack, MakeNode(0, 0, 2)});
  PodFacts pod = ForeignPod("alone", 1);
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
  SetWord(pod.annotations, "gangplan.io/size", "1");
  world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
    planner.OnSynced(absl::UnixEpoch());
    planner.Tick(absl::UnixEpoch());
    planner.OnPod(absl::UnixEpoch(), pod);
  });
  const std::string gaps =
      "1 of 3 nodes lack the label example.com/block (level block), 1 of 3 nodes lack the label "
      "example.com/rack (level rack) and take no members: b0-r0-n0 for one, which has the labels "
      "of preset aws-3";
  CHECK(TopologyGaps(world.planner) == gaps);
  CHECK(world.views.Info("explain/team/alone").body.find("\n  topology: " + gaps + "\n") !=
        std::string::npos);
  CHECK(world.views.Info("groups/team/alone").body.find("\"topology\":\"" + gaps) !=
        std::string::npos);
  world.Put({MakeNode(0, 0, 0), MakeNode(0, 0, 1)});
  CHECK(TopologyGaps(world.planner).empty());
  CHECK(world.views.Info("explain/team/alone").body.find("topology") == std::string::npos);
}

TEST_CASE("Views: the topology is read in turns of a bounded number of nodes") {
  // The tree, a page for the resource, the pages of the nodes, and those of no topology.
  for (const auto& [nodes, turns] : {std::pair(kLeavesPerTurn, 4), {kLeavesPerTurn + 1, 5}}) {
    World world;
    world.Put(MakeNodes(1, 1, nodes));
    const std::string body = world.Topology();
    CHECK(world.ReportTurns() == turns);
    for (int node : {0, nodes / 2, nodes - 1}) {
      const std::string path = fmt::format("\"b0/r0/{}\"", NodeNameAt(0, 0, node));
      CHECK(body.find(path) != std::string::npos);
    }
  }
}

TEST_CASE("Views: a node that goes while the topology is read is told or not, the others are") {
  World world;
  const int nodes = 3 * kLeavesPerTurn;
  world.Put(MakeNodes(1, 1, nodes));
  const NodeFacts guest = MakeNode(0, 1, 0);
  std::atomic<bool> end = false;
  std::thread changes([&] {
    while (!end) {
      world.Put({guest});
      world.planner.Take(TurnFor::kEvents, [&](Planner& planner) {
        planner.OnNodeDeleted(absl::UnixEpoch(), guest.name);
      });
    }
  });
  for (int i = 0; i < 20; ++i) {
    const std::string body = world.Topology();
    const int told = CountIn(body, "\"path\"");
    CHECK((told == nodes || told == nodes + 1));
  }
  end = true;
  changes.join();
}

}  // namespace
}  // namespace gangplan::views_test
