// What docs/reservations.md and docs/queue.md show of a command, as it is printed of such a
// cluster.
#include "extender/kube/yaml_json.h"
#include "extender/protocol/config_map.h"
#include "extender/web/reservation_view.h"
#include "extender/web/view.h"
#include "tests/config/config_text.h"
#include "tests/extender/planner/line_world.h"
#include "topology/base/time_text.h"

namespace gangplan::pages_test {
namespace {

TEST_CASE("docs/reservations.md shows what is printed of examples/reservation.yaml") {
  auto documents = ParseYaml(FileOfTree("examples/reservation.yaml"), kKubernetesYaml, "line ");
  REQUIRE(documents.ok());
  std::string json = ToJson(documents->front());
  const absl::StatusOr<ConfigMapFacts> object = DecodeConfigMap(json);
  REQUIRE(object.ok());
  LineWorld world(MakeNodes(2, 2, 4));
  const absl::Time noon = absl::FromUnixSeconds(1'796'126'400);
  REQUIRE(UtcText(noon) == "2026-12-01T12:00:00Z");
  world.Pass(noon - world.now());
  // Of one block a node is taken for ever, of the other one two are for four hours.
  world.Foreign("endless", 8, NodeNameAt(1, 0, 0));
  for (int node : {0, 1})
    world.Foreign(fmt::format("four-{}", node), 8, NodeNameAt(0, 0, node), 0, 4 * 3'600);
  world.planner().OnReservation(world.now(), *object, true);
  for (int i = 0; i < 5; ++i) world.Pass(absl::Milliseconds(50));
  const std::string text = ReservationsText(world.planner().ListReservations());
  INFO(text);
  CHECK(FileOfTree("docs/reservations.md").find("```\n" + text + "```\n") != std::string::npos);
}

TEST_CASE("docs/queue.md shows the line as it is printed") {
  Halves racks;
  racks.Fill();
  racks.Come(RackGang("next", 1));
  racks.Come(RackGang("last", 1));
  const std::string text = GroupText(racks.Of(racks.waits), racks.now());
  INFO(text);
  const size_t at = text.find("  line: place 1 of 3; room for 2 is kept ");
  REQUIRE(at != std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  CHECK(FileOfTree("docs/queue.md").find("```\n" + line + "\n```\n") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::pages_test
