// Lives of reservations by name: room is kept from their lead on, floats until their start, is
// their users' then, and goes back at the end.
#include "tests/extender/planner/reservation_world.h"
#include "tests/support/catch.h"

namespace gangplan::reservation_lives_test {
namespace {

using Reasons = std::vector<std::string>;

TEST_CASE("reservation: its life") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  const ReservationSpec evening{.lead = "1h"};
  world.Reserve(evening);
  CHECK(world.HoldCount() == 0);
  CHECK(world.Reservation().state == ReservationState::kAhead);
  const JobSpec user = UserOf("evening", "user", 4);
  world.Come(user);
  CHECK_FALSE(world.HasRoom(user));
  CHECK(world.WhyWaits(user) ==
        "gang team/user of 4: reservation evening: it begins at 1970-01-12T15:46:40Z; the gang is "
        "planned then");

  world.GoTo(absl::Minutes(61));
  CHECK(world.Reservation().state == ReservationState::kKept);
  CHECK(world.Reservation().missing == 0);
  CHECK(world.HoldCount() == 4);
  CHECK(world.Told() == Reasons{"ReservationPlanned"});
  const JobSpec big = Anywhere("big", 5);
  world.Come(big);
  CHECK_FALSE(world.HasRoom(big));
  const JobSpec four = Anywhere("four", 4);
  world.Start(four);  // what is left
  CHECK_FALSE(world.HasRoom(user));

  world.GoTo(absl::Hours(2));
  CHECK(world.Reservation().state == ReservationState::kStarted);
  CHECK(world.Told() == Reasons{"ReservationStarted"});
  REQUIRE(world.HasRoom(user));
  CHECK(DomainOf(world.At(user)[0], 0) != DomainOf(world.At(four)[0], 0));
  for (int i = 0; i < 4; ++i) world.FilterAndBind(JobPod(user, i));
  REQUIRE(world.BindAll() == 4);
  world.Some();
  CHECK(world.Reservation().users == Reasons{"team/user"});
  CHECK(world.Reservation().missing == 0);
  CHECK(world.HoldCount() == 0);

  world.GoTo(absl::Hours(3));
  world.End(user);
  CHECK(world.HoldCount() == 4);  // what its users leave is its own
  CHECK_FALSE(world.HasRoom(big));
  const JobSpec again = UserOf("evening", "again", 2);
  world.Start(again);

  world.GoTo(absl::Hours(4));
  CHECK(world.Reservation().state == ReservationState::kOver);
  CHECK(world.Told() == Reasons{"ReservationEnded"});
  CHECK(world.At(again).size() == 2);  // who runs there stays
  const JobSpec two = Anywhere("two", 2);
  world.Come(two);
  CHECK(world.HasRoom(two));
  const JobSpec late = UserOf("evening", "late", 1);
  world.Come(late);
  CHECK(world.WhyWaits(late) ==
        "gang team/late of 1: reservation evening: there is none of that name, or it is over "
        "(gangplan.io/reservation)");
}

TEST_CASE("reservation: before its start who has ended by then may pass, and nobody later") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  world.Reserve({.until = absl::Hours(6)});
  REQUIRE(world.HoldCount() == 4);
  const JobSpec endless = Anywhere("endless", 1);
  world.Come(endless);
  CHECK_FALSE(world.HasRoom(endless));
  const JobSpec late = Anywhere("late", 1, "1h56m");  // it may start five minutes late
  world.Come(late);
  CHECK_FALSE(world.HasRoom(late));
  const JobSpec quick = Anywhere("quick", 2, "1h");
  world.Come(quick);
  INFO(world.WhyWaits(quick));
  REQUIRE(world.HasRoom(quick));
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(quick, i));
  world.BindAll();
  world.Some();
  CHECK(world.Reservation().missing == 2);
  CHECK(world.Reservation().state == ReservationState::kKept);
  world.End(quick);
  CHECK(world.Reservation().missing == 0);
  CHECK_FALSE(world.HasRoom(endless));

  world.GoTo(absl::Hours(2));
  const JobSpec short_one = Anywhere("short", 1, "1m");
  world.Come(short_one);
  CHECK_FALSE(world.HasRoom(short_one));  // it is its users' alone
  const JobSpec stranger = [] {
    JobSpec job = UserOf("evening", "stranger", 1);
    SetWord(job.labels, "team", "other");
    return job;
  }();
  world.Come(stranger);
  CHECK(world.HasRoom(stranger));  // by its namespace
}

