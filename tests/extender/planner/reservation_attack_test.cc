// Reservations by name where people, nodes and answers do what nobody expects of them.
#include <variant>

#include "extender/planner/ledger.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/extender/planner/reservation_world.h"
#include "tests/support/catch.h"

namespace gangplan::reservation_attack_test {
namespace {

// Of three reserved nodes, when it has begun: it runs on one, and asks for a spare one.
JobSpec SparingUser(ReservationWorld& world) {
  world.Reserve({.count = 3});
  world.GoTo(absl::Hours(2));
  JobSpec user = UserOf("evening", "user", 1);
  SetWord(user.words, "gangplan.io/spares", "1");
  world.Start(user);
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(5));
  return user;
}

using Reasons = std::vector<std::string>;

// The question that is on its way, taken out before anybody answers it.
std::shared_ptr<SolveTask> TakeQuestion(Planner& planner) {
  std::shared_ptr<SolveTask> task;
  for (Effect& effect : planner.TakeEffects())
    if (auto* solve = std::get_if<SolveOnCopy>(&effect)) task = solve->task;
  return task;
}

// Ticks until something is asked that is not answered.
std::shared_ptr<SolveTask> AskedNext(ReservationWorld& world, absl::Time& now) {
  for (int i = 0; i < 50; ++i) {
    now += absl::Seconds(1);
    world.planner().Tick(now);
    if (auto task = TakeQuestion(world.planner())) return task;
  }
  return nullptr;
}

TEST_CASE("reservation attack: it is deleted while it is asked about, and gives back in parts") {
  ReservationWorld world(MakeNodes(1, 4, 100));
  const ReservationSpec spec{.count = 400};
  world.Reserve(spec);
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(5));
  REQUIRE(world.HoldCount() == 400);
  Planner& planner = world.planner();
  absl::Time now = world.now();
  planner.OnNodeDeleted(now, "b0-r0-n0");
  const std::shared_ptr<SolveTask> task = AskedNext(world, now);
  REQUIRE(task != nullptr);
  planner.OnReservation(now, ObjectOf(spec, world.begun), false);
  task->Run();
  planner.OnSolved(now, *task);
  for (int i = 0; i < 10; ++i) planner.Tick(now += absl::Seconds(1));
  CHECK(planner.BrokenInvariant() == "");
  CHECK(planner.ListReservations().empty());
}

TEST_CASE("reservation attack: it is put off while it is asked about, and keeps nothing then") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  ReservationSpec spec{.lead = "1h"};
  world.Reserve(spec);
  REQUIRE(world.HoldCount() == 0);
  Planner& planner = world.planner();
  absl::Time now = world.begun + absl::Minutes(61);
  const std::shared_ptr<SolveTask> task = AskedNext(world, now);
  REQUIRE(task != nullptr);
  spec.from = absl::Hours(100);
  spec.until = absl::Hours(102);
  planner.OnReservation(now, ObjectOf(spec, world.begun), true);
  task->Run();
  planner.OnSolved(now, *task);
  world.Pass(now - world.now());
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.HoldCount() == 0);
  CHECK(world.Reservation().state == ReservationState::kAhead);
}

TEST_CASE("reservation attack: its lead alone becomes shorter") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  const JobSpec hour = Anywhere("hour", 2, "90m");
  world.Start(hour);
  ReservationSpec spec{.from = absl::Hours(3), .until = absl::Hours(6)};
  world.Reserve(spec);
  REQUIRE(world.Reservation().missing == 2);
  spec.lead = "150m";
  world.Reserve(spec);
  CHECK(world.HoldCount() == 0);
  CHECK(world.Reservation().state == ReservationState::kAhead);
  CHECK(world.Reservation().text.find("room is looked for from ") != std::string::npos);
  world.GoTo(absl::Minutes(31));
  world.GoTo(absl::Minutes(32));
  CHECK(world.Reservation().missing == 2);  // and not when the others have ended
  CHECK(world.Reservation().state == ReservationState::kKept);
  CHECK(world.Reservation().domain == "b0");
}

