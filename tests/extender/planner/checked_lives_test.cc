// Lives of owners that wait for admission checks of ours: evicted, overtaken, restarted, no gang.
#include <algorithm>
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "extender/planner/suspended_owners.h"
#include "tests/extender/planner/checks_world.h"

namespace gangplan::checked_lives_test {

TEST_CASE("Checks: pods of one that was evicted end, and it is planned anew behind them") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  world.ShowAll(job);
  world.RunAll(job);
  world.SeeCheck(job, CheckIs::kNone);
  world.pinned.clear();
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(absl::Seconds(3));
  const JobWrite said = world.Written();
  CHECK(said.check->state == CheckState::kPending);
  world.Tell(said);
  for (int i = 0; i < job.size; ++i) world.Delete(world.BornOf(job, i));
  JobWrite ready;
  CHECK(world.SecondsToWrite(5, ready) >= 0);
  CHECK(ready.check->state == CheckState::kReady);
}

TEST_CASE("Checks: a write that another version has overtaken is made for that one") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.SeeCheck(job, CheckIs::kWaits);
  const JobWrite write = world.Written();
  SECTION("the answer comes first") {
    world.Tell(write, absl::AbortedError("the object has been modified"));
    CHECK(world.Take<JobWrite>().empty());
    world.SeeCheck(job, CheckIs::kWaits);
  }
  SECTION("the watch comes first") {
    world.SeeCheck(job, CheckIs::kWaits);
    world.Tell(write, absl::AbortedError("the object has been modified"));
  }
  const JobWrite again = world.Written();
  CHECK(again.check->state == CheckState::kReady);
  CHECK(again.resource_version == std::to_string(world.version));
  CHECK(world.HoldCount() == 2);
}

TEST_CASE("Checks: room that another instance was first to tell of stays held") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.Register(job);
  world.SeeCheck(job, CheckIs::kWaits);
  const JobWrite write = world.Written();
  const absl::Status overtaken = absl::AbortedError("the object has been modified");
  if (GENERATE(false, true)) world.pinned = write.check->updates.at(0).node_selector;
  SECTION("the answer comes first") {
    world.Tell(write, overtaken);
    world.SeeCheck(job, CheckIs::kReady);
  }
  SECTION("the watch comes first") {
    world.SeeCheck(job, CheckIs::kReady);
    world.Tell(write, overtaken);
  }
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 2);
  CHECK(world.Take<JobWrite>().empty());
  world.ShowAll(job);
  world.RunAll(job);
}

TEST_CASE("Checks: what was Ready before a restart is held again where its pods may go") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  const std::vector<std::string> planned = world.Nodes("team/train");
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  bool lost = false;
  SECTION("there is room") {}
  SECTION("a node of it has gone") {
    world.DeleteNode(planned[0]);
    lost = true;
  }
  world.See(world.Checked(job, CheckIs::kReady));
  world.Sync();
  world.Pass(absl::Seconds(1));
  if (lost) {
    JobWrite retry;
    CHECK(world.SecondsToWrite(5, retry) >= 0);
    REQUIRE(retry.check);
    CHECK(retry.check->state == CheckState::kRetry);
    CHECK(world.HoldCount() == 0);
  } else {
    CHECK(world.HoldCount() == 2);
    CHECK(world.Nodes("team/train") == planned);
    CHECK(world.Take<JobWrite>().empty());
    world.ShowAll(job);
    world.RunAll(job);
    CHECK(world.StateOf("team/train") == "Running");
  }
}

