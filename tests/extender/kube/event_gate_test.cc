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
  CHECK(gate.Admit(NoteIn("c", "one"), kNow));  // nothing has been heard of it
  CHECK_FALSE(gate.Admit(NoteIn("c", "one more"), kNow));
  const absl::Duration two = 2 * absl::Seconds(1) / kEventsPerSecond;
  CHECK_FALSE(gate.Admit(NoteIn("c", "one more"), kNow + two - absl::Nanoseconds(1)));
  CHECK(gate.Admit(NoteIn("c", "one more"), kNow + two));
  CHECK_FALSE(gate.Admit(NoteIn("c", "and another"), kNow + two));
}

TEST_CASE("what is dropped is told once a minute, and counted for ever") {
  EventGate gate;
  CHECK(gate.TakeDropped(kNow) == 0);
  CHECK(Admitted(gate, "many", kMaxEventBurstOfNamespace + 3) == kMaxEventBurstOfNamespace);
  gate.CountDropped();
  CHECK(gate.TakeDropped(kNow) == 4);
  CHECK(gate.dropped() == 4);
  gate.CountDropped();
  CHECK(gate.TakeDropped(kNow + kDropsToldEvery - absl::Nanoseconds(1)) == 0);
  CHECK(gate.dropped() == 5);
  CHECK(gate.TakeDropped(kNow + kDropsToldEvery) == 1);
  CHECK(gate.TakeDropped(kNow + 2 * kDropsToldEvery) == 0);
  CHECK(gate.dropped() == 5);
  CHECK_FALSE(gate.Admit(NoteIn("many", "0"), kNow));  // it was said before
  CHECK(gate.dropped() == 5);
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

TEST_CASE("two namespaces that say something all the time silence no third one") {
  EventGate gate;
  int loud = 0;
  for (int tick = 0; tick < 60 * 50; ++tick) {
    const absl::Time now = kNow + tick * absl::Milliseconds(20);
    for (const char* ns : {"a", "b"})
      loud += static_cast<int>(gate.Admit(NoteIn(ns, std::to_string(tick)), now));
    if (tick % 300 == 299) CHECK(gate.Admit(NoteIn("c", std::to_string(tick)), now));
  }
  CHECK(loud <= kMaxEventBurst + 60 * kEventsPerSecond);
}

TEST_CASE("those that are heard beyond the rate of all are a burst at the most") {
  EventGate gate;
  for (const char* ns : {"a", "b"}) Admitted(gate, ns, kMaxEventBurstOfNamespace);
  int heard = 0;
  for (int i = 0; i < 3 * kMaxEventBurst; ++i)
    heard += Admitted(gate, "quiet-" + std::to_string(i), 2);
  CHECK(heard == kMaxEventBurst + 1);
  const absl::Time again = kNow + kQuietNamespace;
  CHECK_FALSE(gate.Admit(NoteIn("quiet-0", "again"), again - absl::Nanoseconds(1)));
  CHECK(gate.Admit(NoteIn("quiet-0", "again"), again));
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
