#include "extender/kube/budgets.h"

#include <string>
#include <vector>

#include "extender/cluster/kept_by_budget.h"
#include "extender/kube/limits.h"
#include "extender/kube/pod_writes.h"
#include "extender/kube/resource_path.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::budgets_test {
namespace {

using Uids = std::set<std::string, std::less<>>;
const Uids kThree = {"u0", "u1", "u2"};

struct Bench : FakeTools {
  absl::Status Ask(const Uids& uids = kThree) { return AskBudgets(transport, "ns", uids, tools); }
  ScriptedTransport transport;
};

// A budget of the pods of "train" that allows so many to go.
std::string Budget(int allowed, std::string_view more_spec = "",
                   std::string_view health = R"("currentHealthy":3,"desiredHealthy":2)",
                   int seen = 1) {
  return fmt::format(R"({{"metadata":{{"name":"keep","generation":1}},)"
                     R"("spec":{{"selector":{{"matchLabels":{{"app":"train"}}}}{}}},)"
                     R"("status":{{"observedGeneration":{},"disruptionsAllowed":{},{}}}}})",
                     more_spec, seen, allowed, health);
}
HttpResponse Budgets(const std::vector<std::string>& items) {
  return Answer(200, fmt::format(R"({{"metadata":{{}},"items":[{}]}})", fmt::join(items, ",")));
}
std::string Pod(std::string_view uid, bool ready = true, std::string_view phase = "Running",
                std::string_view stops = "") {
  const std::string gone = stops.empty() ? "" : fmt::format(R"(,"deletionTimestamp":"{}")", stops);
  return fmt::format(
      R"({{"metadata":{{"uid":"{}","labels":{{"app":"train"}}{}}},"status":{{"phase":"{}",)"
      R"("conditions":[)"
      R"({{"type":"Initialized","status":"True"}},{{"type":"Ready","status":"{}"}}]}}}})",
      uid, gone, phase, ready ? "True" : "False");
}
HttpResponse Pods(const std::vector<std::string>& items) { return Budgets(items); }

}  // namespace

TEST_CASE("Budgets: one that allows fewer than would go is against all of them") {
  Bench bench;
  bench.transport.answers = {Budgets({Budget(2)}),
                             Pods({Pod("u0"), Pod("u1"), Pod("u2"), Pod("other")})};
  const absl::Status status = bench.Ask();
  CHECK(absl::IsFailedPrecondition(status));
  CHECK(Message(status) == "disruption budget ns/keep allows 2 of its pods to go, and 3 would");
  REQUIRE(bench.transport.requests.size() == 2);
  CHECK(bench.transport.requests[0].target ==
        "/apis/policy/v1/namespaces/ns/poddisruptionbudgets?limit=500");
  CHECK(bench.transport.requests[1].target ==
        "/api/v1/namespaces/ns/pods?limit=100&labelSelector=app%3Dtrain");
}

TEST_CASE("Budgets: one that is against it tells whom it keeps, also beyond those that would go") {
  Bench bench;
  bench.transport.answers = {
      Budgets({Budget(2)}),
      Pods({Pod("u0"), Pod("other"), Pod("u1"), Pod("u2"), Pod("ended", true, "Succeeded")})};
  // So many as it allows, of those that would go, are not kept.
  CHECK(KeptByBudget(bench.Ask()) == std::vector<std::string>{"other", "u2"});
}

TEST_CASE("Budgets: no more are told than there is place for") {
  absl::Status status = absl::FailedPreconditionError("a budget");
  CHECK(KeptByBudget(status).empty());
  SetKeptByBudget(status, std::vector<std::string>(kMaxKeptByBudget + 1, "u"));
  CHECK(KeptByBudget(status) == std::vector<std::string>(kMaxKeptByBudget, "u"));
}

TEST_CASE("Budgets: one that allows as many is not looked at further, nor one of nobody") {
  Bench bench;
  bench.transport.answers = {
      Budgets({Budget(3), R"({"metadata":{"name":"none"},"spec":{},"status":{}})"})};
  CHECK(bench.Ask().ok());
  CHECK(bench.transport.requests.size() == 1);
}

TEST_CASE("Budgets: as many as go may be fewer than those it is about") {
  Bench bench;
  bench.transport.answers = {Budgets({Budget(2)}), Pods({Pod("u0"), Pod("u1"), Pod("other")})};
  CHECK(bench.Ask().ok());
}

TEST_CASE("Budgets: who has ended, or stops already, is not counted") {
  Bench bench;
  bench.transport.answers = {
      Budgets({Budget(1)}),
      Pods({Pod("u0"), Pod("u1", true, "Succeeded"), Pod("u2", true, "Running", "2026-01-01")})};
  CHECK(bench.Ask().ok());
}

TEST_CASE("Budgets: who is not ready is counted where too few are, unless they always may go") {
  struct Case {
    std::string_view policy;
    std::string_view health;
    bool allowed;
  };
  for (const Case& one : {Case{"", R"("currentHealthy":2,"desiredHealthy":2)", true},
                          Case{"", R"("currentHealthy":1,"desiredHealthy":2)", false},
                          Case{"", R"("currentHealthy":0,"desiredHealthy":0)", false},
                          Case{R"(,"unhealthyPodEvictionPolicy":"IfHealthyBudget")",
                               R"("currentHealthy":1,"desiredHealthy":2)", false},
                          Case{R"(,"unhealthyPodEvictionPolicy":"AlwaysAllow")",
                               R"("currentHealthy":1,"desiredHealthy":2)", true}}) {
    Bench bench;
    bench.transport.answers = {Budgets({Budget(1, one.policy, one.health)}),
                               Pods({Pod("u0"), Pod("u1", false), Pod("u2", false)})};
    CHECK(bench.Ask().ok() == one.allowed);
  }
}

