// Nobody of a lesser priority begins where a greater one waits that fits, also when that comes out
// late.
#include "tests/extender/planner/lives_world.h"

namespace gangplan::order_test {

TEST_CASE("Order: room that comes free just before a commit is for the greater priority") {
  LivesWorld world(2);
  const JobSpec low = Whole("low", 1);
  const JobSpec high = Whole("high", 2, 1000);
  const PodFacts used = BoundByUs(Whole("old", 1), 0, "b0-r0-n1", 0);
  world.Show(used);
  world.hold_commits = true;
  world.ShowJob(low, 0, 1);
  world.ShowJob(high, 0, 2);
  REQUIRE(world.StateOf("team/high") == "Blocked");
  world.Bind(JobPod(low, 0), world.Passed(JobPod(low, 0)));
  const std::vector<CommitReady> ready = world.Take<CommitReady>();
  REQUIRE(ready.size() == 1);
  world.Delete(used);
  world.planner().Commit(world.now(), ready[0].group, {});
  CHECK(world.Take<BindingWrite>().empty());
  CHECK(world.StateOf("team/high") == "Planned");
}

TEST_CASE("Order: room whose Bindings were not written yields to a greater priority again") {
  LivesWorld world(2);
  const JobSpec low = Whole("low", 2);
  const JobSpec high = Whole("high", 2, 1000);
  world.ShowJob(low, 0, 2);
  for (int i = 0; i < 2; ++i) world.Bind(JobPod(low, i), world.Passed(JobPod(low, i)));
  const std::vector<BindingWrite> posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  world.ShowJob(high, 0, 2);
  CHECK(world.StateOf("team/high") == "Blocked");
  for (const BindingWrite& post : posts) world.Settle(post, BindOutcome::kRefused, "forbidden");
  world.Pass(absl::Milliseconds(50));
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.StateOf("team/low") == "Blocked");
}

TEST_CASE("Order: a repair whose Binding was refused goes after a greater priority") {
  LivesWorld world(2);
  const JobSpec low = Whole("low", 2);
  Run(world, low);
  world.Delete(JobPod(low, 1));
  world.Show(JobPod(low, 1, 1));
  const std::string node = world.Passed(JobPod(low, 1, 1));
  REQUIRE(world.Bind(JobPod(low, 1, 1), node).decision.held);
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 1);
  world.ShowJob(Whole("high", 1, 1000), 0, 1);
  NodeFacts facts = MakeNode(0, 0, node.back() - '0');
  for (const bool cordoned : {true, false}) {
    facts.unschedulable = cordoned;
    world.Put(facts);
  }
  world.Settle(posts[0], BindOutcome::kRefused, "no");
  CHECK(world.StateOf("team/high") == "Planned");
}

TEST_CASE("Order: what those who gave way leave over is for the next") {
  LivesWorld world(3);
  world.ShowJob(Whole("gives", 3, 5), 0, 3);
  world.ShowJob(Whole("waits", 2, 1), 0, 2);
  REQUIRE(world.StateOf("team/waits") == "Blocked");
  world.ShowJob(Whole("takes", 1, 10), 0, 1);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.StateOf("team/takes") == "Planned");
  CHECK(world.StateOf("team/gives") == "Blocked");
  CHECK(world.StateOf("team/waits") == "Planned");
}

}  // namespace gangplan::order_test
