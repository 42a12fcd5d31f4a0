#include "extender/kube/check_writes.h"

#include <string>

#include "extender/kube/bodies.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::check_writes_test {
namespace {

struct Bench {
  CallTools Tools() { return {.clock = &clock, .pause = &pause, .jitter = &jitter}; }
  absl::Status Send(const JobWrite& write) { return SendCheckWrite(transport, write, Tools()); }

  FakeClock clock;
  FakePause pause{&clock};
  Jitter jitter{1};
  ScriptedTransport transport;
};

JobWrite Ready() {
  JobWrite write;
  write.ns = "team";
  write.job = {"batch/v1", "Job", "train", "u-train"};
  write.resource_version = "7";
  write.check =
      CheckWrite{"w", "u-w", {"room"}, CheckState::kReady, "on b/r", {{"main", {{"rack", "r"}}}}};
  return write;
}

JobWrite Retry() {
  JobWrite write = Ready();
  write.resource_version.clear();
  write.check->state = CheckState::kRetry;
  write.check->updates.clear();
  return write;
}

std::string Stored(std::string_view version, std::string_view state) {
  return fmt::format(
      R"({{"metadata":{{"name":"w","namespace":"team","uid":"u-w","resourceVersion":"{}"}},)"
      R"("status":{{"conditions":[{{"type":"QuotaReserved","status":"True"}}],)"
      R"("admissionChecks":[{{"name":"room","state":"{}","message":""}}]}}}})",
      version, state);
}

TEST_CASE("Check writes: ours alone is applied, of the version that was seen") {
  Bench bench;
  bench.transport.answers = {HttpResponse{200, "{}", {}}};
  CHECK(bench.Send(Ready()).ok());
  REQUIRE(bench.transport.requests.size() == 1);
  const HttpRequest& request = bench.transport.requests[0];
  CHECK(request.method == "PATCH");
  CHECK(request.content_type == "application/apply-patch+yaml");
  CHECK(request.target ==
        "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads/w/status"
        "?fieldManager=gangplan&force=true");
  CHECK(request.body ==
        R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w",)"
        R"("namespace":"team","uid":"u-w","resourceVersion":"7"},"status":{"admissionChecks":[)"
        R"({"name":"room","state":"Ready","message":"on b/r",)"
        R"("lastTransitionTime":"2027-01-15T08:00:00Z",)"
        R"("podSetUpdates":[{"name":"main","nodeSelector":{"rack":"r"}}]}]}})");
}

TEST_CASE("Check writes: others of ours are applied once more as they are") {
  Bench bench;
  bench.transport.answers = {HttpResponse{200, "{}", {}}};
  JobWrite write = Ready();
  write.check->names = {"room-b"};
  write.check->updates.clear();
  write.check->standing = {{"room", CheckState::kReady, "before", {{"main", {{"rack", "r"}}}}}};
  CHECK(bench.Send(write).ok());
  REQUIRE(bench.transport.requests.size() == 1);
  CHECK(bench.transport.requests[0].body.ends_with(
      R"("status":{"admissionChecks":[)"
      R"({"name":"room-b","state":"Ready","message":"on b/r",)"
      R"("lastTransitionTime":"2027-01-15T08:00:00Z","podSetUpdates":[]},)"
      R"({"name":"room","state":"Ready","message":"before",)"
      R"("lastTransitionTime":"2027-01-15T08:00:00Z",)"
      R"("podSetUpdates":[{"name":"main","nodeSelector":{"rack":"r"}}]}]}})"));
}

TEST_CASE("Check writes: a conflict of one version is an end") {
  Bench bench;
  bench.transport.answers = {HttpResponse{409, R"({"message":"modified"})", {}}};
  CHECK(absl::IsAborted(bench.Send(Ready())));
}

TEST_CASE("Check writes: a Retry is of whatever version is Ready still") {
  Bench bench;
  SECTION("it is") {
    bench.transport.answers = {HttpResponse{200, Stored("8", "Ready"), {}},
                               HttpResponse{409, R"({"message":"modified"})", {}},
                               HttpResponse{200, Stored("9", "Ready"), {}},
                               HttpResponse{200, "{}", {}}};
    CHECK(bench.Send(Retry()).ok());
    const std::string& body = bench.transport.requests.back().body;
    CHECK(body.find(R"("resourceVersion":"9")") != std::string::npos);
    CHECK(body.find(R"("state":"Retry")") != std::string::npos);
    CHECK(body.find("requeueAfterSeconds") == std::string::npos);
    // Kueue may have made what stood there its own.
    CHECK(body.find(R"("podSetUpdates":[])") != std::string::npos);
  }
  SECTION("it was reset") {
    bench.transport.answers = {HttpResponse{200, Stored("8", "Pending"), {}}};
    CHECK(absl::IsAborted(bench.Send(Retry())));
    CHECK(bench.transport.requests.size() == 1);
  }
  SECTION("it is gone") {
    bench.transport.answers = {HttpResponse{404, "{}", {}}};
    CHECK(absl::IsNotFound(bench.Send(Retry())));
  }
}

TEST_CASE("Check writes: whether we answer a check stands in its condition") {
  Bench bench;
  AdmissionCheckFacts check;
  check.name = "room";
  check.uid = "u";
  bench.transport.answers = {HttpResponse{200, "{}", {}}, HttpResponse{200, "{}", {}}};
  CHECK(SayCheckActive(bench.transport, check, bench.Tools()).ok());
  const HttpRequest& request = bench.transport.requests[0];
  CHECK(request.target ==
        "/apis/kueue.x-k8s.io/v1beta2/admissionchecks/room/status"
        "?fieldManager=gangplan&force=true");
  CHECK(request.body.find(R"("type":"Active","status":"True","reason":"Active")") !=
        std::string::npos);
  check.parameters = true;
  CHECK(SayCheckActive(bench.transport, check, bench.Tools()).ok());
  CHECK(bench.transport.requests[1].body.find(R"("status":"False","reason":"UnknownParameters")") !=
        std::string::npos);
}

}  // namespace
}  // namespace gangplan::check_writes_test
