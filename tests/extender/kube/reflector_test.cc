#include "extender/kube/reflector.h"

#include "extender/protocol/limits.h"
#include "reflector_bench.h"
#include "tests/support/catch.h"
#include "tests/support/query.h"
#include "topology/base/text.h"

namespace gangplan::reflector_test {
namespace {

using Bench = ReflectorBench;

// The watch's path up to the random number of seconds.
std::string WatchFrom(const std::string& version) {
  return "/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=" + version +
         "&timeoutSeconds=";
}

TEST_CASE("a list comes in pages, then the watch goes on from its version") {
  Bench bench;
  bench.Script({PodList("10", {PodJson("a", "1", "5")}, "next/page=="),
                PodList("10", {PodJson("b", "2", "6")}),
                Answer(200, Line("ADDED", PodJson("c", "3", "11")) +
                                Line("DELETED", PodJson("a", "1", "12"))),
                Answer(200, Bookmark("20")),
                Answer(200, Line("MODIFIED", PodJson("b", "2", "21")))});
  CHECK(bench.Steps(1));
  CHECK(bench.listed == 1);
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2"});
  CHECK(bench.Target(0) == "/api/v1/pods?limit=500");
  CHECK(bench.Target(1) == "/api/v1/pods?limit=500&continue=next%2Fpage%3D%3D");
  CHECK(bench.Steps(3));
  CHECK(bench.TakeEvents() == Texts{"pod 3", "-pod 1", "pod 2"});
  CHECK(bench.Target(2).starts_with(WatchFrom("10")));
  CHECK(bench.Target(3).starts_with(WatchFrom("12")));
  CHECK(bench.Target(4).starts_with(WatchFrom("20")));
  CHECK(bench.listed == 1);
  CHECK(bench.warnings.empty());
  CHECK(bench.pause.waits == std::vector<absl::Duration>(4, absl::ZeroDuration()));
}

TEST_CASE("a watch asks for five to ten minutes, each time another") {
  Bench bench;
  bench.Script({PodList("10", {})});
  for (int i = 0; i < 20; ++i) bench.Script({Answer(200, Bookmark("10"))});
  bench.Steps(21);
  std::vector<int64_t> times;
  for (size_t i = 1; i <= 20; ++i) {
    times.push_back(NumberAt(bench.Target(i).substr(WatchFrom("10").size())));
    CHECK(times.back() >= 300);
    CHECK(times.back() <= 600);
  }
  CHECK(std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) != times.end());
  CHECK(bench.transport->requests[1].read_timeout == absl::Seconds(90));
}

TEST_CASE("an expired version leads to a list with its difference, by answer and in the stream") {
  for (const HttpResponse& expired :
       {Answer(410, R"({"message":"too old"})"), Answer(200, Expired())}) {
    Bench bench;
    bench.Script({PodList("10", {PodJson("a", "1", "5"), PodJson("b", "2", "6")}), expired,
                  PodList("30", {PodJson("b", "22", "29")}), Answer(200, Bookmark("31"))});
    CHECK(bench.Steps(2));
    bench.TakeEvents();
    CHECK(bench.Steps(1));
    CHECK(bench.TakeEvents() == Texts{"-pod 2", "pod 22", "-pod 1"});
    CHECK(bench.Target(2) == "/api/v1/pods?limit=500");
    CHECK(bench.Steps(1));
    CHECK(bench.Target(3).starts_with(WatchFrom("30")));
    CHECK(bench.listed == 1);
    CHECK(bench.bookmarks == 1);
  }
}

TEST_CASE("expiry after a lively watch waits for nothing, in a row it waits longer and longer") {
  Bench lively;
  lively.Script({PodList("10", {}), Answer(200, Bookmark("20") + Expired()), PodList("30", {})});
  lively.Steps(3);
  CHECK(lively.pause.waits == std::vector<absl::Duration>(3, absl::ZeroDuration()));
  Bench dead;
  for (int i = 0; i < 4; ++i) dead.Script({PodList("10", {}), Answer(410)});
  dead.Steps(8);
  for (size_t i = 0; i < 3; ++i) CHECK(dead.pause.waits[2 * i + 3] > dead.pause.waits[2 * i + 1]);
}

TEST_CASE("a lost connection goes on from the last version") {
  Bench bench;
  bench.Script({PodList("10", {}), Answer(200, Line("ADDED", PodJson("a", "1", "11"))),
                Answer(200, Bookmark("12"))});
  bench.transport->stream_end = absl::UnknownError("read");
  CHECK(bench.Steps(3));
  CHECK(bench.Target(2).starts_with(WatchFrom("11")));
  CHECK(bench.warnings.empty());
}

TEST_CASE("after two watches without a word, not even a bookmark, the list is read again") {
  Bench bench;
  bench.Script({PodList("10", {PodJson("a", "1", "5")}), Answer(200), Answer(200),
                PodList("5", {PodJson("b", "2", "4")}), Answer(200), Answer(200, Bookmark("6")),
                Answer(200), Answer(200)});
  bench.transport->stream_end = absl::UnknownError("read");
  bench.transport->on_request = [&](const HttpRequest& request) {
    if (request.target.find("watch=1") != std::string::npos) bench.clock.Advance(absl::Seconds(90));
  };
  CHECK(bench.Steps(4));
  CHECK(bench.Target(1).starts_with(WatchFrom("10")));
  CHECK(bench.Target(2).starts_with(WatchFrom("10")));
  CHECK(bench.Target(3) == "/api/v1/pods?limit=500");
  CHECK(bench.TakeEvents() == Texts{"pod 1", "pod 2", "-pod 1"});
  CHECK(bench.Steps(4));  // one without a word, one with, and one without
  CHECK(bench.Target(7).starts_with(WatchFrom("6")));
}

TEST_CASE("a watch that ends at once with nothing said is no hot loop") {
  Bench bench;
  bench.Script({PodList("10", {}), Answer(200), Answer(200)});
  CHECK(bench.Steps(3));
  CHECK(bench.pause.waits[1] >= absl::Milliseconds(100));
  CHECK(bench.pause.waits[2] >= absl::Milliseconds(200));
  CHECK(bench.warnings == Texts(2, "Pods: the watch ended at once"));
  CHECK(bench.Target(2).starts_with(WatchFrom("10")));
}

TEST_CASE("failures wait, longer each time, and as long as the server says") {
  Bench bench;
  bench.Script({absl::UnavailableError("no connection"), Answer(500, R"({"message":"broken"})"),
                Answer(429, R"({"message":"busy"})", absl::Seconds(9)),
                Answer(429, R"({"message":"busy"})", absl::Hours(2)), PodList("10", {})});
  CHECK(bench.Steps(5));
  CHECK(bench.pause.waits[0] <= absl::Milliseconds(200));
  CHECK(bench.pause.waits[1] >= absl::Milliseconds(200));
  CHECK(bench.pause.waits[2] == absl::Seconds(9));
  CHECK(bench.pause.waits[3] == kMaxRetryAfter);
  CHECK(bench.warnings == Texts{"Pods: no connection", "Pods: list: 500 broken",
                                "Pods: list: 429 busy", "Pods: list: 429 busy"});
  CHECK(bench.listed == 1);
}

TEST_CASE("a refused watch keeps its version, a bad one does not") {
  Bench bench;
  bench.Script({PodList("10", {}), Answer(503), Answer(400, R"({"message":"bad version"})"),
                PodList("20", {})});
  CHECK(bench.Steps(4));
  CHECK(bench.Target(2).starts_with(WatchFrom("10")));
  CHECK(bench.Target(3) == "/api/v1/pods?limit=500");
}

TEST_CASE("a line that is none, and one that is too long, lead to a new list") {
  for (const std::string& line : {std::string("what\n"), std::string(2'001, 'x')}) {
    Bench bench;
    bench.Script({PodList("10", {}), Answer(200, line), PodList("20", {})});
    CHECK(bench.Steps(3));
    CHECK(bench.Target(2) == "/api/v1/pods?limit=500");
    CHECK(bench.warnings.size() == 1);
  }
}

TEST_CASE("too many objects, and a list without a version, are said") {
  Bench many(MakePodMirror(1));
  many.Script({PodList("10", {PodJson("a", "1", "1"), PodJson("b", "2", "2")})});
  CHECK(many.Steps(1));
  CHECK(many.warnings == Texts{"Pods: there are more than 1 objects of kind Pod"});
  CHECK(many.listed == 0);
  Bench blank;
  blank.Script({PodList("", {})});
  CHECK(blank.Steps(1));
  CHECK(blank.warnings == Texts{"Pods: the list has no resourceVersion"});
}

TEST_CASE("a stop ends the steps") {
  Bench paused;
  paused.pause.stop_after = 1;
  paused.Script({PodList("10", {})});
  CHECK_FALSE(paused.Steps(1));
  Bench interrupted;
  interrupted.Script({absl::CancelledError("interrupted")});
  CHECK_FALSE(interrupted.Steps(1));
}

// With an annotation of ours that is too long.
std::string FaultyPodJson(const std::string& name, const std::string& uid,
                          const std::string& version, const std::string& node) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + uid +
         R"(","resourceVersion":")" + version + R"(","annotations":{"gangplan.io/place":")" +
         std::string(kMaxAnnotationBytes + 1, 'x') + R"("}},"spec":{"nodeName":")" + node + "\"}}";
}

TEST_CASE("a bound pod that cannot be read whole is told and counts, another is told") {
  const std::string what = "metadata.annotations.gangplan.io/place: longer than 4096 bytes";
  Bench bench(MakePodMirror(), kMaxWatchLineBytes);
  bench.Script({PodList("10", {FaultyPodJson("a", "1", "5", "n"), FaultyPodJson("b", "2", "6", ""),
                               PodJson("c", "3", "7")}),
                Answer(200, Line("MODIFIED", FaultyPodJson("c", "3", "11", "")) +
                                Line("MODIFIED", FaultyPodJson("c", "3", "12", "n")) +
                                Line("DELETED", FaultyPodJson("a", "1", "13", "n")))});
  bench.Steps(1);
  CHECK(bench.TakeEvents() == Texts{"pod 1@n", "pod 3"});
  CHECK(bench.warnings == Texts{"Pod ns/a counts on its node and joins no group: items[0]." + what,
                                "Pod ns/b is not used: items[1]." + what});
  bench.warnings.clear();
  bench.Steps(1);
  CHECK(bench.TakeEvents() == Texts{"pod 3@n", "-pod 1"});
  REQUIRE(bench.warnings.size() == 3);
  CHECK(bench.warnings[0] == "Pod ns/c is not used: object." + what);
  CHECK(bench.warnings[1] == "Pod ns/c counts on its node and joins no group: object." + what);
}

TEST_CASE("what cannot be read is told so often in a minute, and how often beyond that") {
  Bench bench(MakePodMirror(), kMaxWatchLineBytes);
  const std::string bad = Line("MODIFIED", FaultyPodJson("c", "3", "11", "n"));
  std::string lines;
  for (int i = 0; i < 21; ++i) lines += bad;
  bench.Script({PodList("10", {}), Answer(200, lines), Answer(200, bad)});
  CHECK(bench.Steps(2));
  CHECK(bench.warnings.size() == 20);
  bench.clock.Advance(absl::Minutes(1));
  CHECK(bench.Steps(1));
  REQUIRE(bench.warnings.size() == 21);
  CHECK(bench.warnings.back().ends_with("; 1 more before it were not told"));
}

TEST_CASE("the last sign of life is the last page or bytes of a watch") {
  Bench bench;
  const absl::Time start = bench.clock.Now();
  CHECK(bench.reflector->LastSign() == start);
  bench.clock.Advance(absl::Seconds(5));
  bench.Script({PodList("10", {}), Answer(200, Bookmark("11")), Answer(503)});
  bench.Steps(1);
  CHECK(bench.reflector->LastSign() == start + absl::Seconds(5));
  bench.clock.Advance(absl::Seconds(5));
  bench.Steps(1);
  CHECK(bench.reflector->LastSign() == start + absl::Seconds(10));
  bench.clock.Advance(absl::Seconds(5));
  bench.Steps(1);
  CHECK(bench.reflector->LastSign() == start + absl::Seconds(10));
}

TEST_CASE("a watch that has nothing to say is a sign of life, one that is refused is none") {
  Bench bench;
  bench.Script({PodList("10", {}), Answer(200), Answer(403)});
  bench.Steps(1);
  bench.clock.Advance(absl::Minutes(5));
  const absl::Time watched = bench.clock.Now();
  bench.Steps(1);
  CHECK(bench.reflector->LastSign() == watched);
  bench.clock.Advance(absl::Minutes(5));
  bench.Steps(1);
  CHECK(bench.reflector->LastSign() == watched);
}

TEST_CASE("a label that the server shall select by stands in every request") {
  Bench bench(MakeConfigMapMirror(ConfigMapUse::kSakkaraTopology, "a b", {64}));
  const std::string object =
      R"({"kind":"ConfigMap","metadata":{"name":"t","namespace":"a b","resourceVersion":"11",)"
      R"("labels":{"sakkara.topology":""}},"data":{"tree":"{}"}})";
  bench.Script({PodList("10", {}, "next"), PodList("10", {}),
                Answer(200, Line("ADDED", object) + Line("DELETED", object))});
  bench.Steps(2);
  const std::string path = "/api/v1/namespaces/a%20b/configmaps?labelSelector=sakkara.topology";
  CHECK(bench.Target(0) == path + "&limit=25");
  CHECK(bench.Target(1) == path + "&limit=25&continue=next");
  CHECK(bench.Target(2).starts_with(
      path + "&watch=1&allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds="));
  CHECK(bench.TakeEvents() == Texts{"tree a b/t tree={}", "-tree a b/t"});
}

TEST_CASE("a ConfigMap as large as etcd takes, in the longest JSON, is read from a watch") {
  ReflectorOptions defaults;
  Bench bench(MakeConfigMapMirror(ConfigMapUse::kSakkaraGroup, "", {64}), defaults.max_line_bytes);
  std::string value;
  for (size_t i = 0; i < kMaxConfigMapBytes; ++i) value += R"(\u003c)";
  const std::string object =
      R"({"kind":"ConfigMap","metadata":{"name":"g","namespace":"ns","resourceVersion":"11",)"
      R"("labels":{"sakkara.group":""}},"data":{"x":")" +
      value + R"("}})";
  bench.Script({PodList("10", {object}), Answer(200, Line("DELETED", object))});
  bench.Steps(2);
  const Texts events = bench.TakeEvents();
  REQUIRE(events.size() == 2);
  CHECK(events[0] == "group ns/g x=" + std::string(kMaxConfigMapBytes, '<'));
  CHECK(events[1] == "-group ns/g");
  CHECK(bench.warnings.empty());
}

