#include "topology/base/utf8.h"

#include "tests/support/catch.h"

namespace gangplan::utf8_test {
namespace {

TEST_CASE("a text is cut at a UTF-8 border") {
  CHECK(CutUtf8("abc", 3) == "abc");
  CHECK(CutUtf8("abcd", 3) == "abc");
  CHECK(CutUtf8("ab\xC3\xA9", 3) == "ab");
  CHECK(CutUtf8("ab\xC3\xA9", 4) == "ab\xC3\xA9");
  CHECK(CutUtf8("\xF0\x9F\x9A\xA2", 3).empty());
}

}  // namespace
}  // namespace gangplan::utf8_test
