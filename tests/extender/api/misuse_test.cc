// What people may try with the aggregated API beyond what it is for, and what many at once do to
// it.
#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "extender/api/gang_api.h"
#include "extender/api/permissions.h"
#include "extender/api/recent.h"
#include "tests/extender/api/function_transports.h"
#include "tests/extender/api/gang_api_world.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/clock.h"

namespace gangplan::misuse_test {
namespace {

class Judge : public Reviewer {
 public:
  absl::StatusOr<bool> May(const User& user, const Access& access) override {
    last = access;
    ++asked;
    return allow(user, access);
  }
  std::function<bool(const User&, const Access&)> allow = [](auto&, auto&) { return true; };
  Access last;
  int asked = 0;
};

class CountingSource : public FakeSource {
 public:
  InfoHandler::Answer Info(const std::string& path) override {
    ++infos;
    return FakeSource::Info(path);
  }
  InfoHandler::Answer Explain(const Asked& asked) override {
    const absl::Duration start = ThreadCpuTime();
    while (ThreadCpuTime() - start < takes) {
    }
    return FakeSource::Explain(asked);
  }
  int infos = 0;
  absl::Duration takes;  // of a processor, for an explanation
};

struct World : GangApiWorld<CountingSource, Judge> {
  World()
      : GangApiWorld({{MakeReport("ml", "done", 1), "b0/r1 (4 nodes)"},
                      {MakeReport("other", "secret", 3), "b1"}}) {}
};

TEST_CASE("GangApi: a selector is no way around the right to a part of the page") {
  World world;
  world.judge.allow = [](const User&, const Access& a) {
    return a.resource == "page" && a.subresource.empty();
  };
  CHECK(world.Get(kOurs + "/page/v1/list").status == 403);
  const HttpReply reply = world.Get(kOurs + "/page?fieldSelector=metadata.name%3Dv1/list");
  CHECK(reply.body == "page: ");
}

TEST_CASE("GangApi: the right to one name of the topology is not that to all of it") {
  World world;
  world.judge.allow = [](const User&, const Access& a) { return a.name == "mine"; };
  CHECK(world.Get(kOurs + "/topology").status == 403);
  const HttpReply reply = world.Get(kOurs + "/topology?fieldSelector=metadata.name%3Dmine");
  CHECK(reply.status != 200);
}

TEST_CASE("GangApi: nothing in a table commands a terminal") {
  World world;
  GroupReport report = MakeBlocked("ml", "x", 9);
  report.reason = "gang ml/x: \u009b31m owned \u202e";
  report.place = "\u009b2J";
  world.source.groups.push_back({report, ""});
  const HttpReply reply = world.Get(kOurs + "/namespaces/ml/gangs", "jane",
                                    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n");
  CHECK(reply.status == 200);
  CHECK(reply.body.find("\u009b") == std::string::npos);
  CHECK(reply.body.find("\u202e") == std::string::npos);
}

TEST_CASE("GangApi: what many ask at once is read once") {
  World world;
  for (int i = 0; i < 100; ++i) {
    world.Get(kOurs + "/topology");
    world.Get(kOurs + "/namespaces/ml/gangs/done/history");
    world.Get(kOurs + "/page/v1/groups");
  }
  CHECK(world.source.infos == 3);
}

TEST_CASE("GangApi: names that nobody has cost their reader its own time, and a review less") {
  World world;
  world.source.takes = absl::Milliseconds(300);
  const auto ask = [&](int i, const std::string& user) {
    return world.Get(fmt::format("{}/namespaces/ml/gangs/x{}/explanation", kOurs, i), user).status;
  };
  for (int i = 0; i < 4; ++i) CHECK(ask(i, "jane") == 200);
  CHECK(ask(4, "jane") == 429);
  CHECK(world.judge.asked == 4);
  world.source.takes = absl::ZeroDuration();
  CHECK(ask(5, "john") == 200);
  CHECK(world.Get("/apis", "jane").status == 200);
}

TEST_CASE("ServerReviewer: who waits for a turn waits as long as it may") {
  FunctionTransports transports([&](const HttpRequest&) -> absl::StatusOr<HttpResponse> {
    std::this_thread::yield();
    return Answer(201, R"({"status":{"allowed":true}})");
  });
  ServerReviewer reviewer(transports, 8, absl::Seconds(2));
  std::atomic<int> quick = 0, done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 32; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const absl::Time start = SystemClock().Now();
        const auto may =
            reviewer.May({"jane"}, {"get", "gangplan.io", "gangs", "", "ml", "x", "v1alpha1"});
        const absl::Duration took = SystemClock().Now() - start;
        ++done;
        if (may.ok()) continue;
        if (took < absl::Milliseconds(1500)) ++quick;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(done == 32 * 100);
  CHECK(quick == 0);
}

TEST_CASE("Recent: who waits for an answer is told when finding it fails by an exception") {
  FakeClock clock;
  auto recent = std::make_shared<Recent<int>>(absl::Seconds(1), 4, clock);
  CHECK_THROWS(recent->Get("x", []() -> absl::StatusOr<int> { throw std::runtime_error("bad"); }));
  std::packaged_task<int()> task([recent] { return *recent->Get("x", [] { return 1; }); });
  std::future<int> answer = task.get_future();
  std::thread thread(std::move(task));
  CHECK(answer.get() == 1);
  thread.join();
}

}  // namespace
}  // namespace gangplan::misuse_test
