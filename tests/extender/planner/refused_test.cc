// Gangs whose pods or Bindings are refused, whose words are mended, or that claim more than they
// may.
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/support/refuse_twice.h"
#include "tests/support/sentences.h"

namespace gangplan::refused_test {

TEST_CASE("Lives: the only node that fits is the one of a stale nomination") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 1);
  world.ShowJob(job, 0, 1);
  PodFacts pod = JobPod(job, 0);
  pod.nominated_node_name = "b0-r0-n1";  // of an earlier plan; n0 is refused in-tree
  CHECK(world.Refusal(pod, {"b0-r0-n1"}) == Sentence("planned elsewhere", "train"));
  world.Refusal(pod, {"b0-r0-n1"});  // all that the scheduler has
  const auto sent = world.Take<Nomination>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].node == "b0-r0-n0");
  pod.nominated_node_name = "b0-r0-n0";
  RefuseTwice(world, pod, {"b0-r0-n1"});
  CHECK(world.Passed(pod, {"b0-r0-n1"}) == "b0-r0-n1");
}

TEST_CASE("Lives: more nodes than can be counted are refused and the gang starts beside them") {
  PlannerOptions options = PlannerWorld::Options();
  options.nominate_from = 1000;  // the scheduler offers all that it has
  LivesWorld world(120, options);
  const JobSpec job = Whole("train", 1);
  world.ShowJob(job, 0, 1);
  std::vector<std::string> offer;
  for (int i = 100; i < 120; ++i) offer.push_back(fmt::format("b0-r0-n{}", i));
  PodFacts pod = JobPod(job, 0);
  std::string node;
  for (int attempt = 0; attempt < 4 && node.empty(); ++attempt) {
    node = world.Passed(pod, offer);
    world.Pass(absl::Milliseconds(600));
    for (const Nomination& one : world.Take<Nomination>()) pod.nominated_node_name = one.node;
  }
  CHECK(node == "b0-r0-n100");
}

TEST_CASE("Lives: a gang that the scheduler takes nowhere is told so") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 1);
  world.ShowJob(job, 0, 1);
  PodFacts pod = JobPod(job, 0);
  for (int attempt = 0; attempt < 6; ++attempt) {
    world.Filter(pod, {"elsewhere"});
    world.Pass(absl::Milliseconds(600));
    for (const Nomination& one : world.Take<Nomination>()) pod.nominated_node_name = one.node;
  }
  const GroupReport report = world.Report("team/train");
  CHECK(report.outcome == Outcome::kWait);
  CHECK(report.reason.find("refused by the scheduler on 2 nodes") != std::string::npos);
}

// A kubelet lists none when the device plugin that had served it is gone.
TEST_CASE("Lives: a resource that the node does not list, or has none of, keeps no foreign pod") {
  LivesWorld world(1);
  NodeFacts node = MakeNode(0, 0, 0);
  if (GENERATE(true, false)) node.allocatable.push_back({"vendor.example/nic", 0});
  world.Put(node);
  PodFacts pod = ForeignPod("dra", 1);
  pod.requests.push_back({"vendor.example/nic", 1});
  world.Show(pod);
  CHECK(world.Filter(pod).passed.size() == 1);
  CHECK(world.Bind(pod, "b0-r0-n0").decision.held);
}

TEST_CASE("Lives: a stale proof beside a new Binding changes nothing") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) REQUIRE(Try(world, JobPod(job, i)));
  const auto first = world.Take<BindingWrite>();
  REQUIRE(first.size() == 2);
  world.Settle(first[0], BindOutcome::kBound);
  world.Settle(first[1], BindOutcome::kUnknown);
  world.Pass(absl::Seconds(3));
  const auto read = world.Take<BindingRead>();
  REQUIRE(read.size() == 1);
  world.FilterAndBind(JobPod(job, 1));
  const auto second = world.Take<BindingWrite>();
  REQUIRE(second.size() == 1);
  CHECK(second[0].attempt != read[0].attempt);
  world.planner().OnBindResult(world.now(), read[0].pod, read[0].node, read[0].attempt,
                               {BindOutcome::kRefused, "not bound"});
  const NodeFacts node = MakeNode(0, 0, second[0].node == NodeNameAt(0, 0, 0) ? 0 : 1);
  NodeFacts cordoned = node;
  cordoned.unschedulable = true;
  world.Put(cordoned);
  world.Put(node);
  CHECK(world.HoldCount() == 1);
  const PodFacts foreign = ForeignPod("f", 8);
  world.Show(foreign);
  CHECK_FALSE(world.Bind(foreign, second[0].node).decision.held);
}

