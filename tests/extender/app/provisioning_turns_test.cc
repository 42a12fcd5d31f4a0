// Who gets a request when not all can, and what is told where none can be written.
#include <map>

#include "extender/cluster/provisioning_words.h"
#include "fmt/format.h"
#include "provisioning_world.h"
#include "tests/support/catch.h"

namespace gangplan::provisioning_turns_test {
namespace {

using World = ProvisioningWorld;

TEST_CASE("Provisioning watch: where the kind is missing that is told once, and it is looked for") {
  World world;
  world.cluster.list_error = absl::NotFoundError("404");
  world.Come(kThree);
  world.Look();
  world.Look(kAfter - absl::Seconds(1));
  CHECK(world.cluster.lists == 1);
  world.Look(absl::Seconds(1));
  CHECK(world.cluster.lists == 2);
  REQUIRE(world.cluster.told.size() == 1);
  CHECK(world.cluster.told[0].reason == "ProvisioningUnavailable");
  CHECK(world.cluster.told[0].regarding.name.empty());
  world.cluster.list_error = absl::OkStatus();
  world.Look(kAfter);
  CHECK(world.cluster.there.size() == 1);
}

TEST_CASE("Provisioning watch: a right that is lacking is told, and tried again after a pause") {
  World world;
  world.cluster.write_error = absl::PermissionDeniedError("may not create");
  world.Come(kThree);
  world.Look();
  for (int i = 0; i < 3; ++i) world.Look(kAfter);
  CHECK(world.cluster.written.size() == 3);
  CHECK(world.Told() == "ProvisioningUnavailable ; GangNodesRefused three; ");
}

TEST_CASE("Provisioning watch: of a thousand gangs so many have a request, the greatest first") {
  World world;
  for (int ns = 0; ns < 20; ++ns) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = fmt::format("j{}-{}", ns, i);
      world.Come({.name = name, .size = 2, .gpus = 8, .place = "block=pack!", .priority = i},
                 fmt::format("team-{}", ns));
    }
  }
  world.Look();
  for (int i = 0; i < 3; ++i) world.Look(kAfter);
  std::map<std::string, size_t> of;
  for (const auto& [name, one] : world.cluster.there) ++of[one.ns];
  CHECK(world.cluster.there.size() == ProvisioningWatch::kMostOpen);
  for (const auto& [ns, count] : of) CHECK(count <= ProvisioningWatch::kMostOpenInNamespace);
  CHECK(world.cluster.written.front().gang.ends_with("-49"));

  // One of them has nothing of what another one claims.
  World alone;
  for (int i = 0; i < 100; ++i)
    alone.Come({.name = fmt::format("a{}", i), .size = 2, .gpus = 8, .place = "block=pack!"}, "a");
  alone.Come(kThree, "b");
  alone.Look();
  alone.Look(kAfter);
  CHECK(alone.cluster.there.size() == ProvisioningWatch::kMostOpenInNamespace + 1);
}

TEST_CASE("Provisioning watch: those who can never ask shut nobody out") {
  World world;
  JobSpec held{.size = 1, .gpus = 9, .place = "block=pack!"};
  SetWord(held.words, "gangplan.io/hold", "budget");
  for (size_t i = 0; i < 2 * ProvisioningWatch::kMostAsks; ++i) {
    held.name = fmt::format("held-{}", i);
    world.Come(held, "a");
  }
  world.clock.Advance(absl::Minutes(1));
  world.Come(kThree, "b");
  world.Look();
  world.Look(kAfter);
  CHECK(world.cluster.there.empty());
  for (int i = 0; i < 2; ++i) world.Look(ProvisioningWatch::kLookEach);
  REQUIRE(world.cluster.there.size() == 1);
  CHECK(world.cluster.there.begin()->second.ns == "b");
  world.Come({.name = "great", .size = 2, .gpus = 8, .place = "block=pack!", .priority = 1}, "c");
  for (int i = 0; i < 4; ++i) world.Look(kAfter);
  CHECK(world.cluster.there.size() == 2);
}

