// Owners that Kueue starts, when admission checks of ours say that there is room for them.
#include <algorithm>
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "extender/planner/suspended_owners.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan {
namespace {

using CheckIs = RoomCheck::State;

struct ChecksWorld : SuspendedWorld {
  using SuspendedWorld::SuspendedWorld;

  JobFacts Checked(const JobSpec& job, CheckIs state) const {
    JobFacts facts = Facts(job);
    facts.check = RoomCheck{state,    "w-" + job.name, "u-w-" + job.name,
                            {"room"}, message,         {{"main", {}, pinned}}};
    return facts;
  }
  // As the watch shows it, in another version.
  void SeeCheck(const JobSpec& job, CheckIs state) {
    ++version;
    See(Checked(job, state));
    Pass(absl::Milliseconds(50));
  }
  // It has room, which is written, and seen.
  JobWrite MakeReady(const JobSpec& job) {
    Register(job);
    SeeCheck(job, CheckIs::kWaits);
    const JobWrite write = Written();
    REQUIRE(write.check);
    REQUIRE(write.check->state == CheckState::kReady);
    Tell(write);
    pinned = write.check->updates.empty() ? LabelSet() : write.check->updates[0].node_selector;
    SeeCheck(job, CheckIs::kReady);
    return write;
  }
  // As Kueue has it made.
  PodFacts BornOf(const JobSpec& job, int index) const {
    PodFacts pod = JobPod(job, index);
    for (const auto& [key, value] : pinned) SetLabel(pod.filter.node_selector, key, value);
    return pod;
  }
  void ShowAll(const JobSpec& job) {
    for (int i = 0; i < job.size; ++i) Show(BornOf(job, i));
  }
  void RunAll(const JobSpec& job) {
    for (int i = 0; i < job.size; ++i) REQUIRE(Try(*this, BornOf(job, i)));
    REQUIRE(BindAll() == job.size);
  }
  // The room of both racks is taken.
  void FillAll() {
    for (const char* name : {"first", "second"}) Run(Pair(name));
  }

  std::string message;
  LabelSet pinned;
};

}  // namespace

TEST_CASE("Checks: a Job that has quota is planned and held, and its check says so with its rack") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK(world.HoldCount() == 2);
  const JobWrite write = world.Written();
  REQUIRE(write.check);
  CHECK(write.ns == "team");
  CHECK(write.job.uid == job.Uid());
  CHECK(write.resource_version == std::to_string(world.version));
  CHECK(write.labels.empty());
  CHECK(write.templates.empty());
  CHECK(write.check->workload == "w-train");
  CHECK(write.check->uid == "u-w-train");
  CHECK(write.check->names == std::vector<std::string>{"room"});
  CHECK(write.check->state == CheckState::kReady);
  CHECK(
      write.check->message.starts_with("gang team/train of 2 has room and is started by Kueue on"));
  REQUIRE(write.check->updates.size() == 1);
  CHECK(write.check->updates[0].pod_set == "main");
  CHECK(write.check->updates[0].node_selector.size() == 2);  // block and rack
}

TEST_CASE("Checks: the pods that Kueue has made join what is held for them") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  const std::vector<std::string> planned = world.Nodes("team/train");
  CHECK(planned.size() == 2);
  world.ShowAll(job);
  CHECK(world.Nodes("team/train") == planned);
  world.RunAll(job);
  CHECK(world.StateOf("team/train") == "Running");
  world.SeeCheck(job, CheckIs::kNone);  // it is finished
  CHECK(world.Take<JobWrite>().empty());
  for (int i = 0; i < job.size; ++i) world.Delete(world.BornOf(job, i));
  CHECK(world.planner().List(0, 10).empty());
}

TEST_CASE("Checks: without room it says why, once a while, and is Ready when room comes") {
  ChecksWorld world;
  world.FillAll();
  const JobSpec job = Pair("third");
  world.SeeCheck(job, CheckIs::kWaits);
  CHECK(world.Take<JobWrite>().empty());
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  REQUIRE(said.check);
  CHECK(said.check->state == CheckState::kPending);
  CHECK(said.check->message.find("team/third") != std::string::npos);
  CHECK(said.check->updates.empty());
  world.Tell(said);
  world.message = said.check->message;
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(kSayEvery + absl::Seconds(1));
  CHECK(world.Take<JobWrite>().empty());  // that is said
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(Pair("first"), i));
  world.Pass(absl::Milliseconds(50));
  const JobWrite ready = world.Written();
  CHECK(ready.check->state == CheckState::kReady);
  CHECK(ready.resource_version == std::to_string(world.version));
}

TEST_CASE("Checks: what could not be said is said again") {
  ChecksWorld world;
  world.FillAll();
  const JobSpec job = Pair("third");
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(absl::Seconds(1));
  world.Tell(world.Written(), absl::UnavailableError("time-out"));
  JobWrite again;
  CHECK(world.SecondsToWrite(10, again) <= 3);
  CHECK(again.check->state == CheckState::kPending);
}

