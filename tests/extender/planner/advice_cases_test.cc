// What would start a gang that waits, of random ones: each action is carried out in a new cluster
// of the same nodes and pods, and then it starts; and nothing smaller of its kind starts it.
#include <random>
#include <set>

#include "extender/planner/advice_question.h"
#include "fmt/format.h"
#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan::advice_cases_test {
namespace {

PlannerOptions Greedy() { return With(QueueMode::kGreedy); }

// Gangs that run, where, and some of them until when; and one that waits.
struct Spec {
  int racks = 1;
  int nodes = 1;
  std::vector<std::pair<JobSpec, std::vector<std::string>>> running;
  std::vector<NodeFacts> more;
  JobSpec waits;
};

struct Tried {
  bool starts = false;
  std::optional<Advice> advice;
  absl::Duration fits_after;  // since the running ones began
};

Tried Try(const Spec& spec, const std::set<std::string>& gone) {
  std::vector<NodeFacts> nodes = MakeNodes(2, spec.racks, spec.nodes);
  nodes.insert(nodes.end(), spec.more.begin(), spec.more.end());
  PlannerWorld world(Greedy());
  const absl::Time start = world.now();
  world.AddNodes(nodes);
  for (const auto& [job, at] : spec.running) {
    if (gone.contains("team/" + job.name)) continue;
    world.Register(job);
    for (int i = 0; i < job.size; ++i) {
      PodFacts pod = JobPod(job, i);
      pod.run.started = absl::ToUnixSeconds(world.now());
      world.ShowBound(pod, at[static_cast<size_t>(i)]);
    }
  }
  world.Sync();
  for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  world.ShowJob(spec.waits, 0, spec.waits.size);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  Tried outcome;
  outcome.starts = !world.Nodes("team/waits").empty();
  const auto question = world.planner().AskAdvice(world.now(), "team/waits");
  if (question != nullptr) outcome.advice = question->Find();
  if (outcome.advice && outcome.advice->fits_by)
    outcome.fits_after = absl::FromUnixSeconds(*outcome.advice->fits_by) - start;
  return outcome;
}

Spec RandomSpec(std::mt19937& random) {
  Spec spec;
  spec.racks = static_cast<int>(1 + random() % 3);
  spec.nodes = static_cast<int>(1 + random() % 3);
  std::map<std::string, int64_t> free;
  std::vector<std::string> names;
  for (const NodeFacts& node : MakeNodes(2, spec.racks, spec.nodes)) {
    free[node.name] = 8;
    names.push_back(node.name);
  }
  for (size_t gang = 0; gang < 1 + random() % 4; ++gang) {
    JobSpec job{.name = fmt::format("g{}", gang),
                .size = static_cast<int32_t>(1 + random() % 3),
                .gpus = static_cast<int64_t>(2 + random() % 7),
                .place = "block=pack",
                .priority = static_cast<int32_t>(random() % 4)};
    std::vector<std::string> at;
    for (int i = 0; i < 20 && static_cast<int32_t>(at.size()) < job.size; ++i) {
      const std::string& name = names[random() % names.size()];
      if (free[name] < job.gpus) continue;
      free[name] -= job.gpus;
      at.push_back(name);
    }
    if (random() % 2 == 0)
      SetWord(job.words, "gangplan.io/runtime", fmt::format("{}m", 10 * (1 + random() % 5)));
    if (static_cast<int32_t>(at.size()) == job.size) spec.running.emplace_back(job, at);
  }
  const char* kRules[] = {"rack=pack!", "block=pack!", "rack=pack", "node=spread max=1"};
  spec.waits = {.name = "waits",
                .size = static_cast<int32_t>(2 + random() % 6),
                .gpus = static_cast<int64_t>(2 + random() % 7),
                .place = kRules[random() % 4],
                .priority = 2};
  return spec;
}

void CheckGangs(const Spec& spec, const Advice& advice) {
  std::set<std::string> all, lower, gone;
  for (const auto& [job, at] : spec.running) {
    all.insert("team/" + job.name);
    if (job.priority < spec.waits.priority) lower.insert("team/" + job.name);
  }
  if (advice.gangs.empty()) {
    CHECK_FALSE(Try(spec, all).starts);
    return;
  }
  for (const Advice::Gang& gang : advice.gangs) gone.insert(gang.name);
  CHECK(Try(spec, gone).starts);
  CHECK(advice.lower == Try(spec, lower).starts);
  for (const std::string& one : gone) {
    CHECK((!advice.lower || lower.contains(one)));
    std::set<std::string> others = gone;
    others.erase(one);
    CHECK_FALSE(Try(spec, others).starts);
  }
}

bool StartsWith(Spec spec, int32_t members) {
  spec.waits.size = members;
  return Try(spec, {}).starts;
}

void CheckNodes(Spec spec, const Advice::Nodes& nodes) {
  const std::string domain = nodes.domain.empty() ? "b0/r0" : nodes.domain;
  const int rack = domain.size() > 3 ? domain[4] - '0' : 0;
  for (int i = 0; i < nodes.nodes; ++i) {
    CHECK_FALSE(Try(spec, {}).starts);
    spec.more.push_back(MakeNode(domain[1] - '0', rack, 100 + i));
  }
  CHECK(Try(spec, {}).starts);
}

// Those whose told end is no later.
std::set<std::string> EndedBy(const Spec& spec, absl::Duration by) {
  std::set<std::string> ended;
  for (const auto& [job, at] : spec.running) {
    absl::Duration runtime;
    if (!job.words.empty() && absl::ParseDuration(job.words.front().second, &runtime) &&
        runtime <= by)
      ended.insert("team/" + job.name);
  }
  return ended;
}

// Ends are ten minutes apart; what is told may have the time to stop on top of them.
void CheckEnd(const Spec& spec, const Tried& outcome) {
  constexpr absl::Duration kSlack = absl::Minutes(2);
  if (!outcome.advice->fits_by) {
    CHECK_FALSE(Try(spec, EndedBy(spec, absl::Hours(1))).starts);
    return;
  }
  CHECK(Try(spec, EndedBy(spec, outcome.fits_after + kSlack)).starts);
  CHECK_FALSE(Try(spec, EndedBy(spec, outcome.fits_after - kSlack)).starts);
}

// Of one that the empty cluster does not hold: what makes it possible there.
void CheckPossible(Spec spec, const Advice& advice) {
  spec.running.clear();
  CHECK_FALSE(Try(spec, {}).starts);
  CHECK_FALSE(advice.fits_by);
  if (advice.fewer_when_empty) {
    CHECK(StartsWith(spec, advice.fewer_when_empty->members));
    const int32_t next = advice.fewer_when_empty->members + 1;
    CHECK((next == spec.waits.size || !StartsWith(spec, next)));
  }
  if (!advice.rule_when_empty) return;
  spec.waits.place = advice.rule_when_empty->rule;
  CHECK(Try(spec, {}).starts);
}

void CheckFewer(const Spec& spec, int32_t members) {
  CHECK(StartsWith(spec, members));
  CHECK((members + 1 == spec.waits.size || !StartsWith(spec, members + 1)));
}

// How often each kind of answer was checked.
struct Checked {
  int fewer = 0, rules = 0, nodes = 0, gangs = 0, ends = 0, possible = 0;
};

void CheckAdvice(Spec spec, const Tried& outcome, Checked& checked) {
  const Advice& advice = *outcome.advice;
  if (advice.fewer) CheckFewer(spec, advice.fewer->members);
  if (advice.nodes) CheckNodes(spec, *advice.nodes);
  if (advice.impossible) {
    CheckPossible(spec, advice);
  } else {
    CheckEnd(spec, outcome);
  }
  CheckGangs(spec, advice);
  checked.fewer += advice.fewer ? 1 : 0;
  checked.nodes += advice.nodes ? 1 : 0;
  checked.gangs += advice.gangs.empty() ? 0 : 1;
  checked.ends += advice.fits_by ? 1 : 0;
  checked.possible += advice.fewer_when_empty || advice.rule_when_empty ? 1 : 0;
  if (!advice.rule) return;
  ++checked.rules;
  spec.waits.place = advice.rule->rule;
  CHECK(Try(spec, {}).starts);
}

TEST_CASE("advice: of 500 random gangs that wait each action is carried out and they start") {
  std::mt19937 random(11);
  Checked checked;
  for (int cases = 0; cases < 500;) {
    const Spec spec = RandomSpec(random);
    const Tried outcome = Try(spec, {});
    if (outcome.starts) continue;
    ++cases;
    INFO("case " << cases);
    REQUIRE(outcome.advice);
    CheckAdvice(spec, outcome, checked);
  }
  CHECK(checked.fewer > 150);
  CHECK(checked.rules > 50);
  CHECK(checked.nodes > 150);
  CHECK(checked.gangs > 100);
  CHECK(checked.ends > 30);
  CHECK(checked.possible > 30);
}

}  // namespace
}  // namespace gangplan::advice_cases_test
