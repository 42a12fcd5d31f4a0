#include "topology/base/spelling.h"

#include <vector>

#include "tests/support/catch.h"

namespace gangplan::spelling_test {
namespace {

TEST_CASE("Edit distance") {
  CHECK(EditDistance("", "") == 0);
  CHECK(EditDistance("", "abc") == 3);
  CHECK(EditDistance("abc", "") == 3);
  CHECK(EditDistance("port", "port") == 0);
  CHECK(EditDistance("prot", "port") == 1);  // neighbours swapped
  CHECK(EditDistance("sever", "server") == 1);
  CHECK(EditDistance("ports", "port") == 1);
  CHECK(EditDistance("Port", "port") == 1);
  CHECK(EditDistance("kitten", "sitting") == 3);
}

TEST_CASE("Only a near word is suggested") {
  const std::vector<std::string_view> known = {"port", "probePort", "address"};
  CHECK(Suggestion("prot", known) == "; did you mean \"port\"?");
  CHECK(Suggestion("adress", known) == "; did you mean \"address\"?");
  CHECK(Suggestion("probe", known).empty());
  CHECK(Suggestion("pt", known).empty());
  CHECK(Suggestion("", known).empty());
  CHECK(Suggestion(std::string(65, 'p'), known).empty());
}

TEST_CASE("The first of equally near words is suggested") {
  CHECK(Suggestion("lead", std::vector<std::string_view>{"load", "leaf"}) ==
        "; did you mean \"load\"?");
}

}  // namespace
}  // namespace gangplan::spelling_test
