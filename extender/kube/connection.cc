#include "extender/kube/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "extender/kube/limits.h"
#include "openssl/err.h"
#include "topology/base/check.h"
#include "topology/base/clock.h"
#include "topology/base/keep_alive.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

absl::Status Broken(std::string_view why) { return absl::UnavailableError(ToAbsl(why)); }
absl::Status FromErrno(int error) { return Broken(std::strerror(error)); }

struct AddressesFree {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, AddressesFree>;

absl::StatusOr<Addresses> Resolve(const ServerAddress& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(server.port);
  if (const int error = getaddrinfo(server.host.c_str(), port.c_str(), &hints, &found); error != 0)
    return Broken(gai_strerror(error));
  return Addresses(found);
}

// Connections are kept and may be idle for long, and balancers between forget such ones without a
// word: whoever writes on one then would wait for an answer, and a Binding be in doubt.
void SetOptions(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  KeepAlive(socket, kIdleAskedAfter, kIdleAskedEvery, kServerLost);
}

// Why OpenSSL gave up; `code` is its own, errno of the failed call.
absl::Status TlsFailure(SSL* tls, int code) {
  const int error = errno;
  if (const long verdict = SSL_get_verify_result(tls); verdict != X509_V_OK)
    return Broken(
        fmt::format("the server's certificate: {}", X509_verify_cert_error_string(verdict)));
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  if (reason != nullptr) return Broken(fmt::format("TLS: {}", reason));
  if (code == SSL_ERROR_SYSCALL && error != 0) return FromErrno(error);
  return Broken("TLS: the connection ended");
}

}  // namespace

Interruption::Interruption() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  GANGPLAN_CHECK(descriptor_ >= 0);
}

Interruption::~Interruption() { ::close(descriptor_); }

void Interruption::Set() { eventfd_write(descriptor_, 1); }

bool Interruption::is_set() const {
  pollfd waited{descriptor_, POLLIN, 0};
  return ::poll(&waited, 1, 0) == 1;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const ServerAddress& server,
                                                             SSL_CTX* tls, const std::string& name,
                                                             absl::Duration timeout,
                                                             const Interruption& interruption) {
  GANGPLAN_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(server));
  absl::Status failure = Broken("it has no address");
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return FromErrno(errno);
    std::unique_ptr<Connection> made(new Connection(socket, interruption));
    const absl::Time deadline = SystemClock().Now() + timeout;
    failure = made->Connect(one->ai_addr, one->ai_addrlen, deadline);
    if (failure.ok() && tls != nullptr) failure = made->ShakeHands(tls, name, deadline);
    if (failure.ok()) return made;
    if (absl::IsCancelled(failure)) break;
  }
  return failure;
}

Connection::~Connection() {
  if (!abandoned_ && tls_ != nullptr && SSL_is_init_finished(tls_.get())) SSL_shutdown(tls_.get());
  ERR_clear_error();
  ::close(socket_);
}

absl::Status Connection::Connect(const void* address, size_t size, absl::Time deadline) {
  SetOptions(socket_);
  const int began =
      ::connect(socket_, static_cast<const sockaddr*>(address), static_cast<socklen_t>(size));
  if (began == 0) return absl::OkStatus();
  if (errno != EINPROGRESS) return FromErrno(errno);
  GANGPLAN_RETURN_IF_ERROR(Wait(POLLOUT, deadline));
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &length);
  return error == 0 ? absl::OkStatus() : FromErrno(error);
}

absl::Status Connection::ShakeHands(SSL_CTX* tls, const std::string& name, absl::Time deadline) {
  GANGPLAN_ASSIGN_OR_RETURN(tls_, MakeTlsSession(tls, name, socket_));
  GANGPLAN_RETURN_IF_ERROR(Drive(deadline, [this] { return SSL_connect(tls_.get()); }).status());
  // A peer that is about to go may end the session before there is one.
  if (!SSL_is_init_finished(tls_.get())) return Broken("TLS: it ended within the handshake");
  return absl::OkStatus();
}

absl::Status Connection::Wait(short events, absl::Time deadline) const {
  for (;;) {
    const absl::Duration left = std::max(deadline - SystemClock().Now(), absl::ZeroDuration());
    pollfd waited[] = {{socket_, events, 0}, {interruption_.descriptor(), POLLIN, 0}};
    const auto millis = absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)));
    const int ready = ::poll(waited, 2, static_cast<int>(millis));
    if (ready < 0 && errno != EINTR) return FromErrno(errno);
    if (ready > 0 && waited[1].revents != 0) return absl::CancelledError("interrupted");
    if (ready > 0) return absl::OkStatus();
    if (left == absl::ZeroDuration()) return Broken("it took too long");
  }
}

// Calls OpenSSL until it has done something; 0 at the peer's end.
template <typename Step>
absl::StatusOr<size_t> Connection::Drive(absl::Time deadline, Step step) {
  for (;;) {
    ERR_clear_error();
    errno = 0;
    const int result = step();
    if (result > 0) return static_cast<size_t>(result);
    const int code = SSL_get_error(tls_.get(), result);
    if (code == SSL_ERROR_ZERO_RETURN) return 0;
    if (code != SSL_ERROR_WANT_READ && code != SSL_ERROR_WANT_WRITE)
      return TlsFailure(tls_.get(), code);
    GANGPLAN_RETURN_IF_ERROR(Wait(code == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline));
  }
}

template <typename Step>
absl::StatusOr<size_t> Connection::DrivePlain(absl::Time deadline, short events, Step step) {
  for (;;) {
    const ssize_t result = step();
    if (result >= 0) return static_cast<size_t>(result);
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return FromErrno(errno);
    GANGPLAN_RETURN_IF_ERROR(Wait(events, deadline));
  }
}

absl::Status Connection::Write(std::string_view bytes, absl::Duration timeout) {
  const absl::Time deadline = SystemClock().Now() + timeout;
  while (!bytes.empty()) {
    const int size = static_cast<int>(std::min(bytes.size(), size_t{1} << 30));
    const absl::StatusOr<size_t> written =
        tls_ != nullptr ? Drive(deadline, [&] { return SSL_write(tls_.get(), bytes.data(), size); })
                        : DrivePlain(deadline, POLLOUT, [&] {
                            return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                          });
    GANGPLAN_RETURN_IF_ERROR(written.status());
    if (*written == 0) return Broken("the connection ended");
    bytes.remove_prefix(*written);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> Connection::Read(absl::Duration timeout) {
  const absl::Time deadline = SystemClock().Now() + timeout;
  const int size = static_cast<int>(buffer_.size());
  const absl::StatusOr<size_t> got =
      tls_ != nullptr ? Drive(deadline, [&] { return SSL_read(tls_.get(), buffer_.data(), size); })
                      : DrivePlain(deadline, POLLIN, [&] {
                          return ::recv(socket_, buffer_.data(), buffer_.size(), 0);
                        });
  GANGPLAN_RETURN_IF_ERROR(got.status());
  return std::string_view(buffer_.data(), *got);
}

bool Connection::IsQuiet() {
  char byte = 0;
  if (tls_ == nullptr) {
    const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  ERR_clear_error();
  const int got = SSL_peek(tls_.get(), &byte, 1);
  return got <= 0 && SSL_get_error(tls_.get(), got) == SSL_ERROR_WANT_READ;
}

void Connection::Abandon() {
  abandoned_ = true;
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace gangplan
