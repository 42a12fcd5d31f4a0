// A server of HTTP/2 whose calls are answered, held until a gate opens, or large. For tests only.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "tests/extender/server/gate.h"
#include "tests/extender/server/http2_client.h"

namespace gangplan {

inline constexpr const char* kHold = "/hold";
inline constexpr const char* kLarge = "/large";  // more than lies in any socket
inline constexpr size_t kLargeBytes = 9'000'000;

inline HttpServerOptions Http2(HttpServerOptions options = {}) {
  options.tls.emplace().http2 = true;
  return options;
}

// Routes of echo_server.h, and one that is held until the gate opens.
struct HoldWorld {
  explicit HoldWorld(HttpServerOptions options = {}) : world(Http2(std::move(options)), Held()) {}
  ~HoldWorld() { gate.Open(); }
  Routes Held() {
    Routes routes = EchoRoutes();
    routes.push_back({"POST", kLarge, false, [](HttpCall&) {
                        return HttpReply{200, std::string(kLargeBytes, 'x')};
                      }});
    routes.push_back({"POST", kHold, false, [this](HttpCall& call) {
                        ++begun;
                        gate.Pass();
                        return HttpReply{200, call.body};
                      }});
    return routes;
  }
  int arrivals() const { return begun; }
  // The first one that is held: its stream, once it is in its route.
  int32_t HoldOne(Http2Client& client) {
    const int32_t stream = client.Send({kHold, "held"});
    gate.AwaitArrivals(1);
    return stream;
  }
  HttpServer& server() { return *world.test.server; }

  std::atomic<int> begun{0};
  Gate gate;
  TlsWorld world;
};

}  // namespace gangplan
