// The profiles of the simulation, each by its seeds (seeds.h).
#include "tests/simulation/seeds.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::simulation {

TEST_CASE("Simulation: a calm cluster") {
  RunSeeds(1, WithLives({.foreign = true,
                         .two_resources = true,
                         .refused_member = true,
                         .refused_binding = true,
                         .standby = true}));
}

TEST_CASE("Simulation: pods that are deleted or fail") {
  RunSeeds(2, WithLives({.harm = true,
                         .foreign = true,
                         .preemption = true,
                         .node_moves = true,
                         .remade = true,
                         .succeeded_go = true}));
}

TEST_CASE("Simulation: nodes that go and a second scheduler") {
  RunSeeds(3, WithLives({.node_faults = true,
                         .foreign = true,
                         .second_scheduler = true,
                         .unfit = true,
                         .node_changes = true,
                         .node_moves = true}));
}

TEST_CASE("Simulation: lost calls and restarts") {
  RunSeeds(4, WithLives({.faults = true,
                         .foreign = true,
                         .restarts = true,
                         .slow_reads = true,
                         .owners_away = true}));
}

TEST_CASE("Simulation: everything at once") {
  Profile profile = WithLives(EverythingMoves());
  profile.succeeded_go = true;
  RunSeeds(5, profile);
}

TEST_CASE("Simulation: who fits is bound though the faults go on") {
  Profile profile = Everything();
  profile.liveness = true;
  RunSeeds(6, profile, 40);
}

TEST_CASE("Simulation: members that start as they come") {
  RunSeeds(8, {.faults = true,
               .harm = true,
               .node_faults = true,
               .foreign = true,
               .restarts = true,
               .two_resources = true,
               .first_member = true});
}

TEST_CASE("Simulation: Jobs that wait suspended") {
  Profile profile = EverythingMoves();
  profile.standby = true;
  profile.suspended = true;
  RunSeeds(10, WithLives(profile));
}

TEST_CASE("Simulation: Jobs that wait suspended in a calm cluster") {
  RunSeeds(11, {.foreign = true,
                .two_resources = true,
                .scaling = true,
                .standby = true,
                .order = true,
                .suspended = true});
}

TEST_CASE("Simulation: JobSets, and those that wait suspended") {
  Profile profile = EverythingMoves();
  profile.standby = true;
  profile.suspended = true;
  profile.job_sets = true;
  RunSeeds(12, WithLives(profile));
}

TEST_CASE("Simulation: JobSets that wait suspended in a calm cluster") {
  RunSeeds(13, {.foreign = true,
                .two_resources = true,
                .standby = true,
                .order = true,
                .suspended = true,
                .job_sets = true});
}

TEST_CASE("Simulation: pods that wait behind gates") {
  Profile profile = EverythingMoves();
  profile.standby = true;
  profile.gated = true;
  RunSeeds(14, WithLives(profile));
}

TEST_CASE("Simulation: pods that wait behind gates in a calm cluster") {
  RunSeeds(15, {.foreign = true,
                .two_resources = true,
                .scaling = true,
                .standby = true,
                .order = true,
                .gated = true});
}

TEST_CASE("Simulation: pods that wait behind gates and start as they come") {
  RunSeeds(16, {.faults = true,
                .harm = true,
                .node_faults = true,
                .foreign = true,
                .restarts = true,
                .first_member = true,
                .gated = true});
}

TEST_CASE("Simulation: pods that wait behind gates where the scheduler asks nobody") {
  RunSeeds(17, {.faults = true,
                .harm = true,
                .node_faults = true,
                .foreign = true,
                .restarts = true,
                .two_resources = true,
                .suspended = true,
                .gated = true,
                .unasked = true});
}

TEST_CASE("Simulation: gangs that ask for less the longer they wait") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // who waits for better places is passed
  profile.ladders = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(18, profile);
}

TEST_CASE("Simulation: gangs that give way") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // what one gang leaves is kept for another
  profile.evictions = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(19, profile);
}

TEST_CASE("Simulation: gangs that give way in a calm cluster") {
  RunSeeds(20, {.foreign = true, .evictions = true, .two_resources = true, .suspended = true});
}

// Nothing puts members out of the order in which they were planned: their ranks follow the tree,
// and the object that describes a group says how it went.
TEST_CASE("Simulation: nothing is disturbed") {
  RunSeeds(9, {.foreign = true, .two_resources = true, .standby = true, .order = true});
}

TEST_CASE("Simulation: a large cluster") {
  Profile profile = Everything();
  profile.large = true;
  profile.harm = false;
  profile.refused_member = false;
  RunSeeds(7, profile, 10);
}

TEST_CASE("Simulation: nobody passes who waits for room") {
  Profile profile = WithLives(EverythingMoves());
  profile.strict = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(21, profile);
}

