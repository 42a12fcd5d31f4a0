// What the page is told, and what telling it costs the planner.
#include "extender/app/page_feed.h"

#include <poll.h>

#include <string>
#include <thread>

#include "extender/app/limits.h"
#include "extender/app/page.h"
#include "fmt/format.h"
#include "metric_value.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/check.h"

namespace gangplan::page_feed_test {
namespace {

struct World {
  explicit World(PlannerOptions options = PlannerWorld::Options())
      : planner(
            std::move(options), metrics, [](Effects) {}, [] {}) {
    planner.Take(TurnFor::kEvents, [](Planner& inner) {
      for (const NodeFacts& node : MakeNodes(1, 2, 2))
        GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
      inner.SetActive(absl::UnixEpoch(), true);
      inner.OnSynced(absl::UnixEpoch());
      inner.Tick(absl::UnixEpoch());
    });
  }
  // Members that take a whole node each.
  void Come(const std::string& name, int size = 2, std::string_view place = "rack=pack!") {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      for (int i = 0; i < size; ++i) {
        PodFacts pod = ForeignPod(fmt::format("{}-{}", name, i), 8);
        SetWord(pod.annotations, "gangplan.io/group", name);
        SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", size));
        SetWord(pod.annotations, "gangplan.io/place", place);
        inner.OnPod(absl::UnixEpoch(), pod);
      }
    });
  }
  void Put(const NodeFacts& node) {
    planner.Take(TurnFor::kEvents, [&](Planner& inner) {
      GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
    });
  }
  int ReportTurns() { return MetricValue(metrics, "gangplan_lock_seconds_count{call=\"report\"}"); }

  Metrics metrics;
  FakeClock clock;
  LockedPlanner planner;
  PageFeed feed{planner, clock};
};

