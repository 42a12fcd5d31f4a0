// Reservations by name beside others: whom they keep off, and what is told of their room.
#include "fmt/format.h"
#include "tests/extender/planner/reservation_world.h"
#include "tests/support/catch.h"

namespace gangplan::reservation_room_test {
namespace {

TEST_CASE("reservation: a gang of greater priority evicts nobody from it, and keeps off nobody") {
  PlannerOptions options = With(QueueMode::kStrict);
  options.preempts = true;
  ReservationWorld world(MakeNodes(1, 2, 2), options);
  world.Reserve({.count = 2, .place = "rack=pack!"});
  const JobSpec lesser = Anywhere("lesser", 2);
  world.Start(lesser);
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 2);
  world.Start(user);
  const JobSpec greater = Anywhere("greater", 3, "", 100);
  world.Come(greater);
  world.GoTo(absl::Minutes(122));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.At(user).size() == 2);
  // It stands in line for all others, and not for those who have their room.
  const JobSpec next = UserOf("evening", "next", 2);
  world.Come(next);
  world.End(user);
  CHECK(world.HasRoom(next));
}

TEST_CASE("reservation: its first Event counts the room that is there") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  world.Reserve({});
  world.GoTo(absl::Minutes(1));
  std::vector<std::string> texts;
  for (const EventNote& note : world.Take<EventNote>())
    if (note.regarding.kind == "ConfigMap") texts.push_back(note.note);
  CHECK(texts == std::vector<std::string>{
                     "reservation evening: room for 4 of 4 pods is kept in b0, on 4 nodes"});
}

TEST_CASE("reservation: what its users hold gives way to its users of greater priority alone") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  world.Start(Anywhere("lesser", 2));
  world.Reserve({.count = 2, .place = "rack=pack!"});
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 2);
  world.Come(user);
  REQUIRE(world.HasRoom(user));
  const JobSpec greater = Anywhere("greater", 1, "", 100);
  world.Come(greater);
  CHECK_FALSE(world.HasRoom(greater));
  CHECK(world.At(user).size() == 2);
  JobSpec first = UserOf("evening", "first", 2);
  first.priority = 100;
  world.Come(first);
  CHECK(world.At(first).size() == 2);
  CHECK_FALSE(world.HasRoom(user));
}

TEST_CASE("reservation: spares and what it keeps are room of their own") {
  ReservationWorld world(MakeNodes(1, 1, 4));
  JobSpec gang = Anywhere("gang", 1);
  SetWord(gang.words, "gangplan.io/spares", "1");
  world.Start(gang);
  world.Reserve({.count = 2});
  for (int i = 0; i < 20; ++i) world.Pass(absl::Seconds(5));
  CHECK(world.Of(gang).spares.find("1 of 1 spare nodes are kept") == 0);
  CHECK(world.Reservation().missing == 0);
  CHECK(world.HoldCount() == 3);
}

// Racks of four nodes. The second one is taken for ever; in the first one two nodes are the
// reservation's, until two hours from the beginning on.
struct Kept : ReservationWorld {
  JobSpec head = RackGang("head", 4);
  JobSpec small = RackGang("small", 1);

  Kept() : ReservationWorld(MakeNodes(1, 2, 4), With(QueueMode::kBackfill)) {
    for (int node = 0; node < 4; ++node)
      Foreign(fmt::format("on-{}", node), 8, NodeNameAt(0, 1, node));
    Reserve({.from = -absl::Hours(1), .until = absl::Hours(2), .count = 2, .place = "rack=pack!"});
    REQUIRE(HoldCount() == 2);
  }
  void Wait(int seconds) {
    for (int i = 0; i < seconds; ++i) Pass(absl::Seconds(1));
  }
};

TEST_CASE("reservation: the first in line has its room kept where it is over soonest") {
  Kept world;
  world.Come(world.head);
  world.Come(world.small);
  for (int i = 0; i < 10; ++i) {
    CHECK(world.Of(world.head).expected_by == world.begun + absl::Hours(2));
    CHECK(world.Of(world.head).reservation.find("when a reservation has ended") !=
          std::string::npos);
    CHECK_FALSE(world.HasRoom(world.small));
    world.Wait(2);
  }
  const JobSpec quick = RackGang("quick", 1, "30m");
  world.Come(quick);
  CHECK(world.RackOf(quick) == "b0-r0");  // it is gone in time
  world.Delete(JobPod(quick, 0));
  world.GoTo(absl::Hours(2));
  world.Wait(2);
  CHECK(world.At(world.head).size() == 4);
  CHECK_FALSE(world.HasRoom(world.small));
}