TEST_CASE("Checks: who has no room for long gives its quota back, each time that it has some") {
  PlannerOptions options = PlannerWorld::Options();
  options.check_patience = absl::Minutes(2);
  ChecksWorld world(std::move(options));
  world.FillAll();
  const JobSpec job = Pair("third");
  for (int times = 0; times < 3; ++times) {
    world.SeeCheck(job, CheckIs::kWaits);
    world.Pass(absl::Seconds(1));
    const JobWrite said = world.Written();
    world.Tell(said);
    world.message = said.check->message;
    world.SeeCheck(job, CheckIs::kWaits);
    JobWrite back;
    const int after = world.SecondsToWrite(200, back);
    CHECK(after > 100);
    CHECK(after < 130);
    CHECK(back.check->state == CheckState::kRetry);
    CHECK(back.check->message == said.check->message);
    CHECK(back.resource_version == std::to_string(world.version));
    world.Tell(back);
    world.SeeCheck(job, CheckIs::kLost);
    world.SeeCheck(job, CheckIs::kNone);
    CHECK(world.planner().Report("team/third") == std::nullopt);
    world.message.clear();
  }
}

TEST_CASE("Checks: what can never go is rejected when that has been so for a while") {
  ChecksWorld world;
  const JobSpec job = Whole("vast", 3);  // a rack has two nodes
  world.SeeCheck(job, CheckIs::kWaits);
  world.Pass(absl::Seconds(1));
  const JobWrite said = world.Written();
  CHECK(said.check->state == CheckState::kPending);
  world.Tell(said);
  world.message = said.check->message;
  world.SeeCheck(job, CheckIs::kWaits);
  SECTION("it stays so") {
    JobWrite rejected;
    const int after = world.SecondsToWrite(100, rejected);
    CHECK(after > 50);
    CHECK(rejected.check->state == CheckState::kRejected);
    CHECK(rejected.check->message == said.check->message);
  }
  SECTION("a node comes") {
    world.Pass(absl::Seconds(20));
    std::vector<NodeFacts> nodes = MakeNodes(1, 2, 3);
    world.AddNodes(nodes);
    JobWrite ready;
    CHECK(world.SecondsToWrite(100, ready) >= 0);
    CHECK(ready.check->state == CheckState::kReady);
  }
}

TEST_CASE("Checks: a plan that is lost before its pods are bound is a Retry") {
  ChecksWorld world;
  const JobSpec job = Pair();
  const JobWrite ready = world.MakeReady(job);
  bool made = false;
  SECTION("before they are made") {}
  SECTION("after that") {
    world.ShowAll(job);
    made = true;
  }
  world.LoseNodes("team/train");
  JobWrite retry;
  CHECK(world.SecondsToWrite(5, retry) >= 0);
  REQUIRE(retry.check);
  CHECK(retry.check->state == CheckState::kRetry);
  CHECK(retry.resource_version.empty());
  world.Tell(retry);
  world.SeeCheck(job, CheckIs::kLost);
  for (int i = 0; made && i < job.size; ++i) world.Delete(world.BornOf(job, i));
  world.SeeCheck(job, CheckIs::kNone);
  CHECK(world.HoldCount() == 0);
  world.pinned.clear();
  world.SeeCheck(job, CheckIs::kWaits);
  JobWrite again;
  CHECK(world.SecondsToWrite(5, again) >= 0);
  CHECK(again.check->state == CheckState::kReady);  // in the other rack
  CHECK(again.check->updates[0].node_selector != ready.check->updates[0].node_selector);
}

TEST_CASE("Checks: room for pods that never come is given back in time") {
  ChecksWorld world;
  const JobSpec job = Pair();
  world.MakeReady(job);
  JobWrite retry;
  const int after = world.SecondsToWrite(400, retry);
  CHECK(after > 200);
  REQUIRE(retry.check);
  CHECK(retry.check->state == CheckState::kRetry);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Checks: who loses its quota lets go of its room at once") {
  ChecksWorld world;
  const JobSpec job = Pair();
  SECTION("before its check was written") {
    world.SeeCheck(job, CheckIs::kWaits);
    CHECK(world.HoldCount() == 2);
    world.SeeCheck(job, CheckIs::kNone);
  }
  SECTION("when it was Ready") {
    world.MakeReady(job);
    world.SeeCheck(job, CheckIs::kNone);
  }
  CHECK(world.HoldCount() == 0);
  world.Take<JobWrite>();
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<JobWrite>().empty());
}

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
    facts.owner.ref.kind = "RayJob";
    why = "rayjob team/train is started without a plan: of a RayJob nothing is planned before";
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

}  // namespace gangplan