TEST_CASE("Provisioning watch: a request that goes by itself is made anew, and not at once") {
  World world;
  world.ComeAndAsk(kThree);
  for (int minute = 1; minute <= 3; ++minute) {
    world.cluster.there.clear();
    world.Look(ProvisioningWatch::kLookEach);
    world.Look(ProvisioningWatch::kPause - absl::Seconds(6));
    CHECK(world.cluster.written.size() == static_cast<size_t>(minute));
    world.Look(absl::Seconds(1));
    CHECK(world.cluster.written.size() == static_cast<size_t>(minute) + 1);
  }
}

TEST_CASE("Provisioning watch: requests that nobody answers hold no slot for ever") {
  World world;
  for (size_t i = 0; i < ProvisioningWatch::kMostOpenInNamespace + 1; ++i)
    world.Come({.name = fmt::format("a{}", i), .size = 2, .gpus = 8, .place = "block=pack!"}, "a");
  world.Look();
  world.Look(kAfter);
  REQUIRE(world.cluster.there.size() == ProvisioningWatch::kMostOpenInNamespace);
  world.Told();
  SECTION("none at all") {}
  SECTION("that there is no room") {
    for (auto& [name, one] : world.cluster.there)
      one.awaited = {true, world.clock.Now(), "no capacity"};
    world.Look();
    world.Look();
    CHECK(world.Told().starts_with("GangNodesAwaited a"));
    CHECK(world.Told().empty());
  }
  world.Look(kProvisioningSettings.max_back_off - absl::Seconds(1));
  CHECK(world.cluster.there.size() == ProvisioningWatch::kMostOpenInNamespace);
  world.Look(absl::Seconds(1));
  CHECK(world.cluster.there.size() == ProvisioningWatch::kMostOpenInNamespace + 1);
  // None of them goes.
  world.Look(absl::Hours(9));
  CHECK(world.cluster.there.size() == ProvisioningWatch::kMostOpenInNamespace + 1);
}

TEST_CASE("Provisioning watch: what a server refuses is told to whom it is about") {
  World world;
  world.cluster.refuse = [](const ProvisioningWrite& write) {
    return absl::PermissionDeniedError("exceeded quota in " + write.ns + ": " + write.name);
  };
  world.Come(kThree, "a");
  JobSpec other = kThree;
  other.name = "other";
  world.Come(other, "b");
  world.Look();
  for (int i = 0; i < 30; ++i) world.Look(kAfter);
  CHECK(world.cluster.written.size() == 60);
  CHECK(world.Told() ==
        "ProvisioningUnavailable ; GangNodesRefused three; GangNodesRefused other; ");
  for (int i = 0; i < 31; ++i) world.Look(kAfter);
  CHECK(world.Told() == "ProvisioningUnavailable ; ");
}

TEST_CASE("Provisioning watch: values that a server refuses are told once, and tried each minute") {
  World world;
  world.cluster.write_error = absl::FailedPreconditionError("422 by a webhook");
  world.Come(kThree);
  world.Look();
  world.Look(kAfter);
  for (int i = 0; i < 24; ++i) world.Look(ProvisioningWatch::kLookEach);
  CHECK(world.cluster.written.size() == 3);
  REQUIRE(world.cluster.told.size() == 1);
  CHECK(world.cluster.told[0].ns == "team");
  CHECK(world.cluster.told[0].warning);
  CHECK(world.cluster.told[0].note == "no nodes are asked for: 422 by a webhook");
  CHECK(world.Told() == "GangNodesRefused three; ");
  world.cluster.write_error = absl::FailedPreconditionError("422 by another one");
  world.Look(kAfter);
  CHECK(world.Told() == "GangNodesRefused three; ");
}

}  // namespace
}  // namespace gangplan::provisioning_turns_test
