#include "extender/server/byte_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "topology/base/clock.h"

namespace gangplan {
namespace {

// `transfer` until it has moved bytes or cannot.
template <typename Transfer>
ssize_t Move(int socket, short events, absl::Time deadline, Transfer transfer) {
  for (;;) {
    const ssize_t n = transfer();
    if (n > 0) return n;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      return ByteStream::kGone;
    if (!AwaitSocket(socket, events, deadline)) return ByteStream::kTooSlow;
  }
}

}  // namespace

bool AwaitSocket(int socket, short events, absl::Time deadline) {
  for (;;) {
    const absl::Duration left = deadline - SystemClock().Now();
    if (left <= absl::ZeroDuration()) return false;
    const int64_t ms = absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)));
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<int64_t>(ms, 1'000'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

absl::Duration AgeOfLastBytes(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return absl::ZeroDuration();
  return absl::Milliseconds(info.tcpi_last_data_recv);
}

ssize_t PlainStream::Read(char* data, size_t size, absl::Time deadline) {
  return Move(socket(), POLLIN, deadline,
              [&] { return ::recv(socket(), data, size, MSG_DONTWAIT); });
}

ssize_t PlainStream::Write(const char* data, size_t size, absl::Time deadline) {
  return Move(socket(), POLLOUT, deadline,
              [&] { return ::send(socket(), data, size, MSG_NOSIGNAL | MSG_DONTWAIT); });
}

void PlainStream::EndSending() { ::shutdown(socket(), SHUT_WR); }

}  // namespace gangplan
