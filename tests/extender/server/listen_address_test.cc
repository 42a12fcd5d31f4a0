#include "extender/server/listen_address.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "extender/server/listener.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::listen_address_test {
namespace {

TEST_CASE("loopback addresses are taken") {
  for (const char* good : {"127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "localhost"}) {
    INFO(good);
    CHECK(CheckLoopback(good).ok());
  }
}

TEST_CASE("any other address is refused by name") {
  for (const char* bad : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "126.255.255.255", "::2", "",
                          "127.1", "example", "::ffff:127.0.0.1", "127.0.0.1 "}) {
    INFO(bad);
    CHECK_FALSE(CheckLoopback(bad).ok());
  }
  CHECK(Message(CheckLoopback("0.0.0.0")) ==
        "address \"0.0.0.0\": the scheduler's calls are served on loopback only (127.0.0.0/8, ::1, "
        "localhost)");
}

TEST_CASE("whose connection it is, for people: address and port, and nobody's is nameless") {
  for (const auto& [family, name] :
       {std::pair(AF_INET, "127.0.0.1:"), std::pair(AF_INET6, "[::1]:")}) {
    const std::string address = family == AF_INET ? "127.0.0.1" : "::1";
    auto listener = Listener::Open(address, 0);
    if (!listener.ok() && family == AF_INET6) continue;  // a machine without it
    REQUIRE(listener.ok());
    const int socket = ::socket(family, SOCK_STREAM, 0);
    CHECK(PeerName(socket).empty());
    sockaddr_storage where{};
    where.ss_family = static_cast<sa_family_t>(family);
    const auto port = static_cast<uint16_t>((*listener)->port());
    if (family == AF_INET) {
      auto& v4 = reinterpret_cast<sockaddr_in&>(where);
      v4.sin_port = htons(port);
      v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else {
      auto& v6 = reinterpret_cast<sockaddr_in6&>(where);
      v6.sin6_port = htons(port);
      v6.sin6_addr = in6addr_loopback;
    }
    REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&where), sizeof(where)) == 0);
    CHECK(PeerName(socket) == name + std::to_string(port));
    ::close(socket);
  }
}

}  // namespace
}  // namespace gangplan::listen_address_test
