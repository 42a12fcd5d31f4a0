// HTTP/2 under TLS: calls that share a connection, and how each ends.
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "extender/server/process_limits.h"
#include "tests/extender/server/http2_world.h"
#include "topology/base/clock.h"

namespace gangplan::http2_test {
namespace {

TEST_CASE("HTTP/2 is spoken where the client offers it under TLS 1.3 and the listener has it") {
  const TlsWorld world(Http2());
  CHECK(Http2Client(world).Echo("hello") == "hello");
  const auto agreed = [](const TlsWorld& with, int version, const std::string& offered) {
    TlsClient client(with.test.server->port(), &with.scheduler, version, offered);
    REQUIRE((absl::StartsWith(client.Agreed(), "h2") || client.Echoes("hello")));
    return client.Agreed();
  };
  const std::string both = "\x02h2\x08http/1.1";
  CHECK(agreed(world, TLS1_3_VERSION, both) == "h2");
  CHECK(agreed(world, TLS1_3_VERSION, "\x08http/1.1\x02h2") == "h2");
  CHECK(agreed(world, TLS1_3_VERSION, "\x08http/1.1") == "http/1.1");
  CHECK(agreed(world, TLS1_3_VERSION, "\x04quic").empty());
  CHECK(agreed(world, TLS1_3_VERSION, "").empty());
  CHECK(agreed(world, TLS1_2_VERSION, both) == "http/1.1");
  CHECK(agreed(TlsWorld(), TLS1_3_VERSION, both).empty());
}

TEST_CASE("HTTP/2: bodies of any size come and go whole, on one connection") {
  const TlsWorld world(Http2());
  Http2Client client(world);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{16384}, size_t{5'000'000}}) {
    const Http2Reply reply = client.Call({.body = std::string(size, 'x')});
    CHECK(reply.status == 200);
    CHECK(reply.body.size() == size);
    CHECK(reply.error == 0);
  }
  std::vector<int32_t> streams;
  for (int i = 0; i < 200; ++i)
    streams.push_back(client.Send({.body = std::string(20'000, 'a') + std::to_string(i)}));
  for (int i = 0; i < 200; ++i)
    CHECK(absl::EndsWith(client.Await(streams[static_cast<size_t>(i)]).body, std::to_string(i)));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"done\"} 1"));
  CHECK(world.test.server->Drain(absl::Seconds(30)));
  CHECK(world.test.server->connections() == 1);
  CHECK(world.test.server->body_bytes() == 0);
}

TEST_CASE("HTTP/2: held calls share a connection and delay nobody on it") {
  HoldWorld hold;
  Http2Client client(hold.world);
  std::vector<int32_t> held;
  for (int i = 0; i < 300; ++i) held.push_back(client.Send({kHold, std::to_string(i)}));
  hold.gate.AwaitArrivals(300);
  CHECK(client.Echo("quick") == "quick");
  CHECK(hold.server().calls() >= 300);
  CHECK_FALSE(hold.server().Drain(absl::ZeroDuration()));
  CHECK(hold.server().ClosedCalls().empty());
  hold.gate.Open();
  CHECK(hold.server().Drain(absl::Seconds(30)));
  for (int i = 0; i < 300; ++i)
    CHECK(client.Await(held[static_cast<size_t>(i)]).body == std::to_string(i));
  CHECK(hold.world.Counted("gangplan_tls_handshakes_total{result=\"done\"} 1"));
}

TEST_CASE("HTTP/2: as many held calls as connections are let in, on one of them") {
  RaiseProcessLimits();
  HoldWorld hold;
  Http2Client client(hold.world);
  REQUIRE(client.Echo("in") == "in");
  constexpr int kHeld = kMaxConnections - 1;
  std::vector<int32_t> held;
  for (int i = 0; i < kHeld; ++i) held.push_back(client.Send({kHold, std::to_string(i)}));
  hold.gate.AwaitArrivals(kHeld);
  for (int i = 0; i < 20; ++i) CHECK(client.Echo("quick") == "quick");
  for (int i = 0; i < 100; ++i) client.Reset(held[static_cast<size_t>(i)]);
  while (hold.server().ClosedCalls().size() != 100) std::this_thread::yield();
  hold.gate.Open();
  int answered = 0;
  for (int i = 100; i < kHeld; ++i)
    answered += client.Await(held[static_cast<size_t>(i)]).body == std::to_string(i);
  CHECK(answered == kHeld - 100);
  CHECK(hold.world.Counted("gangplan_tls_handshakes_total{result=\"done\"} 1"));
}

TEST_CASE("HTTP/2: a call is known by a number of its own, and by when it came") {
  std::mutex mutex;
  std::vector<PeerConnection> seen;
  const auto note = [&](HttpCall& call) {
    std::lock_guard lock(mutex);
    seen.push_back(call.connection);
    return HttpReply{};
  };
  const TlsWorld world(Http2(), {{"POST", "/id", false, note}});
  Http2Client client(world);
  const absl::Time before = SystemClock().Now();
  for (int i = 0; i < 3; ++i) REQUIRE(client.Call({.path = "/id"}).status == 200);
  const absl::Time after = SystemClock().Now();
  std::lock_guard lock(mutex);
  REQUIRE(seen.size() == 3);
  CHECK((seen[0].id < seen[1].id && seen[1].id < seen[2].id));
  for (const PeerConnection& call : seen) {
    CHECK(call.accepted <= after);
    CHECK(call.accepted >= before - absl::Milliseconds(10));
  }
}

TEST_CASE("HTTP/2: a stop ends connections, and its held calls are among the closed ones") {
  HoldWorld hold;
  Http2Client client(hold.world);
  hold.HoldOne(client);
  std::thread stopper([&hold] { hold.server().Stop(); });
  while (hold.server().ClosedCalls().empty()) std::this_thread::yield();
  hold.gate.Open();
  stopper.join();
}

TEST_CASE("HTTP/2: clients that come, ask, reset and go in any order leave nothing behind") {
  HttpServerOptions options;
  options.max_connections = 64;
  const TlsWorld world(Http2(options));
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&world, &answered, t] {
      for (int round = 0; round < 10; ++round) {
        Http2Client client(world);
        std::vector<int32_t> streams;
        for (int i = 0; i < 12; ++i)
          streams.push_back(client.Send({.body = std::string(static_cast<size_t>(i) * 997, 'x')}));
        if ((t + round) % 3 == 0) client.Reset(streams[static_cast<size_t>(round)]);
        if ((t + round) % 4 == 0) continue;  // gone without a word
        for (const int32_t stream : streams) answered += client.Await(stream).status == 200;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(answered > 100);
  CHECK(world.test.server->Drain(absl::Seconds(30)));
  while (world.test.server->connections() != 0) std::this_thread::yield();
  CHECK(world.test.server->body_bytes() == 0);
  CHECK(Http2Client(world).Echo("on") == "on");
}

}  // namespace
}  // namespace gangplan::http2_test
