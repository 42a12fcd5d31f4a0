#include "topology/base/json_string.h"

#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace gangplan {
namespace {

std::string Escaped(std::string_view text, JsonEscapes escapes = JsonEscapes::kGo) {
  std::string out = "x";
  AppendJsonString(out, text, escapes);
  return out.substr(1);
}

TEST_CASE("Plain text is written as it is") {
  CHECK(Escaped("") == R"("")");
  CHECK(Escaped("node-1.a_b/c") == R"("node-1.a_b/c")");
  CHECK(Escaped("\x7f") == "\"\x7f\"");
}

// The expected bytes are those of Go's encoding/json.
TEST_CASE("Escapes are those of Go") {
  CHECK(Escaped("<x> & \"y\"\\/\b\f\n\r\t\x01\x1f") ==
        R"("\u003cx\u003e \u0026 \"y\"\\/\b\f\n\r\t\u0001\u001f")");
  CHECK(Escaped("\u2028\u2029\u2027\u202a") == "\"\\u2028\\u2029\u2027\u202a\"");
  CHECK(Escaped(std::string_view("a\0b", 3)) == R"("a\u0000b")");
}

TEST_CASE("Logs stay readable and harmless to a terminal") {
  CHECK(Escaped("<x> & \"y\"\x1b\x7f", JsonEscapes::kLogs) == R"("<x> & \"y\"\u001b\u007f")");
}

TEST_CASE("Well-formed UTF-8 stays") {
  for (std::string_view text : {"\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
                                "\U00010000", "\U0010ffff", "a\u00e9b\U0001f600c"}) {
    CHECK(Escaped(text) == "\"" + std::string(text) + "\"");
  }
}

TEST_CASE("Each byte that is not UTF-8 becomes a replacement") {
  CHECK(Escaped("\xff") == R"("\ufffd")");
  CHECK(Escaped("\x80") == R"("\ufffd")");
  CHECK(Escaped("\xc3(") == R"("\ufffd(")");
  CHECK(Escaped("\xc3") == R"("\ufffd")");
  CHECK(Escaped("\xe2\x82") == R"("\ufffd\ufffd")");
  CHECK(Escaped("\xe2\x82x") == R"("\ufffd\ufffdx")");
  CHECK(Escaped("\xc0\xaf") == R"("\ufffd\ufffd")");
  CHECK(Escaped("\xe0\x9f\xbf") == R"("\ufffd\ufffd\ufffd")");
  CHECK(Escaped("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");
  CHECK(Escaped("\xf0\x8f\xbf\xbf") == R"("\ufffd\ufffd\ufffd\ufffd")");
  CHECK(Escaped("\xf4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
  CHECK(Escaped("\xf5\x80\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
}

}  // namespace
}  // namespace gangplan
