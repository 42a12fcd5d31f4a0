#include "extender/server/request_rules.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "extender/server/listen_address.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// HEAD is answered as GET, without the body.
std::string_view MethodOf(const RequestHead& head) {
  return head.method == "HEAD" ? std::string_view("GET") : std::string_view(head.method);
}

AdmittedRequest Refuse(int status, std::string_view text) {
  return {nullptr, 0, Refused{status, std::string(text)}};
}

AdmittedRequest NoSuchPath(const Routes& routes) {
  std::string served;
  for (const Route& route : routes) {
    served += fmt::format("{}{} {}{}", served.empty() ? "" : ", ", route.method, route.path,
                          route.below ? "..." : "");
  }
  return Refuse(404, fmt::format("no such path; this port serves {}", served));
}

AdmittedRequest FindRoute(const RequestHead& head, const Routes& routes) {
  const Route* other_method = nullptr;
  for (const Route& route : routes) {
    if (!Serves(route, head.path)) continue;
    if (route.method == MethodOf(head)) return {&route, 0, std::nullopt};
    other_method = &route;
  }
  if (other_method == nullptr) return NoSuchPath(routes);
  return Refuse(405, fmt::format("this path takes {} only", other_method->method));
}

std::optional<Refused> RefuseHost(const std::vector<std::string>& hosts) {
  if (hosts.size() != 1) return Refused{400, "Host must be there once"};
  if (NamesLoopback(hosts.front())) return std::nullopt;
  return Refused{403, fmt::format("Host \"{}\" is not this machine; calls name it 127.0.0.1, [::1] "
                                  "or localhost",
                                  Shown(hosts.front()))};
}

bool IsJson(std::string_view content_type) {
  const absl::string_view media_type =
      absl::StripAsciiWhitespace(ToAbsl(content_type.substr(0, content_type.find(';'))));
  return absl::AsciiStrToLower(media_type) == "application/json";
}

std::optional<size_t> ParseLength(std::string_view text) {
  size_t length = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, length);
  if (error == std::errc::result_out_of_range && stop == end) return static_cast<size_t>(-1);
  if (error != std::errc() || stop != end) return std::nullopt;
  return length;
}

AdmittedRequest AdmitBody(const RequestHead& head, const Route& route, size_t max_body_bytes) {
  if (!IsJson(head.content_type)) {
    return Refuse(415,
                  "Content-Type must be application/json (curl: -H 'Content-Type: "
                  "application/json')");
  }
  if (head.content_lengths.empty()) return Refuse(411, "Content-Length is required");
  const std::optional<size_t> length = ParseLength(head.content_lengths.front());
  if (head.content_lengths.size() > 1 || !length) {
    return Refuse(400, "Content-Length must be one whole number");
  }
  if (*length > max_body_bytes) {
    return Refuse(413, fmt::format("the body is {} bytes long, the limit is {}",
                                   head.content_lengths.front(), max_body_bytes));
  }
  return {&route, *length, std::nullopt};
}

}  // namespace

HttpReply ErrorReply(int status, std::string_view text) {
  return {status, JsonText().Begin().Field("error", text).End().Take()};
}

bool Serves(const Route& route, std::string_view path) {
  return route.below ? path.substr(0, route.path.size()) == route.path : path == route.path;
}

Refused FaultOf(WireFault fault, int status) {
  if (fault == WireFault::kHeadTooLong) {
    return {431, fmt::format("the request line and headers are longer than {} bytes, or one of "
                             "them than {}",
                             kMaxHeadBytes, kMaxHeadLineBytes)};
  }
  if (fault == WireFault::kTooSlow) return {408, "the request did not arrive whole in time"};
  if (status == 414) return {414, "the request line is too long"};
  if (status == 416) return {416, "the header Range is malformed"};
  return {400, "the request line or a header is malformed"};
}

Refused TooManyBodies(size_t most_bytes) {
  return {503, fmt::format("the bodies of the calls under way have {} bytes, as many as they may "
                           "have at once; try again",
                           most_bytes)};
}

AdmittedRequest Admit(const RequestHead& head, const Routes& routes, const RequestRules& rules) {
  if (rules.loopback_only) {
    if (auto refusal = RefuseHost(head.hosts)) return {nullptr, 0, std::move(refusal)};
  }
  AdmittedRequest admission = FindRoute(head, routes);
  if (admission.refusal) return admission;
  if (head.has_transfer_encoding) {
    return Refuse(411, "Transfer-Encoding is not taken; send the body with Content-Length");
  }
  if (head.has_content_encoding) {
    return Refuse(415, "Content-Encoding is not taken; send the body as it is");
  }
  if (admission.route->method == "POST")
    return AdmitBody(head, *admission.route, rules.max_body_bytes);
  for (const std::string& length : head.content_lengths) {
    if (length != "0") return Refuse(400, "this path takes no body");
  }
  return admission;
}

}  // namespace gangplan