TEST_CASE("Lives: Bindings that are refused for good are tried with growing pauses") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  int commits = 0;
  int held = 0;
  int told = 0;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    for (int i = 0; i < 2; ++i) Try(world, JobPod(job, i));
    const auto posts = world.Take<BindingWrite>();
    commits += static_cast<int>(!posts.empty());
    for (const BindingWrite& post : posts)
      world.Settle(post, BindOutcome::kRefused, "403 forbidden");
    held += static_cast<int>(world.HoldCount() > 0);
    const std::string reason = world.Report("team/train").reason;
    told += static_cast<int>(reason.find("403 forbidden") != std::string::npos);
    world.Pass(absl::Minutes(1));
    world.ForgetEffects();
  }
  CHECK(commits < 200);
  CHECK(held < 200);
  CHECK(told > 1200);
}

TEST_CASE("Lives: one member that is refused for good is told by an Event") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(job, i));
  auto posts = world.Take<BindingWrite>();
  world.Settle(posts[0], BindOutcome::kBound);
  world.Settle(posts[1], BindOutcome::kRefused, "an admission webhook said no");
  std::vector<EventNote> told;
  for (int minute = 0; minute < 60; ++minute) {
    Try(world, JobPod(job, 1));
    for (const BindingWrite& post : world.Take<BindingWrite>())
      world.Settle(post, BindOutcome::kRefused, "an admission webhook said no");
    world.Pass(absl::Minutes(1));
    for (const EventNote& note : world.Take<EventNote>()) told.push_back(note);
  }
  REQUIRE(!told.empty());
  CHECK(
      told[0].note.find("the Binding of pod train-1-0 is refused: an admission webhook said no; 1 "
                        "of its members run") != std::string::npos);
}

TEST_CASE("Lives: a foreign pod does not break a gang that runs") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  Start(world, job);
  const PodFacts foreign = ForeignPod("f", 1, 100);
  world.Show(foreign);
  const std::string one = JobPod(job, 0).uid;
  Planner& planner = world.planner();
  CHECK(planner.Preempt(world.now(), foreign, {{"b0-r0-n0", {one}}}).empty());
  PodFacts alone = ForeignPod("alone", 1);
  world.Put(MakeNode(0, 0, 2));
  world.ShowBound(alone, "b0-r0-n2");
  CHECK(planner.Preempt(world.now(), foreign, {{"b0-r0-n0", {one}}, {"b0-r0-n2", {alone.uid}}}) ==
        std::vector<int32_t>{1});
  // The cluster's own pods must run.
  const PodFacts system = ForeignPod("dns", 1, 2'000'000'000);
  world.Show(system);
  CHECK(planner.Preempt(world.now(), system, {{"b0-r0-n0", {one}}}) == std::vector<int32_t>{0});
}

TEST_CASE("Lives: with first-member room stays while members keep coming") {
  PlannerOptions options = PlannerWorld::Options();
  options.start_at_first_member = true;
  LivesWorld world(8, options);
  const JobSpec job = Whole("train", 8);
  world.Register(job);
  for (int i = 0; i < 8; ++i) {
    world.Show(JobPod(job, i));
    REQUIRE(Try(world, JobPod(job, i)));
    CHECK(world.BindAll() == 1);
    world.Pass(absl::Minutes(4));
  }
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: the gather time-out starts anew with each member that comes") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4, 64));
  world.Sync();
  JobSpec job = Whole("train", 100);
  job.gpus = 1;
  world.Register(job);
  std::vector<CallId> calls;
  for (int i = 0; i < 100; ++i) {
    world.Show(JobPod(job, i));
    const auto call = world.Bind(JobPod(job, i), world.Passed(JobPod(job, i)));
    REQUIRE(call.decision.held);
    calls.push_back(call.id);
    world.Pass(absl::Seconds(4));
  }
  for (CallId call : calls) CHECK_FALSE(world.Answer(call).has_value());
  CHECK(world.BindAll() == 100);
}

