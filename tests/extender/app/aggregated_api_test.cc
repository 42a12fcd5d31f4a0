// The aggregated API as it listens: over TLS, with an API server that tells who its front proxy is
// and what people may see.
#include "extender/app/aggregated_api.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tests/extender/api/api_world.h"
#include "tests/extender/api/function_transports.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/extender/server/tls_world.h"
#include "topology/base/json_text.h"

namespace gangplan::aggregated_api_test {
namespace {

constexpr std::string_view kGangs = "/apis/gangplan.io/v1alpha1/namespaces/ml/gangs";

class FakePage : public PageHandler {
 public:
  Answer File(const std::string& name) override { return {200, "file " + name, "text/html", "1"}; }
  Answer Figures(const std::string& name) override { return {200, "figures " + name, "text", ""}; }
  std::shared_ptr<EventStream> Follow() override { return nullptr; }
};

struct World {
  World() {
    source.groups = {{MakeReport("ml", "train", 1), "b0/r1"}, {MakeReport("other", "x", 2), ""}};
    const ApiSettings settings = {"127.0.0.1", 0, certificate.path(), key.path()};
    auto transports = std::make_unique<FunctionTransports>(
        [this](const HttpRequest& request) { return AnswerOf(request); });
    auto started =
        AggregatedApi::Start(settings, std::move(transports), source, page, metrics, clock);
    REQUIRE(started.ok());
    api = *std::move(started);
  }

  // The API server.
  absl::StatusOr<HttpResponse> AnswerOf(const HttpRequest& request) const {
    if (request.method == "POST") {
      if (!answers) return absl::UnavailableError("no connection");
      const auto has = [&](std::string_view text) {
        return request.body.find(text) != std::string::npos;
      };
      const bool paged = pages && has(R"("resource":"page")") && !has(R"("subresource")");
      const bool may = has(R"("user":"jane")") && (has(R"("namespace":"ml")") || paged);
      return Answer(201,
                    may ? R"({"status":{"allowed":true}})" : R"({"status":{"allowed":false}})");
    }
    JsonText json;
    json.Begin().Key("data").Begin();
    json.Field("requestheader-client-ca-file", ours.CertificatePem());
    json.Field("requestheader-allowed-names", R"(["front-proxy"])");
    json.Field("requestheader-username-headers", R"(["X-Remote-User"])").End().End();
    return Answer(200, json.Take());
  }

  // The status of the reply.
  std::string Ask(const TestCertificate* shown, std::string_view user,
                  std::string_view path) const {
    TlsClient client(api->port(), shown);
    client.Send(
        fmt::format("GET {} HTTP/1.1\r\nHost: h\r\nX-Remote-User: {}\r\nConnection: close"
                    "\r\n\r\n",
                    path, user));
    return client.ReadTo("no such end");
  }
  bool Served() const { return Ask(&proxy, "jane", kGangs).starts_with("HTTP/1.1 200"); }

