#include "extender/server/http_head.h"

#include <string>

#include "tests/support/catch.h"

namespace gangplan::http_head_test {
namespace {

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

TEST_CASE("a head is read as it came: nothing is decoded") {
  const auto head = ReadHead(
      "GET /a%2Fb?c=%20d HTTP/1.1\r\nHost: x\r\nX-Remote-User: \t system%3Aadmin \r\n"
      "x-remote-user:two\r\nEmpty:\r\n\r\n");
  REQUIRE(head);
  CHECK(head->target == "/a%2Fb?c=%20d");
  CHECK(head->headers == Pairs{{"Host", "x"},
                               {"X-Remote-User", "system%3Aadmin"},
                               {"x-remote-user", "two"},
                               {"Empty", ""}});
  CHECK(HeadersOf(*head, "X-REMOTE-USER") ==
        std::vector<std::string_view>{"system%3Aadmin", "two"});
  CHECK(HeadersOf(*head, "X-Remote").empty());
}

TEST_CASE("what two readers could take for different things is no head") {
  const std::string line = "GET / HTTP/1.1\r\n";
  CHECK(ReadHead(line + "\r\n"));
  for (const std::string& text :
       {std::string(), std::string("GET / HTTP/1.1"), line, line + "A: b\r\n",
        std::string("GET /\r\n\r\n"), std::string("GET  HTTP/1.1\r\n\r\n"),
        std::string("GET / a HTTP/1.1\r\n\r\n"), std::string("GET /\x01 HTTP/1.1\r\n\r\n"),
        line + "A b\r\n\r\n", line + "A : b\r\n\r\n", line + ": b\r\n\r\n",
        line + "A: b\r\n c\r\n\r\n", line + "A: b\nC: d\r\n\r\n", line + "A: b\rC\r\n\r\n",
        line + std::string("A: b\0c\r\n\r\n", 10), line + "A: b\x7f\r\n\r\n",
        line + "A: b\r\n\r\nbody"}) {
    INFO(text);
    CHECK_FALSE(ReadHead(text));
  }
  CHECK(ReadHead(line + "A: \xc3\xa4\t!\r\n\r\n"));
}

}  // namespace
}  // namespace gangplan::http_head_test
