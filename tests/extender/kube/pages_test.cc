// Lists that are read at once, page by page.
#include "extender/kube/pages.h"

#include <string>
#include <vector>

#include "kube_fakes.h"
#include "tests/support/catch.h"

namespace gangplan::pages_test {
namespace {

// A page's text is its token for the next one.
struct Bench : FakeTools {
  ScriptedTransport transport;
  std::vector<std::string> taken;

  absl::Status Read(std::vector<ScriptedTransport::Answer> answers, int page_items = 500) {
    for (auto& answer : answers) transport.answers.push_back(std::move(answer));
    const PagedList list = {"/things", "&labelSelector=a", "listing things", page_items};
    return EachPage(transport, list, tools, [this](std::string& page) {
      taken.push_back(page);
      return page;
    });
  }
  std::vector<std::string> Targets() const {
    std::vector<std::string> targets;
    for (const HttpRequest& request : transport.requests) targets.push_back(request.target);
    return targets;
  }
};

const absl::Status kLarge = absl::ResourceExhaustedError("larger than 256 MiB");

TEST_CASE("a page that is too large is asked for in smaller ones, also of lists read at once") {
  Bench bench;
  CHECK(
      bench.Read({kLarge, kLarge, Answer(200, "x/"), kLarge, Answer(200, "y"), Answer(200)}).ok());
  CHECK(bench.taken == std::vector<std::string>{"x/", "y", ""});
  const std::string filter = "&labelSelector=a";
  CHECK(bench.Targets() == std::vector<std::string>{"/things?limit=500" + filter,
                                                    "/things?limit=250" + filter,
                                                    "/things?limit=125" + filter,
                                                    "/things?limit=250" + filter + "&continue=x%2F",
                                                    "/things?limit=125" + filter + "&continue=x%2F",
                                                    "/things?limit=250" + filter + "&continue=y"});
}

TEST_CASE("one object that is too large for a page of its own ends a list that is read at once") {
  Bench bench;
  CHECK(absl::IsResourceExhausted(bench.Read({kLarge, kLarge, Answer(200)}, 3)));
  CHECK(bench.Targets().size() == 2);  // of 3, of 1
}

TEST_CASE("a list that goes in a circle ends, as one that is refused does") {
  Bench bench;
  const absl::Status circle = bench.Read({Answer(200, "x"), Answer(200, "x"), Answer(200, "y")});
  CHECK(absl::IsInvalidArgument(circle));
  CHECK(bench.taken.size() == 2);
  CHECK(absl::IsPermissionDenied(Bench().Read({Answer(403)})));
}

}  // namespace
}  // namespace gangplan::pages_test
