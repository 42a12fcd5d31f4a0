// Thousands of bind calls at once: they arrive, are held, let others pass, are told when their
// peers go, and are answered. One client thread with plain non-blocking sockets.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "extender/server/process_limits.h"
#include "extender/server/http_server.h"
#include "fmt/format.h"
#include "tests/extender/server/gate.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"

namespace gangplan::http_server_load_test {
namespace {

constexpr int kCalls = 2000;
constexpr int kGuardMs = 60'000;  // a poll that sees nothing for so long is a failure

class ManyClients {
 public:
  // Starts `count` connections without waiting for any.
  ManyClients(int port, int count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < count; ++i) {
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      REQUIRE(socket >= 0);
      ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address));
      sockets_.push_back({socket, 0, 0});
    }
  }
  ManyClients(const ManyClients&) = delete;
  ManyClients& operator=(const ManyClients&) = delete;
  ~ManyClients() {
    for (int i = 0; i < static_cast<int>(sockets_.size()); ++i) Close(i);
  }

  // Sends request i on connection i, each as soon as it is connected.
  void SendAll(const std::vector<std::string>& requests) {
    Each(POLLOUT, [&](size_t i) {
      const std::string& text = requests[i];
      return ::send(sockets_[i].fd, text.data(), text.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(text.size());
    });
  }

  // Reads one reply of every open connection; the number that are 200 with `body`.
  int ReceiveAll(const std::string& body) {
    int good = 0;
    Each(POLLIN, [&](size_t i) {
      char reply[4096];
      const ssize_t n = ::recv(sockets_[i].fd, reply, sizeof(reply), 0);
      const std::string_view text(reply, n > 0 ? static_cast<size_t>(n) : 0);
      good += text.substr(0, 12) == "HTTP/1.1 200" && text.size() > body.size() &&
              text.substr(text.size() - body.size()) == body;
      return true;
    });
    return good;
  }

  void Close(int i) {
    int& socket = sockets_[static_cast<size_t>(i)].fd;
    if (socket >= 0) ::close(socket);
    socket = -1;
  }

 private:
  // Calls `act` once for every open connection, when `event` holds for it.
  template <typename Act>
  void Each(short event, Act act) {
    size_t left = 0;
    for (pollfd& entry : sockets_) {
      entry.events = event;
      left += entry.fd >= 0;
    }
    while (left > 0) {
      REQUIRE(::poll(sockets_.data(), sockets_.size(), kGuardMs) > 0);
      for (size_t i = 0; i < sockets_.size(); ++i) {
        if (sockets_[i].revents == 0 || sockets_[i].events == 0) continue;
        REQUIRE(act(i));
        sockets_[i].events = 0;
        sockets_[i].fd = ~sockets_[i].fd;  // poll leaves it out
        --left;
      }
    }
    for (pollfd& entry : sockets_) {
      if (entry.fd < -1) entry.fd = ~entry.fd;
    }
  }

  std::vector<pollfd> sockets_;
};

std::vector<std::string> BindRequests(int count) {
  std::vector<std::string> requests;
  for (int i = 0; i < count; ++i) requests.push_back(PostText("/bind", fmt::format("{}", i)));
  return requests;
}

size_t NumberIn(const std::string& text) {
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct HoldingServer {
  HoldingServer() : ids(kCalls) {
    Routes routes = {{"POST", "/bind", false,
                      [this](HttpCall& call) {
                        ids[NumberIn(call.body)] = call.connection.id;
                        gate.Pass();
                        return HttpReply{200, "bound"};
                      }},
                     {"POST", "/filter", false, [](HttpCall& call) {
                        return HttpReply{200, call.body};
                      }}};
    auto started = HttpServer::Start({}, std::move(routes), &metrics);
    REQUIRE(started.ok());
    server = *std::move(started);
  }

  Metrics metrics;
  Gate gate;
  std::vector<int64_t> ids;  // by the number in the request
  std::unique_ptr<HttpServer> server;
};

TEST_CASE("two thousand held calls let others pass, and their lost peers are told") {
  RaiseProcessLimits();
  HoldingServer test;
  ManyClients clients(test.server->port(), kCalls);
  clients.SendAll(BindRequests(kCalls));
  test.gate.AwaitArrivals(kCalls);
  CHECK(test.server->calls() == kCalls);
  CHECK(test.server->threads() == kCalls);
  CHECK(std::set<int64_t>(test.ids.begin(), test.ids.end()).size() == kCalls);

  LoopbackClient filter(test.server->port());
  for (int i = 0; i < 100; ++i) REQUIRE(filter.Call(PostText("/filter", "x")).body == "x");

  CHECK(test.server->ClosedCalls().empty());
  std::set<int64_t> gone;
  for (int i = 0; i < kCalls; i += 7) {
    clients.Close(i);
    gone.insert(test.ids[static_cast<size_t>(i)]);
  }
  const std::vector<int64_t> closed = test.server->ClosedCalls();
  CHECK(std::set<int64_t>(closed.begin(), closed.end()) == gone);
  CHECK(closed.size() == gone.size());

  test.gate.Open();
  CHECK(clients.ReceiveAll("bound") == kCalls - static_cast<int>(gone.size()));
  CHECK(test.server->Drain(absl::InfiniteDuration()));
  CHECK(test.server->ClosedCalls().empty());
}

TEST_CASE("a burst within the backlog is served whole") {
  RaiseProcessLimits();
  HoldingServer test;
  test.gate.Open();
  ManyClients clients(test.server->port(), kCalls);  // all connecting before any is read from
  clients.SendAll(BindRequests(kCalls));
  CHECK(clients.ReceiveAll("bound") == kCalls);
  CHECK(test.metrics.Text().find("gangplan_refused_connections_total 0\n") != std::string::npos);
}

TEST_CASE("threads go when their connections have gone") {
  RaiseProcessLimits();
  HoldingServer test;
  constexpr int kMany = 2 * kSpareThreads;
  {
    ManyClients clients(test.server->port(), kMany);
    clients.SendAll(BindRequests(kMany));
    test.gate.AwaitArrivals(kMany);
    CHECK(test.server->threads() == kMany);
    test.gate.Open();
    CHECK(clients.ReceiveAll("bound") == kMany);
  }
  while (test.server->connections() != 0) std::this_thread::yield();
  while (test.server->threads() != kSpareThreads) std::this_thread::yield();
}

}  // namespace
}  // namespace gangplan::http_server_load_test