bool HasNews(const EventStream& stream) {
  pollfd entry{stream.news(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

std::string AwaitEvent(EventStream& stream) {
  for (;;) {
    pollfd entry{stream.news(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 30'000) == 1);
    if (const auto event = stream.Take()) return *event;
  }
}

TEST_CASE("Page: nothing is read from the planner while nobody looks") {
  World world;
  world.feed.Start();
  const int before = world.ReportTurns();
  world.clock.Advance(absl::Hours(1));
  world.Come("a");
  world.feed.Stop();
  CHECK(world.feed.readings() == 0);
  CHECK(world.ReportTurns() == before);
}

TEST_CASE("Page: who asks soon after another is told the same, later what is new") {
  World world;
  const auto first = world.feed.Latest();
  CHECK(first->state().nodes.size() == 4);
  world.Come("a");
  CHECK(world.feed.Latest() == first);
  world.clock.Advance(kPageEvery - absl::Milliseconds(1));
  CHECK(world.feed.Latest() == first);
  CHECK(world.feed.readings() == 1);
  world.clock.Advance(absl::Minutes(1));
  const auto second = world.feed.Latest();
  CHECK(second != first);
  REQUIRE(second->state().gangs.size() == 1);
  const PageGang& gang = second->state().gangs[0];
  CHECK(gang.name == "team/a");
  CHECK(gang.where == "b0/r0 (2 nodes)");
  CHECK(second->state().nodes[0] == PageNode{true, 8, 0, 8, {gang.id}});
  CHECK(second->state().nodes[2] == PageNode{true, 8, 0, 0, {}});
  CHECK(second->state().tree == first->state().tree);
  world.clock.Advance(absl::Minutes(1));
  CHECK(world.feed.Latest() == second);  // nothing has changed
  CHECK(world.feed.readings() == 3);
}

TEST_CASE("Page: a tree that changes is told anew, with what stands on it") {
  World world;
  world.Come("a");
  const auto first = world.feed.Latest();
  world.planner.Take(TurnFor::kEvents, [](Planner& inner) {
    NodeFacts node = MakeNode(0, 0, 0);
    node.name = "a-first";
    GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
  });
  world.clock.Advance(absl::Minutes(1));
  const auto second = world.feed.Latest();
  CHECK(second->state().tree != first->state().tree);
  CHECK(second->tree_json().find("a-first") != std::string::npos);
  CHECK(second->state().nodes.size() == 5);
  CHECK(second->state().nodes[0].gangs.empty());
  CHECK(second->state().nodes[1].gangs.size() == 1);
}

TEST_CASE("Page: by which resource nodes are shown follows what they have") {
  World world;
  NodeFacts bare = MakeNode(0, 0, 0);
  for (const NodeFacts& node : MakeNodes(1, 2, 2)) {
    bare = node;
    std::erase_if(bare.allocatable, [](const auto& one) { return one.name == "example.com/gpu"; });
    world.Put(bare);
  }
  const auto first = world.feed.Latest();
  CHECK(first->tree_json().find(R"("resource":"cpu")") != std::string::npos);
  world.Put(MakeNode(0, 1, 1));  // its device plugin has started
  world.clock.Advance(kWhereLasts - absl::Milliseconds(1));
  CHECK(world.feed.Latest()->state().tree == first->state().tree);
  world.clock.Advance(kPageEvery);
  const auto second = world.feed.Latest();
  CHECK(second->state().tree != first->state().tree);
  CHECK(second->tree_json().find(R"("resource":"example.com/gpu")") != std::string::npos);
  CHECK(second->state().nodes[3].capacity == 8);
  CHECK(second->state().nodes[0].capacity == 0);
  world.Put(bare);
  world.clock.Advance(kWhereLasts);
  CHECK(world.feed.Latest()->tree_json().find(R"("resource":"cpu")") != std::string::npos);
}

TEST_CASE("Page: a gang whose ladder goes on is told apart from one that can never start") {
  World world;
  world.Come("never", 3, "rack=pack!");
  world.Come("later", 3, "rack=pack! | after 10m: any");
  const auto latest = world.feed.Latest();
  REQUIRE(latest->state().gangs.size() == 2);
  for (const PageGang& gang : latest->state().gangs) {
    INFO(gang.name);
    CHECK(gang.outcome == "impossible");
    CHECK(gang.rungs_left == (gang.name == "team/later"));
  }
  CHECK(latest->state_json().find(R"("outcome":"impossible","rungsLeft":true)") !=
        std::string::npos);
}

TEST_CASE("Page: nodes of no topology are counted with those that lack a label") {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].topology.nodes.labels = {{"pool", SelectorOperator::kIn, {"a"}}};
  World world(std::move(options));
  CHECK(world.feed.Latest()->state().unplaced == 4);
  NodeFacts ours = MakeNode(0, 0, 0);
  SetLabel(ours.labels, "pool", "a");
  world.Put(ours);
  ours = MakeNode(0, 0, 1);
  ours.labels = {{"pool", "a"}};
  world.Put(ours);
  world.clock.Advance(absl::Minutes(1));
  const auto latest = world.feed.Latest();
  CHECK(latest->state().nodes.size() == 1);
  CHECK(latest->state().unplaced == 3);
}

TEST_CASE("Page: who follows has the whole at first, then what changes") {
  World world;
  world.feed.Start();
  const std::shared_ptr<EventStream> stream = world.feed.Follow();
  CHECK(AwaitEvent(*stream).starts_with("event: state\ndata: {\"tree\":"));
  CHECK_FALSE(HasNews(*stream));
  CHECK(stream->Take() == nullptr);
  world.Come("a");
  world.clock.Advance(absl::Minutes(1));
  const std::string changes = AwaitEvent(*stream);
  CHECK(changes.starts_with("event: changes\ndata: {\"from\":1,"));
  CHECK(changes.ends_with("}\n\n"));
  CHECK(changes.find("team/a") != std::string::npos);
}

TEST_CASE("Page: who was not ready for a change is told the whole") {
  World world;
  const std::shared_ptr<EventStream> slow = world.feed.Follow();
  AwaitEvent(*slow);
  for (const char* name : {"a", "b"}) {
    world.Come(name);
    world.clock.Advance(absl::Minutes(1));
    world.feed.Latest();
  }
  const std::string event = AwaitEvent(*slow);
  CHECK(event.starts_with("event: state\n"));
  CHECK(event.find("team/b") != std::string::npos);
  CHECK(slow->Take() == nullptr);
}

TEST_CASE("Page: names that are no names stay within their quotes, and within one line") {
  World world;
  world.Come("</script><img src=x onerror=\"alert(1)\">\n\ndata: x");
  const auto latest = world.feed.Latest();
  const std::string event = *latest->EventFor(0);
  CHECK(event.find("\n\n") == event.size() - 2);
  CHECK(event.find(R"(onerror=\"alert(1)\">\n\ndata: x)") != std::string::npos);
}

TEST_CASE("Page: its answers have versions, and what there is not says so") {
  World world;
  Page page(world.planner, world.clock);
  const PageHandler::Answer tree = page.Figures("tree");
  const PageHandler::Answer state = page.Figures("state");
  CHECK(state.version == tree.version + "-1");
  CHECK(state.body.find("\"tree\":\"" + tree.version + "\"") != std::string::npos);
  CHECK(page.Figures("other").status == 404);
  CHECK(page.File("").body.starts_with("<!doctype html>"));
  CHECK(page.File("main.js").content_type == "text/javascript; charset=utf-8");
  CHECK(page.File("../main.cc").status == 404);
}

TEST_CASE("Page: a large cluster is read in many short turns") {
  World world;
  world.planner.Take(TurnFor::kEvents, [](Planner& inner) {
    for (const NodeFacts& node : MakeNodes(2, 10, 100))
      GANGPLAN_CHECK(inner.OnNode(absl::UnixEpoch(), node).ok());
  });
  const int before = world.ReportTurns();
  CHECK(world.feed.Latest()->state().nodes.size() >= 2'000);
  CHECK(world.ReportTurns() - before >= 2'000 / kLeavesPerTurn);
}

}  // namespace
}  // namespace gangplan::page_feed_test
