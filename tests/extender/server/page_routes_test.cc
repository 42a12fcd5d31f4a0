// The page's paths, and what browsers are told beside what they asked for.
#include "extender/server/page_routes.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <string>

#include "tests/extender/server/echo_server.h"

namespace gangplan::page_routes_test {
namespace {

class SilentStream : public EventStream {
 public:
  ~SilentStream() override { ::close(news_); }
  std::shared_ptr<const std::string> Take() override { return nullptr; }
  int news() const override { return news_; }

 private:
  const int news_ = ::eventfd(0, EFD_CLOEXEC);
};

class TestPage : public PageHandler {
 public:
  Answer File(const std::string& name) override {
    if (name == "gone.js") return {404, "{}", "application/json", {}};
    return {200, "file " + name, "text/html", "v1"};
  }
  Answer Figures(const std::string& name) override {
    return {200, "figures " + name, "application/json", "g7"};
  }
  std::shared_ptr<EventStream> Follow() override { return std::make_shared<SilentStream>(); }
};

struct PageServer {
  ClientReply Ask(std::string_view path, std::string_view headers = "") const {
    return test.Connect().Call(GetText(path, headers));
  }

  TestPage page;
  TestServer test{{}, PageRoutes(page)};
};

void CheckGuards(const ClientReply& reply) {
  const std::string policy = reply.headers.at("Content-Security-Policy");
  CHECK(policy ==
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  CHECK(reply.headers.at("X-Content-Type-Options") == "nosniff");
  CHECK(reply.headers.at("Referrer-Policy") == "no-referrer");
  CHECK(reply.headers.at("Cross-Origin-Resource-Policy") == "same-origin");
  CHECK(reply.headers.at("Cache-Control") == "no-cache");
}

TEST_CASE("the page, its files and its figures have their paths, guards and versions") {
  const PageServer server;
  const std::pair<const char*, const char*> kPaths[] = {{"/", "file "},
                                                        {"/page/map.js", "file map.js"},
                                                        {"/figures/state", "figures state"},
                                                        {"/figures/tree", "figures tree"}};
  for (const auto& [path, body] : kPaths) {
    INFO(path);
    const ClientReply reply = server.Ask(path);
    CHECK(reply.status == 200);
    CHECK(reply.body == body);
    CheckGuards(reply);
  }
  CHECK(server.Ask("/").headers.at("Content-Type") == "text/html");
  CHECK(server.Ask("/").headers.at("ETag") == "\"v1\"");
  const ClientReply gone = server.Ask("/page/gone.js");
  CHECK(gone.status == 404);
  CHECK(gone.headers.count("ETag") == 0);
  CheckGuards(gone);
  CHECK(server.Ask("/other").status == 404);
}

TEST_CASE("what a browser has already is not sent again") {
  const PageServer server;
  LoopbackClient client = server.test.Connect();
  REQUIRE(client.Send(GetText("/figures/state", "If-None-Match: \"g7\"\r\n")));
  const ClientReply same = client.Receive(false);
  CHECK(same.status == 304);
  CHECK(same.headers.at("ETag") == "\"g7\"");
  CheckGuards(same);
  CHECK(server.Ask("/figures/state", "If-None-Match: \"g6\"\r\n").body == "figures state");
}

TEST_CASE("the page cannot be written to, and its events are guarded, too") {
  const PageServer server;
  CHECK(server.test.Connect().Call(PostText("/", "{}")).status == 405);
  LoopbackClient client = server.test.Connect();
  REQUIRE(client.Send(GetText("/figures/live")));
  const ClientReply head = client.Receive(false);
  CHECK(head.headers.at("Content-Type") == "text/event-stream");
  CheckGuards(head);
}

}  // namespace
}  // namespace gangplan::page_routes_test
