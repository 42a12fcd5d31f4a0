#include "tests/simulation/seeds.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/simulation/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/query.h"
#include "tests/support/rounds.h"
#include "topology/base/clock.h"

namespace gangplan::simulation {
namespace {

constexpr size_t kTraceLines = 2'000;

uint64_t Number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Profile WithFlags(Profile profile) {
  const char* text = std::getenv("GANGPLAN_SIM_WITH");
  for (const std::string& name : Split(text == nullptr ? "" : text, ',')) {
    bool Profile::*flag = FlagNamed(name);
    INFO("GANGPLAN_SIM_WITH: " << name);
    REQUIRE(flag != nullptr);
    profile.*flag = true;
  }
  return profile;
}

// Lines of its end; not in Catch's own output, which would wrap them.
void PrintTrace(uint64_t seed, const Profile& profile) {
  std::deque<std::string> lines;
  Simulate(Random(seed), profile, [&](const std::string& line) {
    lines.push_back(line);
    if (lines.size() > kTraceLines) lines.pop_front();
  });
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

}  // namespace

// Also when an invariant inside ends the process, the seed is known.
void RunSeeds(uint64_t salt, const Profile& wanted, int quick_seeds) {
  const Profile profile = WithFlags(wanted);
  const absl::Time start = SystemClock().Now();
  const uint64_t only = Number("GANGPLAN_SIM_SEED", 0);
  const uint64_t from = Number("GANGPLAN_SIM_FROM", 1);
  const uint64_t count =
      only != 0 ? 1 : Number("GANGPLAN_SIM_SEEDS", static_cast<uint64_t>(Rounds(quick_seeds)));
  const uint64_t most_failures = Number("GANGPLAN_SIM_FAILURES", 1);
  std::vector<uint64_t> failed;
  int64_t gangs = 0;
  int64_t steps = 0;
  int64_t ended = 0;
  uint64_t i = from;
  for (; i < from + count && failed.size() < most_failures; ++i) {
    const uint64_t seed = only != 0 ? only : salt * 1'000'000 + i;
    INFO("GANGPLAN_SIM_SEED=" << seed);
    const Verdict verdict = Simulate(Random(seed), profile, {});
    gangs += verdict.bound_gangs;
    steps += verdict.steps;
    ended += verdict.ended;
    if (verdict.broken.empty()) continue;
    failed.push_back(seed);
    fmt::print("GANGPLAN_SIM_SEED={}: {}\n", seed, verdict.broken);
  }
  fmt::print("{} seeds from {}: {} gangs in {} steps, {} ended by their users, {:.1f} s\n",
             i - from, from, gangs, steps, ended,
             absl::ToDoubleSeconds(SystemClock().Now() - start));
  if (!failed.empty()) PrintTrace(failed.front(), profile);
  CHECK(failed.empty());
  CHECK(gangs > 0);
}

Profile Everything() {
  Profile profile;
  profile.faults = true;
  profile.harm = true;
  profile.node_faults = true;
  profile.foreign = true;
  profile.second_scheduler = true;
  profile.restarts = true;
  profile.preemption = true;
  profile.unfit = true;
  profile.node_changes = true;
  profile.two_resources = true;
  profile.remade = true;
  profile.refused_member = true;
  profile.slow_reads = true;
  return profile;
}

// What people do with their Jobs, and how these live, in most profiles.
Profile WithLives(Profile profile) {
  profile.streams = true;
  profile.in_tree = true;
  profile.reuse = true;
  profile.scaling = true;
  profile.mended = true;
  profile.resized = true;
  profile.order = true;
  return profile;
}

// That, and what moves under those who wait.
Profile EverythingMoves() {
  Profile profile = Everything();
  profile.owners_away = true;
  profile.refused_binding = true;
  profile.node_moves = true;
  return profile;
}

}  // namespace gangplan::simulation
