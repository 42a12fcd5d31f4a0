#include "extender/kube/event_gate.h"

#include "extender/kube/limits.h"
#include "tests/support/catch.h"

namespace gangplan::event_gate_test {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

EventNote Note(std::string text, std::string uid = "u") {
  return {"ns",           {"batch/v1", "Job", "train", std::move(uid)}, false, "Waiting", "Plan",
          std::move(text)};
}

EventNote NoteIn(std::string ns, std::string text) {
  EventNote note = Note(std::move(text));
  note.ns = std::move(ns);
  return note;
}

// How many of so many notes of a namespace, each another one, are written.
int Admitted(EventGate& gate, const std::string& ns, int count, absl::Time now = kNow) {
  int admitted = 0;
  for (int i = 0; i < count; ++i)
    admitted += static_cast<int>(gate.Admit(NoteIn(ns, std::to_string(i)), now));
  return admitted;
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
  for (const char* ns : {"a", "b"})
    CHECK(Admitted(gate, ns, kMaxEventBurstOfNamespace) == kMaxEventBurstOfNamespace);
  static_assert(2 * kMaxEventBurstOfNamespace == kMaxEventBurst);
  CHECK_FALSE(gate.Admit(Note("one more"), kNow));
  const absl::Duration interval = absl::Seconds(1) / kEventsPerSecond;
  CHECK_FALSE(gate.Admit(Note("one more"), kNow + interval - absl::Nanoseconds(1)));
  CHECK(gate.Admit(Note("one more"), kNow + interval));
  CHECK_FALSE(gate.Admit(Note("and another"), kNow + interval));
}

TEST_CASE("one namespace does not use up the Events of another") {
  EventGate gate;
  CHECK(Admitted(gate, "many", 1'000) == kMaxEventBurstOfNamespace);
  CHECK(gate.Admit(Note("a"), kNow));
  // Its own come again at its own rate.
  const absl::Duration interval = absl::Seconds(1) / kEventsPerSecondOfNamespace;
  CHECK_FALSE(gate.Admit(NoteIn("many", "one more"), kNow + interval - absl::Nanoseconds(1)));
  CHECK(gate.Admit(NoteIn("many", "one more"), kNow + interval));
  CHECK_FALSE(gate.Admit(NoteIn("many", "and another"), kNow + interval));
}

TEST_CASE("memory is bounded: beyond its limit what was said may be said again") {
  EventGate gate;
  absl::Time now = kNow;
  auto next = [&](const std::string& text) {
    now += absl::Seconds(1) / kEventsPerSecond;
    return gate.Admit(NoteIn(std::string(1, text.back()), text), now);
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
}  // namespace gangplan::event_gate_test
