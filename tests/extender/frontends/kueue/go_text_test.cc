#include "extender/frontends/kueue/go_text.h"

#include "tests/support/catch.h"

namespace gangplan::go_text_test {
namespace {

TEST_CASE("Integers as Go reads them") {
  CHECK(ReadGoInteger("0") == 0);
  CHECK(ReadGoInteger("-0012") == -12);
  CHECK(ReadGoInteger("+7") == 7);
  CHECK(ReadGoInteger("2147483647") == 2'147'483'647);
  for (const char* text : {"", "+", "-", "+-1", "1 ", " 1", "1.0", "0x1", "1_0", "2147483648"}) {
    INFO(text);
    CHECK(ReadGoInteger(text) == std::nullopt);
  }
}

TEST_CASE("Truth as Go reads it") {
  for (const char* text : {"1", "t", "T", "true", "TRUE", "True"}) CHECK(ReadGoTruth(text) == true);
  for (const char* text : {"0", "f", "F", "false", "FALSE", "False"})
    CHECK(ReadGoTruth(text) == false);
  for (const char* text : {"", "tRUE", "yes", "on", " true", "2"}) {
    INFO(text);
    CHECK(ReadGoTruth(text) == std::nullopt);
  }
}

}  // namespace
}  // namespace gangplan::go_text_test