TEST_CASE("Lives: pods that come and go again do not keep the room of a gang") {
  LivesWorld world(2);
  JobSpec job = Whole("train", 3);
  job.gpus = 4;
  world.ShowJob(job, 0, 2);
  CHECK(world.HoldCount() == 3);
  for (int life = 1; life < 5; ++life) {
    world.Pass(absl::Minutes(1));
    world.Delete(JobPod(job, 1, life - 1));
    world.Show(JobPod(job, 1, life));
  }
  world.Pass(absl::Minutes(1));
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Lives: a gang that is whole again and again gains no time by it") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  CHECK(world.HoldCount() == 2);
  for (int life = 1; life < 3; ++life) {
    world.Pass(absl::Minutes(2));
    world.Delete(JobPod(job, 1, life - 1));
    world.Show(JobPod(job, 1, life));
    CHECK(world.StateOf("team/train") == "Planned");
  }
  world.Pass(absl::Minutes(1));
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Lives: a plain pod whose owner cannot be read passes") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  PodFacts pod = ForeignPod("plain", 1);
  pod.controller = OwnerRef{"vendor.example/v1", "Widget", "w", "w-uid"};
  world.Show(pod);
  size_t reads = 0;
  for (int second = 0; second < 3600; ++second) {
    const size_t asked = world.Take<OwnerRead>().size();
    reads += asked;
    if (asked > 0)
      world.planner().OnOwner(world.now(), OwnerKey("team", "w-uid"),
                              absl::UnavailableError("conversion failed"));
    world.Pass(absl::Seconds(1));
  }
  CHECK(world.Refusal(pod) == "passed: 2");
  CHECK(reads < 30);
}

