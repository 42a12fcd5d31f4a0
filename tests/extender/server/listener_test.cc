#include "extender/server/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>

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

}  // namespace
}  // namespace gangplan::listener_test