TEST_CASE("Budgets: what its controller has not seen yet allows none") {
  Bench bench;
  bench.transport.answers = {
      Budgets({Budget(3, "", R"("currentHealthy":3,"desiredHealthy":2)", 0)}), Pods({Pod("u0")})};
  CHECK(absl::IsFailedPrecondition(bench.Ask()));
}

TEST_CASE("Budgets: selectors are written as lists take them, an empty one is of all pods") {
  struct Case {
    std::string_view selector;
    std::string_view filter;
  };
  for (const Case& one :
       {Case{"{}", ""}, Case{R"({"matchLabels":{"a":"x","b":"y"}})", "a=x,b=y"},
        Case{R"({"matchExpressions":[{"key":"tier","operator":"In","values":["a","b"]},)"
             R"({"key":"spot","operator":"DoesNotExist"},{"key":"gpu","operator":"Exists"},)"
             R"({"key":"zone","operator":"NotIn","values":["z"]}]})",
             "tier in (a,b),!spot,gpu,zone notin (z)"}}) {
    Bench bench;
    bench.transport.answers = {
        Budgets(
            {fmt::format(R"({{"metadata":{{"name":"b"}},"spec":{{"selector":{}}},"status":{{}}}})",
                         one.selector)}),
        Pods({})};
    CHECK(bench.Ask().ok());
    REQUIRE(bench.transport.requests.size() == 2);
    const std::string filter =
        one.filter.empty() ? "" : "&labelSelector=" + PercentEncode(one.filter);
    CHECK(bench.transport.requests[1].target == "/api/v1/namespaces/ns/pods?limit=100" + filter);
  }
}

TEST_CASE("Budgets: of several that may be against it the pods are listed once, and told apart") {
  const auto named = [](std::string_view name, std::string_view selector, int allowed) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"selector":{}}},)"
                       R"("status":{{"disruptionsAllowed":{}}}}})",
                       name, selector, allowed);
  };
  const std::string train = R"({"matchLabels":{"app":"train"}})";
  const std::string web =
      R"({"matchExpressions":[{"key":"app","operator":"NotIn","values":["train"]}]})";
  for (const int allowed : {3, 2}) {
    Bench bench;
    bench.transport.answers = {
        Budgets({named("web", web, 0), named("tight", train, allowed), named("more", train, 2)}),
        Pods({Pod("u0"), Pod("u1"), allowed == 3 ? Pod("other") : Pod("u2")})};
    const absl::Status status = bench.Ask();
    CHECK(bench.transport.requests.size() == 2);
    CHECK(bench.transport.requests[1].target == "/api/v1/namespaces/ns/pods?limit=100");
    CHECK(status.ok() == (allowed == 3));
    if (!status.ok()) CHECK_THAT(Message(status), ContainsText("ns/tight"));
  }
}

TEST_CASE("Budgets: what takes too long is asked again") {
  Bench bench;
  bench.transport.answers = {
      Budgets({Budget(1)}), Answer(200, R"({"metadata":{"continue":"a"},"items":[]})"),
      Answer(200, R"({"metadata":{"continue":"b"},"items":[]})"), Pods({Pod("u0")})};
  bench.transport.on_request = [&](const HttpRequest&) {
    bench.clock.Advance(kMostBudgetTime * 2 / 3);
  };
  CHECK(absl::IsUnavailable(bench.Ask()));
}

TEST_CASE("Budgets: what may not be listed is told, and there are so many at most") {
  Bench bench;
  bench.transport.answers = {Answer(403, R"({"message":"forbidden"})")};
  CHECK(absl::IsPermissionDenied(bench.Ask()));
  for (const size_t beyond : {0U, 1U}) {
    Bench many;
    many.transport.answers = {
        Answer(200, fmt::format(R"({{"metadata":{{"continue":"more"}},"items":[{}]}})",
                                fmt::join(std::vector<std::string>(kMaxBudgets, Budget(3)), ","))),
        Budgets(std::vector<std::string>(beyond, Budget(3)))};
    CHECK(many.Ask().ok() == (beyond == 0));
  }
}

TEST_CASE("Budgets: they are asked before the eviction is tried of the pod that asks for all") {
  PodDelete last{.pod = {"ns", "p", "u2"}, .how = PodDelete::How::kTry, .together = {"u1", "u2"}};
  Bench kept;
  kept.transport.answers = {Budgets({Budget(1)}), Pods({Pod("u1"), Pod("u2")})};
  const absl::Status why = EndPod(kept.transport, last, kept.tools);
  CHECK(absl::IsFailedPrecondition(why));
  CHECK(KeptByBudget(why) == std::vector<std::string>{"u2"});
  CHECK(kept.transport.requests.size() == 2);
  Bench refused;
  refused.transport.answers = {Budgets({Budget(2)}), Answer(403)};
  CHECK(absl::IsPermissionDenied(EndPod(refused.transport, last, refused.tools)));
  last.together.clear();
  Bench alone;
  alone.transport.answers = {Answer(201)};
  CHECK(EndPod(alone.transport, last, alone.tools).ok());
}

}  // namespace gangplan::budgets_test
