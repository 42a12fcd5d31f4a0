// The pages of a list, one asked for ahead.
#include <chrono>
#include <future>

#include "reflector_bench.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

using Bench = ReflectorBench;

TEST_CASE("the next page is asked for while the last one is delivered") {
  std::promise<void> asked;
  std::future<void> next = asked.get_future();
  bool ahead = false;
  Bench bench(MakePodMirror(), 2'000, [&](const Texts& batch) {
    if (batch == Texts{"pod 1"})
      ahead = next.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  });
  bench.transport->on_request = [&](const HttpRequest& request) {
    if (request.target.find("continue=") != std::string::npos) asked.set_value();
  };
  bench.Script(
      {PodList("10", {PodJson("a", "1", "5")}, "x"), PodList("10", {PodJson("b", "2", "6")})});
  CHECK(bench.Steps(1));
  CHECK(ahead);
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2"});
}

TEST_CASE("a page that was asked for ahead and is not the next one is thrown away") {
  Bench bench;
  HttpResponse twice = PodList("10", {PodJson("a", "1", "5")}, "x");
  twice.body.insert(twice.body.size() - 1,
                    R"(,"metadata":{"resourceVersion":"10","continue":"y"})");
  bench.Script({twice, PodList("10", {PodJson("wrong", "9", "9")}),
                PodList("10", {PodJson("b", "2", "6")})});
  CHECK(bench.Steps(1));
  CHECK(bench.Target(1) == "/api/v1/pods?limit=500&continue=x");
  CHECK(bench.Target(2) == "/api/v1/pods?limit=500&continue=y");
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2"});
}

TEST_CASE("a page that cannot be read ends the list, whatever was asked for ahead") {
  Bench bench;
  HttpResponse cut = PodList("10", {}, "x");
  cut.body.resize(cut.body.size() - 1);
  bench.Script({cut, PodList("10", {PodJson("b", "2", "6")}), PodList("20", {})});
  CHECK(bench.Steps(2));
  CHECK(bench.listed == 1);
  CHECK(bench.warnings.size() == 1);
  CHECK(bench.TakeEvents().empty());
  CHECK(bench.Target(2) == "/api/v1/pods?limit=500");
}

TEST_CASE("an expired continue token begins the list anew and deletes nothing too early") {
  Bench bench;
  bench.Script({PodList("10", {PodJson("a", "1", "5")}, "x"), Answer(410),
                PodList("20", {PodJson("b", "2", "6")})});
  CHECK(bench.Steps(2));
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2", "-pod 1"});
  CHECK(bench.Target(2) == "/api/v1/pods?limit=500");
  CHECK(bench.listed == 1);
}

TEST_CASE("a list has as many pages as allowed, and not one more") {
  for (int pages : {kMaxListPages, kMaxListPages + 1}) {
    Bench bench;
    for (int i = 1; i < pages; ++i) bench.Script({PodList("10", {}, "more")});
    bench.Script({PodList("10", {})});
    CHECK(bench.Steps(1));
    CHECK(bench.listed == (pages == kMaxListPages ? 1 : 0));
  }
}

}  // namespace
}  // namespace gangplan
