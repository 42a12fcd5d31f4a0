// The pages of a list, one asked for ahead.
#include <pthread.h>

#include <chrono>
#include <future>
#include <system_error>
#include <thread>

#include "reflector_bench.h"
#include "tests/support/catch.h"

namespace gangplan::reflector_pages_test {
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

// As where a limit of the pod's processes is reached: no thread has a stack of that size.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, size_t{1} << 46);
    pthread_setattr_default_np(&huge);
  }
  ~NoMoreThreads() { pthread_setattr_default_np(&before_); }

 private:
  pthread_attr_t before_{};
};

TEST_CASE("where no thread is to be had each page is asked for when it is its turn") {
  const NoMoreThreads none;
  REQUIRE_THROWS_AS(std::thread([] {}), std::system_error);
  Bench bench;
  bench.Script(
      {PodList("10", {PodJson("a", "1", "5")}, "x"), PodList("10", {PodJson("b", "2", "6")})});
  CHECK(bench.Steps(1));
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2"});
  CHECK(bench.listed == 1);
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

TEST_CASE("a page that is too large is asked for in smaller ones, and those after it grow again") {
  const absl::Status large = absl::ResourceExhaustedError("larger than 256 MiB");
  Bench bench;
  bench.Script({large, large, PodList("10", {PodJson("a", "1", "5")}, "x"), large,
                PodList("10", {PodJson("b", "2", "6")}, "y"), PodList("10", {})});
  CHECK(bench.Steps(1));
  CHECK(bench.listed == 1);
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2"});
  Texts targets;
  for (size_t i = 0; i < 6; ++i) targets.push_back(bench.Target(i).substr(13));
  CHECK(targets == Texts{"limit=500", "limit=250", "limit=125", "limit=250&continue=x",
                         "limit=125&continue=x", "limit=250&continue=y"});
}

TEST_CASE("one object that is too large for a page of its own ends the list") {
  Bench bench;
  for (int i = 0; i < 9; ++i) bench.Script({absl::ResourceExhaustedError("too large")});
  bench.Script({PodList("10", {})});
  CHECK(bench.Steps(1));
  CHECK(bench.listed == 0);
  CHECK(bench.Target(8).ends_with("limit=1"));
}

TEST_CASE("an object that nests deeper than anybody reads is told as all others are") {
  std::string deep = PodJson("deep", "2", "6");
  const std::string nested = std::string(9'000, '[') + std::string(9'000, ']');
  deep.insert(deep.find("\"name\""), "\"managedFields\":[{\"fieldsV1\":" + nested + "}],");
  Bench bench(MakePodMirror(), 100'000);
  bench.Script({PodList("10", {PodJson("a", "1", "5"), deep, PodJson("b", "3", "7")}),
                Answer(200, Line("MODIFIED", deep) + Line("ADDED", PodJson("c", "4", "8")))});
  CHECK(bench.Steps(2));
  CHECK(bench.warnings.empty());
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2", "pod 3", "pod 2", "pod 4"});
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
    for (int i = 1; i < pages; ++i) {
      const std::string uid = std::to_string(i);
      bench.Script({PodList("10", {PodJson("p" + uid, uid, "5")}, "after " + uid)});
    }
    bench.Script({PodList("10", {})});
    CHECK(bench.Steps(1));
    CHECK(bench.listed == (pages == kMaxListPages ? 1 : 0));
    CHECK(bench.pause.waits.size() == 1);
  }
}

TEST_CASE("a list that leads back to the same page is no list") {
  Bench bench;
  for (int i = 0; i < 3; ++i) bench.Script({PodList("10", {PodJson("a", "1", "5")}, "round")});
  bench.Script({PodList("20", {PodJson("b", "2", "6")})});
  CHECK(bench.Steps(1));
  CHECK(bench.warnings == Texts{"Pods: the list leads back to the page that it continues"});
  CHECK(bench.listed == 0);
  CHECK(bench.transport->requests.size() <= 3);
  CHECK(bench.LastWait() > absl::ZeroDuration());
}

TEST_CASE("pages without an object are waited for, longer each time") {
  constexpr int kEmpty = 6;
  Bench bench;
  for (int i = 0; i < kEmpty; ++i) bench.Script({PodList("10", {}, std::to_string(i))});
  bench.Script({PodList("10", {PodJson("a", "1", "5")})});
  CHECK(bench.Steps(1));
  CHECK(bench.listed == 1);
  CHECK(bench.TakeEvents() == Texts{"pod 1"});
  REQUIRE(bench.pause.waits.size() == kEmpty + 1);  // one after the whole list, of no time
  for (int i = 0; i < kEmpty; ++i) CHECK(bench.pause.waits[i] > absl::ZeroDuration());
  CHECK(bench.pause.waits[kEmpty - 1] > bench.pause.waits[0]);
}

TEST_CASE("a stop ends the wait for the next page") {
  Bench bench;
  bench.pause.stop_after = 2;
  for (int i = 0; i < 10; ++i) bench.Script({PodList("10", {}, std::to_string(i))});
  CHECK_FALSE(bench.Steps(1));
  CHECK(bench.pause.waits.size() == 2);
  CHECK(bench.warnings.empty());
}

}  // namespace
}  // namespace gangplan::reflector_pages_test