TEST_CASE("reservation: 64 at once, and the next one when one of them is gone") {
  ReservationWorld world(MakeNodes(2, 2, 16));
  std::vector<ReservationSpec> specs;
  for (int i = 0; i < 65; ++i)
    specs.push_back({.name = fmt::format("r{:02}", i), .count = 1, .place = ""});
  for (const ReservationSpec& spec : specs) world.Reserve(spec);
  const auto last = [&] { return world.Reservation("r64"); };
  CHECK(last().state == ReservationState::kRefused);
  CHECK(last().problem == "there are 64 reservations already; expected no more at once");
  // A look each turn, a question each turn: all of them get their room.
  for (int i = 0; i < 100; ++i) world.Pass(absl::Seconds(5));
  for (int i = 0; i < 64; ++i) CHECK(world.Reservation(specs[i].name).missing == 0);
  CHECK(world.HoldCount() == 64);
  world.Unreserve(specs[7]);
  CHECK(last().problem.empty());
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(5));
  CHECK(last().state == ReservationState::kKept);
  CHECK(last().missing == 0);
  CHECK(world.HoldCount() == 64);
}

TEST_CASE("reservation attack: one that is over is over, however many there are") {
  ReservationWorld world(MakeNodes(2, 2, 16));
  for (int i = 0; i < 64; ++i)
    world.Reserve({.name = fmt::format("r{:02}", i), .count = 1, .place = ""});
  world.Told();
  world.Reserve({.name = "past", .from = -absl::Hours(2), .until = -absl::Hours(1)});
  CHECK(world.Reservation("past").state == ReservationState::kOver);
  CHECK(world.Told().empty());
}

TEST_CASE("reservation attack: after a restart one that is far ahead hides no other one") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  const ReservationSpec ahead{
      .name = "ahead", .from = absl::Hours(200), .until = absl::Hours(201), .lead = "1h"};
  const ReservationSpec evening{.count = 3};
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.planner().OnReservation(world.now(), ObjectOf(ahead, world.begun), true);
  world.planner().OnReservation(world.now(), ObjectOf(evening, world.begun), true);
  const JobSpec waits = Anywhere("waits", 2);
  world.ShowJob(waits, 0, 2);
  world.Sync();
  world.Some();
  CHECK_FALSE(world.HasRoom(waits));
  world.GoTo(absl::Seconds(30));
  CHECK_FALSE(world.HasRoom(waits));
  CHECK(world.Reservation().missing == 0);
}

TEST_CASE("reservation attack: pods of no gang do not get what its users hold") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  world.Reserve({.count = 2});
  world.GoTo(absl::Hours(4) - absl::Minutes(1));
  const PodFacts stranger = ForeignPod("stranger", 8, 100);
  const std::string kept = "room is held for a gang, or kept for a reservation";
  CHECK(world.Refusal(stranger) == kept);
  const JobSpec user = UserOf("evening", "user", 2);
  world.Come(user);
  REQUIRE(world.HasRoom(user));
  CHECK(world.Refusal(stranger) == kept);
  CHECK(
      world.planner().Preempt(world.now(), stranger, {{"b0-r0-n0", {}}, {"b0-r0-n1", {}}}).empty());
  // The cluster's own do.
  CHECK(world.Refusal(ForeignPod("own", 8, kSystemPriority)) == "passed: 2");
  world.GoTo(absl::Hours(4));  // it is over: its users are as all others
  REQUIRE(world.HasRoom(user));
  CHECK(world.Refusal(ForeignPod("later", 8, 100)) == "passed: 2");
}

TEST_CASE("reservation attack: nobody is evicted for a pod of no gang that gets no room then") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  world.Reserve({.count = 2});
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 1);
  world.Start(user);
  const std::string node = world.At(user)[0];
  const std::string pod = JobPod(user, 0).uid;
  const auto preempts = [&](int32_t priority) {
    return !world.planner()
                .Preempt(world.now(), ForeignPod(fmt::format("p{}", priority), 8, priority),
                         {{node, {pod}}})
                .empty();
  };
  CHECK_FALSE(preempts(100));
  CHECK(preempts(kSystemPriority));
  world.GoTo(absl::Hours(4));
  CHECK(preempts(101));
}