TEST_CASE("reservation: what it leaves before the rest comes free is the first one's in line") {
  Kept world;
  const PodFacts later = world.Foreign("later", 8, "b0-r0-n3", 0, 3 * 3'600);
  world.Come(world.head);
  world.Come(world.small);
  REQUIRE(world.Of(world.head).expected_by == world.begun + absl::Seconds(3 * 3'600 + 5));
  SECTION("when it is over") { world.GoTo(absl::Hours(2)); }
  SECTION("when its object is gone") { world.Unreserve({}); }
  SECTION("when it is smaller") {
    world.Reserve(
        {.from = -absl::Hours(1), .until = absl::Hours(2), .count = 1, .place = "rack=pack!"});
  }
  world.Wait(10);
  CHECK_FALSE(world.HasRoom(world.small));
  CHECK(world.Of(world.head).expected_by == world.begun + absl::Seconds(3 * 3'600 + 5));
  world.GoTo(absl::Hours(2) + absl::Minutes(1));
  world.Delete(later);
  world.Wait(10);
  CHECK(world.At(world.head).size() == 4);
}

TEST_CASE("reservation: the first in line is told anew when users take the room it waits for") {
  Kept world;
  JobSpec two = RackGang("two", 2);
  two.place = "node=pack";
  for (const char* node : {"b0-r0-n2", "b0-r0-n3"}) world.Foreign(node, 8, node);
  world.Come(two);
  REQUIRE(world.Of(two).expected_by == world.begun + absl::Hours(2));
  world.Start(UserOf("evening", "user", 1, "5h"));
  world.Wait(10);
  CHECK(world.Of(two).expected_by != world.begun + absl::Hours(2));
}

TEST_CASE("reservation: words that rule its nodes out have these given back at once") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  ReservationSpec spec;
  world.Reserve(spec);
  REQUIRE(world.HoldCount() == 4);
  const JobSpec five = Anywhere("five", 5);
  world.Come(five);
  REQUIRE_FALSE(world.HasRoom(five));
  SECTION("other nodes") {
    spec.more = {{"nodeSelector", "pool=none"}};
    world.Reserve(spec);
    CHECK(world.Reservation().state == ReservationState::kSought);
    CHECK(world.Reservation().missing == 4);
    CHECK(world.At(five).size() == 5);
    CHECK(world.HoldCount() == 5);
  }
  SECTION("others are let in, too: it stays where it is") {
    spec.more = {{"tolerations", "dedicated"}};
    world.Reserve(spec);
    CHECK(world.HoldCount() == 4);
    CHECK_FALSE(world.HasRoom(five));
  }
}

TEST_CASE("reservation: it lies where its users may go though they do not tell how long they run") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  for (int rack = 0; rack < 2; ++rack) {
    for (int node = 0; node < 2; ++node) {
      NodeFacts facts = MakeNode(0, rack, node);
      facts.maintenance = absl::ToUnixSeconds(world.begun + absl::Hours(48));
      world.Put(facts);
    }
  }
  SECTION("off nodes that are to be empty after its end") {
    world.Reserve({});
    CHECK(world.Reservation().domain == "b1");
    world.GoTo(absl::Hours(2));
    const JobSpec user = UserOf("evening", "user", 4);
    world.Come(user);
    CHECK(world.At(user).size() == 4);
  }
  SECTION("unless it has no other place") {
    world.Foreign("there", 8, "b1-r0-n0");
    world.Reserve({});
    CHECK(world.Reservation().domain == "b0");
    CHECK(world.Reservation().missing == 0);
    world.GoTo(absl::Hours(2));
    const JobSpec user = UserOf("evening", "user", 4, "1h");
    world.Come(user);
    CHECK(world.At(user).size() == 4);
  }
  SECTION("or would be late elsewhere") {
    world.Foreign("there", 8, "b1-r0-n0", 0, 3 * 3'600);
    world.Reserve({});
    CHECK(world.Reservation().domain == "b0");
  }
}

}  // namespace
TEST_CASE("reservation: two at once") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  SECTION("at one time they have each their own room") {
    world.Reserve({.name = "a", .count = 2});
    world.Reserve({.name = "b", .count = 2});
    CHECK(world.HoldCount() == 4);
    CHECK(world.Reservation("a").missing + world.Reservation("b").missing == 0);
  }
  SECTION("one that is written later, and begins earlier, takes nothing from the other") {
    const ReservationSpec a{.name = "a", .count = 3};
    world.Reserve(a);
    world.GoTo(absl::Hours(GENERATE(1, 3)));  // before its start, and after that
    world.Reserve({.name = "b", .from = absl::Minutes(30), .until = absl::Hours(3.5), .count = 3});
    CHECK(world.Reservation("a").missing == 0);
    CHECK(world.Reservation("b").missing == 3);
    world.Unreserve(a);
    world.GoTo(absl::Hours(3) + absl::Minutes(5));
    CHECK(world.Reservation("b").missing == 0);
  }
  SECTION("one after the other they have the same, whoever was there first") {
    const bool later_first = GENERATE(false, true);
    const ReservationSpec a{.name = "a"};
    const ReservationSpec b{.name = "b", .from = absl::Hours(5), .until = absl::Hours(6)};
    world.Reserve(later_first ? b : a);
    world.Reserve(later_first ? a : b);
    CHECK(world.Reservation("a").missing == 0);
    CHECK(world.Reservation("b").missing == 4);
    world.GoTo(absl::Hours(4));
    CHECK(world.Reservation("b").missing == 0);
    CHECK(world.HoldCount() == 4);
  }
}

}  // namespace gangplan::reservation_room_test
