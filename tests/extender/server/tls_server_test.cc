// Mutual TLS: whom the server lets in, and how long it waits for whom.
#include "extender/server/tls_server.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/extender/app/standard_error.h"
#include "tests/extender/server/tls_world.h"

namespace gangplan::tls_server_test {
namespace {

TEST_CASE("TLS: who has an allowed name of the clients' authority is served, nobody else") {
  TlsWorld world;
  CHECK(world.Serves(&world.scheduler));
  CHECK(world.Serves(&world.scheduler, TLS1_2_VERSION));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"done\"} 2"));

  CHECK_FALSE(world.Serves(nullptr));
  const TestCertificate theirs = MakeAuthority("ours");
  const TestCertificate stranger = MakeCertificate(theirs, "scheduler", "");
  CHECK_FALSE(world.Serves(&stranger));
  CHECK_FALSE(world.Serves(&world.scheduler, TLS1_1_VERSION));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"failed\"} 3"));

  const TestCertificate other = MakeCertificate(world.ours, "somebody", "DNS:scheduler");
  CHECK_FALSE(world.Serves(&other));
  CHECK_FALSE(world.Serves(&other, TLS1_2_VERSION));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"not_allowed\"} 2"));
  CHECK(world.Serves(&world.scheduler));
}

TEST_CASE("TLS: a name that is taken away asks nothing more, also who was let in by it") {
  TlsWorld world;
  const TestCertificate second = MakeCertificate(world.ours, "second", "");
  TlsClient client = world.Connect();
  CHECK(client.Echoes("hello"));
  CHECK_FALSE(world.Serves(&second));
  world.test.server->AllowNames({"scheduler", "second"});
  CHECK(client.Echoes("both"));
  CHECK(world.Serves(&second));
  world.test.server->AllowNames({"second"});
  CHECK_FALSE(client.Echoes("gone"));
  CHECK_FALSE(world.Serves(&world.scheduler));
  CHECK(world.Serves(&second));
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"shut_out\"} 1"));
  world.Replace(world.first);  // new files leave the names as they are
  CHECK_FALSE(world.Serves(&world.scheduler));
  CHECK(world.Serves(&second));
}

TEST_CASE("TLS: bytes that are no handshake are not answered") {
  TlsWorld world;
  for (const std::string& bytes : {GetText("/path/a"), std::string(5000, '\x16'),
                                   std::string("\x16\x03\x01\x00\x05hello", 10)}) {
    LoopbackClient client = world.test.Connect();
    client.Send(bytes);
    CHECK(client.Receive().status == 0);
  }
  CHECK(world.Serves(&world.scheduler));
}

TEST_CASE("TLS: a handshake has its time, and keeps nobody waiting") {
  HttpServerOptions options;
  options.wire.handshake = absl::Milliseconds(500);
  TlsWorld world(options);
  std::vector<LoopbackClient> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(world.test.Connect());
    if (i % 2 == 0) REQUIRE(slow.back().Send("\x16"));
  }
  CHECK(world.Serves(&world.scheduler));
  for (LoopbackClient& client : slow) CHECK(client.EndedByServer());
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"too_slow\"} 100"));
}

TEST_CASE("TLS: large bodies, requests one after the other, and refusals arrive whole") {
  TlsWorld world;
  TlsClient client = world.Connect();
  const std::string large = std::string(5'000'000, 'x') + "end";
  REQUIRE(client.Send(PostText("/echo", large)));
  CHECK(client.ReadTo("end").size() > large.size());
  REQUIRE(client.Send(PostText("/echo", "one") + PostText("/echo", "two")));
  CHECK(client.ReadTo("two").find("one") != std::string::npos);
  REQUIRE(client.Send(PostText("/echo", large, "Content-Encoding: gzip\r\n")));
  const std::string refusal = client.ReadTo("never said");
  CHECK(refusal.starts_with("HTTP/1.1 415"));
  CHECK(refusal.ends_with("\"}"));
}

// Says nothing, from another address of this machine.
LoopbackClient Silent(const TlsWorld& world) {
  return LoopbackClient(world.test.server->port(), "127.0.0.2");
}

TEST_CASE("TLS: so many handshakes at once, and who says nothing keeps no other address out") {
  HttpServerOptions options;
  options.max_handshakes = 2;
  TlsWorld world(options);
  const LoopbackClient one = Silent(world);
  CHECK(world.Serves(&world.scheduler));
  LoopbackClient two = Silent(world);
  LoopbackClient three = Silent(world);
  CHECK(world.Serves(&world.scheduler));  // one of them is ended, by then
  CHECK(world.Counted("gangplan_tls_handshakes_total{result=\"done\"} 2"));
}

TEST_CASE("TLS: clients that come all at once have their handshakes one after the other") {
  HttpServerOptions options;
  options.max_handshakes = 2;
  TlsWorld world(options);
  std::atomic<int> served = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 50; ++i)
    clients.emplace_back([&] { served += world.Serves(&world.scheduler); });
  for (std::thread& client : clients) client.join();
  CHECK(served == 50);
}

TEST_CASE("TLS: who was let in stays where strangers come beyond the limit of connections") {
  HttpServerOptions options;
  options.max_connections = 3;
  TlsWorld world(options);
  TlsClient client = world.Connect();
  CHECK(client.Echoes("first"));
  std::vector<LoopbackClient> strangers;
  for (int i = 0; i < 10; ++i) strangers.push_back(world.test.Connect());
  for (int i = 0; i < 8; ++i) CHECK(strangers[static_cast<size_t>(i)].EndedByServer());
  CHECK(client.Echoes("again"));
}

// A certificate that takes so many bytes.
TestCertificate OfSize(const TestCertificate& issuer, size_t size) {
  size_t name = size;
  for (;;) {  // signatures differ in length
    TestCertificate made = MakeCertificate(issuer, "scheduler", "DNS:" + std::string(name, 'x'));
    const auto now = static_cast<size_t>(i2d_X509(made.certificate.get(), nullptr));
    if (now == size) return made;
    name = name + size - now;
  }
}

TEST_CASE("TLS: a client's certificates may take so many bytes, and none more") {
  TlsWorld world;
  constexpr size_t kLengths = 6;  // before a certificate
  for (const size_t beyond : {0, 1}) {
    const TestCertificate shown = OfSize(world.ours, kMaxClientChainBytes - kLengths + beyond);
    CHECK(world.Serves(&shown, TLS1_2_VERSION) == (beyond == 0));
  }
}

TEST_CASE("TLS: who is not let in is told with its address, each reason by itself") {
  TlsWorld world;
  StandardError errors;
  CHECK_FALSE(world.Serves(nullptr));
  const TestCertificate other = MakeCertificate(world.ours, "somebody", "");
  for (int i = 0; i < 2; ++i) CHECK_FALSE(world.Serves(&other));
  const std::string text = errors.Take();
  CHECK(CountIn(text, R"("a client came to no TLS session","peer":"127.0.0.1:)") == 1);
  CHECK(CountIn(text, R"(is not among server.tls.allowedNames","peer":"127.0.0.1:)") == 1);
  CHECK(CountIn(text, R"("name":"somebody"})") == 1);
}

}  // namespace
}  // namespace gangplan::tls_server_test
