// Jobs that wait on the way between the API server and the sink.
#include "api_bench.h"
#include "fmt/format.h"

namespace gangplan::api_jobs_test {
namespace {

absl::Status Write(ApiBench& bench, JobWrite write) {
  std::promise<absl::Status> done;
  bench.cluster->WriteJob(std::move(write),
                          [&](absl::Status status) { done.set_value(std::move(status)); });
  return done.get_future().get();
}

JobWrite Start(const FakeJob& job) {
  return {.ns = job.ns,
          .job = {"batch/v1", "Job", job.name, job.uid},
          .resource_version = std::to_string(job.version),
          .labels = {{"gangplan.io/suspended", std::nullopt}},
          .templates = {{"", 0, {{{{"zone", SelectorOperator::kIn, {"a"}}}, {}}}}}};
}

JobWrite Suspend(const FakeJob& job) {
  return {.ns = job.ns,
          .job = {"batch/v1", "Job", job.name, job.uid},
          .resource_version = {},
          .suspend = true,
          .labels = {{"gangplan.io/suspended", "true"}}};
}

std::string Told(const FakeJob& job) {
  return "job " + job.uid + " " + std::to_string(job.version);
}

TEST_CASE("Jobs that wait are told of before synced, and when they change or leave") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  bench.api.SetPageItems(1);
  bench.api.PutJob({.ns = "a", .name = "j", .uid = "u1"});
  bench.api.PutJob({.ns = "b", .name = "j", .uid = "u2"});
  bench.api.PutJob({.ns = "b", .name = "of-others", .uid = "u3", .labels = {}});
  const FakeJob first = bench.api.GetJob("a", "j");
  const FakeJob second = bench.api.GetJob("b", "j");
  bench.Start();
  bench.WaitFor("synced");
  CHECK(bench.Heard() == std::vector<std::string>{Told(first), Told(second), "synced"});
  bench.api.PutJob(first);
  bench.WaitFor(Told(bench.api.GetJob("a", "j")));
  FakeJob unlabelled = second;
  unlabelled.labels.clear();
  bench.api.PutJob(unlabelled);
  bench.WaitFor("-job u2");
  bench.api.DeleteJob("a", "j");
  bench.WaitFor("-job u1");
  CHECK(bench.Warnings().empty());
}

TEST_CASE("what admission follows is told where Jobs are") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  bench.api.PutRule("limitranges", "l", R"("spec":{"limits":[]})");
  bench.Start();
  bench.WaitFor("synced");
  CHECK(bench.Heard() == std::vector<std::string>{"rule default/l", "synced"});
  bench.api.PutRule("runtimeclasses", "r", R"("overhead":{"podFixed":{"cpu":"1"}})");
  bench.WaitFor("rule r");
  bench.api.PutRule("priorityclasses", "p", R"("value":7)");
  bench.WaitFor("rule p");
  CHECK(bench.Warnings().empty());
}

TEST_CASE("without their option no Jobs are asked for") {
  ApiBench bench;
  bench.api.PutJob({.name = "j", .uid = "u1"});
  bench.Start();
  bench.WaitFor("synced");
  bench.cluster->Stop();
  for (const std::string& request : bench.api.Requests())
    CHECK(request.find("jobs") == std::string::npos);
}

TEST_CASE(
    "Jobs that may not be listed are told of with the right that lacks, and asked for again") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  bench.api.FailNext(
      Begins("GET /apis/batch/v1/jobs?labelSelector=gangplan.io%2Fsuspended%3Dtrue&limit"),
      FakeKubeApi::When::kBefore,
      HttpResponse{403, R"({"message":"jobs.batch is forbidden"})", {}});
  bench.Start();
  bench.WaitForWarning(
      "Jobs that wait suspended: list: 403 jobs.batch is forbidden; the rights that are needed: "
      "jobs: get, list, watch, patch; jobs/status: patch");
  bench.WaitFor("synced");
}

TEST_CASE("a Job is started in one write, and has left") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  bench.api.PutJob({.name = "j", .uid = "u1"});
  bench.Start();
  bench.WaitFor("synced");
  CHECK(Write(bench, Start(bench.api.GetJob("ns", "j"))).ok());
  bench.WaitFor("-job u1");
  const FakeJob job = bench.api.GetJob("ns", "j");
  CHECK_FALSE(job.suspended);
  CHECK(job.labels.empty());
  CHECK(job.node_affinity ==
        R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)"
        R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}})");
  CHECK(bench.api.Bodies("PATCH /apis/batch/v1/namespaces/ns/jobs/j").size() == 1);
}

