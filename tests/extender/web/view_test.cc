#include "extender/web/view.h"

#include "tests/support/catch.h"

namespace gangplan::view_test {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

GroupReport Waiting() {
  GroupReport report;
  report.key = {"Job", "default", "trainer", "uid-1"};
  report.name = "default/trainer";
  report.state = GroupState::kBlocked;
  report.road = Road::kUnasked;
  report.size = 64;
  report.place = "rack=pack!";
  report.engine = "exact";
  report.engine_why = "everything but Kueue's words";
  report.seen = 64;
  report.outcome = Outcome::kWait;
  report.reason = "gang default/trainer: 64 members must share one rack; no rack has room for all";
  report.evidence = "  rack (required): most room now in b/r: 40, 24 short";
  report.slots = {{0, "trainer-0", "", "", "empty"}};
  return report;
}

GroupReport Running() {
  GroupReport report = Waiting();
  report.state = GroupState::kRunning;
  report.road = Road::kNone;
  report.outcome = Outcome::kPlaced;
  report.reason.clear();
  report.evidence.clear();
  report.size = 4;
  report.seen = 4;
  report.bound = 3;
  report.in_bind = 1;
  report.slots = {{0, "trainer-0", "b1/r1/n1", "n1", "bound"},
                  {1, "trainer-1", "b1/r1/n1", "n1", "bound"},
                  {2, "trainer-2", "b1/r1/n2", "n2", "bound"},
                  {3, "trainer-3", "b1/r1/n2", "n2", "posting"}};
  return report;
}

TEST_CASE("A waiting group is told with its reason and evidence") {
  CHECK(GroupText(Waiting(), kNow) ==
        "Job default/trainer: Blocked; 64 of 64 members seen, 0 in bind, 0 bound\n"
        "  place: rack=pack!\n"
        "  engine exact: everything but Kueue's words\n"
        "  road unasked: the scheduler has not asked for its pods yet\n"
        "  wait: 64 members must share one rack; no rack has room for all\n"
        "  rack (required): most room now in b/r: 40, 24 short\n");
}

TEST_CASE("A bare reason is without the gang, its topology and how it came out") {
  const auto bare = [](std::string_view reason) {
    return BareReason(reason, "default/w", Outcome::kImpossible);
  };
  CHECK(bare("gang default/w: impossible: 6 members") == "6 members");
  CHECK(bare("gang default/w in topology rings: impossible: 6 members; x: y") == "6 members; x: y");
  CHECK(bare("impossible: 6 members") == "6 members");
  for (const char* other :
       {"gang default/w2 in topology rings: 6", "gang default/w of 8: it waits",
        "gang default/w in topology rings", "gang default/w", "in topology rings: x"}) {
    INFO(other);
    CHECK(bare(other) == other);
  }
}

TEST_CASE("A group is told with who tells its size, and by what its ranks go") {
  GroupReport report = Waiting();
  report.origins = {"Job trainer", ""};
  CHECK_THAT(GroupText(report, kNow),
             ContainsText("\n  size by Job trainer; ranks by nobody\n  place: rack=pack!\n"));
  report.origins.ranks = "example.com/index";
  CHECK_THAT(GroupText(report, kNow),
             ContainsText("  size by Job trainer; ranks by example.com/index\n"));
}

TEST_CASE("A group in line is told its place, and what is kept for it") {
  GroupReport report = Waiting();
  report.shape = PlanShape{"b0/r1", 64, 8, 2, {{"block", 1}, {"rack", 1}, {"node", 8}}};
  report.quality = PlanQuality{true, {}};
  CHECK(GroupJson(report).find(R"("plan":{"domain":"b0/r1","nodes":8,"distance":2,"levels":[)"
                               R"({"name":"block","domains":1,"crossed":false},)"
                               R"({"name":"rack","domains":1,"crossed":false},)"
                               R"({"name":"node","domains":8,"crossed":true}],"best":true,)"
                               R"("gap":"no plan is better"})") != std::string::npos);
  CHECK(
      GroupText(report, absl::UnixEpoch())
          .find(
              "  plan: 64 pods in b0/r1 on 8 nodes, 2 steps apart at most; no plan is better\n") !=
      std::string::npos);
  report.shape.reset();
  report.line_place = 2;
  report.line_length = 3;
  report.line_first = "team/first";
  CHECK(GroupText(report, kNow).find("\n  line: place 2 of 3; the first is gang team/first\n") !=
        std::string::npos);
  CHECK(GroupJson(report).find(R"("line":{"place":2,"of":3,"first":"team/first"})") !=
        std::string::npos);
  report.line_place = 1;
  report.line_first.clear();
  report.reservation = "room for 64 is kept in b/r";
  report.expected_by = kNow + absl::Seconds(60);
  CHECK(GroupText(report, kNow).find("\n  line: place 1 of 3; room for 64 is kept in b/r\n") !=
        std::string::npos);
  CHECK(GroupJson(report).find(R"("line":{"place":1,"of":3,"reservation":"room for 64 is kept )"
                               R"(in b/r","expectedByUnix":1000060})") != std::string::npos);
}

