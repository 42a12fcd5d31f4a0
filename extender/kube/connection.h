// One TCP connection to a server, plain or TLS, over which nothing is waited for without an end: a
// deadline, or an interruption from another thread.
//
// The process must ignore SIGPIPE. Thread rule: one thread; Interruption from any.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/kube/credentials.h"
#include "extender/kube/tls.h"

namespace gangplan {

// Ends every wait that watches it, now and later.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  void Set();
  bool is_set() const;
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

// Errors of its calls: Cancelled when it was interrupted, else Unavailable with the reason.
class Connection {
 public:
  // Tries each address of the host, `timeout` for each, with the handshake when there is `tls`.
  // The certificate must name `name`. REQUIRES: `interruption` outlives it.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const ServerAddress& server, SSL_CTX* tls,
                                                          const std::string& name,
                                                          absl::Duration timeout,
                                                          const Interruption& interruption);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `timeout`: of the whole write, and of a wait for the next bytes.
  absl::Status Write(std::string_view bytes, absl::Duration timeout);
  // What has come, until the next call; empty at the peer's end.
  absl::StatusOr<std::string_view> Read(absl::Duration timeout);

  // Neither bytes nor an end wait to be read: the next request may use it.
  bool IsQuiet();
  // When it ends, what the server has not taken yet is thrown away: else the kernel would go on
  // sending it for up to kServerLost.
  void Abandon();

 private:
  Connection(int socket, const Interruption& interruption)
      : socket_(socket), interruption_(interruption) {}

  absl::Status Connect(const void* address, size_t size, absl::Time deadline);
  absl::Status ShakeHands(SSL_CTX* tls, const std::string& name, absl::Time deadline);
  absl::Status Wait(short events, absl::Time deadline) const;
  template <typename Step>
  absl::StatusOr<size_t> Drive(absl::Time deadline, Step step);
  template <typename Step>
  absl::StatusOr<size_t> DrivePlain(absl::Time deadline, short events, Step step);

  const int socket_;
  bool abandoned_ = false;
  const Interruption& interruption_;
  TlsSession tls_;  // null: plain
  std::array<char, size_t{16} << 10> buffer_;
};

}  // namespace gangplan
