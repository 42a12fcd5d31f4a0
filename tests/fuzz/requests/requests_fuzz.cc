// Requests by their head: the lines are the method, the path, the type, whether there are other
// encodings, and lengths. One that is let through has a route of its method and a length within the
// limit; one that is not has a reason. Behind a line "head" the bytes of a head as the front proxy
// sends it, behind "proxy" the ConfigMap that tells of the proxy.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/api/caller.h"
#include "extender/api/front_proxy.h"
#include "extender/api/percent.h"
#include "extender/api/question.h"
#include "extender/server/http_head.h"
#include "extender/server/request_rules.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

constexpr size_t kMostBytes = 1'000;

std::string TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string line(text->substr(0, end));
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

Routes SomeRoutes() {
  const auto answer = [](HttpCall&) { return HttpReply{}; };
  return {{"POST", "/v1/extender/filter", false, answer},
          {"GET", "/livez", false, answer},
          {"GET", "/v1/", true, answer}};
}

// Who is believed is named once, in words that a log and a review can have.
void Head(std::string_view bytes) {
  static const ProxyHeaders& names = *new ProxyHeaders{
      {"X-Remote-User"}, {"X-Remote-Uid"}, {"X-Remote-Group"}, {"X-Remote-Extra-"}};
  const std::optional<HttpHead> head = ReadHead(bytes);
  if (!head) return;
  for (const auto& [name, value] : head->headers) {
    GANGPLAN_CHECK(!name.empty() && !HeadersOf(*head, name).empty());
    GANGPLAN_CHECK(value.find('\n') == std::string_view::npos);
  }
  const auto caller = CallerOf(*head, names);
  GANGPLAN_CHECK(!caller.ok() || HeadersOf(*head, "x-remote-user").size() == 1);
  const auto question = ReadQuestion(head->target);
  GANGPLAN_CHECK(!question.ok() || question->limit >= 0);
  const auto plain = PercentDecoded(head->target);
  GANGPLAN_CHECK(!plain || plain->size() <= head->target.size());
}

void Proxy(std::string text) {
  const auto facts = ParseFrontProxy(text);
  if (facts.ok()) GANGPLAN_CHECK(!facts->headers.user.empty());
}

}  // namespace

void FuzzRequests(std::string_view text) {
  static const Routes& routes = *new Routes(SomeRoutes());
  RequestHead head;
  head.method = TakeLine(&text);
  if (head.method == "head") return Head(text);
  if (head.method == "proxy") return Proxy(std::string(text));
  head.path = TakeLine(&text);
  head.content_type = TakeLine(&text);
  const std::string encodings = TakeLine(&text);
  head.has_transfer_encoding = encodings.find('t') != std::string::npos;
  head.has_content_encoding = encodings.find('c') != std::string::npos;
  const size_t host = encodings.find("host=");
  if (host != std::string::npos) head.hosts.push_back(encodings.substr(host + 5));
  while (!text.empty()) head.content_lengths.push_back(TakeLine(&text));
  const bool loopback_only = encodings.find('l') < host;
  const AdmittedRequest admission = Admit(head, routes, {kMostBytes, loopback_only});
  if (admission.refusal) return GANGPLAN_CHECK(admission.refusal->status >= 400);
  GANGPLAN_CHECK(admission.route != nullptr && admission.route->method == head.method);
  GANGPLAN_CHECK(admission.body_bytes <= kMostBytes);
  GANGPLAN_CHECK(!head.has_transfer_encoding && !head.has_content_encoding);
}

}  // namespace gangplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gangplan::FuzzRequests({reinterpret_cast<const char*>(data), size});
  return 0;
}
