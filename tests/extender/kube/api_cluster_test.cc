#include "extender/kube/api_cluster.h"

#include <algorithm>
#include <atomic>
#include <future>

#include "api_bench.h"
#include "fmt/format.h"

namespace gangplan::api_cluster_test {
namespace {

const std::string kBindP = "POST /api/v1/namespaces/ns/pods/p/binding";

TEST_CASE("everything in pages, then synced once, then what happens") {
  ApiBench bench;
  bench.api.SetPageItems(2);
  for (int i = 0; i < 5; ++i) bench.api.PutNode("n" + std::to_string(i));
  for (int i = 0; i < 4; ++i)
    bench.api.PutPod({.name = "p" + std::to_string(i), .uid = "u" + std::to_string(i)});
  bench.Start();
  bench.WaitFor("synced");
  std::vector<std::string> heard = bench.Heard();
  CHECK(heard.size() == 10);
  CHECK(heard.back() == "synced");
  bench.api.DeletePod("ns", "p3");
  bench.WaitFor("-pod u3");
  bench.api.DeleteNode("n4");
  bench.WaitFor("-node n4");
  bench.cluster->Stop();
  CHECK(bench.Heard().size() == 12);
}

TEST_CASE("topologies are watched in the version that is served") {
  for (const std::string version : {"v1beta2", "v1beta1"}) {
    ApiBench bench;
    bench.options.topologies = true;
    bench.api.ServeTopologies(version);
    bench.api.PutTopology("default", {"example.com/rack"});
    bench.Start();
    bench.WaitFor("synced");
    CHECK(bench.Heard() ==
          std::vector<std::string>{"topology default: example.com/rack", "synced"});
    bench.api.DeleteTopology("default");
    bench.WaitFor("-topology default");
    bench.api.PutTopology("default", {"example.com/row", "example.com/rack"});
    bench.WaitFor("topology default: example.com/row example.com/rack");
    bench.cluster->Stop();
    CHECK(bench.Warnings().empty());
  }
}

TEST_CASE("topologies that are not installed or not allowed are told of and awaited") {
  ApiBench bench;
  bench.options.topologies = true;
  bench.api.PutNode("n");
  bench.api.PutTopology("default", {"example.com/rack"});
  const std::string path = "/apis/kueue.x-k8s.io/v1beta2/topologies";
  SECTION("not installed") {
    bench.Start();
    bench.WaitForWarning(
        "Kueue's Topologies: the server has topologies.kueue.x-k8s.io neither as v1beta2 nor as "
        "v1beta1: Kueue's custom resources are not installed");
  }
  SECTION("no right") {
    bench.api.FailNext(Begins("GET " + path), FakeKubeApi::When::kBefore,
                       HttpResponse{403, R"({"message":"topologies is forbidden"})", {}});
    bench.Start();
    bench.WaitForWarning("Kueue's Topologies: list: 403 topologies is forbidden");
  }
  const std::vector<std::string> heard = bench.Heard();
  CHECK(std::count(heard.begin(), heard.end(), "synced") == 0);
  bench.api.ServeTopologies("v1beta2");
  bench.WaitFor("synced");
  bench.WaitFor("topology default: example.com/rack");
}

TEST_CASE("topologies whose version is served no longer are listed in the other one") {
  ApiBench bench;
  bench.options.topologies = true;
  bench.api.ServeTopologies("v1beta1");
  bench.api.PutTopology("default", {"example.com/rack"});
  bench.Start();
  bench.WaitFor("synced");
  bench.api.WaitForRequests("GET /apis/kueue.x-k8s.io/v1beta1/topologies?watch", 1);
  bench.api.ServeTopologies("v1beta2");
  bench.api.EndWatches();
  bench.api.WaitForRequests("GET /apis/kueue.x-k8s.io/v1beta2/topologies?watch", 1);
  bench.api.PutTopology("default", {"example.com/row"});
  bench.WaitFor("topology default: example.com/row");
}

TEST_CASE("what was missed while versions expired is told as the difference") {
  ApiBench bench;
  bench.api.PutNode("n1");
  bench.api.PutPod({.name = "a", .uid = "1"});
  bench.api.PutPod({.name = "b", .uid = "2"});
  bench.Start();
  bench.WaitFor("synced");
  bench.api.WaitForRequests("GET /api/v1/pods?watch", 1);
  // The next watch fails while a is deleted and b re-created; then its version is too old.
  auto release = bench.api.HoldAll(Begins("GET /api/v1/pods?limit"));
  bench.api.ExpireVersions();
  bench.api.WaitForRequests("GET /api/v1/pods?limit", 2);
  bench.api.DeletePod("ns", "a");
  bench.api.DeletePod("ns", "b");
  bench.api.PutPod({.name = "b", .uid = "22"});
  release();
  bench.WaitFor("-pod 1");
  bench.WaitFor("-pod 2");
  bench.WaitFor("pod 22");
}

TEST_CASE("watches go on after their end, a broken connection and bookmarks") {
  ApiBench bench;
  bench.Start();
  bench.WaitFor("synced");
  bench.api.WaitForRequests("GET /api/v1/pods?watch", 1);
  bench.api.PutPod({.name = "a", .uid = "1"});
  bench.WaitFor("pod 1");
  bench.api.EndWatches();
  bench.api.WaitForRequests("GET /api/v1/pods?watch", 2);
  bench.api.PutPod({.name = "b", .uid = "2"});
  bench.WaitFor("pod 2");
  bench.api.Bookmark();
  bench.api.BreakWatches();
  bench.api.WaitForRequests("GET /api/v1/pods?watch", 3);
  bench.api.PutPod({.name = "c", .uid = "3"});
  bench.WaitFor("pod 3");
  // No list but the first was needed.
  const std::vector<std::string> requests = bench.api.Requests();
  CHECK(std::count(requests.begin(), requests.end(), "GET /api/v1/pods?limit=500") == 1);
}

TEST_CASE("a pod is bound with its annotations, and the watch shows it") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.Start();
  bench.WaitFor("pod u1");
  CHECK(bench.Bind(kPod, "n1").outcome == BindOutcome::kBound);
  bench.WaitFor("pod u1@n1");
  CHECK(bench.api.GetPod("ns", "p").annotations.at("gangplan.io/plan") == "p7");
  CHECK(bench.Bind(kPod, "n1").outcome == BindOutcome::kBound);
  CHECK(bench.Bind(kPod, "n2").outcome == BindOutcome::kElsewhere);
  CHECK(bench.Bind({"ns", "p", "u2"}, "n1").outcome == BindOutcome::kGone);
  CHECK(bench.Bind({"ns", "q", "u2"}, "n1").outcome == BindOutcome::kGone);
}

TEST_CASE("a reply that was lost after the write: bound, by one POST") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.Start();
  bench.api.FailNext(Begins(kBindP), FakeKubeApi::When::kAfter,
                     absl::UnknownError("connection reset"));
  CHECK(bench.Bind(kPod, "n1").outcome == BindOutcome::kBound);
  CHECK(bench.api.Bodies(kBindP).size() == 1);
}

