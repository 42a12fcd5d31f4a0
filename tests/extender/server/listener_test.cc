#include "extender/server/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <string>

#include "extender/server/limits.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"

namespace gangplan::listener_test {
namespace {

int OptionOf(int socket, int level, int option) {
  int value = -1;
  socklen_t size = sizeof(value);
  REQUIRE(::getsockopt(socket, level, option, &value, &size) == 0);
  return value;
}

TEST_CASE("a peer that goes without a word is asked for, and given up after a minute") {
  auto listener = Listener::Open("127.0.0.1", 0);
  REQUIRE(listener.ok());
  std::promise<int> accepted;
  (*listener)->Start([&](int socket) { accepted.set_value(socket); });
  const LoopbackClient client((*listener)->port());
  const int socket = accepted.get_future().get();
  CHECK(OptionOf(socket, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(OptionOf(socket, IPPROTO_TCP, TCP_KEEPIDLE) == 20);
  CHECK(OptionOf(socket, IPPROTO_TCP, TCP_KEEPINTVL) == 10);
  CHECK(OptionOf(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 60'000);
  ::close(socket);
}

// Whether somebody takes connections there.
bool IsReached(const char* address, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  REQUIRE(::getaddrinfo(address, std::to_string(port).c_str(), &hints, &found) == 0);
  const int socket = ::socket(found->ai_family, SOCK_STREAM, 0);
  const bool reached = socket >= 0 && ::connect(socket, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  ::close(socket);
  return reached;
}

TEST_CASE("the address :: is reached by IPv4 and by IPv6") {
  const auto listener = Listener::Open("::", 0);
  REQUIRE(listener.ok());
  CHECK(IsReached("127.0.0.1", (*listener)->port()));
  const bool has_ipv6 = Listener::Open("::1", 0).ok();
  CHECK(IsReached("::1", (*listener)->port()) == has_ipv6);
}

TEST_CASE("where there is no IPv6 the address :: is every one of IPv4, and ::1 none") {
  const auto no_ipv6 = [](int family, int type, int protocol) {
    if (family != AF_INET6) return ::socket(family, type, protocol);
    errno = EAFNOSUPPORT;
    return -1;
  };
  const auto listener = Listener::Open("::", 0, no_ipv6);
  REQUIRE(listener.ok());
  CHECK(IsReached("127.0.0.1", (*listener)->port()));
  CHECK_FALSE(Listener::Open("::1", 0, no_ipv6).ok());
}

}  // namespace
}  // namespace gangplan::listener_test
