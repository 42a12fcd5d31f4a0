#include "extender/server/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "topology/base/clock.h"

namespace gangplan {
namespace {

constexpr size_t kInBuffer = 16 << 10;
constexpr size_t kOutBuffer = 64 << 10;

// Waits for `events` until `deadline`; false when it passed.
bool WaitFor(int socket, short events, absl::Time deadline) {
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

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Wire::Wire(int socket, const WireLimits& limits) : socket_(socket), limits_(limits) {
  in_.resize(kInBuffer);
  const int on = 1;  // a reply must not wait for an acknowledgement
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool Wire::Fail(WireFault fault) {
  if (fault_ == WireFault::kNone) fault_ = fault;
  return false;
}

bool Wire::WaitForRequest() {
  if (fault_ != WireFault::kNone) return false;
  in_head_ = true;
  head_left_ = kMaxHeadBytes;
  line_left_ = kMaxHeadLineBytes;
  if (in_begin_ == in_end_) {
    deadline_ = SystemClock().Now() + limits_.keep_alive;
    if (!WaitFor(socket_, POLLIN, deadline_)) return Fail(WireFault::kTooSlow);
    char first = 0;
    if (::recv(socket_, &first, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) {
      return Fail(WireFault::kPeerGone);
    }
  }
  deadline_ = SystemClock().Now() + limits_.request;
  return true;
}

absl::Duration Wire::AgeOfFirstByte() const {
  if (in_begin_ != in_end_) return absl::ZeroDuration();
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return absl::ZeroDuration();
  return absl::Milliseconds(info.tcpi_last_data_recv);
}

bool Wire::Fill(char* data, size_t size, size_t* received) {
  if (!Flush()) return false;
  for (;;) {
    const ssize_t n = ::recv(socket_, data, size, MSG_DONTWAIT);
    if (n > 0) {
      *received = static_cast<size_t>(n);
      return true;
    }
    if (n == 0 || !WouldBlock(errno)) return Fail(WireFault::kPeerGone);
    if (!WaitFor(socket_, POLLIN, deadline_)) return Fail(WireFault::kTooSlow);
  }
}

void Wire::CountHead(std::string_view bytes) {
  if (bytes.empty()) Fail(WireFault::kHeadTooLong);
  head_left_ -= bytes.size();
  const size_t line_end = bytes.rfind('\n');
  if (line_end == std::string_view::npos) {
    line_left_ -= bytes.size();
  } else {
    line_left_ = kMaxHeadLineBytes - (bytes.size() - 1 - line_end);
  }
}

ssize_t Wire::Read(char* data, size_t size) {
  if (fault_ != WireFault::kNone || size == 0) return -1;
  if (in_begin_ == in_end_) {
    in_begin_ = in_end_ = 0;
    if (!Fill(in_.data(), in_.size(), &in_end_)) return -1;
  }
  size_t n = std::min(size, in_end_ - in_begin_);
  if (in_head_) {
    n = std::min({n, head_left_, line_left_});
    CountHead({in_.data() + in_begin_, n});
  }
  if (n == 0) return -1;
  std::memcpy(data, in_.data() + in_begin_, n);
  in_begin_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t Wire::Write(const char* data, size_t size) {
  if (out_.size() + size > kOutBuffer) {
    if (!Flush() || !Send({data, size})) return -1;
  } else {
    out_.append(data, size);
  }
  return static_cast<ssize_t>(size);
}

bool Wire::Flush() {
  if (out_.empty()) return true;
  const bool sent = Send(out_);
  out_.clear();
  return sent;
}

bool Wire::Send(std::string_view bytes) {
  if (fault_ == WireFault::kPeerGone) return false;
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (!WouldBlock(errno)) {
      return Fail(WireFault::kPeerGone);
    } else if (!WaitFor(socket_, POLLOUT, SystemClock().Now() + limits_.write)) {
      return Fail(WireFault::kPeerGone);
    }
  }
  return true;
}

void Wire::Linger() {
  if (!Flush()) return;
  ::shutdown(socket_, SHUT_WR);
  const absl::Time deadline = SystemClock().Now() + limits_.linger;
  for (size_t left = kLingerBytes; left > 0 && WaitFor(socket_, POLLIN, deadline);) {
    const ssize_t n = ::recv(socket_, in_.data(), std::min(left, in_.size()), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && !WouldBlock(errno))) return;
    if (n > 0) left -= static_cast<size_t>(n);
  }
}

}  // namespace gangplan
