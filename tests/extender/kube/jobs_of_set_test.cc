#include "extender/kube/jobs_of_set.h"

#include "extender/kube/job_writes.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::jobs_of_set_test {
namespace {

constexpr std::string_view kSet = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/ns/jobsets/s";
constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/ns/jobs";
constexpr std::string_view kNode =
    R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
    R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
    R"("values":["n1"]}]}]}}},)";

struct Child {
  std::string part = "w";
  int index = 0;
  std::string version = "5";
  bool suspended = true;
  bool pinned = false;
  std::string_view name = {};    // another than it should have
  std::string_view status = {};  // "conditions":...
  bool terminating = false;
};

std::string Name(const Child& job) {
  return job.name.empty() ? fmt::format("s-{}-{}", job.part, job.index) : std::string(job.name);
}

std::string Json(const Child& job) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"ns","uid":"u-{}","resourceVersion":"{}",{})"
      R"("labels":{{"jobset.sigs.k8s.io/replicatedjob-name":"{}",)"
      R"("jobset.sigs.k8s.io/job-index":"{}"}}}},"spec":{{"suspend":{},"template":{{"spec":)"
      R"({{{}"containers":[{{}}]}}}}}},"status":{{{}}}}})",
      Name(job), Name(job), job.version,
      job.terminating ? R"("deletionTimestamp":"2027-01-15T08:00:00Z",)" : "", job.part, job.index,
      job.suspended, job.pinned ? kNode : "", job.status);
}

HttpResponse ListOf(const std::vector<Child>& jobs, std::string_view next = "") {
  std::string items;
  for (const Child& job : jobs) items += (items.empty() ? "" : ",") + Json(job);
  return Answer(200, fmt::format(R"({{"metadata":{{"resourceVersion":"9","continue":"{}"}},)"
                                 R"("items":[{}]}})",
                                 next, items));
}

HttpResponse SetAnswer(std::string_view version = "7", std::string_view uid = "u1",
                       std::string_view labels = "", bool suspended = true) {
  return Answer(200, fmt::format(R"({{"kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1alpha2",)"
                                 R"("metadata":{{"name":"s","namespace":"ns","uid":"{}",)"
                                 R"("resourceVersion":"{}","labels":{{{}}}}},)"
                                 R"("spec":{{"suspend":{}}}}})",
                                 uid, version, labels, suspended));
}

const HttpResponse kImmutable = Answer(
    422, R"({"message":"Job.batch \"j\" is invalid: spec.template: Invalid value: is immutable"})");

JobWrite Start(std::vector<TemplateTerms> templates = {
                   {"w", 2, {{{}, {{"metadata.name", SelectorOperator::kIn, {"n1"}}}}}}}) {
  return {.ns = "ns",
          .job = {"jobset.x-k8s.io/v1alpha2", "JobSet", "s", "u1"},
          .resource_version = "7",
          .labels = {{"gangplan.io/suspended", std::nullopt}},
          .templates = std::move(templates)};
}

struct Bench : FakeTools {
  ScriptedTransport transport;
  absl::Status Send(const JobWrite& write, std::vector<ScriptedTransport::Answer> answers) {
    for (auto& answer : answers) transport.answers.push_back(std::move(answer));
    return SendJobWrite(transport, write, tools);
  }
  // "PATCH /path" of each request that has been sent.
  std::vector<std::string> Sent() const {
    std::vector<std::string> sent;
    for (const HttpRequest& request : transport.requests)
      sent.push_back(request.method + " " + request.target);
    return sent;
  }
};

std::string Patch(std::string_view what) { return fmt::format("PATCH {}", what); }
std::string PatchOf(const Child& job) { return fmt::format("PATCH {}/{}", kJobs, Name(job)); }

TEST_CASE("the Jobs of a JobSet are written before it is resumed, each in its version") {
  Bench bench;
  const Child first{.index = 0, .version = "5"};
  const Child second{.index = 1, .version = "6"};
  CHECK(bench
            .Send(Start(), {ListOf({first}, "next"), ListOf({second}), SetAnswer(), Answer(200),
                            Answer(200), Answer(200)})
            .ok());
  const std::string list =
      fmt::format("GET {}?limit=25&labelSelector=jobset.sigs.k8s.io%2Fjobset-uid%3Du1", kJobs);
  CHECK(bench.Sent() == std::vector<std::string>{list, list + "&continue=next",
                                                 fmt::format("GET {}", kSet), PatchOf(first),
                                                 PatchOf(second), Patch(kSet)});
  CHECK(bench.transport.requests[3].body ==
        R"({"metadata":{"uid":"u-s-w-0","resourceVersion":"5"},"spec":{"template":{"spec":)"
        R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
        R"("values":["n1"]}]}]}}}}}}})");
  CHECK(bench.transport.requests[5].body ==
        R"({"metadata":{"uid":"u1","resourceVersion":"7","labels":{"gangplan.io/suspended":null}},)"
        R"("spec":{"suspend":false}})");
}

TEST_CASE("Jobs that have what they should are not written, and others get back their user's") {
  Bench bench;
  const Child pinned{.index = 0, .pinned = true};
  const Child other{.part = "d", .pinned = true};
  const Child plain{.index = 1};
  auto templates = Start().templates;
  templates.push_back({"d", 1, {}});
  CHECK(bench
            .Send(Start(templates), {ListOf({pinned, plain, other}), SetAnswer(), Answer(200),
                                     Answer(200), Answer(200)})
            .ok());
  REQUIRE(bench.Sent().size() == 5);
  CHECK(bench.Sent()[2] == PatchOf(plain));
  CHECK(bench.Sent()[3] == PatchOf(other));
  CHECK(bench.transport.requests[3].body.find(
            R"("requiredDuringSchedulingIgnoredDuringExecution":null)") != std::string::npos);
}