TEST_CASE("reservation attack: before its start what one leaves there is its own, too") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  const PodFacts runs = world.Foreign("runs", 8, "b0-r0-n0", 0, 3'600);
  world.Reserve({.count = 2});
  REQUIRE(world.Reservation().missing == 1);
  const std::vector<PreemptCandidate> candidates = {{"b0-r0-n0", {runs.uid}}};
  CHECK(world.planner().Preempt(world.now(), ForeignPod("p", 8, 100), candidates).empty());
  // What it does not keep is anybody's.
  CHECK(world.planner().Preempt(world.now(), ForeignPod("q", 0, 100), candidates).size() == 1);
}

TEST_CASE("reservation attack: fewer pods than it has room for are none below zero") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  ReservationSpec spec{};
  world.Reserve(spec);
  REQUIRE(world.HoldCount() == 4);
  spec.count = 2;
  spec.place = "node=pack!";  // there is no such room
  world.Reserve(spec);
  CHECK(world.Reservation().missing >= 0);
  CHECK(world.Reservation().missing <= 2);
}

TEST_CASE("reservation attack: made anew under its name with the same fault it is told so, too") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  ReservationSpec spec{.count = 0};
  world.Reserve(spec);
  CHECK(world.Told() == Reasons{"ReservationRefused"});
  world.Reserve(spec);  // seen twice
  CHECK(world.Told().empty());
  spec.uid = "other";
  world.Reserve(spec);
  CHECK(world.Told() == Reasons{"ReservationRefused"});
}

TEST_CASE("reservation attack: its place is one of levels that are gone") {
  PlannerOptions options = With(QueueMode::kGreedy);
  options.topologies[0].live = "Topology default";
  ReservationWorld world({}, options);
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Some();
  world.Reserve({.count = 2, .place = "rack=pack!"});
  REQUIRE(world.HoldCount() == 2);
  Topology nodes = ThreeLevels();
  nodes.levels = {nodes.levels.back()};
  REQUIRE(world.planner().OnTopology(world.now(), *CompleteTopology(nodes)));
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(5));
  CHECK_FALSE(world.Reservation().problem.empty());
  world.DeleteNode("b0-r0-n0");
  world.DeleteNode("b0-r1-n0");
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.HoldCount() >= 1);
  REQUIRE(world.planner().OnTopology(world.now(), ThreeLevels()));
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.Reservation().problem.empty());
}

TEST_CASE("reservation attack: a node of it moves to another rack") {
  ReservationWorld world(MakeNodes(1, 3, 2));
  world.Reserve({.count = 2, .place = "rack=pack!"});
  REQUIRE(world.Reservation().missing == 0);
  const std::string rack = world.Reservation().domain;
  REQUIRE(rack == "b0/r0");
  NodeFacts moved = MakeNode(0, 0, 0);
  SetLabel(moved.labels, "example.com/rack", "r9");
  world.Put(moved);
  for (int i = 0; i < 4; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.Reservation().missing == 0);
  CHECK((world.Reservation().domain == "b0/r1" || world.Reservation().domain == "b0/r2"));
}

TEST_CASE("reservation attack: a node that comes where one of it went is not its own by that") {
  ReservationWorld world(MakeNodes(1, 3, 2));
  world.Reserve({.count = 2, .place = "rack=pack!"});
  REQUIRE(world.Reservation().domain == "b0/r0");
  world.DeleteNode("b0-r0-n0");
  world.Put(MakeNode(0, 8, 0));
  for (int i = 0; i < 4; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.Reservation().missing == 0);
  CHECK((world.Reservation().domain == "b0/r1" || world.Reservation().domain == "b0/r2"));
}