TEST_CASE("too many ConfigMaps fail no list and no watch, and room for them is used at its end") {
  Bench bench(MakeConfigMapMirror(ConfigMapUse::kSakkaraGroup, "", {1}));
  const auto object = [](std::string_view name) {
    return fmt::format(
        R"({{"kind":"ConfigMap","metadata":{{"name":"{}","namespace":"ns","uid":"u",)"
        R"("resourceVersion":"11","labels":{{"sakkara.group":""}}}}}})",
        name);
  };
  bench.Script({PodList("10", {object("a"), object("b")}), Answer(200, Line("ADDED", object("c"))),
                Answer(200, Line("DELETED", object("a"))), PodList("12", {object("b")})});
  bench.Steps(2);
  CHECK(bench.listed == 1);
  CHECK(bench.TakeEvents() == Texts{"group ns/a"});
  CHECK(bench.warnings ==
        Texts{"Sakkara's groups: there are more than 1 objects of kind ConfigMap with label "
              "sakkara.group: those beyond are left out"});
  bench.Steps(2);
  CHECK(bench.Target(2).find("resourceVersion=11") != std::string::npos);
  CHECK(bench.Target(3).find("limit=25") != std::string::npos);
  CHECK(bench.TakeEvents() == Texts{"-group ns/a", "group ns/b"});
}

