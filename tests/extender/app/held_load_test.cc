// As many members in bind as may be held, over real HTTP: the other calls still pass, the next
// member is told why it cannot wait, and room is there again when a caller goes.
#include <memory>
#include <string>
#include <vector>

#include "extender/app/gangplan.h"
#include "extender/demo/extender_client.h"
#include "extender/demo/generator.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/kube/file_cluster.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan::held_load_test {
namespace {

constexpr int kGangs = 6;
constexpr int kSize = 60;  // of a gang; one member of each never comes
constexpr int kHeld = kGangs * (kSize - 1) - 1;
constexpr absl::Duration kPatience = absl::Seconds(60);

Settings SmallSettings() {
  Settings settings;
  settings.server.port = 0;
  settings.server.probe_port = 0;
  settings.server.max_connections = kHeld + kKeptConnections;
  settings.server.max_held_calls = kHeld;
  return settings;
}

PodFacts Pod(std::string name) {
  PodFacts pod;
  pod.ns = "team";
  pod.uid = name;
  pod.name = std::move(name);
  pod.scheduler_name = "gangplan";
  pod.requests = {{"pods", 1}};
  return pod;
}

ObjectList Cluster() {
  ClusterPlan plan;
  plan.nodes = 8;
  ObjectList cluster = *GenerateCluster(plan);
  for (int i = 0; i < kGangs * kSize; ++i) {
    if (i % kSize == kSize - 1) continue;
    PodFacts& pod = cluster.pods.emplace_back(Pod(fmt::format("p{}", i)));
    pod.annotations = {{std::string(kGroupWord), fmt::format("gang-{}", i / kSize)},
                       {std::string(kSizeWord), fmt::format("{}", kSize)}};
  }
  cluster.pods.push_back(Pod("calm"));
  cluster.pods.back().ns = "calm";
  cluster.pods.back().annotations = {{std::string(kGroupWord), "gang"},
                                     {std::string(kSizeWord), "2"}};
  return cluster;
}

class World {
 public:
  World() : objects_(Cluster()), cluster_(objects_) {
    auto started = Gangplan::Start(SmallSettings(), cluster_);
    REQUIRE(started.ok());
    gangplan_ = *std::move(started);
    while (LoopbackClient(gangplan_->probe_port()).Call(GetText("/readyz")).status != 200) {
    }
    for (const NodeFacts& node : objects_.nodes) nodes_.push_back(node.name);
  }

  const std::vector<PodFacts>& pods() const { return objects_.pods; }
  // One of two, in another namespace; the other never comes.
  const PodFacts& calm() const { return objects_.pods.back(); }
  // The nodes that a filter call on a new connection leaves.
  std::vector<std::string> Filter(const PodFacts& pod) {
    const absl::StatusOr<FilterAnswer> answer =
        ExtenderClient(gangplan_->verbs_port()).Filter(pod, nodes_);
    INFO(Message(answer.status()));
    REQUIRE(answer.ok());
    return answer->passed;
  }
  // A connection on which a bind call is under way.
  LoopbackClient Bind(const PodFacts& pod, std::string_view node) {
    JsonText body;
    body.Begin().Field("PodName", pod.name).Field("PodNamespace", pod.ns);
    body.Field("PodUID", pod.uid).Field("Node", node).End();
    LoopbackClient client(gangplan_->verbs_port());
    CHECK(client.Send(PostText("/v1/extender/bind", body.Take())));
    return client;
  }
  // Until the metric has this value.
  void Await(std::string_view metric, int value) {
    const std::string line = fmt::format("\n{} {}\n", metric, value);
    const absl::Time end = SystemClock().Now() + kPatience;
    LoopbackClient client(gangplan_->probe_port());
    while (client.Call(GetText("/metrics")).body.find(line) == std::string::npos) {
      INFO(line);
      REQUIRE(SystemClock().Now() < end);
    }
  }

 private:
  const ObjectList objects_;
  FileCluster cluster_;
  std::vector<std::string> nodes_;
  std::unique_ptr<Gangplan> gangplan_;
};

TEST_CASE("Calls up to the limit are held while others pass, and one more is told why") {
  World world;
  std::vector<std::string> planned;
  for (int i = 0; i <= kHeld; ++i) planned.push_back(world.Filter(world.pods()[i]).at(0));
  std::vector<LoopbackClient> held;
  for (int i = 0; i < kHeld; ++i) held.push_back(world.Bind(world.pods()[i], planned[i]));
  world.Await("gangplan_held_bind_calls", kHeld);
  for (int i = 0; i < kHeld; ++i) CHECK(world.Filter(Pod(fmt::format("f{}", i))).size() == 32);
  const PodFacts& next = world.pods()[kHeld];
  const std::string refused = world.Bind(next, planned[kHeld]).Receive().body;
  INFO(refused);
  CHECK(refused.starts_with(
      fmt::format(R"({{"Error":"gangplan holds {0} bind calls, as many as it may at once )"
                  R"((server.maxHeldCalls: {0}))",
                  kHeld)));

  held.front().Close();  // its peer is gone: seen within a second
  world.Await("gangplan_held_bind_calls", kHeld - 1);
  const LoopbackClient again = world.Bind(next, planned[kHeld]);
  world.Await("gangplan_held_bind_calls", kHeld);
  world.Await("gangplan_refused_bind_calls_total", 1);
}

TEST_CASE("With all calls held a member of another namespace waits beside them") {
  World world;
  std::vector<LoopbackClient> held;
  const std::vector<PodFacts>& pods = world.pods();
  for (int i = 0; i < kHeld; ++i) {
    const std::string node = world.Filter(pods[i]).at(0);
    if (i + 1 == kHeld) world.Await("gangplan_held_bind_calls", kHeld - 1);  // this is the last one
    held.push_back(world.Bind(pods[i], node));
  }
  world.Await("gangplan_held_bind_calls", kHeld);
  const PodFacts calm = world.calm();
  const LoopbackClient waits = world.Bind(calm, world.Filter(calm).at(0));
  const std::string told = held.back().Receive().body;
  INFO(told);
  CHECK(told.find("namespace team has the most of them") != std::string::npos);
  world.Await("gangplan_held_bind_calls", kHeld);
  world.Await("gangplan_refused_bind_calls_total", 1);
}

}  // namespace
}  // namespace gangplan::held_load_test
