#include "extender/kube/binder.h"

#include "kube_fakes.h"
#include "tests/support/catch.h"

namespace gangplan::binder_test {
namespace {

std::string PodJson(const std::string& uid, const std::string& node, bool terminating = false) {
  std::string json =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"ns","uid":")" + uid +
      "\"";
  if (terminating) json += R"(,"deletionTimestamp":"2027-01-15T08:00:00Z")";
  json += R"(},"spec":{"containers":[{"name":"c"}])";
  if (!node.empty()) json += R"(,"nodeName":")" + node + "\"";
  return json + R"(},"status":{"phase":"Pending"}})";
}

struct Bench : FakeTools {
  ScriptedTransport transport;
  BindingWrite write{{"ns", "p", "u1"}, "n1", {}, clock.Now() + absl::Seconds(60)};

  BindResult Run() { return WriteBinding(transport, write, tools); }
  int Sent(const std::string& method) const {
    int count = 0;
    for (const HttpRequest& request : transport.requests) count += request.method == method;
    return count;
  }
};

const absl::Status kLost = absl::UnknownError("no whole answer");
const absl::Status kNoWay = absl::UnavailableError("no connection");

TEST_CASE("a 201 is bound, by one POST") {
  Bench bench;
  bench.transport.answers = {Answer(201)};
  const BindResult result = bench.Run();
  CHECK(result.outcome == BindOutcome::kBound);
  REQUIRE(bench.transport.requests.size() == 1);
  const HttpRequest& post = bench.transport.requests[0];
  CHECK(post.method == "POST");
  CHECK(post.target == "/api/v1/namespaces/ns/pods/p/binding");
  CHECK(post.content_type == "application/json");
  CHECK(post.body.find(R"("uid":"u1")") != std::string::npos);
}

TEST_CASE("nothing is sent after its time, and at its time it is") {
  Bench at;
  at.write.not_after = at.clock.Now();
  at.transport.answers = {Answer(201)};
  CHECK(at.Run().outcome == BindOutcome::kBound);
  Bench late;
  late.write.not_after = late.clock.Now() - absl::Nanoseconds(1);
  const BindResult result = late.Run();
  CHECK(result.outcome == BindOutcome::kNotWritten);
  CHECK(result.message == "too late: the time for this write has passed");
  CHECK(late.transport.requests.empty());
}

TEST_CASE("what the pod shows after a 409 decides") {
  struct Case {
    ScriptedTransport::Answer read;
    BindOutcome outcome;
    std::string message;
  };
  const Case cases[] = {
      {Answer(200, PodJson("u1", "n1")), BindOutcome::kBound, ""},
      {Answer(200, PodJson("u1", "n1", true)), BindOutcome::kBound, ""},
      {Answer(200, PodJson("u1", "n2")), BindOutcome::kElsewhere, "bound to n2"},
      {Answer(200, PodJson("u2", "n1")), BindOutcome::kGone, "another pod has taken the name"},
      {Answer(200, PodJson("u1", "", true)), BindOutcome::kGone, "the pod is being deleted"},
      {Answer(404), BindOutcome::kGone, "the pod does not exist any more"},
      {Answer(200, PodJson("u1", "")), BindOutcome::kRefused, "binding: 409 gated"},
  };
  for (const Case& one : cases) {
    Bench bench;
    bench.transport.answers = {Answer(409, R"({"message":"gated"})"), one.read};
    const BindResult result = bench.Run();
    CHECK(result.outcome == one.outcome);
    CHECK(result.message == one.message);
    CHECK(bench.transport.requests.size() == 2);
    CHECK(bench.transport.requests[1].target == "/api/v1/namespaces/ns/pods/p");
  }
}

TEST_CASE("a pod that cannot be read whole still shows its node") {
  for (const auto& [node, outcome] :
       {std::pair("n1", BindOutcome::kBound), std::pair("n2", BindOutcome::kElsewhere),
        std::pair("", BindOutcome::kRefused)}) {
    Bench bench;
    std::string pod = PodJson("u1", node);
    pod.replace(pod.find(R"("spec":{)"), 8, R"("spec":{"priority":"high",)");
    bench.transport.answers = {Answer(409, R"({"message":"gated"})"), Answer(200, pod)};
    CHECK(bench.Run().outcome == outcome);
  }
}

TEST_CASE("a refusal is final") {
  for (int status : {400, 401, 403, 422}) {
    Bench bench;
    bench.transport.answers = {Answer(status, R"({"message":"no"})")};
    const BindResult result = bench.Run();
    CHECK(result.outcome == BindOutcome::kRefused);
    CHECK(result.message == "binding: " + std::to_string(status) + " no");
    CHECK(bench.transport.requests.size() == 1);
  }
  Bench gone;
  gone.transport.answers = {Answer(404, R"({"message":"pods \"p\" not found"})")};
  CHECK(gone.Run().outcome == BindOutcome::kGone);
}

TEST_CASE("a lost answer is settled by reads, which see a late landing") {
  for (const ScriptedTransport::Answer& unclear :
       {ScriptedTransport::Answer(kLost), ScriptedTransport::Answer(Answer(500)),
        ScriptedTransport::Answer(Answer(504))}) {
    Bench bench;
    bench.transport.answers = {
        unclear,     Answer(200, PodJson("u1", "")), kLost,
        Answer(503), Answer(200, "broken"),          Answer(200, PodJson("u1", "n1"))};
    CHECK(bench.Run().outcome == BindOutcome::kBound);
    CHECK(bench.Sent("POST") == 1);
    CHECK(bench.Sent("GET") == 5);
  }
}

TEST_CASE("what stays unbound after a lost answer is unknown, never refused") {
  Bench bench;
  bench.transport.answers = {kLost};
  for (int i = 0; i < kProofReads; ++i) {
    bench.transport.answers.push_back(Answer(200, PodJson("u1", "")));
  }
  const BindResult result = bench.Run();
  CHECK(result.outcome == BindOutcome::kUnknown);
  CHECK(result.message == "no whole answer; the pod is not bound");
  CHECK(bench.Sent("GET") == kProofReads);
  CHECK(bench.pause.waits.size() == kProofReads - 1);
}

TEST_CASE("reads that all fail leave it unknown") {
  Bench bench;
  bench.transport.answers = {Answer(409)};
  for (int i = 0; i < kProofReads; ++i) bench.transport.answers.push_back(kNoWay);
  const BindResult result = bench.Run();
  CHECK(result.outcome == BindOutcome::kUnknown);
  CHECK(result.message == "binding: 409 no message; no connection");
}

TEST_CASE("without a connection the POST is tried again, and in the end was not written") {
  Bench again;
  again.transport.answers = {kNoWay, kNoWay, Answer(201)};
  CHECK(again.Run().outcome == BindOutcome::kBound);
  CHECK(again.Sent("POST") == 3);
  Bench never;
  for (int i = 0; i < kBindingTries; ++i) never.transport.answers.push_back(kNoWay);
  const BindResult result = never.Run();
  CHECK(result.outcome == BindOutcome::kNotWritten);
  CHECK(result.message == "no connection");
  CHECK(never.Sent("POST") == kBindingTries);
}

TEST_CASE("Retry-After is waited for, but not beyond the write's time") {
  Bench waits;
  waits.transport.answers = {Answer(429, "", absl::Seconds(7)), Answer(201)};
  CHECK(waits.Run().outcome == BindOutcome::kBound);
  CHECK(waits.pause.waits == std::vector<absl::Duration>{absl::Seconds(7)});
  Bench late;
  late.transport.answers = {Answer(429, R"({"message":"busy"})", absl::Seconds(61))};
  const BindResult result = late.Run();
  CHECK(result.outcome == BindOutcome::kNotWritten);
  CHECK(result.message == "no time to try again: binding: 429 busy");
  CHECK(late.pause.waits.empty());
}

TEST_CASE("a stop ends the waits") {
  Bench unsent;
  unsent.pause.stop_after = 1;
  unsent.transport.answers = {kNoWay};
  CHECK(unsent.Run().outcome == BindOutcome::kNotWritten);
  CHECK(unsent.Sent("POST") == 1);
  Bench unclear;
  unclear.pause.stop_after = 1;
  unclear.transport.answers = {absl::CancelledError("interrupted"),
                               absl::CancelledError("interrupted")};
  CHECK(unclear.Run().outcome == BindOutcome::kUnknown);
  CHECK(unclear.Sent("GET") == 1);
}

}  // namespace
}  // namespace gangplan::binder_test
