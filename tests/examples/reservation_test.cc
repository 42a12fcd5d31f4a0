// examples/reservation.yaml: its ConfigMap is read, keeps the room that docs/reservations.md tells,
// and its Job goes there.
#include "extender/frontends/gangplan/reservation.h"

#include "extender/frontends/gangplan/words.h"
#include "extender/kube/yaml_json.h"
#include "extender/protocol/config_map.h"
#include "tests/config/config_text.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"

namespace gangplan::reservation_test {
namespace {

TEST_CASE("examples/reservation.yaml keeps room for its Job") {
  const std::string text = FileOfTree("examples/reservation.yaml");
  absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(text, kKubernetesYaml, "line ");
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 2);
  std::string json = ToJson(documents->front());
  const absl::StatusOr<ConfigMapFacts> object = DecodeConfigMap(json);
  REQUIRE(object.ok());
  CHECK(FindLabel(object->labels, kReservationWord) != nullptr);
  const std::vector<ScopedTopology> alone = {{ThreeLevels()}};
  const auto words = ReadReservation(*object, alone, 0);
  INFO(Message(words.status()));
  REQUIRE(words.ok());
  CHECK(UtcText(words->from) == "2026-12-01T18:00:00Z");
  CHECK(words->until - words->from == absl::Hours(4));

  PlannerWorld world;
  world.AddNodes(MakeNodes(2, 2, 4));
  world.Sync();
  world.planner().OnReservation(world.now(), *object, true);
  const auto reservation = [&] { return world.planner().ListReservations().at(0); };
  CHECK(reservation().state == ReservationState::kAhead);
  world.Pass(words->from - absl::Hours(1) - world.now());
  for (int i = 0; i < 5; ++i) world.Pass(absl::Milliseconds(50));
  CHECK(reservation().state == ReservationState::kKept);
  CHECK(reservation().missing == 0);
  CHECK(reservation().nodes == 8);
  CHECK(words->WhyNot("ml", PackedLabels()).empty());
  CHECK(text.find("    gangplan.io/reservation: evening\n") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::reservation_test
