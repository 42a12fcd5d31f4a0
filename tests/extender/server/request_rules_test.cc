#include "extender/server/request_rules.h"

#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::request_rules_test {
namespace {

const Routes& TestRoutes() {
  static const Routes routes = {{"POST", "/verbs/filter", false, nullptr},
                                {"GET", "/healthz", false, nullptr},
                                {"GET", "/v1/", true, nullptr}};
  return routes;
}

constexpr RequestRules kRules = {100, true};

RequestHead Post() {
  return {"POST", "/verbs/filter", {"127.0.0.1:10290"}, "application/json", {"10"}, false, false};
}
RequestHead Get(std::string path) {
  return {"GET", std::move(path), {"localhost"}, "", {}, false, false};
}

void CheckRefused(const RequestHead& head, int status, const std::string& body) {
  const AdmittedRequest admission = Admit(head, TestRoutes(), kRules);
  REQUIRE(admission.refusal);
  CHECK(admission.refusal->status == status);
  CHECK(ErrorReply(status, admission.refusal->text).body == body);
}

TEST_CASE("a plain JSON body of known length is admitted to its route") {
  const AdmittedRequest admission = Admit(Post(), TestRoutes(), kRules);
  CHECK_FALSE(admission.refusal);
  CHECK(admission.route == &TestRoutes()[0]);
  CHECK(admission.body_bytes == 10);
}

TEST_CASE("paths are exact, or everything below") {
  CHECK(Admit(Get("/healthz"), TestRoutes(), kRules).route == &TestRoutes()[1]);
  CHECK(Admit(Get("/v1/groups/a/b"), TestRoutes(), kRules).route == &TestRoutes()[2]);
  const std::string no_such_path =
      R"({"error":"no such path; this port serves POST /verbs/filter, GET /healthz, GET /v1/..."})";
  CheckRefused(Get("/healthz/"), 404, no_such_path);
  CheckRefused(Get("/v1"), 404, no_such_path);
  CheckRefused(Get("/verbs"), 404, no_such_path);
}

TEST_CASE("a known path with another method is told which one") {
  CheckRefused(Get("/verbs/filter"), 405, R"({"error":"this path takes POST only"})");
  RequestHead head = Post();
  head.path = "/healthz";
  CheckRefused(head, 405, R"({"error":"this path takes GET only"})");
  head.method = "DELETE";
  CheckRefused(head, 405, R"({"error":"this path takes GET only"})");
}

TEST_CASE("HEAD goes where GET goes") {
  RequestHead head = Get("/healthz");
  head.method = "HEAD";
  CHECK(Admit(head, TestRoutes(), kRules).route == &TestRoutes()[1]);
}

TEST_CASE("the body's limit is exact") {
  RequestHead head = Post();
  head.content_lengths = {"100"};
  CHECK_FALSE(Admit(head, TestRoutes(), kRules).refusal);
  head.content_lengths = {"101"};
  CheckRefused(head, 413, R"({"error":"the body is 101 bytes long, the limit is 100"})");
  head.content_lengths = {"99999999999999999999999999"};
  CheckRefused(
      head, 413,
      R"({"error":"the body is 99999999999999999999999999 bytes long, the limit is 100"})");
}

TEST_CASE("a length must be there, once, and a number") {
  RequestHead head = Post();
  head.content_lengths = {};
  CheckRefused(head, 411, R"({"error":"Content-Length is required"})");
  const std::string one_number = R"({"error":"Content-Length must be one whole number"})";
  for (const char* bad : {"", "-1", "+1", "1x", "0x10", " 1", "1.0"}) {
    head.content_lengths = {bad};
    CheckRefused(head, 400, one_number);
  }
  head.content_lengths = {"10", "10"};
  CheckRefused(head, 400, one_number);
}

TEST_CASE("chunked and compressed bodies are refused") {
  RequestHead head = Post();
  head.has_transfer_encoding = true;
  CheckRefused(head, 411,
               R"({"error":"Transfer-Encoding is not taken; send the body with Content-Length"})");
  head = Post();
  head.has_content_encoding = true;
  CheckRefused(head, 415, R"({"error":"Content-Encoding is not taken; send the body as it is"})");
}

TEST_CASE("only JSON is taken, in any spelling of its type") {
  RequestHead head = Post();
  for (const char* good : {"application/json", "Application/JSON",
                           "application/json; charset=utf-8", "application/json ;x"}) {
    head.content_type = good;
    CHECK_FALSE(Admit(head, TestRoutes(), kRules).refusal);
  }
  for (const char* bad :
       {"", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "text/plain",
        "application/jsonp", ";"}) {
    head.content_type = bad;
    CheckRefused(head, 415,
                 R"({"error":"Content-Type must be application/json (curl: -H 'Content-Type: )"
                 R"x(application/json')"})x");
  }
}

TEST_CASE("a question has no body") {
  RequestHead head = Get("/healthz");
  head.content_lengths = {"0"};
  CHECK_FALSE(Admit(head, TestRoutes(), kRules).refusal);
  head.content_lengths = {"1"};
  CheckRefused(head, 400, R"({"error":"this path takes no body"})");
}

TEST_CASE("where only this machine may ask, Host names it") {
  RequestHead head = Get("/healthz");
  for (const char* host : {"127.0.0.1", "127.8.0.1:80", "[::1]", "[::1]:65535", "LocalHost:1"}) {
    head.hosts = {host};
    CHECK_FALSE(Admit(head, TestRoutes(), kRules).refusal);
  }
  for (const char* host : {"evil.example:10290", "127.0.0.1.evil.example", "10.0.0.1", "[::1", "[",
                           "", "localhost:65536", "localhost:", "[fd00::1]:80", "::1"}) {
    head.hosts = {host};
    CheckRefused(head, 403,
                 fmt::format(R"({{"error":"Host \"{}\" is not this machine; calls )"
                             R"(name it 127.0.0.1, [::1] or localhost"}})",
                             host));
    CHECK_FALSE(Admit(head, TestRoutes(), {100, false}).refusal);
  }
  head.hosts = {};
  CheckRefused(head, 400, R"({"error":"Host must be there once"})");
  head.hosts = {"localhost", "localhost"};
  CheckRefused(head, 400, R"({"error":"Host must be there once"})");
}

}  // namespace
}  // namespace gangplan::request_rules_test