TEST_CASE("a Job that ran before is told anew without its start time, and then started") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  bench.api.PutJob({.name = "j", .uid = "u1", .has_start_time = true});
  bench.Start();
  bench.WaitFor("synced");
  CHECK(absl::IsAborted(Write(bench, Start(bench.api.GetJob("ns", "j")))));
  const FakeJob job = bench.api.GetJob("ns", "j");
  CHECK(job.suspended);
  CHECK_FALSE(job.has_start_time);
  bench.WaitFor(Told(job));
  CHECK(Write(bench, Start(job)).ok());
  bench.WaitFor("-job u1");
}

TEST_CASE("only the value true is a mark, and another one lets the Job leave as it was") {
  ApiBench bench;
  bench.options.suspended_jobs = true;
  const std::string label = "gangplan.io/suspended";
  bench.api.PutJob({.name = "no", .uid = "u0", .labels = {{label, "false"}}});
  bench.api.PutJob({.name = "j", .uid = "u1"});
  const FakeJob first = bench.api.GetJob("ns", "j");
  bench.Start();
  bench.WaitFor("synced");
  CHECK(bench.Heard() == std::vector<std::string>{Told(first), "synced"});
  FakeJob other = first;
  other.labels = {{label, "false"}};
  bench.api.PutJob(other);
  bench.WaitFor("-job u1");
  bench.api.PutJob(first);
  bench.WaitFor(Told(bench.api.GetJob("ns", "j")));
}

