#include "extender/kube/leadership.h"

#include <future>
#include <thread>

#include "api_bench.h"
#include "fmt/format.h"

namespace gangplan::leadership_test {
namespace {

constexpr absl::Duration kWrite = absl::Seconds(10);
constexpr absl::Duration kLasts = absl::Seconds(15);

LeaseFacts Held(std::string holder, absl::Time renewed) {
  return {"kube", "sched", std::move(holder), renewed, kLasts};
}

struct Led {
  FakeClock clock;
  Leadership leadership{"kube/sched", "host-1", kWrite, clock};

  std::string Why() const { return leadership.WhyNot(absl::ZeroDuration()); }
};

TEST_CASE("Leadership: without a Lease there is one, and it acts") {
  FakeClock clock;
  const Leadership alone("", "host-1", kWrite, clock);
  CHECK(alone.MayWrite());
  CHECK(alone.WhyNot(absl::ZeroDuration()).empty());
}

TEST_CASE("Leadership: whose host the holder names acts") {
  Led led;
  CHECK(led.Why() == "the Lease kube/sched has not been read yet");
  led.leadership.NoteRead();
  CHECK(led.Why() == "no scheduler holds the Lease kube/sched; this host is host-1");
  for (const std::string other : {"host-2_a", "host-1b_a", "host_1_a", "host-1_a_b", "x_host-1"}) {
    led.leadership.Saw(Held(other, led.clock.Now()));
    CHECK_FALSE(led.leadership.MayWrite());
    CHECK(led.Why() == "the Lease kube/sched is held by " + other + "; this host is host-1");
  }
  led.leadership.Saw(Held("host-1_8f1d", led.clock.Now()));
  CHECK(led.leadership.MayWrite());
  CHECK(led.Why().empty());
  CHECK_FALSE(led.leadership.lost());
}

TEST_CASE("Leadership: a holder without an underscore is a host") {
  Led led;
  led.leadership.Saw(Held("host-1", led.clock.Now()));
  CHECK(led.leadership.MayWrite());
}

TEST_CASE("Leadership: nobody begins a write that may end after the Lease") {
  Led led;
  led.leadership.Saw(Held("host-1_a", led.clock.Now()));
  led.clock.Advance(kLasts - kWrite - absl::Milliseconds(1));
  CHECK(led.leadership.MayWrite());
  led.clock.Advance(absl::Milliseconds(1));
  CHECK_FALSE(led.leadership.MayWrite());
  CHECK(led.Why().starts_with("the scheduler of this host (host-1) has not renewed the Lease"));
  led.leadership.Saw(Held("host-1_a", led.clock.Now()));  // it is late, and goes on
  CHECK(led.leadership.MayWrite());
  CHECK_FALSE(led.leadership.lost());
}

TEST_CASE("Leadership: what was seen late counts from when it was written") {
  Led led;
  const absl::Time written = led.clock.Now();
  led.clock.Advance(absl::Seconds(4));
  led.leadership.Saw(Held("host-1_a", written));
  led.clock.Advance(absl::Seconds(1));
  CHECK_FALSE(led.leadership.MayWrite());
}

TEST_CASE("Leadership: a time that lies ahead counts as now") {
  Led led;
  led.leadership.Saw(Held("host-1_a", led.clock.Now() + absl::Hours(1)));
  led.clock.Advance(kLasts - kWrite);
  CHECK_FALSE(led.leadership.MayWrite());
}

TEST_CASE("Leadership: a Lease that is shorter than a write is told") {
  Led led;
  LeaseFacts lease = Held("host-1_a", led.clock.Now());
  lease.lasts = kWrite;
  led.leadership.Saw(lease);
  CHECK(led.Why() == "the Lease kube/sched lasts for 10s, and a write may take 10s");
}

TEST_CASE("Leadership: who has acted and sees another one act has lost it") {
  Led led;
  led.leadership.Saw(Held("host-2_a", led.clock.Now()));
  CHECK_FALSE(led.leadership.lost());
  led.leadership.Saw(Held("host-1_a", led.clock.Now()));
  led.leadership.Saw(Held("", led.clock.Now()));  // given back, as when the scheduler is stopped
  CHECK_FALSE(led.leadership.MayWrite());
  led.leadership.Saw(Held("host-1_b", led.clock.Now()));  // the scheduler was started again
  CHECK_FALSE(led.leadership.lost());
  led.leadership.Saw(Held("host-2_b", led.clock.Now()));
  CHECK(led.leadership.lost());
}

TEST_CASE("Leadership: a call waits until the Lease is shown") {
  Led led;
  auto why = std::async(std::launch::async,
                        [&] { return led.leadership.WhyNot(absl::InfiniteDuration()); });
  led.leadership.Saw(Held("host-2_a", led.clock.Now()));
  led.leadership.Saw(Held("host-1_a", led.clock.Now()));
  CHECK(why.get().empty());
}

// ---- on an API server

constexpr char kLeases[] = "GET /apis/coordination.k8s.io/v1/namespaces/kube/leases?";

void Hold(ApiBench& bench, const std::string& holder) {
  const std::string now =
      absl::FormatTime(absl::RFC3339_full, bench.clock.Now(), absl::UTCTimeZone());
  bench.api.PutRule("leases", "sched",
                    fmt::format(R"("spec":{{"holderIdentity":"{}","leaseDurationSeconds":15,)"
                                R"("renewTime":"{}"}})",
                                holder, now));
}

TEST_CASE("who does not act writes nothing, and knows all") {
  ApiBench bench;
  bench.options.lease = "kube/sched";
  bench.api.PutPod({.name = "p", .uid = "u1"});
  Hold(bench, "host-2_a");
  bench.Start();
  bench.WaitFor("synced");
  bench.api.WaitForRequests(std::string(kLeases) + "fieldSelector=metadata.name%3Dsched&watch", 1);
  CHECK(bench.cluster->WhyNotActing(absl::ZeroDuration()) ==
        "the Lease kube/sched is held by host-2_a; this host is host-1");
  const BindResult refused = bench.Bind(kPod, "n");
  CHECK(refused.outcome == BindOutcome::kNotWritten);
  CHECK_THAT(refused.message, ContainsText("it does not lead"));
  std::promise<absl::Status> marked;
  bench.cluster->MarkPod({kPod, {{"a", "b"}}}, [&](absl::Status s) { marked.set_value(s); });
  CHECK(absl::IsUnavailable(marked.get_future().get()));
  bench.cluster->Emit({"ns", AsObject(kPod), true, "GangWaiting", "Plan", "no room"});
  bench.Prove(kPod, "n");
  bench.api.WaitForRequests("GET /api/v1/namespaces/ns/pods/p", 1);  // reads go out
  for (const std::string& request : bench.api.Requests()) CHECK(request.starts_with("GET "));
  Hold(bench, "host-1_b");
  CHECK(bench.cluster->WhyNotActing(absl::InfiniteDuration()).empty());
  CHECK(bench.Bind(kPod, "n").outcome == BindOutcome::kBound);
  Hold(bench, "host-2_c");
  bench.WaitFor("lost: the Lease kube/sched is held by host-2_c; this host is host-1");
}

TEST_CASE("Leadership: whose Lease is only late lapses for now") {
  Led led;
  CHECK_FALSE(led.leadership.LapsesForNow());
  led.leadership.Saw(Held("host-1_a", led.clock.Now()));
  CHECK_FALSE(led.leadership.LapsesForNow());
  led.clock.Advance(kLasts - kWrite);
  CHECK(led.leadership.LapsesForNow());
  led.leadership.Saw(Held("host-2_a", led.clock.Now()));
  CHECK_FALSE(led.leadership.LapsesForNow());
}

TEST_CASE("Events of who acts wait while its Lease is renewed late, so many") {
  ApiBench bench;
  bench.options.lease = "kube/sched";
  Hold(bench, "host-1_a");
  bench.Start();
  bench.WaitFor("synced");
  CHECK(bench.cluster->WhyNotActing(absl::InfiniteDuration()).empty());
  bench.clock.Advance(absl::Seconds(6));  // of 15, and a write may take 10
  const auto emit = [&](const std::string& note) {
    bench.cluster->Emit({"ns", AsObject(kPod), true, "GangRestarted", "Restart", note});
  };
  for (size_t i = 0; i < kMaxLateEvents + 2; ++i) emit(i < 2 ? "too many" : "one");
  Hold(bench, "host-1_a");
  const std::string events = "POST /apis/events.k8s.io/v1/namespaces/ns/events";
  bench.api.WaitForRequests(events, 1);
  bench.WaitForWarning(
      "2 Events were not written: more come than 10 a second of all, or 5 of one namespace, or "
      "than the API server takes");
  REQUIRE(bench.api.Bodies(events).size() == 1);
  CHECK_THAT(bench.api.Bodies(events)[0], ContainsText("GangRestarted"));
}

TEST_CASE("Events from before the Lease is held are told then, for so long") {
  ApiBench bench;
  bench.options.lease = "kube/sched";
  Hold(bench, "host-2_a");
  bench.Start();
  bench.WaitFor("synced");
  const auto emit = [&](const std::string& note) {
    bench.cluster->Emit({"ns", AsObject(kPod), true, "TopologyProblems", "Read", note});
  };
  emit("of long ago");
  bench.clock.Advance(absl::Seconds(1));
  emit("of lately");
  bench.clock.Advance(kLateEventsLast - absl::Seconds(1));
  Hold(bench, "host-1_b");
  CHECK(bench.cluster->WhyNotActing(absl::InfiniteDuration()).empty());
  const std::string events = "POST /apis/events.k8s.io/v1/namespaces/ns/events";
  bench.api.WaitForRequests(events, 1);
  emit("of now");
  bench.api.WaitForRequests(events, 2);
  CHECK_THAT(bench.api.Bodies(events)[0], ContainsText("of lately"));
  CHECK_THAT(bench.api.Bodies(events)[1], ContainsText("of now"));
}

TEST_CASE("a Lease that may not be read stops nothing else, and is told of") {
  ApiBench bench;
  bench.options.lease = "kube/sched";
  bench.api.FailNext(Begins(kLeases), FakeKubeApi::When::kBefore,
                     HttpResponse{403, R"({"message":"leases is forbidden"})", {}});
  bench.Start();
  bench.WaitFor("synced");
  bench.WaitForWarning(
      "the Lease: list: 403 leases is forbidden; the rights that are needed: leases (by its name): "
      "list, watch");
}

}  // namespace
}  // namespace gangplan::leadership_test