TEST_CASE("The outcome stands once") {
  GroupReport report = Waiting();
  report.outcome = Outcome::kImpossible;
  report.reason = "gang default/trainer: impossible: 64 members; the empty cluster holds 8";
  report.evidence.clear();
  CHECK(GroupText(report, kNow) ==
        "Job default/trainer: Blocked; 64 of 64 members seen, 0 in bind, 0 bound\n"
        "  place: rack=pack!\n"
        "  engine exact: everything but Kueue's words\n"
        "  road unasked: the scheduler has not asked for its pods yet\n"
        "  impossible: 64 members; the empty cluster holds 8\n");
  report.outcome = Outcome::kWait;
  report.reason = "gang default/trainer of 64: members did not all come in time";
  CHECK_THAT(GroupText(report, kNow),
             EndsWith("  wait: gang default/trainer of 64: members did not all come in time\n"));
}

TEST_CASE("A placed group is told rank by rank") {
  CHECK(GroupText(Running(), kNow) ==
        "Job default/trainer: Running; 4 of 4 members seen, 1 in bind, 3 bound\n"
        "  place: rack=pack!\n"
        "  engine exact: everything but Kueue's words\n"
        "  rank 0-1       bound     b1/r1/n1\n"
        "  rank 2         bound     b1/r1/n2\n"
        "  rank 3         posting   b1/r1/n2\n");
}

TEST_CASE("Deadline and pods that are no members are told") {
  GroupReport report = Running();
  report.place.clear();
  report.deadline = kNow + absl::Seconds(90);
  report.problems = {"pod trainer-9: gangplan.io/rank: too large"};
  report.slots.resize(1);
  CHECK(GroupText(report, kNow) ==
        "Job default/trainer: Running; 4 of 4 members seen, 1 in bind, 3 bound\n"
        "  place: no rule, as close as there is room\n"
        "  engine exact: everything but Kueue's words\n"
        "  its room is given back in 90 s unless it has started\n"
        "  not a member: pod trainer-9: gangplan.io/rank: too large\n"
        "  rank 0         bound     b1/r1/n1\n");
  report.deadline = kNow - absl::Seconds(1);
  CHECK_THAT(GroupText(report, kNow), ContainsText("given back in 0 s"));
}

TEST_CASE("A history has its reasons without whose they are") {
  GroupHistory history;
  history.lines.push_back(
      {kNow, GroupState::kBlocked, 0, 2, "gang ml/x: wait: no rack has room for 2 members"});
  history.lines.push_back({kNow, GroupState::kBlocked, 0, 2, "wait for ml/x"});
  const std::string json = HistoryJson("ml/x", history);
  CHECK_THAT(json, ContainsText(R"("why":"no rack has room for 2 members"})"));
  CHECK_THAT(json, ContainsText(R"("why":"wait for ml/x"})"));
}

TEST_CASE("Several pod sets are told one by one") {
  GroupReport report = Running();
  report.pod_sets = {{"leader", 1, 1, 1, "required rack"}, {"workers", 3, 3, 2, "required rack"}};
  report.place = "required rack";
  for (size_t i = 0; i < report.slots.size(); ++i) {
    report.slots[i].pod_set = i == 0 ? "leader" : "workers";
    report.slots[i].rank = i == 0 ? 0 : static_cast<int32_t>(i) - 1;
  }
  report.slots[3].state = "bound";
  CHECK(GroupText(report, kNow) ==
        "Job default/trainer: Running; 4 of 4 members seen, 1 in bind, 3 bound\n"
        "  pod set leader: 1 of 1 members seen, 1 bound\n"
        "  pod set workers: 3 of 3 members seen, 2 bound\n"
        "  place: required rack\n"
        "  engine exact: everything but Kueue's words\n"
        "  leader  rank 0         bound     b1/r1/n1\n"
        "  workers rank 0         bound     b1/r1/n1\n"
        "  workers rank 1-2       bound     b1/r1/n2\n");
  CHECK_THAT(GroupJson(report),
             ContainsText(R"("podSets":[{"name":"leader","size":1,"seen":1,"bound":1,)"
                          R"("place":"required rack"},{"name":"workers",)"));
  CHECK_THAT(GroupJson(report), ContainsText(R"({"podSet":"workers","rank":1,)"));
}

