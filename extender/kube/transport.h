// One connection to an HTTP server: a request and its answer, or a request and a stream. All that
// this room knows of HTTP; the network is behind it, and so is the memory of a test.
//
// Errors, for they decide what may have happened at the server:
//   Unavailable        no connection; nothing was sent
//   Unknown            sent, at least in part, and no whole answer came
//   ResourceExhausted  the answer is larger than kMaxAnswerBytes
//   Cancelled          Interrupt() was called; may have been sent
// An answer of any HTTP status is not an error.
//
// Thread rule: one request at a time; Interrupt from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gangplan {

struct HttpRequest {
  std::string method = "GET";
  std::string target = {};        // path and query, percent-encoded
  std::string content_type = {};  // empty: no body
  std::string body = {};
  std::string bearer = {};                          // empty: no Authorization header
  std::string_view accept = "application/json";     // a constant
  absl::Duration read_timeout = absl::Seconds(10);  // of each wait for bytes
  std::function<void()> answered = {};              // of a stream: it is a 2xx, whatever it says
  // Asked once the connection stands, which may have taken long: false, and nothing is sent.
  std::function<bool()> may_leave = {};
};

struct HttpResponse {
  int status = 0;
  std::string body;
  absl::Duration retry_after = absl::ZeroDuration();  // zero: the server named none

  bool ok() const { return status >= 200 && status < 300; }
};

inline constexpr auto kInterruptEvery = std::chrono::milliseconds(20);

class Transport {
 public:
  // False ends the stream.
  using ChunkReceiver = std::function<bool(std::string_view chunk)>;

  virtual ~Transport() = default;
  virtual absl::StatusOr<HttpResponse> Send(const HttpRequest& request) = 0;
  // Hands out the body of a 2xx answer as it comes. Returns when it has ended, by the server or by
  // the receiver; any other answer comes back with its body.
  virtual absl::StatusOr<HttpResponse> Stream(const HttpRequest& request,
                                              const ChunkReceiver& on_chunk) = 0;
  // Ends the request under way, and every later one, with Cancelled. A request that is just opening
  // its connection may miss it: call again, each kInterruptEvery, until the thread has left.
  virtual void Interrupt() = 0;
};

class TransportFactory {
 public:
  virtual ~TransportFactory() = default;
  // Does not connect yet. Any thread.
  virtual std::unique_ptr<Transport> Make() = 0;
};

}  // namespace gangplan