TEST_CASE("nothing is written before all Jobs are there and suspended") {
  const Child there{.index = 0};
  for (const Child& other :
       {Child{.part = "x", .index = 1}, Child{.index = 1, .suspended = false},
        Child{.index = 1, .terminating = true}, Child{.index = 1, .name = "forged"},
        Child{.index = 1, .status = R"("conditions":[{"type":"Complete","status":"True"}])"}}) {
    Bench bench;
    const absl::Status status = bench.Send(Start(), {ListOf({there, other}), SetAnswer()});
    CHECK(absl::IsUnavailable(status));
    CHECK(Message(status) == "1 of the 2 Jobs of w are there and suspended");
    CHECK(bench.Sent().size() == 2);
  }
}

TEST_CASE("without a number the Jobs that are there are enough") {
  Bench bench;
  auto templates = Start().templates;
  templates[0].jobs = 0;
  CHECK(bench.Send(Start(templates), {ListOf({}), SetAnswer(), Answer(200)}).ok());
  CHECK(bench.Sent().size() == 3);
  CHECK(Bench().Send(Start({}), {Answer(200)}).ok());
  // One that is to be written is waited for all the same.
  Bench runs;
  const absl::Status status =
      runs.Send(Start(templates), {ListOf({Child{.suspended = false}}), SetAnswer()});
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status) == "Job s-w-0 is not suspended yet");
}

TEST_CASE("a start that another one has overtaken writes nothing") {
  for (const HttpResponse& answer : {SetAnswer("8"), SetAnswer("7", "u2")}) {
    Bench bench;
    CHECK(absl::IsAborted(bench.Send(Start(), {ListOf({Child(), Child{.index = 1}}), answer})));
    CHECK(bench.Sent().size() == 2);
  }
  Bench gone;
  CHECK(absl::IsNotFound(gone.Send(Start(), {ListOf({}), Answer(404)})));
}

TEST_CASE("a Job that changed meanwhile has all of them looked at again, a few times") {
  Bench bench;
  const std::vector<Child> jobs = {Child(), Child{.index = 1, .pinned = true}};
  CHECK(bench
            .Send(Start(), {ListOf(jobs), SetAnswer(), Answer(409), ListOf(jobs), SetAnswer(),
                            Answer(404), ListOf(jobs), SetAnswer(), Answer(200), Answer(200)})
            .ok());
  CHECK(bench.pause.waits.size() == 2);
  Bench never;
  std::vector<ScriptedTransport::Answer> answers;
  for (int i = 0; i < kPatientTries; ++i) {
    answers.push_back(ListOf(jobs));
    answers.push_back(SetAnswer());
    answers.push_back(Answer(409));
  }
  CHECK(absl::IsUnavailable(never.Send(Start(), answers)));
}

TEST_CASE("a Job that ran before loses its start time, and is then written") {
  Bench bench;
  const std::vector<Child> jobs = {Child(), Child{.index = 1, .pinned = true}};
  const std::vector<Child> later = {Child{.version = "6"}, jobs[1]};
  CHECK(bench
            .Send(Start(), {ListOf(jobs), SetAnswer(), kImmutable, Answer(200, Json(later[0])),
                            ListOf(later), SetAnswer(), Answer(200), Answer(200)})
            .ok());
  CHECK(bench.Sent()[3] == fmt::format("PATCH {}/s-w-0/status", kJobs));
  Bench none;  // it had none: the template is refused for something else
  CHECK(absl::IsFailedPrecondition(
      none.Send(Start(), {ListOf(jobs), SetAnswer(), kImmutable, Answer(200, Json(jobs[0]))})));
}

TEST_CASE("what is not allowed is told, and nothing more is written") {
  Bench list;
  CHECK(absl::IsPermissionDenied(list.Send(Start(), {Answer(403)})));
  Bench job;
  CHECK(absl::IsPermissionDenied(
      job.Send(Start(), {ListOf({Child(), Child{.index = 1}}), SetAnswer(), Answer(403)})));
  CHECK(job.Sent().size() == 3);
  Bench set;
  const absl::Status status = set.Send(Start({}), {Answer(403)});
  CHECK(absl::IsPermissionDenied(status));
  CHECK(Message(status).starts_with("writing a JobSet: 403"));
}

TEST_CASE("a JobSet is suspended as it is read, never one that its user has suspended") {
  JobWrite write = Start({});
  write.suspend = true;
  write.resource_version.clear();
  write.labels = {{"gangplan.io/suspended", "true"}};
  Bench bench;
  CHECK(bench.Send(write, {SetAnswer("8", "u1", "", false), Answer(200)}).ok());
  CHECK(bench.Sent() == std::vector<std::string>{fmt::format("GET {}", kSet), Patch(kSet)});
  CHECK(bench.transport.requests[1].body.find(R"("resourceVersion":"8")") != std::string::npos);
  const absl::Status status = Bench().Send(write, {SetAnswer("8")});
  CHECK(absl::IsAborted(status));
  CHECK(Message(status) == "suspending a JobSet: somebody else has suspended it");
  CHECK(Bench().Send(write, {SetAnswer("8", "u1", R"("gangplan.io/suspended":"true")")}).ok());
}

TEST_CASE("nobody starts an owner of another kind") {
  JobWrite write = Start({});
  write.job.kind = "StatefulSet";
  CHECK(absl::IsUnimplemented(Bench().Send(write, {})));
}

}  // namespace
}  // namespace gangplan::jobs_of_set_test
