// What an API server tells: its version, rights, schedulers of one name.
#include "extender/app/server_check.h"

#include "extender/kube/limits.h"
#include "extender/kube/pause.h"
#include "tests/config/config_text.h"
#include "tests/support/stub_api.h"

namespace gangplan::server_check_test {
namespace {

constexpr std::string_view kEvents =
    "/api/v1/events?limit=500&fieldSelector=reason%3DScheduled%2CreportingComponent%3Dgangplan";

StubApi Api(int minor) {
  StubApi api;
  api.answers["/version"] = {200, fmt::format(R"({{"major":"1","minor":"{}+"}})", minor)};
  api.other = [](const HttpRequest&) {
    return HttpResponse{201, R"({"status":{"allowed":true}})"};
  };
  return api;
}

class Looking {
 public:
  explicit Looking(StubApi& api) : transport_(api.Make()) {}

  Findings Server(const Settings& settings = {}, const Account& account = {}) {
    Findings findings;
    CheckServer(*transport_, settings, account, tools_, findings);
    return findings;
  }
  Findings Schedulers() {
    Findings findings;
    CheckSchedulers(*transport_, Settings(), tools_, findings);
    return findings;
  }

 private:
  class NoWait : public Pause {
   public:
    bool For(absl::Duration) override { return true; }
  };