TEST_CASE("Simulation: nobody passes who waits for room in a calm cluster") {
  RunSeeds(
      22,
      {.foreign = true, .two_resources = true, .order = true, .suspended = true, .strict = true});
}

TEST_CASE("Simulation: room is kept for the first in line") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // what is gone in time passes
  profile.backfill = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(23, profile);
}

TEST_CASE("Simulation: room is kept for the first in line in a calm cluster") {
  RunSeeds(24, {.foreign = true, .two_resources = true, .suspended = true, .backfill = true});
}

TEST_CASE("Simulation: who passes delays nobody who was told when it starts") {
  RunSeeds(25, {.two_resources = true, .backfill = true, .promises = true});
}

TEST_CASE("Simulation: gangs that no repair makes whole start anew") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // who starts anew stands in line again
  profile.anew = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(26, profile);
}

TEST_CASE("Simulation: gangs that no repair makes whole start anew in a calm cluster") {
  RunSeeds(27, {.harm = true,
                .node_faults = true,
                .foreign = true,
                .anew = true,
                .two_resources = true,
                .suspended = true});
}

TEST_CASE("Simulation: gangs that are not ready, or held") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // who is evicted, or held, is passed
  profile.unready = true;
  profile.held = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(28, profile);
}

TEST_CASE("Simulation: gangs that keep spare nodes") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // what one keeps another one does not get
  profile.spares = true;
  profile.evictions = true;
  profile.standby = true;
  RunSeeds(30, profile);
}

TEST_CASE("Simulation: namespaces share room") {
  Profile profile = WithLives(EverythingMoves());
  profile.shared = true;
  profile.evictions = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  RunSeeds(38, profile);
}

TEST_CASE("Simulation: namespaces share room, and who was told when it starts does so") {
  RunSeeds(39, {.two_resources = true, .backfill = true, .shared = true, .promises = true});
}

TEST_CASE("Simulation: room that is reserved by name") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // what is reserved others do not get
  profile.reserved = true;
  profile.evictions = true;
  profile.standby = true;
  profile.suspended = true;
  profile.gated = true;
  profile.spares = true;
  RunSeeds(31, profile);
}

TEST_CASE("Simulation: room that is reserved by name in a calm cluster") {
  RunSeeds(32, {.foreign = true,
                .two_resources = true,
                .suspended = true,
                .backfill = true,
                .reserved = true});
}

TEST_CASE("Simulation: room that is reserved by name, and is kept in time, is there in time") {
  RunSeeds(40, {.two_resources = true, .backfill = true, .promises = true, .reserved = true});
}

TEST_CASE("Simulation: two topologies") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;  // who waits in one topology is passed in the other
  profile.topologies = profile.strict = profile.evictions = true;
  profile.standby = profile.suspended = profile.gated = profile.spares = true;
  RunSeeds(33, profile);
}

TEST_CASE("Simulation: two topologies in a calm cluster") {
  RunSeeds(34, {.foreign = true,
                .two_resources = true,
                .suspended = true,
                .strict = true,
                .topologies = true});
}

TEST_CASE("Simulation: two topologies, and room that is kept for the first in line of each") {
  Profile profile = EverythingMoves();
  profile.order = false;
  profile.topologies = profile.backfill = profile.suspended = true;
  RunSeeds(35, profile);
}

TEST_CASE("Simulation: gangs of which a number start, and others join them") {
  Profile profile = WithLives(EverythingMoves());
  profile.elastic = profile.evictions = true;
  RunSeeds(36, profile);
}

TEST_CASE("Simulation: gangs that lose what they can do without, in a calm cluster") {
  RunSeeds(37, {.foreign = true, .evictions = true, .two_resources = true, .elastic = true});
}

TEST_CASE("Simulation: gangs that are not ready, or held, in a calm cluster") {
  RunSeeds(
      29,
      {.foreign = true, .unready = true, .held = true, .two_resources = true, .suspended = true});
}

// Whatever orders who is next and who gives way, at the same time.
TEST_CASE("Simulation: the line with all that stands in it") {
  Profile profile = WithLives(EverythingMoves());
  profile.order = false;
  profile.evictions = profile.anew = profile.unready = profile.held = true;
  profile.backfill = profile.ladders = profile.spares = profile.reserved = true;
  profile.elastic = profile.shared = true;
  profile.standby = profile.suspended = profile.gated = true;
  RunSeeds(41, profile);
}

TEST_CASE("Simulation: each flag is on in some profile") {
  std::string profiles;
  for (const char* name : {"simulation_test.cc", "seeds.cc"}) {
    std::ifstream file(std::string(GANGPLAN_SOURCE_DIR) + "/tests/simulation/" + name);
    profiles.append(std::istreambuf_iterator<char>(file), {});
  }
  for (const std::string_view name : FlagNames()) {
    INFO(name);
    CHECK(profiles.find(fmt::format(".{} =", name)) != std::string::npos);
  }
}

}  // namespace gangplan::simulation
