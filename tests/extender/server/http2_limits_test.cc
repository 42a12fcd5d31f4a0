// HTTP/2 under TLS: what is refused, what a peer does not do in time, and what gives way.
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "tests/extender/server/http2_world.h"

namespace gangplan::http2_limits_test {
namespace {

TEST_CASE("HTTP/2: what HTTP/1.1 refuses is refused in the same words, and the connection stays") {
  HttpServerOptions options;
  options.max_body_bytes = 100;
  const TlsWorld world(Http2(options));
  Http2Client client(world);
  const auto refused = [&](const Http2Ask& ask) {
    const Http2Reply reply = client.Call(ask);
    CHECK(absl::StartsWith(reply.body, "{\"error\":"));
    CHECK(client.Echo("on") == "on");
    return reply.status;
  };
  CHECK(refused({.path = "/nowhere"}) == 404);
  CHECK(refused({.path = "/path/a"}) == 405);
  CHECK(refused({.more = {{"content-encoding", "gzip"}}}) == 415);
  CHECK(refused({.body = "{}", .has_length = false}) == 411);
  CHECK(refused({.body = std::string(101, 'x')}) == 413);
  CHECK(refused({.body = "never sent", .is_whole = false, .length = "101"}) == 413);
  CHECK(refused({.path = "/throw"}) == 500);
  CHECK(client.Call({.body = std::string(100, 'x')}).status == 200);
  CHECK(client.Call({.path = "/echo?timeout=5s", .body = "q"}).body == "q");
  CHECK(client.Call({.path = "/path/a", .method = "GET", .has_length = false}).body == "/path/a");
  const Http2Reply head = client.Call({.path = "/path/a", .method = "HEAD", .has_length = false});
  CHECK((head.status == 200 && head.body.empty()));
  CHECK(client.Call({.body = "short", .length = "6"}).status == 0);  // the protocol forbids it
  CHECK(client.Echo("still") == "still");
}

TEST_CASE("HTTP/2: the limits of heads are those of HTTP/1.1") {
  const TlsWorld world(Http2());
  Http2Client client(world);
  // A line has its name as well; the library itself takes no more than 64 KiB at once.
  const std::string line(kMaxHeadLineBytes - 1, 'a');
  CHECK(client.Call({.body = "x", .more = {{"a", line}}}).status == 200);
  CHECK(client.Call({.body = "x", .more = {{"aa", line}}}).status == 431);
  CHECK(client.Echo("on") == "on");
}

TEST_CASE("HTTP/2: a call that its peer ends, and those of a connection that ends, are told") {
  HoldWorld hold;
  Http2Client client(hold.world);
  Http2Client other(hold.world);
  const int32_t one = client.Send({kHold, "one"});
  const int32_t two = client.Send({kHold, "two"});
  other.Send({kHold, "three"});
  hold.gate.AwaitArrivals(3);
  client.Reset(one);
  while (hold.server().ClosedCalls().size() != 1) std::this_thread::yield();
  other.bytes().Close();
  while (hold.server().ClosedCalls().size() != 2) std::this_thread::yield();
  CHECK(client.Echo("on") == "on");
  hold.gate.Open();
  CHECK(client.Await(two).body == "two");
  CHECK(hold.server().Drain(absl::Seconds(30)));
  CHECK(hold.server().ClosedCalls().empty());
  while (hold.server().connections() != 1) std::this_thread::yield();
}

TEST_CASE("HTTP/2: each call counts as a connection, and beyond the limit it may be asked again") {
  HttpServerOptions options;
  options.max_connections = 4;
  HoldWorld hold(options);
  Http2Client client(hold.world);
  Http2Client other(hold.world);
  REQUIRE(client.Echo("in") == "in");
  CHECK(client.streams() == 4);
  std::vector<int32_t> held;
  for (int i = 0; i < 3; ++i) held.push_back(client.Send({kHold, "held"}));
  const int32_t last = other.Send({kHold, "held"});
  hold.gate.AwaitArrivals(4);
  CHECK(hold.server().connections() == 4);
  for (Http2Client* one : {&client, &other}) {
    const Http2Reply beyond = one->Call({.body = "beyond"});
    CHECK((beyond.status == 0 && beyond.error == NGHTTP2_REFUSED_STREAM));
  }
  CHECK(hold.world.Counted("gangplan_refused_connections_total 2"));
  CHECK_FALSE(hold.world.Serves(&hold.world.scheduler));  // a connection gives way to nobody
  hold.gate.Open();
  for (const int32_t stream : held) CHECK(client.Await(stream).body == "held");
  CHECK(other.Await(last).body == "held");
  CHECK(hold.server().Drain(absl::Seconds(30)));
  CHECK(client.Echo("again") == "again");
}

TEST_CASE("HTTP/2: where one connection is let in it has one call at a time") {
  HttpServerOptions options;
  options.max_connections = 1;
  HoldWorld hold(options);
  Http2Client client(hold.world);
  REQUIRE(client.Echo("in") == "in");
  const int32_t held = hold.HoldOne(client);
  CHECK_FALSE(hold.world.Serves(&hold.world.scheduler));
  hold.gate.Open();
  CHECK(client.Await(held).body == "held");
  CHECK(client.Echo("next") == "next");
}

TEST_CASE(
    "HTTP/2: a connection without calls gives way to a new one, one that has calls does not") {
  HttpServerOptions options;
  options.max_connections = 2;
  HoldWorld hold(options);
  Http2Client busy(hold.world);
  const int32_t held = hold.HoldOne(busy);
  Http2Client idle(hold.world);
  REQUIRE(idle.is_http2());
  CHECK(hold.world.Serves(&hold.world.scheduler));
  CHECK(idle.Call({.body = "late"}).status == 0);
  hold.gate.Open();
  CHECK(busy.Await(held).body == "held");
}

TEST_CASE("HTTP/2: a request that is not whole in time is told, one that is held has its time") {
  HttpServerOptions options;
  options.wire.request = absl::Milliseconds(200);
  HoldWorld hold(options);
  Http2Client client(hold.world);
  const int32_t held = hold.HoldOne(client);
  const int32_t late = client.Send({.body = "half", .is_whole = false, .length = "8"});
  CHECK(client.Await(late).status == 408);
  CHECK(client.Echo("on") == "on");
  hold.gate.Open();
  CHECK(client.Await(held).body == "held");
}

TEST_CASE("HTTP/2: requests that are not whole take nobody's place") {
  HttpServerOptions options;
  options.max_connections = 2;
  const TlsWorld world(Http2(options));
  Http2Client client(world);
  std::vector<int32_t> halves;
  for (int i = 0; i < 2; ++i)
    halves.push_back(client.Send({.body = "half", .is_whole = false, .length = "8"}));
  CHECK(world.Serves(&world.scheduler));
  CHECK(Http2Client(world).Echo("on") == "on");
  CHECK(world.Counted("gangplan_refused_connections_total 0"));
}

TEST_CASE("HTTP/2: a peer that does not read delays neither its other calls nor those of others") {
  HoldWorld hold;
  Http2Client client(hold.world, 16 << 20);
  REQUIRE(client.Echo("in") == "in");
  const int32_t large = client.Send({kLarge});
  while (hold.server().calls() == 0) std::this_thread::yield();
  const int32_t held = hold.HoldOne(client);
  CHECK(Http2Client(hold.world).Echo("on") == "on");
  hold.gate.Open();
  CHECK(client.Await(large).body.size() == kLargeBytes);
  CHECK(client.Await(held).body == "held");
}

TEST_CASE("HTTP/2: who takes nothing at all is left") {
  HttpServerOptions options;
  options.wire.write = absl::Milliseconds(300);
  HoldWorld hold(options);
  Http2Client client(hold.world, 16 << 20);
  REQUIRE(client.Echo("in") == "in");
  const int32_t large = client.Send({kLarge});
  while (hold.server().calls() == 0) std::this_thread::yield();
  while (hold.server().connections() != 0) std::this_thread::yield();
  CHECK(client.Await(large).body.size() < kLargeBytes);
}

TEST_CASE("HTTP/2: a call that is told to be untouched has not begun") {
  HoldWorld hold;
  Http2Client client(hold.world);
  REQUIRE(client.Echo("in") == "in");
  // The library ends a connection with so many resets at once, and its newest streams untouched.
  client.Cork();
  for (int i = 0; i < 1'100; ++i) client.Reset(client.Send({.body = "x"}));
  const int32_t last = client.Send({kHold, "last"});
  client.Uncork();
  hold.gate.Open();
  const Http2Reply reply = client.Await(last);
  CHECK((reply.status == 200) != (reply.error == NGHTTP2_REFUSED_STREAM));
  CHECK(hold.server().Drain(absl::Seconds(30)));
  CHECK((hold.arrivals() == 1) == (reply.status == 200));
}

TEST_CASE("HTTP/2: a reply that is not taken in its time is given up, and others go on") {
  HttpServerOptions options;
  options.wire.reply = absl::Milliseconds(300);
  const TlsWorld world(Http2(options));
  Http2Client client(world, 16);
  const int32_t slow = client.Send({.body = std::string(1000, 'x')});
  CHECK(client.Echo("on") == "on");
  const Http2Reply reply = client.Await(slow);
  CHECK(reply.error == NGHTTP2_CANCEL);
  CHECK(reply.body.size() == 16);
  CHECK(world.test.server->Drain(absl::Seconds(30)));
}

TEST_CASE("HTTP/2: who asks nothing for too long is told to go") {
  HttpServerOptions options;
  options.wire.keep_alive = absl::Milliseconds(200);
  const TlsWorld world(Http2(options));
  Http2Client silent(world);
  CHECK(silent.IsToldToGo());
  while (world.test.server->connections() != 0) std::this_thread::yield();
}

TEST_CASE("HTTP/2: a held call outlives the time that a silent connection has") {
  HttpServerOptions options;
  options.wire.keep_alive = absl::Milliseconds(100);
  HoldWorld hold(options);
  Http2Client client(hold.world);
  const int32_t held = hold.HoldOne(client);
  REQUIRE(Http2Client(hold.world).IsToldToGo());  // who came later, and is silent
  CHECK(hold.server().ClosedCalls().empty());
  hold.gate.Open();
  CHECK(client.Await(held).body == "held");
}

TEST_CASE("HTTP/2: bodies beyond the limit of all are refused, short ones are not") {
  HttpServerOptions options;
  options.max_bodies_bytes = 100'000;
  const TlsWorld world(Http2(options));
  Http2Client client(world);
  client.Send({.body = std::string(60'000, 'x'), .is_whole = false, .length = "60001"});
  while (world.test.server->body_bytes() != 60'000) std::this_thread::yield();
  CHECK(client.Call({.body = std::string(60'000, 'y')}).status == 503);
  CHECK(client.Echo("short") == "short");
  client.bytes().Close();
  while (world.test.server->connections() != 0) std::this_thread::yield();
  CHECK(world.test.server->body_bytes() == 0);
}

TEST_CASE("HTTP/2: bytes that are none of the protocol's end the connection") {
  const TlsWorld world(Http2());
  for (const std::string& bytes :
       {GetText("/path/a"), std::string(5000, '\x16'),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + std::string(4000, '\xff')}) {
    TlsClient client(world.test.server->port(), &world.scheduler, TLS1_3_VERSION, "\x02h2");
    REQUIRE(client.Send(bytes));
    client.ReadTo("never said");
  }
  CHECK(Http2Client(world).Echo("on") == "on");
  while (world.test.server->connections() > 1) std::this_thread::yield();
}

TEST_CASE("HTTP/2: whom a new authority does not let in is told to go, what it holds is answered") {
  HoldWorld hold;
  Http2Client client(hold.world);
  const int32_t held = hold.HoldOne(client);
  hold.world.Replace(MakeCertificate(hold.world.ours, "second", "IP:127.0.0.1"));
  CHECK(client.Echo("new leaf") == "new leaf");
  hold.world.client_ca.Write(MakeAuthority("theirs").CertificatePem());
  CHECK(client.Call({.body = "who"}).error == NGHTTP2_REFUSED_STREAM);
  CHECK(client.IsToldToGo());
  hold.gate.Open();
  CHECK(client.Await(held).body == "held");
  while (hold.server().connections() != 0) std::this_thread::yield();
}

}  // namespace
}  // namespace gangplan::http2_limits_test
