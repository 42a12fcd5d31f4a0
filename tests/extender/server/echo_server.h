// A listener whose routes say back what they were sent, for the tests of the server.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "extender/server/http_server.h"
#include "tests/extender/server/loopback_client.h"
#include "tests/support/catch.h"

namespace gangplan {

inline Routes EchoRoutes() {
  return {
      {"POST", "/echo", false,
       [](HttpCall& call) {
         return HttpReply{200, call.body};
       }},
      {"POST", "/throw", false, [](HttpCall&) -> HttpReply { throw std::runtime_error("secret"); }},
      {"GET", "/path/", true, [](HttpCall& call) {
         return HttpReply{200, call.path, "text/plain"};
       }}};
}

struct TestServer {
  explicit TestServer(HttpServerOptions options = {}, Routes routes = EchoRoutes()) {
    auto started = HttpServer::Start(options, std::move(routes), &metrics);
    REQUIRE(started.ok());
    server = *std::move(started);
  }
  LoopbackClient Connect() const { return LoopbackClient(server->port()); }

  Metrics metrics;
  std::unique_ptr<HttpServer> server;
};

}  // namespace gangplan