TEST_CASE("Checks: what ran before a restart is left as it runs") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  world.ShowAll(job);
  world.RunAll(job);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.See(world.Checked(job, CheckIs::kReady));
  for (int i = 0; i < job.size; ++i) {
    PodFacts pod = BoundByUs(job, i, nodes[static_cast<size_t>(i)], i);
    pod.filter = world.BornOf(job, i).filter;
    world.Show(pod);
  }
  world.Sync();
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<JobWrite>().empty());
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Checks: what is no gang of ours is Ready at once, and says why") {
  ChecksWorld world;
  const JobSpec job = Pair();
  JobFacts facts = world.Checked(job, CheckIs::kWaits);
  std::string why;
  SECTION("without a word of ours") {
    for (LabelSet* words : {&facts.owner.annotations, &facts.owner.labels,
                            &facts.pods[0].annotations, &facts.pods[0].labels})
      words->clear();
    why = "job team/train is nothing that gangplan plans: ";
  }
  SECTION("of a kind that is not read") {
    facts.pods.clear();
    facts.needs.clear();
    facts.owner.ref = {"kueue.x-k8s.io/v1beta2", "Workload", "w-train", "u-w-train"};
    facts.check->unplanned = "of a RayJob (ray.io/v1) nothing is planned";
    why = "workload team/w-train is started without a plan: of a RayJob (ray.io/v1) nothing is ";
  }
  world.See(facts);
  world.Pass(absl::Milliseconds(50));
  const JobWrite write = world.Written();
  REQUIRE(write.check);
  CHECK(write.check->state == CheckState::kReady);
  INFO(write.check->message);
  CHECK(write.check->message.starts_with(why));
  CHECK(write.check->updates.empty());
  world.Tell(write);
  facts.check->state = CheckIs::kReady;
  world.See(facts);
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("Checks: what cannot be planned for a fault says so, and gives its quota back in time") {
  ChecksWorld world;
  JobFacts facts = world.Checked(Pair(), CheckIs::kWaits);
  facts.pods[0].fault = "it could not be read: 403";
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  CHECK(said.check->state == CheckState::kPending);
  CHECK(said.check->message ==
        "job team/train waits suspended for gangplan: it could not be read: 403");
  world.Tell(said);
  facts.check->message = said.check->message;
  world.See(facts);
  JobWrite back;
  CHECK(world.SecondsToWrite(400, back) > 250);
  CHECK(back.check->state == CheckState::kRetry);
}

TEST_CASE("Checks: the nodes of the flavors are part of what is asked for") {
  ChecksWorld world;
  const JobSpec job = Pair();
  JobFacts facts = world.Checked(job, CheckIs::kWaits);
  facts.check->pod_sets[0].flavors = {"fast"};
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  CHECK(said.check->message.ends_with("there is no ResourceFlavor fast"));
  world.Tell(said);
  AdmissionRule flavor;
  flavor.kind = AdmissionRule::Kind::kResourceFlavor;
  flavor.name = "fast";
  const NodeFacts last = MakeNodes(1, 2, 2).back();
  for (const auto& [key, value] : last.labels) {
    if (key.find("rack") != std::string::npos) flavor.node_selector = {{key, value}};
  }
  REQUIRE(flavor.node_selector.size() == 1);
  world.planner().OnAdmissionRule(world.now(), flavor, true);
  JobWrite ready;
  CHECK(world.SecondsToWrite(5, ready) >= 0);
  CHECK(ready.check->state == CheckState::kReady);
  // What the flavor says is not said twice.
  CHECK(FindLabel(ready.check->updates[0].node_selector, flavor.node_selector[0].first) == nullptr);
  for (const std::string& node : world.Nodes("team/train"))
    CHECK(node.substr(0, node.rfind('-')) == last.name.substr(0, last.name.rfind('-')));
}

TEST_CASE("Checks: what another check has its pods tolerate counts when a taint is judged") {
  ChecksWorld world;
  std::vector<NodeFacts> nodes = MakeNodes(1, 2, 2);
  for (NodeFacts& node : nodes) node.taints = {{"pool", "", TaintEffect::kNoSchedule}};
  world.AddNodes(nodes);
  JobFacts facts = world.Checked(Pair(), CheckIs::kWaits);
  world.See(facts);
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  CHECK(said.check->state == CheckState::kPending);
  world.Tell(said);
  facts.check->message = said.check->message;
  facts.check->pod_sets[0].tolerations = {Toleration{"pool", true, "", {}}};
  world.See(facts);
  JobWrite ready;
  CHECK(world.SecondsToWrite(5, ready) >= 0);
  CHECK(ready.check->state == CheckState::kReady);
}

TEST_CASE("Checks: what a mark of ours starts is left to that") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.See(job);
  const JobWrite start = world.Written();
  CHECK_FALSE(start.check);
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK(world.Take<JobWrite>().empty());
  world.SeeCheck(job, CheckIs::kNone);
  CHECK(world.HoldCount() == 2);
}

}  // namespace gangplan::checked_lives_test
