#include "extender/server/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "extender/server/limits.h"
#include "fmt/format.h"
#include "topology/base/keep_alive.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// A process without open files or memory left tries again after so long.
constexpr int kRetryMs = 10;

constexpr const char* kEveryAddress = "::";
constexpr const char* kEveryIpv4 = "0.0.0.0";

// Without SO_REUSEPORT, with which a second process could take the same port unnoticed.
int OpenSocket(const addrinfo& where, Listener::MakeSocket make) {
  const int socket = make(where.ai_family, where.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  const int on = 1;
  const int off = 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (where.ai_family == AF_INET6)
    ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (::bind(socket, where.ai_addr, where.ai_addrlen) == 0 &&
      ::listen(socket, kListenBacklog) == 0) {
    return socket;
  }
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

// A call may be held for minutes without a byte: whose peer has gone without a word shows here. A
// reply must not wait for an acknowledgement.
void Prepare(int socket) {
  KeepAlive(socket, kPeerSilence, kPeerAskedEvery, kPeerLost);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int PortOf(int socket) {
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const std::string& address, int port,
                                                         MakeSocket make) {
  if (make == nullptr) make = ::socket;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  const absl::Cleanup free = [found] {
    if (found != nullptr) ::freeaddrinfo(found);
  };
  const int socket = failure == 0 ? OpenSocket(*found, make) : -1;
  const bool no_ipv6 = failure == 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
  if (socket < 0 && no_ipv6 && address == kEveryAddress) return Open(kEveryIpv4, port, make);
  if (socket < 0) {
    return absl::UnavailableError(
        ToAbsl(fmt::format("cannot listen on {} port {}: {}", address, port,
                           failure == 0 ? std::strerror(errno) : ::gai_strerror(failure))));
  }
  std::unique_ptr<Listener> listener(
      new Listener(socket, ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
  listener->port_ = PortOf(socket);
  return listener;
}

Listener::~Listener() {
  Stop();
  ::close(stop_);
}

void Listener::Start(std::function<void(int)> accepted) {
  accepted_ = std::move(accepted);
  thread_ = std::thread([this] { Loop(); });
}

void Listener::Stop() {
  const uint64_t one = 1;
  (void)!::write(stop_, &one, sizeof(one));
  if (thread_.joinable()) thread_.join();
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void Listener::Loop() {
  std::array<pollfd, 2> entries{{{stop_, POLLIN, 0}, {socket_, POLLIN, 0}}};
  for (;;) {
    if (::poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) return;
    if (entries[0].revents != 0) return;
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) {
      Prepare(socket);
      accepted_(socket);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      ::poll(entries.data(), 1, kRetryMs);
    }
  }
}

}  // namespace gangplan