std::string SetList(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"9"},"items":[)" + items + "]}";
}
constexpr char kSet[] =
    R"({"metadata":{"name":"s","namespace":"ns","uid":"u","resourceVersion":"8"},"spec":{}})";

TEST_CASE("a kind that may be missing and is counts as an empty list, and is looked for again") {
  Bench bench(MakeSuspendedMirror(kJobSetKind));
  bench.Script({Answer(404), Answer(404), Answer(200, SetList(kSet)), Answer(404), Answer(404),
                Answer(404)});
  CHECK(bench.Steps(1));
  CHECK(bench.listed == 1);
  CHECK(bench.warnings.empty());
  CHECK(bench.LastWait() >= absl::Seconds(30));
  CHECK(bench.LastWait() <= absl::Minutes(1));
  CHECK(bench.reflector->LastSign() == bench.clock.Now() - bench.LastWait());
  CHECK(bench.Steps(2));
  CHECK(bench.listed == 1);
  CHECK(bench.TakeEvents() == Texts{"job u 8"});
  // Its definition is deleted: the watch ends, and the list has none any more.
  CHECK(bench.Steps(2));
  CHECK(bench.TakeEvents().empty());
  CHECK(bench.LastWait() >= absl::Seconds(30));
  CHECK(bench.Steps(1));
  CHECK(bench.TakeEvents() == Texts{"-job u"});
}

