// Every byte, written by the one writer and read by the one reader.

#include <string>

#include "extender/protocol/json_sax.h"
#include "tests/support/catch.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan::json_bytes_test {
namespace {

struct Holder {
  std::string text;
};
constexpr JsonField kFields[] = {{"text", json::Text<&Holder::text>(100)}};
constexpr JsonShape kShape = json::Object(kFields);

// Readers that look at blocks see a byte differently by where it stands.
constexpr size_t kPlaces[] = {0, 1, 15, 16, 17, 40};

std::string AfterBothWays(const std::string& text, JsonEscapes escapes) {
  std::string json = JsonText(escapes).Begin().Field("text", text).End().Take();
  INFO(json);
  for (char c : json) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  Holder holder;
  CHECK(ParseJson(json, 1'000, "", kShape, &holder).ok());
  return holder.text;
}

TEST_CASE("Each of the 256 bytes is written so that it is read again") {
  for (int byte = 0; byte < 256; ++byte) {
    for (size_t before : kPlaces) {
      const std::string x(before, 'x');
      const std::string text = x + static_cast<char>(byte);
      const std::string expected = byte < 0x80 ? text : x + "\ufffd";  // alone it is no UTF-8
      INFO(byte << " after " << before);
      CHECK(AfterBothWays(text, JsonEscapes::kPlain) == expected);
      CHECK(AfterBothWays(text, JsonEscapes::kGo) == expected);
    }
  }
}

TEST_CASE("A control byte that is not escaped is refused, any other byte passes") {
  for (int byte = 0; byte < 256; ++byte) {
    if (byte == '"' || byte == '\\') continue;
    for (size_t before : kPlaces) {
      const std::string text =
          std::string(before, 'x') + static_cast<char>(byte) + std::string(40, 'y');
      std::string json = R"({"text":")" + text + R"("})";
      Holder holder;
      const bool taken = ParseJson(json, 1'000, "", kShape, &holder).ok();
      INFO(byte << " after " << before);
      CHECK(taken == (byte >= 0x20));
      if (taken) CHECK(holder.text == text);
    }
  }
}

}  // namespace
}  // namespace gangplan::json_bytes_test
