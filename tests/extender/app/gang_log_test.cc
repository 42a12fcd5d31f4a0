#include "extender/app/gang_log.h"

#include <string>

#include "standard_error.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"

namespace gangplan::gang_log_test {
namespace {

struct Bench {
  FakeClock clock;
  std::string text;
  Logger logger{clock, [this](std::string_view line) { text += line; }};
  GangLog log{clock, logger};
};

GangChange Waits() {
  GangChange change;
  change.gang = "ml/train";
  change.after = GroupState::kBlocked;
  change.why = "no rack has room";
  change.size = 4;
  return change;
}

TEST_CASE("Gang log: from which state to which, and why") {
  Bench bench;
  bench.log.Tell(Waits());
  CHECK(bench.text.find(R"("message":"gang","gang":"ml/train","from":"New","to":"Blocked",)"
                        R"("bound":0,"size":4,"why":"no rack has room","leftOut":0})") !=
        std::string::npos);
  GangChange gone = Waits();
  gone.gone = true;
  bench.log.Tell(gone);
  CHECK(bench.text.find(R"("to":"gone")") != std::string::npos);
}

TEST_CASE("Gang log: a started gang's line says where it is, as its Event does") {
  Bench bench;
  GangChange starts = Waits();
  starts.why.clear();
  starts.event = EventNote{"ml", {}, false, "GangStarted", "Plan", "4 pods in b0/r1 on 2 nodes"};
  bench.log.Tell(starts);
  CHECK(bench.text.find(R"("why":"4 pods in b0/r1 on 2 nodes")") != std::string::npos);
}

TEST_CASE("Gang log: after a burst so many a second, and what was left out is told") {
  Bench bench;
  for (int i = 0; i < kGangLines + 30; ++i) bench.log.Tell(Waits());
  CHECK(CountIn(bench.text, "\n") == kGangLines);
  bench.text.clear();
  bench.clock.Advance(absl::Seconds(1));
  for (int i = 0; i < kGangLinesPerSecond + 5; ++i) bench.log.Tell(Waits());
  CHECK(CountIn(bench.text, "\n") == kGangLinesPerSecond);
  CHECK(CountIn(bench.text, R"("leftOut":30})") == 1);
}

}  // namespace
}  // namespace gangplan::gang_log_test
