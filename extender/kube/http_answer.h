// The answer to one request of HTTP/1.1, read from bytes as a connection brings them, and as
// strictly as a peer that may mean harm asks for: what could be read in two ways (two lengths, a
// length beside chunks, folded lines, sizes with a sign) is no answer. The body is handed out and
// never kept; the rest takes no more memory than the limits of limits.h.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/kube/limits.h"

namespace gangplan {

class HttpAnswer {
 public:
  // A piece of the body, never empty. False: no more of it is wanted.
  using BodyTaker = std::function<bool(std::string_view piece)>;

  // InvalidArgument: it is no answer, or beyond a limit. Nothing is to be appended after an error,
  // nor when it is done or was refused.
  absl::Status Append(std::string_view bytes, const BodyTaker& take);
  // The peer has ended the connection. InvalidArgument when that is not the end of the answer.
  absl::Status Close();

  bool done() const { return part_ == Part::kDone; }
  bool refused() const { return refused_; }  // the taker wanted no more
  int status() const { return code_; }       // known when the first piece of the body is handed out
  absl::Duration retry_after() const { return retry_after_; }  // zero: none was named
  // Once it is done: the connection may be used again.
  bool keeps_connection() const { return keeps_connection_; }

 private:
  enum class Part {
    kStatusLine,
    kHeaders,
    kCounted,     // data, `left_` bytes
    kUntilClose,  // data
    kChunkSize,
    kChunk,  // data, `left_` bytes
    kChunkEnd,
    kTrailers,
    kDone,
  };

  bool in_data() const {
    return part_ == Part::kCounted || part_ == Part::kUntilClose || part_ == Part::kChunk;
  }
  void Enter(Part part, size_t most_bytes = 0);
  void TakeData(std::string_view* bytes, const BodyTaker& take);
  absl::Status TakeLineBytes(std::string_view* bytes);
  absl::Status OnLine(std::string_view line);
  absl::Status OnStatusLine(std::string_view line);
  absl::Status OnHeader(std::string_view line);
  absl::Status OnContentLength(std::string_view value);
  absl::Status OnHeadEnd();
  absl::Status OnChunkSize(std::string_view line);

  Part part_ = Part::kStatusLine;
  std::string line_;                   // what has come of it
  size_t room_ = kMaxAnswerHeadBytes;  // bytes that the lines of this part may still have
  uint64_t left_ = 0;
  bool refused_ = false;

  int code_ = 0;
  absl::Duration retry_after_ = absl::ZeroDuration();
  bool keeps_connection_ = true;
  bool chunked_ = false;
  std::optional<uint64_t> length_;
};

}  // namespace gangplan
