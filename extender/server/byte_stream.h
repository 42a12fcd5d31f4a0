// The bytes of one accepted connection, as they are or under TLS. Every call waits for the peer
// until a deadline at most. The socket is not owned.
//
// Thread rule: one thread. Another may shut the socket down: that ends any wait.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "absl/time/time.h"

namespace gangplan {

class ByteStream {
 public:
  // In place of a number of bytes:
  static constexpr ssize_t kGone = -1;     // the peer; nothing more comes or goes
  static constexpr ssize_t kTooSlow = -2;  // the deadline has passed

  explicit ByteStream(int socket) : socket_(socket) {}
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // At least one byte, as soon as there is one. REQUIRES: size > 0.
  virtual ssize_t Read(char* data, size_t size, absl::Time deadline) = 0;
  virtual ssize_t Write(const char* data, size_t size, absl::Time deadline) = 0;
  // Nothing more is written; what the peer still sends can be read.
  virtual void EndSending() = 0;
  // Asked when a request begins: who was let in may be shut out by now.
  virtual bool MayAsk() { return true; }
  // Asked likewise: the peer has shown that it may speak for others.
  virtual bool IsBelieved() { return false; }
  // Both sides have agreed on HTTP/2.
  virtual bool IsHttp2() const { return false; }

  int socket() const { return socket_; }

 private:
  const int socket_;
};

class PlainStream : public ByteStream {
 public:
  using ByteStream::ByteStream;
  ssize_t Read(char* data, size_t size, absl::Time deadline) override;
  ssize_t Write(const char* data, size_t size, absl::Time deadline) override;
  void EndSending() override;
};

// Waits for `events` of poll(); false when the deadline passed before.
bool AwaitSocket(int socket, short events, absl::Time deadline);

// How long the bytes that came last have been lying in the kernel (to its clock tick, some
// milliseconds); zero when it does not tell.
absl::Duration AgeOfLastBytes(int socket);

}  // namespace gangplan