TEST_CASE("the server in memory tells what leaves a list as it was, with the new version") {
  FakeKubeApi api;
  api.PutJob({.name = "j", .uid = "u1"});
  FakeJob job = api.GetJob("ns", "j");
  const int64_t before = job.version;
  job.labels = {{"gangplan.io/suspended", "false"}};
  api.PutJob(job);
  const auto first = [&](std::string_view selector) {
    std::string line;
    (void)api.Make()->Stream(
        {.target = fmt::format("/apis/batch/v1/jobs?labelSelector={}&watch=1&resourceVersion={}",
                               selector, before)},
        [&](std::string_view chunk) {
          line = chunk;
          return false;
        });
    return line;
  };
  const std::string version =
      fmt::format(R"("resourceVersion":"{}")", api.GetJob("ns", "j").version);
  const std::string left = first("gangplan.io%2Fsuspended%3Dtrue");
  CHECK(left.starts_with(R"({"type":"DELETED")"));
  CHECK(left.find(R"(suspended":"true")") != std::string::npos);
  CHECK(left.find(version) != std::string::npos);
  CHECK(first("gangplan.io%2Fsuspended%3Dfalse").starts_with(R"({"type":"ADDED")"));
  const std::string kept = first("gangplan.io%2Fsuspended");
  CHECK(kept.starts_with(R"({"type":"MODIFIED")"));
  CHECK(kept.find(R"(suspended":"false")") != std::string::npos);
}

TEST_CASE("a Job that its user has suspended is not marked as ours, nor is one that is finished") {
  ApiBench bench;
  bench.api.PutJob({.name = "j", .uid = "u1", .labels = {}, .suspended = false});
  bench.Start();
  const FakeJob running = bench.api.GetJob("ns", "j");
  const JobWrite suspend = Suspend(running);
  FakeJob users = running;
  users.suspended = true;
  bench.api.PutJob(users);
  CHECK(absl::IsAborted(Write(bench, suspend)));
  CHECK(bench.api.GetJob("ns", "j").labels.empty());
  FakeJob finished = running;
  finished.condition = "Complete";
  bench.api.PutJob(finished);
  CHECK(absl::IsAborted(Write(bench, suspend)));
  CHECK_FALSE(bench.api.GetJob("ns", "j").suspended);
}

TEST_CASE("a suspension is settled by reading, also when its answer was lost") {
  const std::string patch = "PATCH /apis/batch/v1/namespaces/ns/jobs/j";
  for (FakeKubeApi::When when : {FakeKubeApi::When::kBefore, FakeKubeApi::When::kAfter}) {
    ApiBench bench;
    bench.api.PutJob({.name = "j", .uid = "u1", .labels = {}, .suspended = false});
    bench.Start();
    bench.api.FailNext(Begins(patch), when, absl::UnknownError("time-out"));
    CHECK(Write(bench, Suspend(bench.api.GetJob("ns", "j"))).ok());
    CHECK(bench.api.GetJob("ns", "j").suspended);
    CHECK(bench.api.GetJob("ns", "j").labels.at("gangplan.io/suspended") == "true");
    CHECK(bench.api.Bodies(patch).size() == (when == FakeKubeApi::When::kAfter ? 1 : 2));
  }
}

TEST_CASE("a user's suspension between the read and the patch is seen, and left alone") {
  ApiBench bench;
  const std::string patch = "PATCH /apis/batch/v1/namespaces/ns/jobs/j";
  bench.api.PutJob({.name = "j", .uid = "u1", .labels = {}, .suspended = false});
  bench.Start();
  FakeJob job = bench.api.GetJob("ns", "j");
  auto release = bench.api.HoldAll(Begins(patch));
  std::promise<absl::Status> done;
  bench.cluster->WriteJob(Suspend(job),
                          [&](absl::Status status) { done.set_value(std::move(status)); });
  bench.api.WaitForRequests(patch, 1);
  job.suspended = true;
  bench.api.PutJob(job);
  release();
  CHECK(absl::IsAborted(done.get_future().get()));
  CHECK(bench.api.GetJob("ns", "j").labels.empty());
}

TEST_CASE("a running Job keeps its start time, and is suspended without its terms") {
  ApiBench bench;
  bench.api.PutJob({.name = "j", .uid = "u1", .suspended = false, .has_start_time = true});
  bench.Start();
  const FakeJob job = bench.api.GetJob("ns", "j");
  JobWrite write = Start(job);
  write.suspend = true;
  CHECK(absl::IsFailedPrecondition(Write(bench, write)));
  CHECK(bench.api.GetJob("ns", "j").has_start_time);
  write.templates.clear();
  write.labels = {{"gangplan.io/suspended", "true"}};
  CHECK(Write(bench, write).ok());
  CHECK(bench.api.GetJob("ns", "j").suspended);
}

TEST_CASE("a Job that has changed, is another or is gone is not started") {
  ApiBench bench;
  bench.api.PutJob({.name = "j", .uid = "u1"});
  bench.Start();
  const FakeJob seen = bench.api.GetJob("ns", "j");
  bench.api.PutJob(seen);
  CHECK(absl::IsAborted(Write(bench, Start(seen))));
  FakeJob other = bench.api.GetJob("ns", "j");
  other.uid = "u2";
  CHECK(absl::IsAborted(Write(bench, Start(other))));
  other.name = "gone";
  CHECK(absl::IsNotFound(Write(bench, Start(other))));
  CHECK(bench.api.GetJob("ns", "j").suspended);
  bench.cluster->Stop();
  CHECK(absl::IsCancelled(Write(bench, Start(seen))));
}

TEST_CASE("a start does not wait behind a crowd of results") {
  ApiBench bench;
  bench.api.PutJob({.name = "j", .uid = "u1"});
  auto release = bench.api.HoldAll(Begins("PATCH /api/v1/namespaces/ns/pods/held"));
  bench.Start(2);  // one thread for all that is no Binding
  bench.cluster->WriteLabels({{"ns", "held", "u"}, {}}, [](const absl::Status&) {});
  bench.api.WaitForRequests("PATCH /api/v1/namespaces/ns/pods/held", 1);
  std::promise<void> results;
  bench.cluster->WriteLabels({{"ns", "later", "u"}, {}},
                             [&](const absl::Status&) { results.set_value(); });
  std::promise<absl::Status> done;
  bench.cluster->WriteJob(Start(bench.api.GetJob("ns", "j")),
                          [&](absl::Status status) { done.set_value(std::move(status)); });
  release();
  CHECK(done.get_future().get().ok());
  results.get_future().get();
  std::vector<std::string> patches;
  for (const std::string& request : bench.api.Requests()) {
    if (request.starts_with("PATCH")) patches.push_back(request);
  }
  REQUIRE(patches.size() == 3);
  CHECK(patches[1] == "PATCH /apis/batch/v1/namespaces/ns/jobs/j");
}

}  // namespace
}  // namespace gangplan::api_jobs_test
