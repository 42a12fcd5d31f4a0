// A request and its reply as the routes see them, and the table of what a listener serves. Pure
// values; no HTTP library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/server/event_stream.h"
#include "extender/server/verb_handler.h"

namespace gangplan {

struct HttpCall {
  std::string path;  // decoded, without the query
  std::string body;
  PeerConnection connection;
  std::string head = {};   // its bytes, of a listener that keeps them (HttpServerOptions)
  std::string known = {};  // If-None-Match: what the peer has of it; empty: nothing
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside those of every reply
  std::shared_ptr<EventStream> events = nullptr;  // follow the body, until one of both ends it
};

// {"error":"text"}
HttpReply ErrorReply(int status, std::string_view text);
// How a listener says no by itself.
using RefusalReply = HttpReply (*)(int status, std::string_view text);

struct Route {
  std::string method;  // GET or POST
  std::string path;    // exact; with `below`, every path that begins with it
  bool below = false;
  std::function<HttpReply(HttpCall&)> handler;  // may be called from many threads at once
  // It may take long, or its reply has events: so many calls of it at once (HttpServerOptions).
  bool is_long = false;
  bool has_events = false;
};
using Routes = std::vector<Route>;

}  // namespace gangplan