TEST_CASE("A group in JSON has its slots and a list of groups has not") {
  GroupReport report = Running();
  report.slots.resize(1);
  report.deadline = kNow;
  report.origins = {"Job trainer", "example.com/index"};
  const std::string head =
      R"({"name":"default/trainer","kind":"Job","uid":"uid-1","state":"Running","road":"none",)"
      R"("size":4,"priority":0,)"
      R"("place":"rack=pack!","engine":"exact","engineWhy":"everything but Kueue's words",)"
      R"("seen":4,"inBind":1,"bound":3,"outcome":"placed","reason":"",)"
      R"("deadlineUnix":1000000,"problems":[])";
  const std::string whole =
      R"(,"sizeFrom":"Job trainer","ranksFrom":"example.com/index","evidence":"",)"
      R"("slots":[{"rank":0,"state":"bound","pod":"trainer-0","node":"n1",)"
      R"("domain":"b1/r1/n1"}]})";
  CHECK(GroupJson(report) == head + whole);
  CHECK(GroupsJson({report}) == R"({"groups":[)" + head + "}]}");
  CHECK(GroupsJson({}) == R"({"groups":[]})");
}

TEST_CASE("The topology in JSON has every node and those that lack a level") {
  TopologyView view;
  view.topologies = {{"default", {"rack", "node"}}};
  view.resource = "nvidia.com/gpu";
  view.nodes = {{"n1", "r1/n1", true, 8, 3, 1}};
  view.unplaced = {{"n2", "example.com/rack"}};
  CHECK(TopologyJson(view) ==
        R"({"name":"default","levels":["rack","node"],"resource":"nvidia.com/gpu","nodes":[)"
        R"({"path":"r1/n1","usable":true,"capacity":8,"used":3,"held":1}],"unplaced":[)"
        R"({"name":"n2","missingLabel":"example.com/rack"}]})");
  view.topologies.push_back({"rings", {"ring", "node"}});
  CHECK(TopologyJson(view).starts_with(
      R"({"topologies":[{"name":"default","levels":["rack","node"]},)"
      R"({"name":"rings","levels":["ring","node"]}],"resource":"nvidia.com/gpu","nodes":[)"));
}

TEST_CASE("A control byte in a group's name leaves the list JSON") {
  GroupReport report = Waiting();
  report.name = "default/a\x1b[2J\x1f";
  CHECK(GroupsJson({report}).find(R"("name":"default/a\u001b[2J\u001f")") != std::string::npos);
}

TEST_CASE("Where a group stands is told by the lowest domain that has all of it") {
  const auto where = [](const std::vector<std::string>& domains) {
    GroupReport report;
    for (const std::string& domain : domains) report.slots.push_back({0, "", domain, "", "bound"});
    return WhereText(report);
  };
  CHECK(where({}) == "");
  CHECK(where({"", ""}) == "");
  CHECK(where({"b1/r1/n1", "", "b1/r1/n1"}) == "b1/r1/n1");
  CHECK(where({"b1/r1/n1", "b1/r1/n2"}) == "b1/r1 (2 nodes)");
  CHECK(where({"b1/r1/n1", "b1/r10/n1", "b1/r1/n1"}) == "b1 (2 nodes)");
  CHECK(where({"b1/r1/n1", "b10/r1/n1"}) == "b1, b10 (2 nodes)");
  CHECK(where({"e/1", "d/1", "c/1", "b/1", "a/1", "a/2"}) == "a, b, c and 2 more (6 nodes)");
}

TEST_CASE("A list has where each group stands, and the reason alone") {
  const std::string json = ListJson({{Running(), "b1/r1 (2 nodes)"}, {Waiting(), ""}});
  CHECK(json.find(R"j("where":"b1/r1 (2 nodes)","why":"")j") != std::string::npos);
  CHECK(
      json.find(R"("where":"","why":"64 members must share one rack; no rack has room for all")") !=
      std::string::npos);
  CHECK(GroupsJson({Waiting()}).find("where") == std::string::npos);
}

}  // namespace
}  // namespace gangplan::view_test
