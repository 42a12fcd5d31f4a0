// What becomes of a write that nobody waits for any more.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "extender/kube/https_transport.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"

namespace gangplan::given_up_writes_test {
namespace {

// As the application does: a connection that is closed while it is written to must not end us.
[[maybe_unused]] const auto kSigpipeGone = std::signal(SIGPIPE, SIG_IGN);

// Takes one connection, and reads from it when it is told to.
class DeafServer {
 public:
  DeafServer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int small = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener_, generic, size) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
    REQUIRE(::getsockname(listener_, generic, &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~DeafServer() { ::close(listener_); }
  int port() const { return port_; }
  // 0: the peer has said good-bye behind its last byte; else errno of how it ended.
  int ReadOn() const {
    const int socket = ::accept(listener_, nullptr, nullptr);
    char buffer[4'096];
    ssize_t got = 0;
    while ((got = ::recv(socket, buffer, sizeof buffer, 0)) > 0) {
    }
    const int error = got == 0 ? 0 : errno;
    ::close(socket);
    return error;
  }

 private:
  const int listener_;
  int port_ = 0;
};

TEST_CASE("what a server has not taken when a write is given up never reaches it") {
  const DeafServer server;
  Credentials credentials;
  credentials.server = {false, "127.0.0.1", server.port(), ""};
  HttpsOptions options;
  options.write_timeout = absl::Milliseconds(100);
  const auto transport = HttpsTransportFactory(credentials, options, SystemClock()).Make();
  const HttpRequest post{.method = "POST",
                         .target = "/binding",
                         .content_type = "application/json",
                         .body = std::string(size_t{16} << 20, 'x')};
  CHECK(absl::IsUnknown(transport->Send(post).status()));
  CHECK(server.ReadOn() == ECONNRESET);
}

}  // namespace
}  // namespace gangplan::given_up_writes_test
