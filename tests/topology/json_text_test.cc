#include "topology/base/json_text.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace gangplan::json_text_test {
namespace {

std::string Escaped(std::string_view text, JsonEscapes escapes = JsonEscapes::kGo) {
  return JsonText(escapes).Value(text).Take();
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

TEST_CASE("Plain escapes stay readable and harmless to a terminal") {
  CHECK(Escaped("<x> & \"y\"\x1b\x7f", JsonEscapes::kPlain) == R"("<x> & \"y\"\u001b\u007f")");
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

TEST_CASE("Commas stand between values, whatever their texts end with") {
  JsonText json;
  json.Begin().Field("a:", "{").Field("b[", ":").Key("c").BeginList().Value("[").Value("x");
  json.Begin().End().BeginList().EndList().Null().Raw(R"({"y":1})").EndList();
  CHECK(json.Key("d").Begin().End().End().Take() ==
        R"({"a:":"{","b[":":","c":["[","x",{},[],null,{"y":1}],"d":{}})");
}

TEST_CASE("Numbers and truths of JSON") {
  JsonText json;
  json.BeginList().Value(int64_t{-9223372036854775807 - 1}).Value(true).Value(false).Value(0.5);
  json.Value(std::numeric_limits<double>::infinity()).Value(std::nan(""));
  CHECK(json.EndList().Take() == "[-9223372036854775808,true,false,0.5,null,null]");
}

}  // namespace
}  // namespace gangplan::json_text_test
