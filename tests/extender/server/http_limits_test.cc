// What gives way where connections, threads or memory come to their limits.
#include <sys/socket.h>

#include <thread>
#include <vector>

#include "tests/extender/server/echo_server.h"
#include "tests/extender/server/gate.h"

namespace gangplan::http_limits_test {
namespace {

TEST_CASE("slow senders do not delay others") {
  TestServer test;
  std::vector<LoopbackClient> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(test.Connect());
    REQUIRE(slow.back().Send(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Le"));
  }
  LoopbackClient client = test.Connect();
  for (int i = 0; i < 50; ++i) REQUIRE(client.Call(PostText("/echo", "quick")).body == "quick");
  for (LoopbackClient& sender : slow) REQUIRE(sender.Call("ngth: 2\r\n\r\nok").body == "ok");
}

TEST_CASE("a connection beyond the limit takes the place of the one that waits longest") {
  HttpServerOptions options;
  options.max_connections = 3;
  TestServer test(options);
  std::vector<LoopbackClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(test.Connect());
    REQUIRE(clients.back().Call(PostText("/echo", "in")).body == "in");
    REQUIRE(test.server->Drain(absl::Seconds(30)));  // it waits for its peer from here on
  }
  CHECK(test.Connect().Call(PostText("/echo", "next")).body == "next");
  CHECK(clients.front().EndedByServer());
  CHECK(clients.at(1).Call(PostText("/echo", "stays")).body == "stays");
  CHECK(test.metrics.Text().find("gangplan_refused_connections_total 0\n") != std::string::npos);
  clients.pop_back();
  while (test.server->connections() != 1) std::this_thread::yield();
}

TEST_CASE("connections that serve calls stay, and beyond the limit the next one is refused") {
  Gate gate;
  HttpServerOptions options;
  options.max_connections = 2;
  TestServer test(options, {{"POST", "/hold", false, [&](HttpCall&) {
                               gate.Pass();
                               return HttpReply{};
                             }}});
  LoopbackClient a = test.Connect();
  LoopbackClient b = test.Connect();
  REQUIRE(a.Send(PostText("/hold", "")));
  REQUIRE(b.Send(PostText("/hold", "")));
  gate.AwaitArrivals(2);
  CHECK(test.Connect().EndedByServer());
  CHECK(test.metrics.Text().find("gangplan_refused_connections_total 1\n") != std::string::npos);
  gate.Open();
  CHECK(a.Receive().status == 200);
  CHECK(b.Receive().status == 200);
}

TEST_CASE("senders that stall with many bytes give way to who sends whole") {
  HttpServerOptions options;
  options.max_bodies_bytes = 300'000;
  TestServer test(options);
  const std::string body(200'000, 'b');
  const std::string whole = PostText("/echo", body);
  LoopbackClient stalled = test.Connect();
  REQUIRE(stalled.Send(whole.substr(0, whole.size() - 1)));
  while (test.server->body_bytes() != body.size() - 1) std::this_thread::yield();
  CHECK(test.Connect().Call(whole).body == body);
  CHECK(stalled.EndedByServer());
}

TEST_CASE("bodies of calls that run may have so many bytes, one more is refused, a short one not") {
  Gate gate;
  HttpServerOptions options;
  options.max_bodies_bytes = 300'000;
  TestServer test(options, {{"POST", "/hold", false,
                             [&](HttpCall&) {
                               gate.Pass();
                               return HttpReply{};
                             }},
                            {"POST", "/echo", false, [](HttpCall& call) {
                               return HttpReply{200, call.body};
                             }}});
  LoopbackClient held = test.Connect();
  REQUIRE(held.Send(PostText("/hold", std::string(200'000, 'b'))));
  gate.AwaitArrivals(1);
  CHECK(test.Connect().Call(PostText("/echo", std::string(100'000, 'b'))).status == 200);
  const ClientReply reply = test.Connect().Call(PostText("/echo", std::string(100'001, 'b')));
  CHECK(reply.status == 503);
  CHECK(reply.body == R"({"error":"the bodies of the calls under way have 300000 bytes, as many )"
                      R"(as they may have at once; try again"})");
  CHECK(test.Connect().Call(PostText("/echo", std::string(kFreeBodyBytes, 'b'))).status == 200);
  gate.Open();
  CHECK(held.Receive().status == 200);
}

TEST_CASE("a request that is not whole does not delay the end, and is no call") {
  TestServer test;
  LoopbackClient half = test.Connect();
  REQUIRE(half.Send(PostText("/echo", "half").substr(0, 80)));
  while (test.server->connections() != 1) std::this_thread::yield();
  CHECK(test.server->calls() == 0);
  CHECK(test.server->Drain(absl::ZeroDuration()));
  test.server->Stop();
  CHECK(half.EndedByServer());
}

TEST_CASE("calls that may take long leave the others their connections") {
  Gate gate;
  HttpServerOptions options;
  options.max_connections = 4;
  options.max_long_calls = 2;
  Routes routes = {{"GET", "/long", false,
                    [&](HttpCall&) {
                      gate.Pass();
                      return HttpReply{};
                    }},
                   {"GET", "/short", false, [](HttpCall&) { return HttpReply{}; }}};
  routes.front().is_long = true;
  TestServer test(options, std::move(routes));
  LoopbackClient a = test.Connect();
  LoopbackClient b = test.Connect();
  REQUIRE(a.Send(GetText("/long")));
  REQUIRE(b.Send(GetText("/long")));
  gate.AwaitArrivals(2);
  const ClientReply third = test.Connect().Call(GetText("/long"));
  CHECK(third.status == 503);
  CHECK(third.body == R"({"error":"2 such calls are under way, as many as may be at once; )"
                      R"(try again"})");
  for (int i = 0; i < 10; ++i) CHECK(test.Connect().Call(GetText("/short")).status == 200);
  gate.Open();
  CHECK(a.Receive().status == 200);
  CHECK(b.Receive().status == 200);
  CHECK(test.Connect().Call(GetText("/long")).status == 200);
}

TEST_CASE("who asks for one seldom has it, however many another address asks for") {
  Gate gate;
  HttpServerOptions options;
  options.max_long_calls = 1;
  Routes routes = {{"GET", "/long", false, [&](HttpCall&) {
                      gate.Pass();
                      return HttpReply{};
                    }}};
  routes.front().is_long = true;
  TestServer test(options, std::move(routes));
  LoopbackClient often = test.Connect();
  REQUIRE(often.Send(GetText("/long")));
  gate.AwaitArrivals(1);
  CHECK(test.Connect().Call(GetText("/long")).status == 503);
  LoopbackClient seldom(test.server->port(), "127.0.0.2");
  REQUIRE(seldom.Send(GetText("/long")));
  gate.AwaitArrivals(2);
  gate.Open();
  CHECK(often.Receive().status == 200);
  CHECK(seldom.Receive().status == 200);
}

TEST_CASE("a call that may take long counts until its reply is out") {
  HttpServerOptions options;
  options.max_long_calls = 1;
  const std::string large(64 << 20, 'x');  // more than the kernel takes
  Routes routes = {{"GET", "/long", false, [&](HttpCall&) { return HttpReply{200, large}; }}};
  routes.front().is_long = true;
  TestServer test(options, std::move(routes));
  LoopbackClient slow = test.Connect();
  REQUIRE(slow.Send(GetText("/long")));
  char byte = 0;
  REQUIRE(::recv(slow.socket(), &byte, 1, MSG_PEEK) == 1);  // the reply is on its way
  CHECK(test.Connect().Call(GetText("/long")).status == 503);
  slow.Close();
  while (test.server->calls() != 0) std::this_thread::yield();
  CHECK(test.Connect().Call(GetText("/long")).body.size() == large.size());
}

}  // namespace
}  // namespace gangplan::http_limits_test