TEST_CASE("reservation: who may use it") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  SECTION("gangs of other namespaces do not") {
    world.Reserve({.from = -absl::Hours(1), .count = 2, .namespaces = "research, ml"});
    const JobSpec user = UserOf("evening", "user", 1);
    world.Come(user);
    CHECK_FALSE(world.HasRoom(user));
    CHECK(world.WhyWaits(user) ==
          "gang team/user of 1: reservation evening: it is for gangs of namespace ml, research");
    world.Reserve({.from = -absl::Hours(1), .count = 2, .namespaces = "research, team"});
    CHECK(world.HasRoom(user));
  }
  SECTION("by labels of the pods") {
    ReservationSpec spec{.from = -absl::Hours(1), .count = 2};
    spec.namespaces = "";
    spec.more = {{"podLabels", "team=a"}};
    world.Reserve(spec);
    JobSpec user = UserOf("evening", "user", 1);
    world.Come(user);
    CHECK(world.WhyWaits(user) ==
          "gang team/user of 1: reservation evening: it is for pods with the label team=a");
    JobSpec other = UserOf("evening", "other", 1);
    SetWord(other.labels, "team", "a");
    world.Come(other);
    CHECK(world.HasRoom(other));
  }
  SECTION("who does not ask for it goes elsewhere, though he might") {
    world.Reserve({.from = -absl::Hours(1), .count = 2});
    const JobSpec plain = Anywhere("plain", 1);
    world.Come(plain);
    CHECK_FALSE(world.HasRoom(plain));
  }
}

TEST_CASE("reservation: it waits for room that comes free in time, and has it before others") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  const JobSpec hour = Anywhere("hour", 2, "1h");
  const JobSpec day = Anywhere("day", 2, "24h");
  world.Start(hour);
  world.Start(day);
  world.Reserve({.count = 2, .place = "rack=pack!"});
  const ReservationReport report = world.Reservation();
  CHECK(report.state == ReservationState::kKept);
  CHECK(report.missing == 2);
  CHECK(report.domain == world.RackOf(hour).substr(0, 2) + "/" + world.RackOf(hour).substr(3));
  REQUIRE(report.by);
  CHECK(*report.by == absl::ToUnixSeconds(world.begun) + 3'630);
  CHECK(report.text.find("room for 0 of 2 pods is kept in b0/r") != std::string::npos);
  CHECK(report.text.find("the rest as others end there, by 1970-01-12T14:47:10Z at the latest") !=
        std::string::npos);
  const JobSpec waits = Anywhere("waits", 1);
  world.Come(waits);
  world.End(hour);
  CHECK(world.Reservation().missing == 0);
  CHECK_FALSE(world.HasRoom(waits));
  world.End(day);
  CHECK(world.HasRoom(waits));
}

TEST_CASE("reservation: what is missing at its start is told, and comes when others leave") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  const JobSpec endless = Anywhere("endless", 1);
  world.Start(endless);
  world.Reserve({.count = 2});
  CHECK(world.Reservation().missing == 1);
  CHECK_FALSE(world.Reservation().by);
  world.Told();
  const JobSpec user = UserOf("evening", "user", 2);
  world.Come(user);
  world.GoTo(absl::Hours(2));
  CHECK(world.Told() == Reasons{"ReservationShort"});
  CHECK_FALSE(world.HasRoom(user));
  world.End(endless);
  CHECK(world.HasRoom(user));
}

