// Requests by their head: the lines are the method, the path, the type, whether there are other
// encodings, and lengths. One that is let through has a route of its method and a length within the
// limit; one that is not has a reason. Behind a line "head" the bytes of a head as the front proxy
// sends it, behind "proxy" the ConfigMap that tells of the proxy, behind "http2" what a client
// sends in HTTP/2 after its first 24 bytes, which are always the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/api/caller.h"
#include "extender/api/front_proxy.h"
#include "extender/api/percent.h"
#include "extender/api/question.h"
#include "extender/server/http2_frames.h"
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

// Answers what is whole, ends every fifth stream, and holds the frames to what they say of a
// stream: its head, its body, its end, once and in this order.
class Answerer : public Http2Owner {
 public:
  void OnHead(int32_t stream, const RequestHead& head, bool too_long) override {
    GANGPLAN_CHECK(streams_.emplace(stream, false).second);
    GANGPLAN_CHECK(too_long || head.path.size() <= kMaxHeadLineBytes);
    if (stream % 5 == 0) frames_.Reset(stream, stream % 2 == 0);
    if (head.path == "/refused") frames_.Reply(stream, ErrorReply(404, "no"));
  }
  void OnBody(int32_t stream, std::string_view bytes) override {
    GANGPLAN_CHECK(streams_.contains(stream) && !streams_[stream]);
    taken_ += bytes.size();
  }
  void OnWhole(int32_t stream) override {
    GANGPLAN_CHECK(streams_.contains(stream) && !std::exchange(streams_[stream], true));
    frames_.Reply(stream, {200, std::string(static_cast<size_t>(stream), 'x')});
  }
  void OnEnd(int32_t stream, bool) override { GANGPLAN_CHECK(streams_.erase(stream) == 1); }

  // By pieces of some bytes, as a socket gives them.
  void Read(std::string_view bytes) {
    const size_t all = bytes.size();
    bool good = frames_.Read("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    for (size_t piece = 1; good && !bytes.empty(); piece = piece * 3 % 101) {
      good = frames_.Read(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
      std::string out;
      do {
        out.clear();
        frames_.Take(out, 1000);
      } while (!out.empty());
    }
    GANGPLAN_CHECK(taken_ <= all);
  }

 private:
  std::map<int32_t, bool> streams_;  // whether it is whole
  size_t taken_ = 0;
  Http2Frames frames_{*this, 8};
};

}  // namespace

void FuzzRequests(std::string_view text) {
  static const Routes& routes = *new Routes(SomeRoutes());
  RequestHead head;
  head.method = TakeLine(&text);
  if (head.method == "head") return Head(text);
  if (head.method == "http2") return Answerer().Read(text);
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