TEST_CASE("Lives: a restart adopts a pod that was resized in place") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  const JobSpec job = Whole("train", 2);
  world.Register(job);
  PodFacts bound = BoundByUs(job, 1, "b0-r0-n1", 1);
  bound.requests = {{"cpu", 200}, {"example.com/gpu", 8}, {"pods", 1}};
  SECTION("read after the one that waits") {
    world.Show(JobPod(job, 0, 1));
    world.Show(bound);
  }
  SECTION("read before it") {
    world.Show(bound);
    world.Show(JobPod(job, 0, 1));
  }
  world.Sync();
  CHECK(Try(world, JobPod(job, 0, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: words that are mended on waiting pods are read again") {
  LivesWorld world(2);
  JobSpec job = Whole("train", 2);
  SECTION("that could not be read") {
    job.place = "rack=pakc!";
    world.ShowJob(job, 0, 2);
    CHECK(world.Refusal(JobPod(job, 0)).find("rack=pakc!") != std::string::npos);
  }
  SECTION("that asked for what there is not") {
    job.place = "node=pack!";
    world.ShowJob(job, 0, 2);
    CHECK(world.StateOf("team/train") == "Blocked");
  }
  job.place = "rack=pack!";
  world.Show(JobPod(job, 0));
  world.Show(JobPod(job, 1));
  CHECK(world.StateOf("team/train") == "Planned");
  Start(world, job);
}

TEST_CASE("Lives: an instance that is not active writes nothing") {
  PlannerOptions options = PlannerWorld::Options();
  options.nominate_from = 1;
  PlannerWorld world(options);
  world.active = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const JobSpec job = Whole("train", 2);
  const JobSpec other = Whole("other", 3);
  world.ShowJob(job, 0, 2);
  world.ShowJob(other, 0, 3);
  world.Pass(absl::Minutes(1));
  CHECK(world.Take<Nomination>().empty());
  CHECK(world.Take<EventNote>().empty());
  // Its first verb makes it active: it nominates and tells.
  world.Filter(ForeignPod("f", 1));
  world.Pass(absl::Seconds(1));
  CHECK(world.Take<Nomination>().size() == 2);
  CHECK(world.Take<EventNote>().size() == 1);
}

TEST_CASE("Lives: a claim of many members costs what its pods cost") {
  PlannerOptions options = PlannerWorld::Options();
  options.hold_from = 10;
  options.vacant_share = 25;
  LivesWorld world(20, options);
  SECTION("room is held when enough of them are there") {
    const JobSpec job = Named("train", "train", 20);
    world.ShowJob(job, 0, 1);
    CHECK(world.HoldCount() == 0);
    CHECK(world.Refusal(JobPod(job, 0)) == Sentence("too few to hold room", "train", 20, 1, 2));
    world.Show(JobPod(job, 1));
    CHECK(world.HoldCount() == 0);
    CHECK(world.Refusal(JobPod(job, 1)).find("limits.namespace.vacantShare") != std::string::npos);
    for (int i = 2; i < 15; ++i) world.Show(JobPod(job, i));
    CHECK(world.HoldCount() == 20);
  }
  SECTION("what can never fit, or does not now, is told to its first pod") {
    const JobSpec giant = Named("giant", "giant", 21);
    world.ShowJob(giant, 0, 1);
    const std::string told = world.Refusal(JobPod(giant, 0));
    CHECK(told.find("impossible: ") != std::string::npos);
    for (int i = 1; i < 21; ++i) world.Show(JobPod(giant, i));
    CHECK(world.Refusal(JobPod(giant, 20)) == told);

    const JobSpec small = Named("small", "small", 1);
    world.ShowJob(small, 0, 1);
    Start(world, small);
    const JobSpec job = Named("train", "train", 20);
    world.ShowJob(job, 0, 1);
    const std::string waits = world.Refusal(JobPod(job, 0));
    CHECK(waits.find("room for all of them now") != std::string::npos);
    for (int i = 1; i < 20; ++i) world.Show(JobPod(job, i));
    CHECK(world.Refusal(JobPod(job, 19)) == waits);
    CHECK(world.HoldCount() == 0);
    world.Show(Ended(BoundByUs(small, 0, "b0-r0-n0", 0), PodPhase::kSucceeded));
    world.Pass(absl::Seconds(1));
    CHECK(world.HoldCount() == 20);
  }
  SECTION("a gang that is there as a whole may have all") {
    const JobSpec job = Named("train", "train", 20);
    world.ShowJob(job, 0, 20);
    Start(world, job);
    CHECK(world.StateOf("team/train") == "Running");
  }
}

TEST_CASE("Lives: a namespace may claim so many members and groups") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims = {2, 10};
  LivesWorld world(4, options);
  world.Show(JobPod(Named("a", "a", 5), 0));
  SECTION("members") {
    world.Show(JobPod(Named("b", "b", 6), 0));
    CHECK(world.Refusal(JobPod(Named("b", "b", 6), 0)) ==
          "error: " + Sentence("namespace has claimed its members", "team", 10, 6));
    world.Show(JobPod(Named("c", "c", 5), 0));
    CHECK(world.StateOf("team/c") != "(none)");
  }
  SECTION("groups") {
    world.Show(JobPod(Named("b", "b", 1), 0));
    world.Show(JobPod(Named("c", "c", 1), 0));
    CHECK(world.StateOf("team/b") != "(none)");
    CHECK(world.Refusal(JobPod(Named("c", "c", 1), 0)) ==
          "error: " + Sentence("namespace has its groups", "team", 2));
    PodFacts elsewhere = JobPod(Named("c", "c", 1), 0);
    elsewhere.ns = "other";
    elsewhere.uid = "elsewhere";
    world.Show(elsewhere);
    CHECK(world.StateOf("other/c") == "Planned");
  }
  CHECK(world.planner().Stats().refused_claims >= 1);
}

TEST_CASE("Lives: a gang larger than the calls that may be held is told so") {
  PlannerOptions options = PlannerWorld::Options();
  options.max_held_calls = 3;
  LivesWorld world(8, options);
  world.ShowJob(Whole("fits", 3), 0, 3);
  CHECK(world.StateOf("team/fits") == "Planned");
  world.ShowJob(Whole("large", 4), 0, 4);
  CHECK(world.Report("team/large").outcome == Outcome::kInvalid);
  CHECK(world.Report("team/large").reason.find("server.maxHeldCalls") != std::string::npos);
}

}  // namespace gangplan::refused_test
