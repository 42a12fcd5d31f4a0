#include "extender/kube/event_gate.h"

#include "extender/kube/limits.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

EventNote Note(std::string text, std::string uid = "u") {
  return {"ns",           {"batch/v1", "Job", "train", std::move(uid)}, false, "Waiting", "Plan",
          std::move(text)};
}

TEST_CASE("the same is not said twice within five minutes") {
  EventGate gate;
  CHECK(gate.Admit(Note("a"), kNow));
  CHECK_FALSE(gate.Admit(Note("a"), kNow + kEventMemory - absl::Nanoseconds(1)));
  CHECK(gate.Admit(Note("b"), kNow));
  CHECK(gate.Admit(Note("a", "other"), kNow));
  CHECK(gate.Admit(Note("a"), kNow + kEventMemory));
}

TEST_CASE("a burst passes, one more does not, and the rate fills up again") {
  EventGate gate;
  for (int i = 0; i < kMaxEventBurst; ++i) CHECK(gate.Admit(Note(std::to_string(i)), kNow));
  CHECK_FALSE(gate.Admit(Note("one more"), kNow));
  const absl::Duration interval = absl::Seconds(1) / kEventsPerSecond;
  CHECK_FALSE(gate.Admit(Note("one more"), kNow + interval - absl::Nanoseconds(1)));
  CHECK(gate.Admit(Note("one more"), kNow + interval));
  CHECK_FALSE(gate.Admit(Note("and another"), kNow + interval));
}

TEST_CASE("memory is bounded: beyond its limit what was said may be said again") {
  EventGate gate;
  absl::Time now = kNow;
  auto next = [&](const std::string& text) {
    now += absl::Seconds(1) / kEventsPerSecond;
    return gate.Admit(Note(text), now);
  };
  // As many as are remembered within the time that they matter.
  const auto within = static_cast<size_t>(kEventMemory / (absl::Seconds(1) / kEventsPerSecond));
  REQUIRE(within < kMaxRememberedEvents);
  for (size_t i = 0; i < kMaxRememberedEvents; ++i) CHECK(next(std::to_string(i)));
  CHECK_FALSE(next(std::to_string(kMaxRememberedEvents - 1)));
  CHECK(next("one beyond"));
  CHECK_FALSE(next("one beyond"));
}

}  // namespace
}  // namespace gangplan
