// Reservations by name where people, nodes and answers do what nobody expects of them.
#include "extender/planner/ledger.h"
#include "fmt/format.h"
#include "tests/extender/planner/reservation_world.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

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

}  // namespace
}  // namespace gangplan
