// Replies with events: as they come, so many at once, and how they end.
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "tests/extender/server/echo_server.h"

namespace gangplan::event_stream_test {
namespace {

// What all streams of a test are sent.
struct Source {
  void Tell(std::string event) {
    std::lock_guard lock(mutex);
    events.push_back(std::make_shared<const std::string>(std::move(event)));
    const uint64_t one = 1;
    for (const int bell : bells) REQUIRE(::write(bell, &one, sizeof(one)) == sizeof(one));
  }

  std::mutex mutex;
  std::deque<std::shared_ptr<const std::string>> events;
  std::vector<int> bells;
  std::atomic<int> open = 0;
};

class TestStream : public EventStream {
 public:
  explicit TestStream(Source& source) : source_(source) {
    std::lock_guard lock(source_.mutex);
    source_.bells.push_back(bell_);
    ++source_.open;
  }
  ~TestStream() override {
    std::lock_guard lock(source_.mutex);
    std::erase(source_.bells, bell_);
    ::close(bell_);
    --source_.open;
  }
  std::shared_ptr<const std::string> Take() override {
    uint64_t rung = 0;
    (void)!::read(bell_, &rung, sizeof(rung));
    std::lock_guard lock(source_.mutex);
    if (next_ == source_.events.size()) return nullptr;
    return source_.events[next_++];
  }
  int news() const override { return bell_; }

 private:
  Source& source_;
  const int bell_ = ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
  size_t next_ = 0;
};

Routes StreamRoutes(Source& source) {
  const auto events = [&source](HttpCall&) {
    HttpReply reply{200, {}, "text/event-stream"};
    reply.events = std::make_shared<TestStream>(source);
    return reply;
  };
  const auto plain = [](HttpCall&) { return HttpReply{200, "plain"}; };
  const auto known = [](HttpCall& call) {
    return HttpReply{call.known == "\"v\"" ? 304 : 200, {}, "text/plain", {{"ETag", "\"v\""}}};
  };
  return {{"GET", "/events", false, events, false, true},
          {"GET", "/plain", false, plain},
          {"GET", "/known", false, known}};
}

struct StreamServer {
  explicit StreamServer(HttpServerOptions options = {}) : test(options, StreamRoutes(source)) {}
  LoopbackClient Follow() const {
    LoopbackClient client = test.Connect();
    REQUIRE(client.Send(GetText("/events")));
    return client;
  }
  void AwaitOpen(int count) const {
    while (source.open != count) std::this_thread::yield();
  }

  Source source;
  TestServer test;
};

// Everything that comes up to `end`; what came when the connection ended where that is before.
std::string ReadTo(const LoopbackClient& client, std::string_view end) {
  std::string text;
  char byte = 0;
  while (!text.ends_with(end) && ::recv(client.socket(), &byte, 1, 0) == 1) text += byte;
  return text;
}

TEST_CASE("events follow the head of their reply as they come, until the peer goes") {
  StreamServer server;
  server.source.Tell("data: 1\n\n");
  LoopbackClient client = server.Follow();
  const std::string head = ReadTo(client, "\r\n\r\n");
  CHECK(head.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(head.find("Content-Type: text/event-stream\r\n") != std::string::npos);
  CHECK(head.find("Connection: close\r\n") != std::string::npos);
  CHECK(head.find("Content-Length") == std::string::npos);
  CHECK(ReadTo(client, "\n\n") == "data: 1\n\n");
  server.source.Tell("data: 2\n\n");
  CHECK(ReadTo(client, "\n\n") == "data: 2\n\n");
  CHECK(server.test.server->calls() == 1);
  client.Close();
  server.AwaitOpen(0);
  CHECK(server.source.open == 0);
}

TEST_CASE("a peer that is told nothing is sent a sign now and then") {
  HttpServerOptions options;
  options.event_sign = absl::Milliseconds(20);
  StreamServer server(options);
  const LoopbackClient client = server.Follow();
  ReadTo(client, "\r\n\r\n");
  CHECK(ReadTo(client, "\n\n") == ":\n\n");
  CHECK(ReadTo(client, "\n\n") == ":\n\n");
}

TEST_CASE("so many streams at once, the next is told to come again, and others are served") {
  HttpServerOptions options;
  options.max_event_streams = 2;
  options.max_long_calls = 0;
  StreamServer server(options);
  server.source.Tell("data: 1\n\n");
  LoopbackClient first = server.Follow();
  const LoopbackClient second = server.Follow();
  ReadTo(first, "data: 1\n\n");
  ReadTo(second, "data: 1\n\n");
  CHECK(server.test.Connect().Call(GetText("/events")).status == 503);
  CHECK(server.test.Connect().Call(GetText("/plain")).body == "plain");
  first.Close();
  server.AwaitOpen(1);
  std::string head;
  while (!head.starts_with("HTTP/1.1 200")) {
    head = ReadTo(server.Follow(), "\r\n\r\n");
  }
  SUCCEED();
}

TEST_CASE("a stream gives way to a connection beyond the limit") {
  HttpServerOptions options;
  options.max_connections = 2;
  StreamServer server(options);
  server.source.Tell("data: 1\n\n");
  const LoopbackClient first = server.Follow();
  ReadTo(first, "data: 1\n\n");
  const LoopbackClient second = server.Follow();
  ReadTo(second, "data: 1\n\n");
  CHECK(server.test.Connect().Call(GetText("/plain")).status == 200);
  CHECK(ReadTo(first, "nothing more").empty());
}

TEST_CASE("the end of the server ends its streams at once") {
  StreamServer server;
  server.source.Tell("data: 1\n\n");
  const LoopbackClient client = server.Follow();
  ReadTo(client, "data: 1\n\n");
  server.test.server->Stop();
  CHECK(server.source.open == 0);
  CHECK(ReadTo(client, "nothing more").empty());
}

TEST_CASE("a peer that takes nothing of an event is given up, and what it had is given back") {
  HttpServerOptions options;
  options.wire.write = absl::Milliseconds(50);
  StreamServer server(options);
  server.source.Tell("data: 1\n\n");
  const LoopbackClient client = server.Follow();
  ReadTo(client, "data: 1\n\n");
  server.source.Tell(std::string(size_t{64} << 20, 'x'));
  server.AwaitOpen(0);
  CHECK(server.source.open == 0);
}

TEST_CASE("HEAD has no events, and what the peer knows already has neither body nor length") {
  StreamServer server;
  LoopbackClient client = server.test.Connect();
  REQUIRE(client.Send("HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  CHECK(ReadTo(client, "\r\n\r\n").starts_with("HTTP/1.1 200"));
  CHECK(ReadTo(client, "nothing more").empty());
  CHECK(server.source.open == 0);
  LoopbackClient asking = server.test.Connect();
  REQUIRE(asking.Send(GetText("/known", "If-None-Match: \"v\"\r\n")));
  const std::string head = ReadTo(asking, "\r\n\r\n");
  CHECK(head.starts_with("HTTP/1.1 304"));
  CHECK(head.find("ETag: \"v\"") != std::string::npos);
  CHECK(head.find("Content-Length") == std::string::npos);
  CHECK(asking.Call(GetText("/plain")).body == "plain");
}

}  // namespace
}  // namespace gangplan::event_stream_test
