// What would start a gang that waits, and who holds its room: each action is carried out in a new
// cluster of the same nodes and pods, and then it starts.
#include "extender/planner/advice_question.h"

#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::advice_test {
namespace {

Advice AdviceOf(LineWorld& world, const JobSpec& job) {
  const auto question = world.planner().AskAdvice(world.now(), "team/" + job.name);
  REQUIRE(question != nullptr);
  return question->Find();
}

PlannerOptions Greedy() { return With(QueueMode::kGreedy); }

// ---- who holds it

TEST_CASE("advice: who holds the room is told where it came nearest, the largest first") {
  LineWorld world(MakeNodes(1, 2, 3), Greedy());
  const JobSpec hour = RackGang("hour", 2, "1h", 3);
  const JobSpec endless = RackGang("endless", 3);
  world.Start(endless);
  world.Start(hour);
  const std::string rack = world.RackOf(hour);
  const int number = rack == "b0-r0" ? 0 : 1;
  std::string node;
  for (int i = 0; i < 3; ++i) {
    const std::string name = NodeNameAt(0, number, i);
    if (name != world.At(hour)[0] && name != world.At(hour)[1]) node = name;
  }
  world.Foreign("alone", 2, node);
  world.Foreign("ending", 1, node, 0, 600);
  const JobSpec waits = RackGang("waits", 3, "", 1, 4);
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  const Advice advice = AdviceOf(world, waits);
  CHECK(advice.domain == "b0/" + rack.substr(3));
  CHECK(advice.resource == "example.com/gpu");
  REQUIRE(advice.holders.size() == 2);
  CHECK(advice.holders[0].kind == "Job");
  CHECK(advice.holders[0].name == "team/hour");
  CHECK(advice.holders[0].priority == 3);
  CHECK(advice.holders[0].amount == 16);
  CHECK(advice.holders[0].nodes == 2);
  CHECK(advice.holders[0].ends > absl::ToUnixSeconds(world.now()) + 3'000);
  CHECK(advice.holders[1].kind.empty());
  CHECK(advice.holders[1].amount == 3);
  CHECK(advice.holders[1].nodes == 1);
  CHECK(advice.ending_alone == 1);
  CHECK(advice.ending_alone_by == absl::ToUnixSeconds(world.now()) + 605);
}

TEST_CASE("advice: five who hold room are told and the others are counted") {
  for (const int gangs : {5, 6}) {
    LineWorld world(MakeNodes(1, 1, gangs), Greedy());
    for (int i = 0; i < gangs; ++i) world.Start(RackGang(fmt::format("gang-{}", i), 1));
    const JobSpec waits = RackGang("waits", 1);
    world.Come(waits);
    const Advice advice = AdviceOf(world, waits);
    CHECK(advice.holders.size() == 5);
    CHECK(advice.untold_holders == gangs - 5);
  }
}

// ---- who would have to go

TEST_CASE("advice: who gives way is of lower priority, and where that is not enough anybody") {
  LineWorld world(MakeNodes(1, 2, 2), Greedy());
  const JobSpec low = RackGang("low", 2, "", 1);
  const JobSpec high = RackGang("high", 2, "2h", 9);
  world.Start(low);
  world.Start(high);
  const JobSpec waits = RackGang("waits", 2, "", 5);
  world.Come(waits);
  const Advice told = AdviceOf(world, waits);
  REQUIRE(told.gangs.size() == 1);
  CHECK(told.gangs[0].name == "team/low");
  CHECK(told.lower);
  CHECK(told.gangs[0].ends == 0);

  const JobSpec least = RackGang("least", 2, "", 1);
  world.Come(least);
  const Advice others = AdviceOf(world, least);
  REQUIRE(others.gangs.size() == 1);
  CHECK(others.gangs[0].name == "team/low");
  CHECK_FALSE(others.lower);
}

TEST_CASE("advice: it is told by when known ends leave room") {
  Halves racks(Greedy());
  const Advice advice = AdviceOf(racks, racks.waits);
  REQUIRE(advice.fits_by);
  const int64_t now = absl::ToUnixSeconds(racks.now());
  CHECK(*advice.fits_by > now + 3'500);
  CHECK(*advice.fits_by < now + 3'700);
  const JobSpec endless = RackGang("endless", 2);
  LineWorld world(MakeNodes(1, 1, 2), Greedy());
  world.Start(endless);
  world.Come(racks.waits);
  CHECK_FALSE(AdviceOf(world, racks.waits).fits_by);
}

TEST_CASE("advice: of a gang that could never start nobody who runs is told") {
  LineWorld world(MakeNodes(1, 2, 2), Greedy());
  const JobSpec runs = RackGang("runs", 1);
  world.Start(runs);
  const JobSpec giant = RackGang("giant", 3, "", 5);
  world.Come(giant);
  const Advice advice = AdviceOf(world, giant);
  CHECK(advice.gangs.empty());
  CHECK_FALSE(advice.fits_by);
  REQUIRE(advice.fewer);
  CHECK(advice.fewer->members == 2);
  REQUIRE(advice.rule);
  CHECK(advice.rule->rule == "block=pack!");
  REQUIRE(advice.nodes);
  CHECK(advice.nodes->nodes == 1);
}

TEST_CASE("advice: a gang with a plan has none, and one that nobody knows") {
  LineWorld world(MakeNodes(1, 1, 2), Greedy());
  const JobSpec fits = RackGang("fits", 2);
  world.Come(fits);
  CHECK(world.planner().AskAdvice(world.now(), "team/fits") == nullptr);
  CHECK(world.planner().AskAdvice(world.now(), "team/nobody") == nullptr);
}

TEST_CASE("advice: the same state has the same fingerprint, and another one has not") {
  LineWorld world(MakeNodes(1, 1, 2), Greedy());
  const JobSpec runs = RackGang("runs", 2, "", 0, 5);
  world.Start(runs);
  const JobSpec waits = RackGang("waits", 1);
  world.Come(waits);
  const auto print = [&] {
    return world.planner().AskAdvice(world.now(), "team/waits")->Fingerprint();
  };
  const uint64_t first = print();
  CHECK(print() == first);
  // What it takes is no pod's room of the gang, but of what would be free if "runs" went.
  const PodFacts pod = world.Foreign("alone", 1, world.At(runs)[0]);
  CHECK(print() != first);
  world.Delete(pod);
  CHECK(print() == first);
}

TEST_CASE("advice: a rule that counts ranks is another question than one that counts members") {
  LineWorld world(MakeNodes(1, 1, 2), Greedy());
  world.Start(RackGang("runs", 2, "", 0, 5));
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  const auto question = world.planner().AskAdvice(world.now(), "team/waits");
  LevelRule& rule = question->told.back().emplace();
  rule.factor = 2;
  const uint64_t members = question->Fingerprint();
  rule.ranked = true;
  CHECK(question->Fingerprint() != members);
}

// ---- for whom there is none, or less of it

namespace {

bool IsAdvised(LineWorld& world, const JobSpec& job) {
  return world.planner().AskAdvice(world.now(), "team/" + job.name) != nullptr;
}

// All of its one rack is taken.
struct FullRack : LineWorld {
  explicit FullRack(PlannerOptions options = Greedy())
      : LineWorld(MakeNodes(1, 1, 2), std::move(options)) {
    Foreign("first", 8, NodeNameAt(0, 0, 0), 0, 600);
    Foreign("second", 8, NodeNameAt(0, 0, 1), 0, 600);
  }
};

}  // namespace

TEST_CASE("advice: a gang that is held, or lacks members, would start by none of it") {
  PlannerOptions options = Greedy();
  options.hold_from = 100;
  FullRack world(options);
  JobSpec held = RackGang("held", 2), early = RackGang("early", 2), waits = RackGang("waits", 2);
  SetWord(held.words, "gangplan.io/hold", "waits for data");
  world.Come(held);
  world.ShowJob(early, 0, 1);
  world.Come(waits);
  CHECK_FALSE(IsAdvised(world, held));
  CHECK_FALSE(IsAdvised(world, early));
  CHECK(IsAdvised(world, waits));
  world.Show(JobPod(early, 1));
  world.Some();
  CHECK(IsAdvised(world, early));
}

TEST_CASE("advice: behind others in line none of it would start a gang") {
  FullRack world(With(QueueMode::kStrict));
  const JobSpec first = RackGang("first", 2), second = RackGang("second", 1);
  world.Come(first);
  world.Come(second);
  CHECK(IsAdvised(world, first));
  CHECK_FALSE(IsAdvised(world, second));
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(first, i));
  world.Some();
  CHECK(IsAdvised(world, second));
}

TEST_CASE("advice: more nodes are told where new ones like those that there are will do") {
  const JobSpec waits = RackGang("waits", 2);
  const auto nodes = [&](auto change) {
    FullRack world;
    world.Register(waits);
    for (int i = 0; i < 2; ++i) {
      NodeFacts node = MakeNode(0, 0, i);
      SetWord(node.labels, "pool", "h100");
      world.Put(node);
    }
    for (int i = 0; i < 2; ++i) {
      PodFacts pod = JobPod(waits, i);
      change(pod);
      world.Show(pod);
    }
    world.Some();
    return AdviceOf(world, waits).nodes.has_value();
  };
  const auto asks = [](std::string_view key, SelectorOperator op, std::string_view value) {
    return [=](PodFacts& pod) {
      NodeSelectorTerm& term = pod.filter.required_terms.emplace().emplace_back();
      term.labels.push_back({std::string(key), op, {std::string(value)}});
    };
  };
  CHECK(nodes([](PodFacts&) {}));
  CHECK(nodes([](PodFacts& pod) { pod.filter.node_selector = {{"pool", "h100"}}; }));
  CHECK(nodes(asks("pool", SelectorOperator::kIn, "h100")));
  CHECK(nodes(asks(kHostnameLabel, SelectorOperator::kNotIn, "another")));
  // Both nodes have it, and a new one might not.
  CHECK_FALSE(nodes([](PodFacts& pod) {
    pod.filter.node_selector = {{"example.com/block", "b0"}};
  }));
  CHECK_FALSE(nodes(asks("example.com/block", SelectorOperator::kNotIn, "b1")));
  CHECK_FALSE(nodes(asks(kHostnameLabel, SelectorOperator::kIn, NodeNameAt(0, 0, 0))));
  CHECK_FALSE(nodes([](PodFacts& pod) {
    NodeSelectorTerm& term = pod.filter.required_terms.emplace().emplace_back();
    term.fields.push_back({std::string(kNodeNameField), SelectorOperator::kNotIn, {"another"}});
  }));
}

TEST_CASE("advice: no end is told by which maintenance would keep the gang off") {
  const JobSpec waits = RackGang("waits", 2, "1h");
  const auto ends = [&](absl::Duration maintenance) {
    FullRack world;
    for (int i = 0; i < 2; ++i) {
      NodeFacts node = MakeNode(0, 0, i);
      node.maintenance = absl::ToUnixSeconds(world.now() + maintenance);
      world.Put(node);
    }
    world.Come(waits);
    return AdviceOf(world, waits).fits_by.has_value();
  };
  // It would fit ten minutes from now, were it not for what comes before its own end.
  CHECK_FALSE(ends(absl::Minutes(75)));
  FullRack world;
  world.Come(waits);
  CHECK(AdviceOf(world, waits).fits_by);
}

}  // namespace
}  // namespace gangplan::advice_test