TEST_CASE("what stays unknown is proved later: by the pod, or by time") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.api.PutPod({.name = "q", .uid = "u2"});
  bench.Start();
  const PodRef other{"ns", "q", "u2"};
  for (const PodRef& pod : {kPod, other}) {
    CHECK(bench.Prove(pod, "n1") == BindOutcome::kUnknown);
  }
  bench.clock.Advance(kPostLifetime - absl::Nanoseconds(1));
  CHECK(bench.Prove(kPod, "n1") == BindOutcome::kUnknown);
  bench.api.PutPod({.name = "q", .uid = "u2", .node = "n1"});
  CHECK(bench.Prove(other, "n1") == BindOutcome::kBound);
  bench.clock.Advance(absl::Nanoseconds(1));
  CHECK(bench.Prove(kPod, "n1") == BindOutcome::kRefused);
  // Forgotten with the proof: it counts anew.
  CHECK(bench.Prove(kPod, "n1") == BindOutcome::kUnknown);
}

TEST_CASE("a doubt that the next write decides is forgotten: another one counts anew") {
  for (const auto& [uid, node, outcome] : {std::tuple("u1", "n1", BindOutcome::kBound),
                                           {"u1", "n2", BindOutcome::kElsewhere},
                                           {"u9", "", BindOutcome::kGone}}) {
    ApiBench bench;
    bench.api.PutPod({.name = "p", .uid = "u1"});
    bench.Start();
    CHECK(bench.Prove(kPod, "n1") == BindOutcome::kUnknown);
    bench.api.PutPod({.name = "p", .uid = uid, .node = node});
    CHECK(bench.Bind(kPod, "n1").outcome == outcome);
    bench.api.PutPod({.name = "p", .uid = "u1"});
    bench.clock.Advance(kPostLifetime);
    CHECK(bench.Prove(kPod, "n1") == BindOutcome::kUnknown);
  }
}

