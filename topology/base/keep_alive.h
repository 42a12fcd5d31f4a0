// A TCP connection over which nothing goes for long: whether its other end is still there is asked,
// so that it is known to be lost. Stateless; any thread.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>

#include "absl/time/time.h"

namespace gangplan {

// Asked after `silence`, and again `every` so long; lost after so long without an answer.
inline void KeepAlive(int socket, absl::Duration silence, absl::Duration every,
                      absl::Duration lost) {
  const auto set = [socket](int level, int option, int64_t value) {
    const int number = static_cast<int>(value);
    ::setsockopt(socket, level, option, &number, sizeof number);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, absl::ToInt64Seconds(silence));
  set(IPPROTO_TCP, TCP_KEEPINTVL, absl::ToInt64Seconds(every));
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, absl::ToInt64Milliseconds(lost));
}

}  // namespace gangplan
