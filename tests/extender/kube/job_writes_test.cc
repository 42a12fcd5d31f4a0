#include "extender/kube/job_writes.h"

#include "extender/kube/bodies.h"
#include "extender/kube/patience.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::job_writes_test {
namespace {


constexpr std::string_view kPath = "/apis/batch/v1/namespaces/ns/jobs/j";
const HttpResponse kModified = Answer(
    409, R"({"message":"Operation cannot be fulfilled on jobs.batch \"j\": the object has been )"
         R"(modified; please apply your changes to the latest version and try again"})");
const HttpResponse kImmutable =
    Answer(422, R"({"message":"Job.batch \"j\" is invalid: spec.template: Invalid value: )"
                R"(core.PodTemplateSpec{}: field is immutable"})");
const HttpResponse kOtherUid =
    Answer(422, R"({"message":"Job.batch \"j\" is invalid: metadata.uid: Invalid value: )"
                R"(\"u1\": field is immutable"})");
constexpr std::string_view kMark = R"("gangplan.io/suspended":"true")";
constexpr std::string_view kSuspended = R"("spec":{"suspend":true})";
constexpr std::string_view kComplete =
    R"("status":{"conditions":[{"type":"Complete","status":"True"}]})";

// As the server has it, by default running.
HttpResponse JobAnswer(std::string_view version, std::string_view uid = "u1",
                       std::string_view labels = "", std::string_view rest = R"("spec":{})") {
  return Answer(200, fmt::format(R"({{"kind":"Job","apiVersion":"batch/v1","metadata":)"
                                 R"({{"name":"j","namespace":"ns","uid":"{}",)"
                                 R"("resourceVersion":"{}","labels":{{{}}}}},{}}})",
                                 uid, version, labels, rest));
}

JobWrite Start() {
  return {.ns = "ns",
          .job = {"batch/v1", "Job", "j", "u1"},
          .resource_version = "7",
          .labels = {{"gangplan.io/suspended", std::nullopt}},
          .annotations = {{"gangplan.io/pinned", "1"}},
          .templates = {{"", 0, {{{{"zone", SelectorOperator::kIn, {"a", "b"}}},
                                  {{"metadata.name", SelectorOperator::kIn, {"n1"}}}}}}}};
}

JobWrite OfAnyVersion() {
  return {.ns = "ns", .job = {"batch/v1", "Job", "j", "u1"}, .resource_version = {}};
}

JobWrite Suspend() {
  JobWrite write = OfAnyVersion();
  write.suspend = true;
  write.labels = {{"gangplan.io/suspended", "true"}};
  return write;
}

struct Bench : FakeTools {
  ScriptedTransport transport;
  absl::Status Send(const JobWrite& write) { return SendJobWrite(transport, write, tools); }
};

constexpr std::string_view kRequired = R"("template":{"spec":{"affinity":{"nodeAffinity":)"
                                       R"({"requiredDuringSchedulingIgnoredDuringExecution":)";

TEST_CASE("a start is one merge patch of the version that is known") {
  Bench bench;
  bench.transport.answers = {Answer(200)};
  CHECK(bench.Send(Start()).ok());
  REQUIRE(bench.transport.requests.size() == 1);
  const HttpRequest& request = bench.transport.requests[0];
  CHECK(request.method == "PATCH");
  CHECK(request.target == kPath);
  CHECK(request.content_type == "application/merge-patch+json");
  CHECK(
      request.body ==
      fmt::format(R"({{"metadata":{{"uid":"u1","resourceVersion":"7",)"
                  R"("labels":{{"gangplan.io/suspended":null}},)"
                  R"("annotations":{{"gangplan.io/pinned":"1"}}}},"spec":{{"suspend":false,)"
                  R"({}{{"nodeSelectorTerms":[{{"matchExpressions":)"
                  R"([{{"key":"zone","operator":"In","values":["a","b"]}}],"matchFields":)"
                  R"([{{"key":"metadata.name","operator":"In","values":["n1"]}}]}}]}}}}}}}}}}}}}})",
                  kRequired));
}