TEST_CASE("nominations, wakes, owners and Events reach the server") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.api.PutObject("/apis/batch/v1/namespaces/ns/jobs/train",
                      R"({"kind":"Job","apiVersion":"batch/v1",)"
                      R"("metadata":{"name":"train","namespace":"ns","uid":"u9"},)"
                      R"("spec":{"parallelism":3}})");
  bench.Start();
  std::promise<absl::Status> nominated, woken;
  bench.cluster->Nominate({kPod, "n1"},
                          [&](absl::Status status) { nominated.set_value(std::move(status)); });
  CHECK(nominated.get_future().get().ok());
  CHECK(bench.api.GetPod("ns", "p").nominated == "n1");
  bench.cluster->Wake(kPod, [&](absl::Status status) { woken.set_value(std::move(status)); });
  CHECK(woken.get_future().get().ok());
  CHECK(bench.api.GetPod("ns", "p").annotations.contains("gangplan.io/wake"));
  std::promise<absl::StatusOr<OwnerFacts>> owner;
  const OwnerRef job{"batch/v1", "Job", "train", "u9"};
  bench.cluster->ReadOwner(
      {"ns", job}, [&](absl::StatusOr<OwnerFacts> facts) { owner.set_value(std::move(facts)); });
  CHECK(owner.get_future().get()->size == 3);
  const std::string events = "POST /apis/events.k8s.io/v1/namespaces/ns/events";
  bench.cluster->Emit({"ns", job, false, "Planned", "Plan", "all of it"});
  bench.cluster->Emit({"ns", job, false, "Planned", "Plan", "all of it"});
  bench.cluster->Emit({"ns", job, true, "Waiting", "Plan", "no room"});
  bench.api.WaitForRequests(events, 2);
  bench.cluster->Stop();
  CHECK(bench.api.Bodies(events).size() == 2);
}

TEST_CASE("an Event of ours is about the pod that we run in, or is a line in the log") {
  const EventNote note{"", {}, true, "ManyWaitByRejection", "Plan", "100 pods wait"};
  ApiBench bench;
  SECTION("the pod is known") {
    bench.options.self = PodRef{"gangplan", "gangplan-7", "u7"};
    bench.Start(1);
    const std::string events = "POST /apis/events.k8s.io/v1/namespaces/gangplan/events";
    bench.cluster->Emit(note);
    bench.api.WaitForRequests(events, 1);
    CHECK_THAT(bench.api.Bodies(events)[0],
               ContainsText(R"("regarding":{"apiVersion":"v1","kind":"Pod",)"
                            R"("namespace":"gangplan","name":"gangplan-7","uid":"u7"})"));
  }
  SECTION("it is not") {
    bench.Start(1);
    bench.cluster->Emit(note);
    bench.cluster->Emit(note);
    CHECK(bench.Warnings() == std::vector<std::string>{"100 pods wait"});
  }
}

TEST_CASE("an old server cannot wake by nomination, and its version is read once") {
  ApiBench bench;
  bench.api.SetMinorVersion(31);
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.Start(1);
  for (int i = 0; i < 2; ++i) {
    std::promise<absl::Status> done;
    bench.cluster->Nominate({kPod, "n1"},
                            [&](absl::Status status) { done.set_value(std::move(status)); });
    CHECK(absl::IsUnimplemented(done.get_future().get()));
  }
  const std::vector<std::string> requests = bench.api.Requests();
  CHECK(std::count(requests.begin(), requests.end(), "GET /version") == 1);
}

TEST_CASE("a stop unblocks watches and calls, and answers everything once") {
  ApiBench bench;
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.Start(1);
  bench.WaitFor("synced");
  auto release = bench.api.HoldAll(Begins(kBindP));
  std::atomic<int> answers = 0;
  std::vector<BindOutcome> outcomes(2);
  for (BindOutcome& outcome : outcomes) {
    bench.cluster->Bind({kPod, "n1", {}, bench.clock.Now() + absl::Minutes(1)},
                        [&](const BindResult& result) {
                          outcome = result.outcome;
                          ++answers;
                        });
  }
  bench.api.WaitForRequests(kBindP, 1);
  bench.cluster->Stop();
  CHECK(answers == 2);
  CHECK(outcomes == std::vector<BindOutcome>{BindOutcome::kUnknown, BindOutcome::kNotWritten});
  CHECK(bench.Bind(kPod, "n1").outcome == BindOutcome::kNotWritten);
  CHECK(bench.api.GetPod("ns", "p").node.empty());
}

