// Seeds of the simulation, by profile. GANGPLAN_SIM_SEEDS: how many of each; GANGPLAN_SIM_SEED:
// this one alone. A failure prints its seed and the end of its trace.
#include "tests/simulation/simulation.h"

#include <cstdio>
#include <cstdlib>
#include <deque>

#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::simulation {
namespace {

constexpr int kQuickSeeds = 1000;
constexpr size_t kTraceLines = 2'000;

uint64_t Number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string TraceOf(uint64_t seed, const Profile& profile) {
  std::deque<std::string> lines;
  Simulate(seed, profile, [&](const std::string& line) {
    lines.push_back(line);
    if (lines.size() > kTraceLines) lines.pop_front();
  });
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Also when an invariant inside ends the process, the seed is known.
void RunSeeds(uint64_t salt, const Profile& profile) {
  uint64_t only = Number("GANGPLAN_SIM_SEED", 0);
  uint64_t count =
      only != 0 ? 1 : Number("GANGPLAN_SIM_SEEDS", static_cast<uint64_t>(Rounds(kQuickSeeds)));
  int64_t gangs = 0;
  for (uint64_t i = 1; i <= count; ++i) {
    uint64_t seed = only != 0 ? only : salt * 1'000'000 + i;
    INFO("GANGPLAN_SIM_SEED=" << seed);
    Verdict verdict = Simulate(seed, profile, {});
    gangs += verdict.bound_gangs;
    if (verdict.broken.empty()) continue;
    FAIL(verdict.broken << "\n" << TraceOf(seed, profile));
  }
  CHECK(gangs > 0);
}

}  // namespace

TEST_CASE("Simulation: a calm cluster") {
  Profile calm{false, false, false, true, false, false, false, false};
  RunSeeds(1, calm);
}

TEST_CASE("Simulation: pods that are deleted or fail") {
  RunSeeds(2, {false, true, false, true, false, false, true, false});
}

TEST_CASE("Simulation: nodes that go and a second scheduler") {
  RunSeeds(3, {false, false, true, true, true, false, false, true});
}

TEST_CASE("Simulation: lost calls and restarts") {
  RunSeeds(4, {true, false, false, true, false, true, false, false});
}

TEST_CASE("Simulation: everything at once") { RunSeeds(5, Profile{}); }

}  // namespace gangplan::simulation
