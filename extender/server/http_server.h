// One listener: connections, threads, limits, keep-alive, and the way out. Serves a table of
// routes; knows nothing of the scheduler.
//
// What it holds to:
// - A connection has a thread of its own for as long as it is open, so a call that blocks for
//   minutes never delays another; threads come and go with the connections, up to a limit. Beyond
//   it a new connection takes the place of one that waits for its peer (ConnectionTable), and is
//   closed at once where all of them serve calls.
// - Bodies have memory together up to a limit; who sends slowly gives way there, too.
// - A route that may take long serves so many calls at once, each until its reply is out, and
//   leaves the others connections.
// - Every call has an id and the time at which its first byte reached this machine (as the kernel
//   tells it, so that waiting for a thread counts), and ClosedCalls tells whose peer has gone.
// - A reply with events goes on until its peer or the server ends; so many at once, and it gives
//   way to a new connection as one that waits for its peer does.
// - A request is refused by its head before its body is read; a refusal is a JSON {"error": ...},
//   or what the options have in its place, and closes the connection after it was sent.
// - Who speaks HTTP/2 under TLS (TlsOptions) has many calls on one connection, each with a thread
//   and a place among the connections (Http2Connection).
// - Under mutual TLS a connection's handshake is made on its own thread and has its time, so many
//   at once, by turns: who does not show who it is gives way first and keeps nobody out. Where
//   TLS believes some and lets in all (TlsOptions), the others are told 401 and nothing else.
// - No exception of the HTTP library or of a route leaves this class; the peer sees a 500.
//
// Thread rule: any thread; Stop once at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/observe/metrics.h"
#include "extender/server/http_call.h"
#include "extender/server/limits.h"
#include "extender/server/tls_server.h"
#include "extender/server/wire.h"

namespace gangplan {

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;                           // 0: any free one
  bool loopback_only = true;              // the address, and what requests call us
  std::optional<TlsOptions> tls;          // none: what is said is said openly
  int max_connections = kMaxConnections;  // each takes an open file and a thread of the process
  int max_handshakes = kMaxHandshakes;    // of TLS, at once
  int max_long_calls = kMaxConnections;   // of each route that `is_long`, at once
  absl::Duration long_share = absl::InfiniteDuration();  // of a second of a processor, likewise
  int max_event_streams = kMaxEventStreams;              // of each route that `has_events`, at once
  absl::Duration event_sign = kEventSign;
  size_t max_body_bytes = kMaxBodyBytes;
  size_t max_bodies_bytes = kMaxBodiesBytes;  // of all requests that are here
  bool keeps_heads = false;                   // calls have the bytes of their heads
  RefusalReply refusal = ErrorReply;          // what is said to who is refused before a route
  WireLimits wire;
};

class HttpServer {
 public:
  // Listens and serves from here on. InvalidArgument: `loopback_only` and the address is not, or a
  // file of TLS cannot be used; Unavailable: the address and port cannot be had. `metrics` outlives
  // the server.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                           Routes routes, Metrics* metrics);
  ~HttpServer();  // Stops.
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Whom a listener under mutual TLS lets in from now on, in place of the options' allowed_names.
  void AllowNames(std::vector<std::string> names);

  int port() const;
  int connections() const;
  int calls() const;          // requests that are here whole and whose reply is not sent yet
  size_t body_bytes() const;  // of requests that are here, without short ones
  int threads() const;        // that serve, or wait to serve, connections

  // Ids of the running calls whose peer has closed its side, ascending. About 1 ms for 1,500.
  std::vector<int64_t> ClosedCalls() const;

  // Waits until no call is running; goes on answering. A request that is not here whole is not
  // waited for. False when `timeout` passed before.
  bool Drain(absl::Duration timeout) const;

  // Stops listening, ends every connection (idle ones at once) and waits for the routes that are
  // still running: whoever blocks in a route must be let go before or meanwhile; its call is among
  // ClosedCalls from now on.
  void Stop();

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gangplan