  std::unique_ptr<Transport> transport_;
  NoWait pause_;
  Jitter jitter_{0};
  const CallTools tools_{&SystemClock(), &pause_, &jitter_};
};

Health WorstOf(const Findings& findings) {
  Health worst = Health::kOk;
  for (const Finding& one : findings.all) worst = std::max(worst, one.health);
  return worst;
}

TEST_CASE(
    "Server check: versions below the chart's are refused, those beyond the tried ones told") {
  const auto of = [](int minor) {
    StubApi api = Api(minor);
    return Looking(api).Server().all.at(0);
  };
  CHECK(of(kFirstMinor - 1).health == Health::kFail);
  CHECK(of(kFirstMinor - 1).cure == "Kubernetes 1.30 or later");
  CHECK(of(kFirstMinor).health == Health::kWarn);  // does not wake by a nomination
  CHECK(of(31).cure.find("wake: annotate") != std::string::npos);
  CHECK(of(32).health == Health::kOk);
  CHECK(of(kLastMinorTried).text == "Kubernetes 1.36");
  CHECK(of(kLastMinorTried).health == Health::kOk);
  CHECK(of(kLastMinorTried + 1).health == Health::kWarn);
  StubApi api = Api(31);
  CHECK(Looking(api).Server(MustRead("wake: annotate\n")).all[0].health == Health::kOk);
  CHECK(FileOfTree("config/chart/Chart.yaml")
            .find(fmt::format("kubeVersion: \">=1.{}.0-0\"", kFirstMinor)) != std::string::npos);
}

TEST_CASE("Server check: a right that is missing is told with its part") {
  StubApi api = Api(34);
  CHECK(WorstOf(Looking(api).Server()) == Health::kOk);
  std::vector<std::string> bodies;
  api.other = [&](const HttpRequest& request) {
    CHECK(request.target == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    bodies.push_back(request.body);
    const bool denied = request.body.find("\"subresource\":\"binding\"") != std::string::npos ||
                        request.body.find("statefulsets") != std::string::npos;
    return HttpResponse{201, fmt::format(R"({{"status":{{"allowed":{}}}}})", !denied)};
  };
  const Findings findings = Looking(api).Server();
  CHECK(bodies.at(0) ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
        R"({"resourceAttributes":{"verb":"list","group":"","resource":"nodes"}}})");
  CHECK(findings.all[1].about == "rights core");
  CHECK(findings.all[1].health == Health::kFail);
  CHECK(findings.all[1].text == "may not: pods/binding create");
  CHECK(findings.all[2].about == "rights owners");
  CHECK(findings.all[2].health == Health::kWarn);
  CHECK(findings.all[2].text == "may not: apps/statefulsets get");
  CHECK(findings.all[3].health == Health::kOk);
}

TEST_CASE("Server check: the rights of an account are asked for as its own") {
  StubApi api = Api(34);
  api.other = [&](const HttpRequest& request) {
    CHECK(request.target == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    CHECK(request.body.find(R"("user":"system:serviceaccount:gang:plan","groups":[)"
                            R"("system:serviceaccounts","system:serviceaccounts:gang",)"
                            R"("system:authenticated"])") != std::string::npos);
    return HttpResponse{201, R"({"status":{"allowed":true}})"};
  };
  CHECK(WorstOf(Looking(api).Server({}, {"gang", "plan"})) == Health::kOk);
  api.other = [](const HttpRequest&) { return HttpResponse{403, "forbidden"}; };
  const Findings unseen = Looking(api).Server({}, {"gang", "plan"});
  CHECK(unseen.all.size() == 1);  // the version
  REQUIRE(unseen.unseen.size() == 1);
  CHECK(unseen.unseen[0] == "rights: asking for rights: 403 forbidden");
}

TEST_CASE("Server check: one that does not answer, or in another form, is a failure") {
  StubApi api;
  api.other = [](const HttpRequest&) { return HttpResponse{503, "busy"}; };
  const Findings busy = Looking(api).Server();
  REQUIRE(busy.all.size() == 1);
  CHECK(busy.all[0].health == Health::kFail);
  CHECK(busy.all[0].text == "reading the server's version: 503 busy");
  StubApi odd = Api(34);
  odd.other = [](const HttpRequest&) { return HttpResponse{201, R"({"status":{}})"}; };
  CHECK(WorstOf(Looking(odd).Server()) == Health::kFail);
}

std::string Event(int second, std::string_view by) {
  return fmt::format(R"({{"metadata":{{"creationTimestamp":"2026-01-02T03:04:00Z"}},)"
                     R"("eventTime":"2026-01-02T03:04:{:02}.5Z","reportingInstance":"{}"}})",
                     second, by);
}

TEST_CASE("Server check: two schedulers of a name in turns are told, one after the other are not") {
  StubApi api;
  api.Put(std::string(kEvents), Event(3, "gangplan-a") + "," + Event(1, "gangplan-a"), "more");
  api.Put(std::string(kEvents) + "&continue=more", Event(4, "gangplan-b"));
  CHECK(Looking(api).Schedulers().all[0].text == "3 pods placed of late, by gangplan-b");
  api.Put(std::string(kEvents) + "&continue=more",
          Event(4, "gangplan-b") + "," + Event(5, "gangplan-a"));
  CHECK(WorstOf(Looking(api).Schedulers()) == Health::kOk);
  api.Put(std::string(kEvents) + "&continue=more",
          Event(4, "gangplan-b") + "," + Event(5, "gangplan-a") + "," + Event(6, "gangplan-b"));
  const Findings two = Looking(api).Schedulers();
  CHECK(two.all[0].health == Health::kFail);
  CHECK(two.all[0].text == "2 schedulers of that name place pods in turns: gangplan-a, gangplan-b");
  api.Put(std::string(kEvents), "");
  CHECK(Looking(api).Schedulers().all[0].text == "has placed no pod of late");
  api.answers[std::string(kEvents)] = {403, "events is forbidden"};
  const Findings unseen = Looking(api).Schedulers();
  CHECK(unseen.all.empty());
  CHECK(unseen.unseen.at(0) == "scheduler gangplan: listing Events: 403 events is forbidden");
}

TEST_CASE("Server check: one scheduler that has started anew several times is one") {
  StubApi api;
  std::string items;
  for (int i = 0; i < 8; ++i)
    items += (i == 0 ? "" : ",") + Event(i, fmt::format("gangplan-{}", i / 2));
  api.Put(std::string(kEvents), items);
  const Findings findings = Looking(api).Schedulers();
  INFO(findings.all.at(0).text);
  CHECK(findings.all.at(0).health == Health::kOk);
}

TEST_CASE("Server check: so many Events are read, and no more") {
  StubApi api;
  int pages = 0;
  api.other = [&pages](const HttpRequest&) {
    std::string items = Event(1, "gangplan-a");
    for (int i = 1; i < kListPageItems; ++i) items += "," + Event(1, "gangplan-a");
    return HttpResponse{
        200, fmt::format(R"({{"metadata":{{"continue":"{}"}},"items":[{}]}})", ++pages, items)};
  };
  CHECK(Looking(api).Schedulers().all.at(0).text == "10000 pods placed of late, by gangplan-a");
  CHECK(api.asked.size() == kMaxPlacedEvents / kListPageItems);
}

}  // namespace
}  // namespace gangplan::server_check_test
