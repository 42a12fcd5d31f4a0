// What an API server says that it serves.
#include "extender/protocol/discovery.h"

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::discovery_test {
namespace {

using Names = std::vector<std::string>;

std::string Many(std::string_view key, std::string_view one, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += fmt::format("{}{}", i == 0 ? "" : ",", one);
  return fmt::format(R"({{"{}":[{}]}})", key, list);
}

TEST_CASE("Discovery: the kinds of a version, and the versions of a group") {
  std::string kinds = R"({"kind":"APIResourceList","groupVersion":"batch/v1","resources":[)"
                      R"({"name":"jobs","kind":"Job","verbs":["get"]},{"name":"jobs/status",)"
                      R"("kind":"Job"},{"name":"cronjobs","kind":"CronJob"}]})";
  CHECK(*DecodeServedKinds(kinds) == Names{"Job", "Job", "CronJob"});
  std::string versions =
      R"({"kind":"APIGroup","name":"x.io","versions":[{"groupVersion":"x.io/v1",)"
      R"("version":"v1"},{"groupVersion":"x.io/v1beta1"}]})";
  CHECK(*DecodeServedVersions(versions) == Names{"x.io/v1", "x.io/v1beta1"});
  std::string nothing = "{}";
  CHECK(DecodeServedKinds(nothing)->empty());
}

TEST_CASE("Discovery: both are bounded, and what is none is an error") {
  for (const auto& [more, good] : {std::pair(0, true), {1, false}}) {
    std::string kinds = Many("resources", R"({"kind":"A"})", kMaxServedKinds + more);
    CHECK(DecodeServedKinds(kinds).ok() == good);
    std::string versions = Many("versions", R"({"groupVersion":"a/b"})", kMaxServedVersions + more);
    CHECK(DecodeServedVersions(versions).ok() == good);
  }
  std::string wrong = R"({"resources":7})";
  CHECK_FALSE(DecodeServedKinds(wrong).ok());
  std::string none = "not JSON";
  CHECK_FALSE(DecodeServedVersions(none).ok());
}

}  // namespace
}  // namespace gangplan::discovery_test
