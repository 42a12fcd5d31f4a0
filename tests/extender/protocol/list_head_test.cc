#include "extender/protocol/list_head.h"

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::list_head_test {
namespace {

TEST_CASE("The token of the next page is read from a page's head, which stays as it is") {
  const std::string page =
      R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"a\"b"},)"
      R"("items":[{"metadata":{"continue":"x"}}]})";
  const std::string before = page;
  CHECK(PeekContinue(page) == "a\"b");
  CHECK(page == before);
}

TEST_CASE("A page without a token, a broken one, and metadata behind the items have none") {
  for (std::string_view page :
       {R"({"metadata":{"resourceVersion":"7"},"items":[]})", R"({"metadata":{"continue":""}})",
        R"({"metadata":{"continue":7}})", R"({"metadata":{"continue":"a")", R"({"metadata":null})",
        R"({"items":[{"metadata":{"continue":"x"}}]})", "[]", "{", ""}) {
    INFO(page);
    CHECK(PeekContinue(page).empty());
  }
}

TEST_CASE("What is behind the head is not read") {
  for (const size_t beyond : {0, 1}) {
    const std::string_view open = R"({"metadata":{"continue":")";
    const std::string_view close = R"("})";
    const std::string token(kMaxListHeadBytes - open.size() - close.size() + beyond, 't');
    const std::string page = fmt::format("{}{}{},\"items\":[]}}", open, token, close);
    CHECK(PeekContinue(page) == (beyond == 0 ? token : ""));
  }
}

}  // namespace
}  // namespace gangplan::list_head_test
