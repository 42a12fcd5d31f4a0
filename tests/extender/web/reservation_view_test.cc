// Reservations as people and programs read them.
#include "extender/web/reservation_view.h"

#include "tests/support/catch.h"

namespace gangplan::reservation_view_test {
namespace {

ReservationReport Kept() {
  ReservationReport report;
  report.name = "evening";
  report.state = ReservationState::kKept;
  report.from = absl::FromUnixSeconds(1'000'000);
  report.until = absl::FromUnixSeconds(1'003'600);
  report.lead = absl::Hours(1);
  report.pods = 8;
  report.missing = 2;
  report.nodes = 8;
  report.place = "block=pack!";
  report.domain = "b0";
  report.namespaces = {"ml", "research"};
  report.labels = "team=a";
  report.by = 999'000;
  report.text = "room is kept";
  return report;
}

TEST_CASE("reservations: as text") {
  CHECK(ReservationsText({}) == "There are no reservations.\n");
  ReservationReport refused;
  refused.name = "noon";
  refused.state = ReservationState::kRefused;
  refused.problem = refused.text = "count: what?";
  ReservationReport edited = Kept();
  edited.problem = "from: when?";
  edited.users = {"ml/train"};
  CHECK(ReservationsText({edited, refused}) ==
        "evening: kept\n"
        "  time: 1970-01-12T13:46:40Z to 1970-01-12T14:46:40Z\n"
        "  for: gangs of namespace ml, research, pods with team=a\n"
        "  place: block=pack!\n"
        "  room is kept\n"
        "  what it says now is refused: from: when?\n"
        "  gangs: ml/train\n"
        "noon: refused\n"
        "  count: what?\n");
}

TEST_CASE("reservations: as JSON") {
  CHECK(ReservationsJson({}) == R"({"reservations":[]})");
  CHECK(ReservationsJson({Kept()}) ==
        R"({"reservations":[{"name":"evening","state":"kept","text":"room is kept","problem":"",)"
        R"("fromUnix":1000000,"untilUnix":1003600,"leadSeconds":3600,"pods":8,"missing":2,)"
        R"("nodes":8,"place":"block=pack!","domain":"b0","expectedByUnix":999000,)"
        R"("namespaces":["ml","research"],"podLabels":"team=a","gangs":[]}]})");
}

}  // namespace
}  // namespace gangplan::reservation_view_test