TEST_CASE("what a write of a Job does not say is not in its body") {
  JobWrite write = OfAnyVersion();
  write.suspend = true;
  CHECK(JobBody(write) == R"({"metadata":{"uid":"u1"},"spec":{"suspend":true}})");
  write.templates = {TemplateTerms()};
  CHECK(JobBody(write) ==
        fmt::format(R"({{"metadata":{{"uid":"u1"}},"spec":{{"suspend":true,{}null}}}}}}}}}}}})",
                    kRequired));
}

TEST_CASE("every operator of a requirement has its word") {
  using enum SelectorOperator;
  JobWrite write = OfAnyVersion();
  write.templates = {{"",
                      0,
                      {{{{"a", kIn, {"1"}},
                         {"b", kNotIn, {"1"}},
                         {"c", kExists, {}},
                         {"d", kDoesNotExist, {}},
                         {"e", kGt, {"1"}},
                         {"f", kLt, {"1"}}},
                        {}}}}};
  const std::string body = JobBody(write);
  for (const char* one :
       {R"({"key":"a","operator":"In","values":["1"]})",
        R"({"key":"b","operator":"NotIn","values":["1"]})", R"({"key":"c","operator":"Exists"})",
        R"({"key":"d","operator":"DoesNotExist"})", R"({"key":"e","operator":"Gt","values":["1"]})",
        R"({"key":"f","operator":"Lt","values":["1"]})"})
    CHECK(body.find(one) != std::string::npos);
  CHECK(body.find("matchFields") == std::string::npos);
}

TEST_CASE("a Job of another version is told at once, and is not written") {
  Bench bench;
  bench.transport.answers = {kModified, Answer(200)};
  CHECK(absl::IsAborted(bench.Send(Start())));
  CHECK(bench.transport.requests.size() == 1);
}

TEST_CASE("a conflict after a try that may have been written tells nothing") {
  Bench bench;
  bench.transport.answers = {Answer(503), kModified};
  const absl::Status status = bench.Send(Start());
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status).starts_with("writing a Job: 409 "));
}

TEST_CASE("without a version a conflict passes") {
  Bench bench;
  bench.transport.answers = {kModified, Answer(200)};
  JobWrite write = Start();
  write.resource_version.clear();
  CHECK(bench.Send(write).ok());
  CHECK(bench.transport.requests.size() == 2);
}

TEST_CASE("another UID, and what else the server refuses") {
  struct Case {
    HttpResponse answer;
    absl::StatusCode code;
  };
  for (const Case& one :
       {Case{kOtherUid, absl::StatusCode::kAborted},
        Case{Answer(422, R"({"message":"Job.batch \"j\" is invalid: spec.template.spec.affinity.)"
                         R"(nodeAffinity: Required value"})"),
             absl::StatusCode::kFailedPrecondition},
        Case{Answer(403), absl::StatusCode::kPermissionDenied},
        Case{Answer(404), absl::StatusCode::kNotFound}}) {
    Bench bench;
    bench.transport.answers = {one.answer};
    CHECK(bench.Send(Start()).code() == one.code);
    CHECK(bench.transport.requests.size() == 1);
  }
}

TEST_CASE("a start time that keeps the template is taken away, and the write not sent again") {
  Bench bench;
  bench.transport.answers = {kImmutable, JobAnswer("8"), Answer(200)};
  const absl::Status status = bench.Send(Start());
  CHECK(absl::IsAborted(status));
  CHECK(Message(status) == "its start time had to be taken away; it is of another version now");
  REQUIRE(bench.transport.requests.size() == 2);
  CHECK(bench.transport.requests[1].method == "PATCH");
  CHECK(bench.transport.requests[1].target == fmt::format("{}/status", kPath));
  CHECK(bench.transport.requests[1].content_type == "application/merge-patch+json");
  CHECK(bench.transport.requests[1].body ==
        R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":{"startTime":null}})");
}

