#include "tests/simulation/simulation.h"

#include "fmt/format.h"
#include "tests/simulation/ending.h"
#include "tests/simulation/harm.h"
#include "tests/simulation/users.h"
#include "tests/simulation/world.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kBindsDespiteFaults = absl::Minutes(6);
constexpr size_t kMostSimulated = 1'000;

// How every group stands, for the end of a trace.
void SayGroups(World& world) {
  if (!world.service.alive()) return;
  for (const GroupReport& group : world.service.planner().List(0, kMostSimulated))
    world.Say(fmt::format("group {}: {}", group.name, world.service.Describe(group.name)));
}

}  // namespace

Verdict Simulate(const Random& chance, const Profile& profile,
                 const std::function<void(const std::string&)>& trace) {
  World world(chance, profile, trace);
  Users users(world);
  Harm harm(world, users);
  Ending ending(world, users);
  Verdict verdict;
  try {
    world.Start();
    if (profile.liveness) world.liveness.BindsWithin(kBindsDespiteFaults);
    harm.Until(world.time.now() + (profile.liveness ? absl::Minutes(15) : absl::Seconds(90)));
    world.Until(world.time.now() + absl::Seconds(30));
    ending.Heal();
    ending.RunAll();
    ending.CheckBlocked();
    ending.CleanUp();
  } catch (const Broken& broken) {
    verdict.broken = broken.what();
    SayGroups(world);
    world.Say(verdict.broken);
  }
  verdict.bound_gangs = ending.bound_gangs();
  verdict.steps = world.steps();
  verdict.ended = ending.ended();
  return verdict;
}

}  // namespace gangplan::simulation
