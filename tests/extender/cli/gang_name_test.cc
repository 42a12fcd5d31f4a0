// Names of gangs as people give them.
#include "extender/cli/gang_name.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::gang_name_test {
namespace {

TEST_CASE("Gang name: with its namespace, or alone in the one that is given") {
  CHECK(GangPath("ml/a", "").value() == "ml/a");
  CHECK(GangPath("ml/a", "ml").value() == "ml/a");
  CHECK(GangPath("a", "ml").value() == "ml/a");
  CHECK(GangPath("a", "").value() == "default/a");
  CHECK(GangPath("a b", "").value() == "default/a%20b");
  for (const char* wrong : {"", "/", "/a", "a/", "a/b/c"}) {
    INFO(wrong);
    CHECK(Message(GangPath(wrong, "").status()).find("expected NAMESPACE/NAME") !=
          std::string::npos);
  }
  CHECK(Message(GangPath("ml/a", "other").status()) == "\"ml/a\" and -n other: two namespaces");
}

}  // namespace
}  // namespace gangplan::gang_name_test