TEST_CASE("a template that stays fixed without a start time is refused as it was at first") {
  for (const HttpResponse& answer : {JobAnswer("7"), Answer(422, R"({"message":"no"})")}) {
    Bench bench;
    bench.transport.answers = {kImmutable, answer};
    const absl::Status status = bench.Send(Start());
    CHECK(absl::IsFailedPrecondition(status));
    CHECK(Message(status).starts_with("writing a Job: 422 "));
    CHECK(bench.transport.requests.size() == 2);
  }
}

TEST_CASE("no start time is taken for other writes than a start of one version with a template") {
  JobWrite same_template = Start();
  same_template.templates.clear();
  JobWrite of_any = Start();
  of_any.resource_version.clear();
  JobWrite suspend = Start();
  suspend.suspend = true;
  for (const JobWrite& write : {same_template, of_any, suspend}) {
    Bench bench;
    bench.transport.answers = {kImmutable};
    CHECK(absl::IsFailedPrecondition(bench.Send(write)));
    CHECK(bench.transport.requests.size() == 1);
  }
}

TEST_CASE("a start time that may not be taken away is told as such") {
  Bench bench;
  bench.transport.answers = {kImmutable, Answer(403, R"({"message":"no"})")};
  const absl::Status status = bench.Send(Start());
  CHECK(absl::IsPermissionDenied(status));
  CHECK(Message(status) == "taking the start time from a Job: 403 no");
  CHECK(bench.transport.requests.size() == 2);

  Bench changed;
  changed.transport.answers = {kImmutable, kModified};
  CHECK(absl::IsAborted(changed.Send(Start())));
}

// ---- suspending one of any version

TEST_CASE("a Job to suspend is read, and patched in the version that was read") {
  Bench bench;
  bench.transport.answers = {JobAnswer("8"), Answer(200)};
  CHECK(bench.Send(Suspend()).ok());
  REQUIRE(bench.transport.requests.size() == 2);
  CHECK(bench.transport.requests[0].method == "GET");
  CHECK(bench.transport.requests[0].target == kPath);
  CHECK(bench.transport.requests[1].method == "PATCH");
  CHECK(bench.transport.requests[1].target == kPath);
  CHECK(bench.transport.requests[1].content_type == "application/merge-patch+json");
  CHECK(bench.transport.requests[1].body ==
        R"({"metadata":{"uid":"u1","resourceVersion":"8",)"
        R"("labels":{"gangplan.io/suspended":"true"}},"spec":{"suspend":true}})");
}

TEST_CASE("a Job is not suspended that is gone, another, finished, or suspended already") {
  struct Case {
    HttpResponse read;
    absl::StatusCode code;
    std::string text;
  };
  using enum absl::StatusCode;
  const std::string by_another = "suspending a Job: somebody else has suspended it";
  for (const Case& one :
       {Case{Answer(404, R"({"message":"no"})"), kNotFound, "reading a Job: 404 no"},
        Case{Answer(403, R"({"message":"no"})"), kPermissionDenied, "reading a Job: 403 no"},
        Case{JobAnswer("8", "u2"), kAborted, "reading a Job: another one has its name"},
        Case{JobAnswer(""), kInternal, "reading a Job: it has no resourceVersion"},
        Case{JobAnswer("8", "u1", "", kSuspended), kAborted, by_another},
        Case{JobAnswer("8", "u1", R"("gangplan.io/suspended":"false")", kSuspended), kAborted,
             by_another},
        Case{JobAnswer("8", "u1", "", kComplete), kAborted, "suspending a Job: it is finished"},
        Case{JobAnswer("8", "u1", kMark, kSuspended), kOk, ""}}) {
    Bench bench;
    bench.transport.answers = {one.read};
    const absl::Status status = bench.Send(Suspend());
    CHECK(status.code() == one.code);
    CHECK(Message(status) == one.text);
    CHECK(bench.transport.requests.size() == 1);
  }
}