  TestCertificate ours = MakeAuthority("ours");
  TestCertificate theirs = MakeAuthority("theirs");
  TestCertificate own = MakeCertificate(theirs, "gangplan", "IP:127.0.0.1");
  TestCertificate proxy = MakeCertificate(ours, "front-proxy", "");
  TestCertificate other = MakeCertificate(ours, "other", "");
  TestCertificate forged = MakeCertificate(theirs, "front-proxy", "");
  ScratchFile certificate{own.CertificatePem()};
  ScratchFile key{own.KeyPem()};
  FakeSource source;
  FakePage page;
  Metrics metrics;
  FakeClock clock;
  std::atomic<bool> answers = true;
  std::atomic<bool> pages = false;  // jane may get the page
  std::unique_ptr<AggregatedApi> api;
};

TEST_CASE("AggregatedApi: whom the front proxy names sees what the API server allows") {
  World world;
  while (!world.Served()) std::this_thread::yield();  // the front proxy is not known at once
  const std::string list = world.Ask(&world.proxy, "jane", kGangs);
  CHECK(list.find(R"("name":"train")") != std::string::npos);
  CHECK(list.find(R"("namespace":"other")") == std::string::npos);
  for (const std::string_view user : {"john", "j%61ne", "jane%20"})
    CHECK(world.Ask(&world.proxy, user, kGangs).starts_with("HTTP/1.1 403"));
  CHECK(world.Ask(&world.proxy, "jane", "/apis/gangplan.io/v1alpha1/gangs")
            .starts_with("HTTP/1.1 403"));
  world.answers = false;
  world.clock.Advance(kReviewLasts);
  CHECK(world.Ask(&world.proxy, "jane", kGangs).starts_with("HTTP/1.1 503"));
}

TEST_CASE("AggregatedApi: the page stands below its own name, for who may get it") {
  World world;
  while (!world.Served()) std::this_thread::yield();
  constexpr std::string_view kPage = "/apis/gangplan.io/v1alpha1/page";
  const auto ask = [&](std::string_view path) {
    return world.Ask(&world.proxy, "jane", std::string(kPage) + std::string(path));
  };
  CHECK(ask("/").starts_with("HTTP/1.1 403"));
  world.pages = true;
  world.clock.Advance(kReviewLasts);
  for (const auto& [path, body] : {std::pair("/", "file "),
                                   {"/page/map.js", "file map.js"},
                                   {"/figures/state", "figures state"}}) {
    const std::string reply = ask(path);
    CHECK(reply.starts_with("HTTP/1.1 200"));
    CHECK(reply.ends_with(std::string("\r\n\r\n") + body));
    CHECK(reply.find("Content-Security-Policy: default-src 'none'") != std::string::npos);
  }
  CHECK(ask("/figures/live").starts_with("HTTP/1.1 503"));
  CHECK(ask("/nothing").starts_with("HTTP/1.1 404"));
  CHECK(ask("/page/../v1/list").starts_with("HTTP/1.1 400"));
  CHECK(ask("/v1/list").starts_with("HTTP/1.1 403"));  // a right of its own
}

TEST_CASE("AggregatedApi: who comes past the front proxy is told 401, whatever it says") {
  World world;
  while (!world.Served()) std::this_thread::yield();
  const TestCertificate* const others[] = {nullptr, &world.other, &world.forged};
  for (const TestCertificate* shown : others) {
    for (const std::string_view path : {kGangs, std::string_view("/apis"), std::string_view("/")}) {
      const std::string reply = world.Ask(shown, "jane", path);
      CHECK(reply.starts_with("HTTP/1.1 401"));
      CHECK(reply.find(R"("kind":"Status")") != std::string::npos);
      CHECK(reply.find(R"("reason":"Unauthorized")") != std::string::npos);
    }
  }
}

TEST_CASE("AggregatedApi: what is no GET, or has a body, is refused by a Status") {
  World world;
  while (!world.Served()) std::this_thread::yield();
  for (const char* head : {"DELETE {} HTTP/1.1\r\n", "POST {} HTTP/1.1\r\nContent-Length: 0\r\n",
                           "GET {} HTTP/1.1\r\nContent-Length: 5\r\n"}) {
    TlsClient client(world.api->port(), &world.proxy);
    client.Send(fmt::format(fmt::runtime(head), kGangs) + "Host: h\r\nX-Remote-User: jane\r\n\r\n");
    const std::string reply = client.ReadTo("}");
    CHECK(reply.find(R"("kind":"Status")") != std::string::npos);
    CHECK_FALSE(reply.starts_with("HTTP/1.1 200"));
  }
}

TEST_CASE("AggregatedApi: without a certificate that can be used it does not start") {
  FakeSource source;
  FakePage page;
  Metrics metrics;
  const auto start = [&](const std::string& file) {
    return AggregatedApi::Start({"127.0.0.1", 0, file, file},
                                std::make_unique<FunctionTransports>([](const HttpRequest&) {
                                  return absl::StatusOr<HttpResponse>(Answer(404));
                                }),
                                source, page, metrics, SystemClock())
        .status();
  };
  CHECK(absl::IsInvalidArgument(start("/no/such/file")));
  const ScratchFile none("no certificate");
  CHECK(absl::IsInvalidArgument(start(none.path())));
}

}  // namespace
}  // namespace gangplan::aggregated_api_test