TEST_CASE("a gang's bindings are written in parallel") {
  ApiBench bench;
  constexpr int kMembers = 64;
  constexpr int kCallers = 8;
  for (int i = 0; i < kMembers; ++i) {
    bench.api.PutPod({.name = "m" + std::to_string(i), .uid = "u" + std::to_string(i)});
  }
  bench.Start(kCallers);
  auto release = bench.api.HoldAll(Begins("POST "));
  std::promise<void> all;
  std::atomic<int> bound = 0;
  for (int i = 0; i < kMembers; ++i) {
    bench.cluster->Bind(
        {{"ns", "m" + std::to_string(i), "u" + std::to_string(i)}, "n", {}, bench.clock.Now()},
        [&](const BindResult& result) {
          if (result.outcome == BindOutcome::kBound && ++bound == kMembers) all.set_value();
        });
  }
  // As many as there are connections are under way before the first is answered.
  bench.api.WaitForRequests("POST ", kCallers);
  release();
  all.get_future().wait();
  CHECK(bound == kMembers);
}

TEST_CASE("the age of the oldest watch grows until something is heard") {
  ApiBench bench;
  bench.Start();
  bench.WaitFor("synced");
  for (const char* kind : {"nodes", "pods"})
    bench.api.WaitForRequests(fmt::format("GET /api/v1/{}?watch", kind), 1);
  bench.clock.Advance(absl::Seconds(30));
  CHECK(bench.cluster->OldestWatch(Watched::kAll).age == absl::Seconds(30));
  bench.api.PutNode("n1");
  bench.WaitFor("node n1");
  CHECK(bench.cluster->OldestWatch(Watched::kAll).age == absl::Seconds(30));
  CHECK(bench.cluster->OldestWatch(Watched::kAll).of == "Pods");
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.WaitFor("pod u1");
  CHECK(bench.cluster->OldestWatch(Watched::kAll).age == absl::ZeroDuration());
}

TEST_CASE("of nodes and pods the age is told by itself, whatever else is watched") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  bench.Start();
  bench.WaitFor("synced");
  for (const char* kind : {"nodes", "pods", "limitranges"})
    bench.api.WaitForRequests(fmt::format("GET /api/v1/{}?watch", kind), 1);
  bench.clock.Advance(absl::Seconds(30));
  bench.api.PutNode("n1");
  bench.WaitFor("node n1");
  bench.api.PutPod({.name = "p", .uid = "u1"});
  bench.WaitFor("pod u1");
  CHECK(bench.cluster->OldestWatch(Watched::kNodesAndPods).age == absl::ZeroDuration());
  CHECK(bench.cluster->OldestWatch(Watched::kAll).age == absl::Seconds(30));
}

TEST_CASE("Events that are not written are told of, once a minute, and how many") {
  ApiBench bench;
  bench.Start();
  const auto emit = [&](int count) {
    for (int i = 0; i < count; ++i) {
      bench.cluster->Emit(
          {"ns", {"batch/v1", "Job", "train", "u9"}, false, "Planned", "Plan", std::to_string(i)});
    }
  };
  emit(kMaxEventBurstOfNamespace + 1);
  const auto told = [](int count) {
    return fmt::format(
        "{} Events were not written: more come than 10 a second of all, or 5 of one namespace, or "
        "than the API server takes",
        count);
  };
  CHECK(bench.Warnings() == std::vector<std::string>{told(1)});
  emit(kMaxEventBurstOfNamespace + 7);  // seven of them were not said before
  CHECK(bench.Warnings().size() == 1);
  bench.clock.Advance(kDropsToldEvery);
  emit(1);  // said within five minutes: nothing to write, nothing dropped
  CHECK(bench.Warnings() == std::vector<std::string>{told(1), told(7)});
}

TEST_CASE("an Event that is refused is warned of and no more") {
  ApiBench bench;
  bench.Start();
  const std::string events = "POST /apis/events.k8s.io/v1/namespaces/ns/events";
  bench.api.FailNext(Begins(events), FakeKubeApi::When::kBefore,
                     HttpResponse{403, R"({"message":"no"})", {}});
  bench.cluster->Emit({"ns", {"batch/v1", "Job", "train", "u9"}, false, "Planned", "Plan", "x"});
  MutexLock lock(bench.mutex);
  while (bench.warnings.empty()) bench.changed.wait(bench.mutex);
  CHECK(bench.warnings == std::vector<std::string>{"writing an Event: 403 no"});
}

}  // namespace
}  // namespace gangplan::api_cluster_test
