#include "extender/server/wire.h"

#include <algorithm>
#include <cstring>

#include "topology/base/clock.h"

namespace gangplan {
namespace {

constexpr size_t kInBuffer = 16 << 10;
constexpr size_t kOutBuffer = 64 << 10;

}  // namespace

Wire::Wire(ByteStream& stream, const WireLimits& limits, bool keeps_head)
    : stream_(stream), limits_(limits), keeps_head_(keeps_head) {
  in_.resize(kInBuffer);
}

bool Wire::Fail(WireFault fault) {
  if (fault_ == WireFault::kNone) fault_ = fault;
  return false;
}

bool Wire::WaitForRequest() {
  if (fault_ != WireFault::kNone) return false;
  in_head_ = true;
  head_.clear();
  reply_until_ = absl::InfiniteFuture();
  head_left_ = kMaxHeadBytes;
  line_left_ = kMaxHeadLineBytes;
  waited_ = in_begin_ == in_end_;
  deadline_ = SystemClock().Now() + limits_.keep_alive;
  if (waited_ && !Fill()) return false;
  deadline_ = SystemClock().Now() + limits_.request;
  return true;
}

absl::Duration Wire::AgeOfFirstByte() const {
  return waited_ ? AgeOfLastBytes(socket()) : absl::ZeroDuration();
}

bool Wire::Fill() {
  if (!Flush()) return false;
  reply_until_ = absl::InfiniteFuture();  // "100 Continue" was none
  in_begin_ = in_end_ = 0;
  const ssize_t n = stream_.Read(in_.data(), in_.size(), deadline_);
  if (n < 0) return Fail(n == ByteStream::kTooSlow ? WireFault::kTooSlow : WireFault::kPeerGone);
  in_end_ = static_cast<size_t>(n);
  return true;
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
  if (in_begin_ == in_end_ && !Fill()) return -1;
  size_t n = std::min(size, in_end_ - in_begin_);
  if (in_head_) {
    n = std::min({n, head_left_, line_left_});
    CountHead({in_.data() + in_begin_, n});
    if (keeps_head_) head_.append(in_.data() + in_begin_, n);
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
  if (reply_until_ == absl::InfiniteFuture()) reply_until_ = SystemClock().Now() + limits_.reply;
  while (!bytes.empty()) {
    const absl::Time until = std::min(SystemClock().Now() + limits_.write, reply_until_);
    const ssize_t n = stream_.Write(bytes.data(), bytes.size(), until);
    if (n < 0) return Fail(WireFault::kPeerGone);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

void Wire::Linger() {
  if (!Flush()) return;
  stream_.EndSending();
  const absl::Time deadline = SystemClock().Now() + limits_.linger;
  for (size_t left = kLingerBytes; left > 0;) {
    const ssize_t n = stream_.Read(in_.data(), std::min(left, in_.size()), deadline);
    if (n < 0) return;
    left -= static_cast<size_t>(n);
  }
}

}  // namespace gangplan