TEST_CASE("a kind that was there is not gone by what a server says that has just begun") {
  const int status = GENERATE(403, 404);
  Bench bench(MakeSuspendedMirror(kJobSetKind));
  bench.Script({Answer(200, SetList(kSet)), Answer(status == 404 ? 404 : 410), Answer(status),
                Answer(200, SetList(kSet))});
  CHECK(bench.Steps(4));
  CHECK(bench.TakeEvents() == Texts{"job u 8"});
}

TEST_CASE("a kind that may not be listed is told with its rights, and keeps nobody waiting") {
  Bench bench(MakeSuspendedMirror(kJobSetKind));
  bench.Script({Answer(403, R"({"message":"no"})"), Answer(200, SetList(""))});
  CHECK(bench.Steps(2));
  CHECK(bench.listed == 1);
  CHECK(bench.warnings ==
        Texts{"JobSets that wait suspended: list: 403 no; the rights that are needed: jobsets: "
              "get, list, watch, patch; jobs: list, patch; jobs/status: patch"});
}

TEST_CASE("where Kueue has placed Workloads keeps nobody waiting that it is missing") {
  const int status = GENERATE(403, 404);
  Bench bench(MakeWorkloadMirror(GENERATE(WorkloadUse::kPlaces, WorkloadUse::kChecksAndPlaces)));
  bench.Script({Answer(status)});
  CHECK(bench.Steps(1));
  CHECK(bench.listed == 1);
  CHECK(bench.LastWait() > absl::ZeroDuration());
  CHECK(bench.warnings.empty() == (status == 404));
}

TEST_CASE("where Kueue has placed Workloads is waited for while its list fails, for a while") {
  const auto use = GENERATE(WorkloadUse::kPlaces, WorkloadUse::kChecksAndPlaces);
  Bench bench(MakeWorkloadMirror(use));
  bench.Script(std::vector<absl::StatusOr<HttpResponse>>(kUnawaitedTries + 1,
                                                         Answer(GENERATE(429, 500, 503))));
  CHECK(bench.Steps(kUnawaitedTries - 1));
  CHECK(bench.listed == 0);
  CHECK(bench.Steps(1));
  CHECK(bench.listed == (use == WorkloadUse::kPlaces ? 1 : 0));
  CHECK(bench.Steps(1));
  CHECK(bench.listed == (use == WorkloadUse::kPlaces ? 1 : 0));
}

TEST_CASE("where Kueue has placed Workloads is known from the first list that comes") {
  Bench bench(MakeWorkloadMirror(WorkloadUse::kPlaces));
  bench.Script({Answer(500), Answer(200, R"({"metadata":{"resourceVersion":"7"},"items":[]})")});
  CHECK(bench.Steps(2));
  CHECK(bench.listed == 1);
}

}  // namespace
}  // namespace gangplan::reflector_test