TEST_CASE("a Job that waits already gets another version where it is to wait longer") {
  JobWrite write = Suspend();
  write.annotations = {{"gangplan.io/not-before", "2026-01-02T03:04:05Z"}};
  Bench bench;
  bench.transport.answers = {JobAnswer("8", "u1", kMark, kSuspended), Answer(200)};
  CHECK(bench.Send(write).ok());
  REQUIRE(bench.transport.requests.size() == 2);
  CHECK(bench.transport.requests[1].body.find(R"("resourceVersion":"8")") != std::string::npos);

  Bench same;
  const std::string said =
      fmt::format(R"({}}},"annotations":{{"gangplan.io/not-before":"2026-01-02T03:04:05Z")", kMark);
  same.transport.answers = {JobAnswer("8", "u1", said, kSuspended)};
  CHECK(same.Send(write).ok());
  CHECK(same.transport.requests.size() == 1);
}

TEST_CASE("after a conflict and after any doubt a Job to suspend is read again, and judged anew") {
  const std::vector<ScriptedTransport::Answer> doubts = {kModified,
                                                         Answer(500),
                                                         Answer(503),
                                                         Answer(429),
                                                         absl::UnknownError("time-out"),
                                                         absl::UnavailableError("no connection")};
  for (const ScriptedTransport::Answer& doubt : doubts) {
    Bench done;
    done.transport.answers = {JobAnswer("8"), doubt, JobAnswer("9", "u1", kMark, kSuspended)};
    CHECK(done.Send(Suspend()).ok());
    CHECK(done.pause.waits.size() == 1);

    Bench by_user;
    by_user.transport.answers = {JobAnswer("8"), doubt, JobAnswer("9", "u1", "", kSuspended)};
    CHECK(absl::IsAborted(by_user.Send(Suspend())));
    CHECK(by_user.transport.requests.size() == 3);

    Bench again;
    again.transport.answers = {JobAnswer("8"), doubt, JobAnswer("9"), Answer(200)};
    CHECK(again.Send(Suspend()).ok());
    REQUIRE(again.transport.requests.size() == 4);
    CHECK(again.transport.requests[3].body.find(R"("resourceVersion":"9")") != std::string::npos);
  }
}

TEST_CASE("a suspension that is refused is not repeated, and one in doubt not for ever") {
  Bench refused;
  refused.transport.answers = {JobAnswer("8"), Answer(422)};
  CHECK(absl::IsFailedPrecondition(refused.Send(Suspend())));
  CHECK(refused.transport.requests.size() == 2);

  Bench other;
  other.transport.answers = {JobAnswer("8"), kOtherUid, JobAnswer("9", "u2")};
  CHECK(absl::IsAborted(other.Send(Suspend())));

  Bench always;
  for (int i = 0; i < kPatientTries; ++i) {
    always.transport.answers.push_back(JobAnswer(std::to_string(i)));
    always.transport.answers.push_back(kModified);
  }
  const absl::Status status = always.Send(Suspend());
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status).starts_with("suspending a Job: 409 "));
  CHECK(always.transport.requests.size() == 2 * kPatientTries);

  Bench long_wait;
  long_wait.transport.answers = {JobAnswer("8"), Answer(429, "", 2 * kLongestWait)};
  CHECK(absl::IsResourceExhausted(long_wait.Send(Suspend())));
  CHECK(long_wait.pause.waits.empty());

  Bench stops;
  stops.pause.stop_after = 1;
  stops.transport.answers = {JobAnswer("8"), Answer(503)};
  CHECK(absl::IsUnavailable(stops.Send(Suspend())));
  CHECK(stops.transport.requests.size() == 2);
}

}  // namespace
}  // namespace gangplan::job_writes_test