TEST_CASE("reservation: it floats as nodes go, until its start and after it") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  world.Reserve({});
  const std::string block = world.Reservation().domain;
  REQUIRE((block == "b0" || block == "b1"));
  world.DeleteNode(block + "-r0-n0");
  world.GoTo(absl::Minutes(1));
  CHECK(world.Reservation().domain == (block == "b0" ? "b1" : "b0"));
  CHECK(world.Reservation().missing == 0);
  CHECK(world.HoldCount() == 4);
}

TEST_CASE("reservation: it goes elsewhere for a gang that fits nowhere else") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  const JobSpec hour = RackGang("hour", 2, "1h");
  world.Start(hour);
  world.Reserve({.count = 2, .place = "rack=pack!"});
  CHECK(world.Reservation().missing == 0);  // the free rack is there sooner
  const JobSpec endless = RackGang("endless", 2);
  world.Come(endless);
  world.GoTo(absl::Minutes(1));
  CHECK(world.HasRoom(endless));
  CHECK(world.Reservation().missing == 2);
  REQUIRE(world.Reservation().by);
  CHECK(*world.Reservation().by <= absl::ToUnixSeconds(world.begun) + 3'700);
  SECTION("and stays where it can not be had in time") {
    world.End(hour);
    CHECK(world.Reservation().missing == 0);
    const JobSpec more = RackGang("more", 2);
    world.Come(more);
    world.GoTo(absl::Minutes(3));
    CHECK_FALSE(world.HasRoom(more));
    CHECK(world.Reservation().missing == 0);
  }
}

TEST_CASE("reservation: a node that goes after its start is replaced, beside what its users have") {
  ReservationWorld world(MakeNodes(1, 2, 3));
  world.Reserve({.count = 3, .place = "rack=pack!"});
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 1);
  world.Start(user);
  const std::string rack = world.RackOf(user);
  CHECK(world.HoldCount() == 2);
  for (int i = 0; i < 3; ++i) {
    const std::string node = rack + "-n" + std::to_string(i);
    if (node == world.At(user)[0]) continue;
    world.DeleteNode(node);
    break;
  }
  world.GoTo(absl::Minutes(123));
  CHECK(world.Reservation().missing == 1);  // its rack has no other node
  CHECK(world.HoldCount() == 1);
}

TEST_CASE("reservation: it is deleted, changed, and its words go wrong") {
  ReservationWorld world(MakeNodes(2, 2, 2));
  ReservationSpec spec;
  world.Reserve(spec);
  REQUIRE(world.HoldCount() == 4);
  SECTION("deleted: all of it is given back") {
    world.Unreserve(spec);
    CHECK(world.HoldCount() == 0);
    CHECK(world.planner().ListReservations().empty());
  }
  SECTION("smaller") {
    spec.count = 2;
    world.Reserve(spec);
    CHECK(world.HoldCount() == 2);
  }
  SECTION("larger, elsewhere") {
    spec.count = 8;
    spec.place = "";
    world.Reserve(spec);
    CHECK(world.HoldCount() == 8);
  }
  SECTION("later: nothing is kept until then") {
    spec.from = absl::Hours(100);
    spec.until = absl::Hours(101);
    world.Reserve(spec);
    CHECK(world.HoldCount() == 0);
    CHECK(world.Reservation().state == ReservationState::kAhead);
  }
  SECTION("words that cannot be read are told, and what was read stays") {
    world.Told();
    spec.count = 0;
    world.Reserve(spec);
    CHECK(world.HoldCount() == 4);
    CHECK(world.Told() == Reasons{"ReservationRefused"});
    CHECK(world.Reservation().problem == "count: \"0\": expected a whole number from 1 to 8192");
  }
  SECTION("made anew under its name") {
    spec.uid = "other";
    spec.count = 1;
    world.Reserve(spec);
    CHECK(world.HoldCount() == 1);
  }
}

