// One listener over real loopback sockets: what it accepts, refuses and says.
#include "extender/server/http_server.h"

#include <sys/socket.h>

#include <mutex>
#include <thread>

#include "fmt/format.h"
#include "tests/extender/server/echo_server.h"
#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"
#include "topology/base/text.h"

namespace gangplan::http_server_test {
namespace {

void CheckRefused(const std::string& request, int status, const std::string& body) {
  TestServer test;
  LoopbackClient client = test.Connect();
  REQUIRE(client.Send(request));
  const ClientReply reply = client.Receive();
  CHECK(reply.status == status);
  CHECK(reply.body == body);
  CHECK(reply.headers.at("Content-Type") == "application/json");
  CHECK(reply.headers.at("Connection") == "close");
  CHECK(client.EndedByServer());
}

const std::string kJsonPost =
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

TEST_CASE("a connection serves call after call") {
  TestServer test;
  LoopbackClient client = test.Connect();
  for (int i = 0; i < 200; ++i) {
    const ClientReply reply = client.Call(PostText("/echo", fmt::format("body {}", i)));
    REQUIRE(reply.status == 200);
    REQUIRE(reply.body == fmt::format("body {}", i));
    REQUIRE(reply.headers.at("Content-Type") == "application/json");
    REQUIRE(reply.headers.count("Connection") == 0);
  }
  CHECK(test.server->connections() == 1);
}

TEST_CASE("requests sent ahead are answered in their order") {
  TestServer test;
  LoopbackClient client = test.Connect();
  REQUIRE(client.Send(PostText("/echo", "one") + PostText("/echo", "") + GetText("/path/x")));
  CHECK(client.Receive().body == "one");
  CHECK(client.Receive().body == "");
  CHECK(client.Receive().body == "/path/x");
}

TEST_CASE("a request may come byte by byte") {
  TestServer test;
  LoopbackClient client = test.Connect();
  for (const char byte : PostText("/echo", "slow")) REQUIRE(client.Send({&byte, 1}));
  CHECK(client.Receive().body == "slow");
}

TEST_CASE("the peer may ask to close, and to be told to continue") {
  TestServer test;
  LoopbackClient client = test.Connect();
  REQUIRE(client.Send(kJsonPost + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
  CHECK(client.Receive(false).status == 100);
  CHECK(client.Call("ok").body == "ok");
  CHECK(client.Call(PostText("/echo", "last", "Connection: close\r\n")).body == "last");
  CHECK(client.EndedByServer());
}

TEST_CASE("HEAD is GET without the body") {
  TestServer test;
  LoopbackClient client = test.Connect();
  REQUIRE(client.Send("HEAD /path/abc HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const ClientReply reply = client.Receive(false);
  CHECK(reply.status == 200);
  CHECK(reply.headers.at("Content-Length") == "9");
  CHECK(client.Call(GetText("/path/next?a=b")).body == "/path/next");
}

TEST_CASE("replies are never compressed and never cut into ranges") {
  TestServer test;
  LoopbackClient client = test.Connect();
  const std::string body(100'000, 'a');
  const ClientReply reply =
      client.Call(PostText("/echo", body, "Accept-Encoding: gzip, br\r\nRange: bytes=0-9\r\n"));
  CHECK(reply.status == 200);
  CHECK(reply.body == body);
  CHECK(reply.headers.count("Content-Encoding") == 0);
}

TEST_CASE("wrong path, wrong method") {
  CheckRefused(PostText("/nothing", "body"), 404,
               R"({"error":"no such path; this port serves POST /echo, POST /throw, )"
               R"(GET /path/..."})");
  CheckRefused(GetText("/echo"), 405, R"({"error":"this path takes POST only"})");
}

TEST_CASE("bodies of unknown length, compressed bodies and forms are refused by the head") {
  CheckRefused(kJsonPost + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 411,
               R"({"error":"Transfer-Encoding is not taken; send the body with Content-Length"})");
  CheckRefused(kJsonPost + "\r\n", 411, R"({"error":"Content-Length is required"})");
  CheckRefused(kJsonPost + "Content-Length: 4\r\nContent-Encoding: gzip\r\n\r\nabcd", 415,
               R"({"error":"Content-Encoding is not taken; send the body as it is"})");
  CheckRefused(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Type: "
      "application/x-www-form-urlencoded\r\n\r\n{}",
      415,
      R"({"error":"Content-Type must be application/json (curl: -H 'Content-Type: )"
      R"x(application/json')"})x");
  CheckRefused(kJsonPost + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400,
               R"({"error":"Content-Length must be one whole number"})");
}

TEST_CASE("a body at the limit is taken, one byte more is refused, sent whole or not") {
  HttpServerOptions options;
  options.max_body_bytes = 1'000'000;
  TestServer test(options);
  const std::string limit(1'000'000, 'b');
  LoopbackClient client = test.Connect();
  CHECK(client.Call(PostText("/echo", limit)).body == limit);
  CHECK(client.Send(PostText("/echo", limit + "b")));
  const ClientReply reply = client.Receive();
  CHECK(reply.status == 413);
  CHECK(reply.body == R"({"error":"the body is 1000001 bytes long, the limit is 1000000"})");
  CHECK(client.EndedByServer());

  LoopbackClient asking = test.Connect();  // a polite client asks before it sends
  REQUIRE(asking.Send(kJsonPost + "Content-Length: 1000001\r\nExpect: 100-continue\r\n\r\n"));
  CHECK(asking.Receive().status == 413);
}

TEST_CASE("a body beyond the limit of forms is taken when it is JSON") {
  TestServer test;
  const std::string body(100'000, 'c');
  CHECK(test.Connect().Call(PostText("/echo", body)).body == body);
}

TEST_CASE("heads that are not HTTP, too long or without an end are refused") {
  CheckRefused("nonsense\r\n\r\n", 400, R"({"error":"the request line or a header is malformed"})");
  CheckRefused(GetText("/path/" + std::string(8192, 'u')), 414,
               R"({"error":"the request line is too long"})");
  CheckRefused(GetText("/path/x", "Range: nonsense\r\n"), 416,
               R"({"error":"the header Range is malformed"})");
  const std::string too_long =
      R"({"error":"the request line and headers are longer than 65536 bytes, or one of them )"
      R"(than 16384"})";
  CheckRefused(std::string(kMaxHeadLineBytes + 1, 'x'), 431, too_long);
  CheckRefused("GET /path/x HTTP/1.1\r\nA: " + std::string(kMaxHeadLineBytes, 'x'), 431, too_long);
}

// A GET whose head is `size` bytes long, in headers of at most 4,000 bytes.
std::string HeadOfSize(size_t size) {
  const std::string line = "GET /path/x HTTP/1.1\r\nHost: localhost\r\n";
  std::string headers;
  for (size_t left = size - line.size() - 2; left > 0;) {
    size_t take = std::min<size_t>(left, 4000);
    if (left > take && left - take < 10) take -= 10;
    headers += "A: " + std::string(take - 5, 'x') + "\r\n";
    left -= take;
  }
  return line + headers + "\r\n";
}

TEST_CASE("a request's head at the limit is served, one byte more is refused") {
  TestServer test;
  REQUIRE(HeadOfSize(kMaxHeadBytes).size() == kMaxHeadBytes);
  CHECK(test.Connect().Call(HeadOfSize(kMaxHeadBytes)).status == 200);
  CHECK(test.Connect().Call(HeadOfSize(kMaxHeadBytes + 1)).status == 431);
}

TEST_CASE("an exception of a route is a 500 that tells nothing, and is counted") {
  TestServer test;
  LoopbackClient client = test.Connect();
  const ClientReply reply = client.Call(PostText("/throw", ""));
  CHECK(reply.status == 500);
  CHECK(reply.body == R"({"error":"internal error"})");
  for (const auto& [name, value] : reply.headers) {
    CHECK(value.find("secret") == std::string::npos);
  }
  CHECK(test.metrics.Text().find("gangplan_unexpected_total{what=\"exception\"} 1\n") !=
        std::string::npos);
  CHECK(client.Call(PostText("/echo", "alive")).body == "alive");
}

TEST_CASE("a sender that stops in the midst of its request is told so") {
  HttpServerOptions options;
  options.wire.request = absl::Milliseconds(1);
  TestServer test(options);
  const std::string request = PostText("/echo", "0123456789");
  for (const size_t sent : {size_t{30}, request.size() - 1}) {
    LoopbackClient client = test.Connect();
    REQUIRE(client.Send(request.substr(0, sent)));
    const ClientReply reply = client.Receive();
    CHECK(reply.status == 408);
    CHECK(reply.body == R"({"error":"the request did not arrive whole in time"})");
  }
}

TEST_CASE("an address that is not loopback, a port that is taken") {
  Metrics metrics;
  HttpServerOptions options;
  options.address = "0.0.0.0";
  CHECK(Message(HttpServer::Start(options, EchoRoutes(), &metrics).status()) ==
        "address \"0.0.0.0\": the scheduler's calls are served on loopback only (127.0.0.0/8, ::1, "
        "localhost)");
  options.loopback_only = false;
  CHECK(HttpServer::Start(options, EchoRoutes(), &metrics).ok());

  TestServer first;
  HttpServerOptions same;
  same.port = first.server->port();
  CHECK(Message(HttpServer::Start(same, EchoRoutes(), &metrics).status()) ==
        fmt::format("cannot listen on 127.0.0.1 port {}: Address already in use", same.port));
}

TEST_CASE("each call has its own id and a time no later than its handling") {
  struct Seen {
    PeerConnection connection;
    absl::Time handled;
  };
  std::mutex mutex;
  std::vector<Seen> seen;
  const auto note = [&](HttpCall& call) {
    std::lock_guard lock(mutex);
    seen.push_back({call.connection, SystemClock().Now()});
    return HttpReply{};
  };
  TestServer test({}, {{"POST", "/id", false, note}});
  const absl::Time before = SystemClock().Now();
  LoopbackClient client = test.Connect();
  for (int i = 0; i < 3; ++i) REQUIRE(client.Call(PostText("/id", "")).status == 200);
  std::lock_guard lock(mutex);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].connection.id < seen[1].connection.id);
  CHECK(seen[1].connection.id < seen[2].connection.id);
  for (const Seen& call : seen) {
    CHECK(call.connection.accepted <= call.handled);
    // The kernel counts in ticks, 10 ms at most.
    CHECK(call.connection.accepted >= before - absl::Milliseconds(10));
  }
}

TEST_CASE("a call whose peer closed is told while its route still runs") {
  Gate gate;
  std::vector<int64_t> ids(2);
  const auto hold = [&](HttpCall& call) {
    ids[call.body == "b"] = call.connection.id;
    gate.Pass();
    return HttpReply{};
  };
  TestServer test({}, {{"POST", "/hold", false, hold}});
  LoopbackClient a = test.Connect();
  LoopbackClient b = test.Connect();
  REQUIRE(a.Send(PostText("/hold", "a")));
  REQUIRE(b.Send(PostText("/hold", "b")));
  gate.AwaitArrivals(2);
  CHECK(test.server->calls() == 2);
  CHECK(test.server->ClosedCalls().empty());
  b.Close();
  CHECK(test.server->ClosedCalls() == std::vector<int64_t>{ids[1]});
  a.EndSending();
  CHECK(test.server->ClosedCalls().size() == 2);
  gate.Open();
  CHECK(test.server->Drain(absl::InfiniteDuration()));
  CHECK(test.server->ClosedCalls().empty());
  CHECK(a.Receive().status == 200);  // who only ended its sending still gets the reply
}

TEST_CASE("draining waits for running calls and goes on answering") {
  Gate gate;
  TestServer test({}, {{"POST", "/hold", false,
                        [&](HttpCall&) {
                          gate.Pass();
                          return HttpReply{};
                        }},
                       {"POST", "/quick", false, [](HttpCall&) { return HttpReply{}; }}});
  CHECK(test.server->Drain(absl::ZeroDuration()));
  LoopbackClient held = test.Connect();
  REQUIRE(held.Send(PostText("/hold", "")));
  gate.AwaitArrivals(1);
  CHECK_FALSE(test.server->Drain(absl::ZeroDuration()));
  CHECK(test.Connect().Call(PostText("/quick", "")).status == 200);
  gate.Open();
  CHECK(test.server->Drain(absl::InfiniteDuration()));
  CHECK(held.Receive().status == 200);
}

TEST_CASE("a stop ends idle connections at once and frees the port") {
  TestServer test;
  std::vector<LoopbackClient> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(test.Connect());
    REQUIRE(idle.back().Call(PostText("/echo", "x")).status == 200);
  }
  const int port = test.server->port();
  test.server->Stop();
  for (LoopbackClient& client : idle) CHECK(client.EndedByServer());
  CHECK(LoopbackClient(port).socket() < 0);
  test.server->Stop();  // once more does nothing
}

TEST_CASE("a call that blocks learns from its closed peer that the server stops") {
  Gate gate;
  TestServer test({}, {{"POST", "/hold", false, [&](HttpCall&) {
                          gate.Pass();
                          return HttpReply{};
                        }}});
  LoopbackClient client = test.Connect();
  REQUIRE(client.Send(PostText("/hold", "")));
  gate.AwaitArrivals(1);
  std::thread stopper([&test] { test.server->Stop(); });
  while (test.server->ClosedCalls().empty()) std::this_thread::yield();
  gate.Open();
  stopper.join();
}

TEST_CASE("a server that was just started can be stopped") {
  for (int i = 0; i < 20; ++i) TestServer test;
}

}  // namespace
}  // namespace gangplan::http_server_test
