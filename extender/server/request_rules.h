// Which requests are refused by their head alone, before a byte of the body is read: wrong path or
// method, a Host that is not this machine where only this machine may ask (a browser that was led
// here by another name sends that one), and every form of body that is not plain JSON of a known,
// bounded length (which also closes the HTTP library's holes with chunked and compressed bodies).
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/server/http_call.h"
#include "extender/server/wire.h"

namespace gangplan {

struct RequestHead {
  std::string method;
  std::string path;
  std::vector<std::string> hosts;            // every such header, as it came
  std::string content_type;                  // empty: none
  std::vector<std::string> content_lengths;  // every such header, as it came
  bool has_transfer_encoding = false;
  bool has_content_encoding = false;
};

struct Refused {
  int status = 0;
  std::string text;
};

struct AdmittedRequest {
  const Route* route = nullptr;    // whom to ask
  size_t body_bytes = 0;           // how many bytes of body follow
  std::optional<Refused> refusal;  // when not to
};

struct RequestRules {
  size_t max_body_bytes = 0;
  bool loopback_only = false;
};

bool Serves(const Route& route, std::string_view path);

// What is said to a request that did not arrive as one; `status`: what the HTTP library makes of
// it.
Refused FaultOf(WireFault fault, int status);

// What is said where a body would be one too many beside those of the calls under way, which may
// have so many bytes.
Refused TooManyBodies(size_t most_bytes);

AdmittedRequest Admit(const RequestHead& head, const Routes& routes, const RequestRules& rules);

}  // namespace gangplan
