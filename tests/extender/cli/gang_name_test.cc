// Names of gangs as people give them.
#include "extender/cli/gang_name.h"

#include "tests/extender/kube/raw_server.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::gang_name_test {
namespace {

using Paths = std::vector<std::string>;

Paths PathsOf(std::string_view text, std::string_view ns = "") {
  Paths paths;
  const std::vector<AskedGang> asked = ReadGang(text, ns).value();
  for (const AskedGang& one : asked) paths.push_back(one.Path());
  return paths;
}

TEST_CASE("Gang name: with its namespace, or alone in the one that is given") {
  CHECK(PathsOf("ml/a") == Paths{"ml/a"});
  CHECK(PathsOf("ml/a", "ml") == Paths{"ml/a"});
  CHECK(PathsOf("a", "ml") == Paths{"ml/a"});
  CHECK(PathsOf("a") == Paths{"default/a"});
  CHECK(PathsOf("a b") == Paths{"default/a%20b"});
  for (const char* wrong :
       {"", "/", "/a", "a/", "a/b/c", "job/", "job//a", "pod/a/", "job/a/b/c"}) {
    INFO(wrong);
    CHECK(Message(ReadGang(wrong, "").status()).find("expected NAME, NAMESPACE/NAME, pod/NAME") !=
          std::string::npos);
  }
  CHECK(Message(ReadGang("ml/a", "other").status()) ==
        "\"ml/a\" and -n other: two namespaces; expected one of them");
}

TEST_CASE("Gang name: a kind before it is one, and first a namespace that is called so") {
  CHECK(PathsOf("job/a") == Paths{"job/a", "default/a"});
  CHECK(PathsOf("jobset/a") == Paths{"jobset/a", "default/a"});
  CHECK(PathsOf("pod/a") == Paths{"pod/a", "pod/default/a"});
  CHECK(PathsOf("job/a", "ml") == Paths{"ml/a"});
  CHECK(PathsOf("pod/a", "ml") == Paths{"pod/ml/a"});
  CHECK(PathsOf("pod/a", "pod") == Paths{"pod/pod/a"});
  CHECK(PathsOf("job.batch/a") == Paths{"default/a"});  // no namespace has a dot
  CHECK(PathsOf("job/job/a") == Paths{"job/a"});
  CHECK(PathsOf("pod/ml/a") == Paths{"pod/ml/a"});
  CHECK(PathsOf("jobless/a") == Paths{"jobless/a"});
}

TEST_CASE("Gang name: the first of those that may be meant answers") {
  std::string there = "job/a";
  const RawServer server([&there](std::string_view head) -> std::string {
    const size_t at = head.find("/v1/explain/") + 12;
    const std::string_view path = head.substr(at, head.find(' ', at) - at);
    if (path == there) return "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere";
    const std::string why = fmt::format("no group {}", path);
    return fmt::format("HTTP/1.1 404 No\r\nContent-Length: {}\r\n\r\n{}", why.size(), why);
  });
  const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
  const std::vector<AskedGang> asked = ReadGang("job/a", "").value();
  CHECK(AskGang(url, "explain", asked).value() == "here");
  there = "default/a";
  CHECK(AskGang(url, "explain", asked).value() == "here");
  there = "ml/a";
  CHECK(Message(AskGang(url, "explain", asked).status()) == "no group default/a");
}

}  // namespace
}  // namespace gangplan::gang_name_test