TEST_CASE("reservation attack: a user's pods say other labels than before") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  ReservationSpec spec{.from = -absl::Hours(1), .count = 2, .namespaces = ""};
  spec.more = {{"podLabels", "team=a"}};
  world.Reserve(spec);
  JobSpec user = UserOf("evening", "user", 1);
  SetWord(user.labels, "team", "a");
  world.Come(user);
  REQUIRE(world.HasRoom(user));
  PodFacts pod = JobPod(user, 0);
  SetWord(pod.labels, "team", "b");
  world.Show(pod);
  world.Some();
  CHECK(world.Reservation().missing == 0);
}

TEST_CASE("reservation attack: a user that began elsewhere keeps it from no place") {
  std::vector<NodeFacts> nodes = {MakeNode(0, 0, 0)};
  ReservationWorld world(nodes);
  const JobSpec out = Anywhere("out", 1);
  world.Start(out);
  for (int block = 1; block < 3; ++block)
    for (int node = 0; node < 2; ++node) nodes.push_back(MakeNode(block, 0, node));
  // By when all is read anew its pods ask for it.
  world.Restart();
  world.AddNodes(nodes);
  const ReservationSpec spec{.from = -absl::Hours(1), .count = 2};
  world.planner().OnReservation(world.now(), ObjectOf(spec, world.begun), true);
  PodFacts pod = JobPod(out, 0);
  SetWord(pod.annotations, kReservationWord, "evening");
  world.ShowBound(pod, "b0-r0-n0");
  world.Sync();
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(5));
  REQUIRE(world.Reservation().users == Reasons{"team/out"});
  CHECK(world.Reservation().missing == 0);
  CHECK(world.Reservation().domain == "b1/r0");
  world.DeleteNode("b1-r0-n0");
  for (int i = 0; i < 30; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.Reservation().missing == 0);
  CHECK(world.Reservation().domain == "b2/r0");
}

TEST_CASE("reservation attack: programs and metrics count the same states") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  world.Reserve({.count = 3, .place = "rack=pack!"});  // there is no such rack
  world.GoTo(absl::Hours(2));
  const ReservationCounts counts = world.planner().Stats().reservations;
  const ReservationReport report = world.Reservation();
  CHECK(report.state == ReservationState::kStarted);
  CHECK(counts.reservations[static_cast<size_t>(report.state)] == 1);
  CHECK(counts.missing == 3);
}

TEST_CASE("reservation attack: a user's spares are of its room") {
  ReservationWorld world(MakeNodes(1, 1, 3));
  const JobSpec user = SparingUser(world);
  INFO(world.Of(user).spares);
  CHECK(world.Reservation().missing == 0);
}

TEST_CASE("reservation attack: what its users have lost is repaired, in it and after it") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  world.Reserve({.count = 3});
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 2);
  world.Start(user);
  std::vector<std::string> nodes = world.At(user);
  world.Start(Anywhere("other", 1));
  const auto lose = [&](int life) {
    world.Delete(JobPod(user, 1, life));
    world.Show(JobPod(user, 1, life + 1));
    world.Some();
    world.FilterAndBind(JobPod(user, 1, life + 1));
    CHECK(world.BindAll() == 1);
    world.Some();
  };
  lose(0);
  CHECK(world.Reservation().missing == 0);
  world.GoTo(absl::Hours(4));
  lose(1);
}

TEST_CASE("reservation attack: a user that does not fit is told where it may go") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  world.Reserve({});
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 6);  // elsewhere there were room
  world.Come(user);
  CHECK(world.WhyWaits(user) ==
        "gang team/user: there is no room for all 6 members now; it goes to the 4 nodes of "
        "reservation evening alone");
}

TEST_CASE("reservation attack: a user keeps no spare where it may not go") {
  ReservationWorld world(MakeNodes(1, 2, 3));
  const JobSpec user = SparingUser(world);
  CHECK(world.Of(user).spares == "0 of 1 spare nodes are kept");
}

}  // namespace
}  // namespace gangplan::reservation_attack_test