TEST_CASE("reservation: after a restart it is found again before anybody is planned") {
  ReservationWorld world(MakeNodes(1, 2, 2));
  const ReservationSpec spec{.count = 3};
  world.Reserve(spec);
  const JobSpec user = UserOf("evening", "user", 2);
  const JobSpec waits = Anywhere("waits", 2);
  bool started = false;
  SECTION("before its start") {}
  SECTION("with users that run") {
    world.GoTo(absl::Hours(2));
    world.Start(user);
    started = true;
  }
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  const std::vector<std::string> nodes = started ? world.At(user) : std::vector<std::string>();
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 2));
  world.planner().OnReservation(world.now(), ObjectOf(spec, world.begun), true);
  for (int i = 0; i < 2 && started; ++i) world.ShowBound(JobPod(user, i), nodes[size_t(i)]);
  world.ShowJob(waits, 0, 2);
  world.Sync();
  world.Some();
  CHECK_FALSE(world.HasRoom(waits));
  CHECK(world.Reservation().missing == 0);
  CHECK(world.HoldCount() == (started ? 1 : 3));
}

TEST_CASE("reservation: who runs where it is laid has back what it loses, where it ends in time") {
  ReservationWorld world(MakeNodes(1, 1, 2));
  const JobSpec hour = Anywhere("hour", 2, "1h");
  world.Start(hour);
  world.Reserve({.count = 2});
  world.Delete(JobPod(hour, 1));
  world.Show(JobPod(hour, 1, 1));
  world.Some();
  world.FilterAndBind(JobPod(hour, 1, 1));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("reservation: once it is over, who runs there is not evicted to start anew") {
  PlannerOptions options = With(QueueMode::kGreedy);
  options.suspended_jobs = false;
  options.repair = {absl::ZeroDuration(), OnFailure::kRestart, absl::Minutes(5), 3};
  ReservationWorld world(MakeNodes(1, 1, 2), options);
  world.Reserve({.count = 2});
  world.GoTo(absl::Hours(2));
  const JobSpec user = UserOf("evening", "user", 2);
  world.Start(user);
  world.GoTo(absl::Hours(5));
  const std::string lost = world.At(user)[1];
  world.Delete(JobPod(user, 1));
  world.ShowBound(ForeignPod("there", 8), lost);
  world.Show(JobPod(user, 1, 1));
  for (int i = 0; i < 60; ++i) world.Pass(absl::Seconds(15));
  CHECK(world.Take<PodDelete>().empty());
}

TEST_CASE("reservation: nobody goes for a gang whose reservation ends meanwhile") {
  PlannerOptions options = With(QueueMode::kGreedy);
  options.preempts = true;
  options.suspended_jobs = false;
  ReservationWorld world(MakeNodes(1, 1, 2), options);
  world.Reserve({.count = 2});
  world.GoTo(absl::Hours(2));
  for (const char* name : {"one", "two"}) {
    JobSpec low = UserOf("evening", name, 1);
    low.priority = 1;
    world.Start(low);
  }
  world.GoTo(absl::Hours(4) - absl::Seconds(2));
  world.ForgetEffects();
  JobSpec high = UserOf("evening", "high", 2);
  high.priority = 100;
  world.Come(high);
  const auto tell = [&](const PodDelete& one) {
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  };
  const auto asked = world.Take<PodDelete>();
  REQUIRE(asked.size() == 2);
  for (const PodDelete& one : asked) tell(one);
  const auto first = world.Take<PodDelete>();
  REQUIRE(first.size() == 1);
  REQUIRE(first[0].how == PodDelete::How::kEvict);
  world.Pass(absl::Seconds(3));
  REQUIRE(world.Reservation().state == ReservationState::kOver);
  tell(first[0]);
  world.Some();
  for (const PodDelete& one : world.Take<PodDelete>()) CHECK(one.how == PodDelete::How::kTry);
}

}  // namespace
}  // namespace gangplan::reservation_lives_test
