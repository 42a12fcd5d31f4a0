// The bytes of one accepted connection: buffered reads under a deadline and a limits on the head,
// writes gathered into few sends, and a close that does not eat the reply. Knows no HTTP.
//
// Invariants: bytes that arrived beyond one request are kept for the next. After a fault every
// read fails, once the peer is gone every write too.
//
// Thread rule: one thread. Another may shut the socket down: that ends any wait.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/server/byte_stream.h"
#include "extender/server/limits.h"

namespace gangplan {

enum class WireFault { kNone, kPeerGone, kTooSlow, kHeadTooLong };

struct WireLimits {
  absl::Duration handshake = kHandshakeTimeout;
  absl::Duration keep_alive = kKeepAlive;
  absl::Duration request = kRequestTimeout;
  absl::Duration write = kWriteTimeout;  // of each piece
  absl::Duration reply = kReplyTimeout;  // of the whole
  absl::Duration linger = kLingerTime;
};

class Wire {
 public:
  // The stream outlives the wire.
  Wire(ByteStream& stream, const WireLimits& limits, bool keeps_head = false);

  // Waits until a request begins; false when the peer closed or was idle for too long. Starts the
  // request's deadline and the limits on its head.
  bool WaitForRequest();
  // How long the bytes that WaitForRequest saw have been lying in the kernel (AgeOfLastBytes).
  absl::Duration AgeOfFirstByte() const;
  // The head is complete: its limits no longer count.
  void EndHead() { in_head_ = false; }
  // Of the request that is being read: every byte of it as it came, to the empty line.
  const std::string& head() const { return head_; }

  // At most `size` bytes; -1 after a fault (an end in the midst of a request is one).
  ssize_t Read(char* data, size_t size);
  // `size`, or -1 when the peer is gone. Bytes may wait for Flush.
  ssize_t Write(const char* data, size_t size);
  bool Flush();
  // What is written from here on has the time of a reply for itself.
  void BeginPart() { reply_until_ = absl::InfiniteFuture(); }
  // Ends sending and reads away what the peer still sends, within the limits for it.
  void Linger();

  WireFault fault() const { return fault_; }
  int socket() const { return stream_.socket(); }

 private:
  bool Fail(WireFault fault);
  bool Fill();
  bool Send(std::string_view bytes);
  void CountHead(std::string_view bytes);

  ByteStream& stream_;
  const WireLimits limits_;
  const bool keeps_head_;
  WireFault fault_ = WireFault::kNone;
  absl::Time deadline_ = absl::InfiniteFuture();     // of the request that is being read
  absl::Time reply_until_ = absl::InfiniteFuture();  // finite once some of it has gone out
  bool waited_ = false;  // for the request that is being read: no byte of it was here before
  bool in_head_ = false;
  std::string head_;
  size_t head_left_ = 0;  // bytes that the head, and its line, may still have
  size_t line_left_ = 0;
  std::string in_;
  size_t in_begin_ = 0;
  size_t in_end_ = 0;
  std::string out_;
};

}  // namespace gangplan
