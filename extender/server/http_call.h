// A request and its reply as the routes see them, and the table of what a listener serves. Pure
// values; no HTTP library.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/server/verb_handler.h"

namespace gangplan {

struct HttpCall {
  std::string path;  // decoded, without the query
  std::string body;
  Connection connection;
  std::string head = {};  // its bytes, of a listener that keeps them (HttpServerOptions)
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
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
  bool is_long = false;  // it may take long: so many calls of it at once (HttpServerOptions)
};
using Routes = std::vector<Route>;

}  // namespace gangplan
