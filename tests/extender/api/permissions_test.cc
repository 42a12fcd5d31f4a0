#include "extender/api/permissions.h"

#include <thread>

#include "function_transports.h"
#include "tests/extender/kube/kube_fakes.h"
#include "tests/extender/server/gate.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::permissions_test {
namespace {

const User kJane = {"jane", "7", {"dev", "ops"}, {{"scopes", {"a"}}}};

Access ToGet(const std::string& ns) {
  return {"get", "gangplan.io", "gangs", "explanation", ns, "train", "v1alpha1"};
}

// Answers what it is told.
class Judge : public Reviewer {
 public:
  absl::StatusOr<bool> May(const User&, const Access& access) override {
    ++asked;
    if (access.ns == "lost") return absl::UnavailableError("no connection");
    return access.ns == "ml";
  }
  int asked = 0;
};

TEST_CASE("Permissions: yes and no are believed for ten seconds, a failure is not") {
  FakeClock clock;
  Judge judge;
  Permissions permissions(judge, clock);
  for (int i = 0; i < 2; ++i) {
    CHECK(*permissions.May(kJane, ToGet("ml")));
    CHECK_FALSE(*permissions.May(kJane, ToGet("other")));
  }
  CHECK(judge.asked == 2);
  clock.Advance(kReviewLasts - absl::Nanoseconds(1));
  CHECK(*permissions.May(kJane, ToGet("ml")));
  CHECK(judge.asked == 2);
  clock.Advance(absl::Nanoseconds(1));
  CHECK(*permissions.May(kJane, ToGet("ml")));
  CHECK_FALSE(*permissions.May(kJane, ToGet("other")));
  CHECK(judge.asked == 4);
  for (int i = 0; i < 2; ++i) CHECK_FALSE(permissions.May(kJane, ToGet("lost")).ok());
  CHECK(judge.asked == 6);
}

TEST_CASE("Permissions: whoever differs in anything is asked for anew") {
  FakeClock clock;
  Judge judge;
  Permissions permissions(judge, clock);
  const User others[] = {{"jane", "7", {"dev"}, kJane.extra},
                         {"jane", "7", {"dev\",\"ops"}, kJane.extra},
                         {"jane", "8", kJane.groups, kJane.extra},
                         {"jane", "7", kJane.groups, {}},
                         {"john", "7", kJane.groups, kJane.extra}};
  for (const User& user : others) CHECK(permissions.May(user, ToGet("ml")).ok());
  Access access = ToGet("ml");
  for (std::string* part : {&access.verb, &access.resource, &access.subresource, &access.name}) {
    *part += "x";
    CHECK(permissions.May(kJane, access).ok());
  }
  CHECK(judge.asked == 9);
}

TEST_CASE("Permissions: as many are kept as may be, and no long ones") {
  FakeClock clock;
  Judge judge;
  Permissions permissions(judge, clock);
  for (size_t i = 0; i <= kMaxReviews; ++i)
    CHECK(permissions.May(kJane, ToGet(fmt::format("{}", i))).ok());
  CHECK(permissions.kept() == kMaxReviews);
  const int before = judge.asked;
  User many = kJane;
  many.groups.push_back(std::string(kMaxKeptQuestionBytes, 'g'));
  for (int i = 0; i < 2; ++i) CHECK(*permissions.May(many, ToGet("ml")));
  CHECK(judge.asked == before + 2);
  CHECK(permissions.kept() == kMaxReviews);
}

TEST_CASE("Permissions: who has no name is not asked for: that would be ourselves") {
  FakeClock clock;
  Judge judge;
  Permissions permissions(judge, clock);
  CHECK(absl::IsUnauthenticated(permissions.May({}, ToGet("ml")).status()));
  CHECK(judge.asked == 0);
}

TEST_CASE("ServerReviewer: asks for the user, and believes only a whole answer") {
  HttpRequest asked;
  absl::StatusOr<HttpResponse> answer = Answer(201, R"({"status":{"allowed":true}})");
  FunctionTransports transports([&](const HttpRequest& request) {
    asked = request;
    return answer;
  });
  ServerReviewer reviewer(transports, 1);
  CHECK(*reviewer.May(kJane, ToGet("ml")));
  CHECK(asked.method == "POST");
  CHECK(asked.target == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  CHECK(asked.body ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{)"
        R"("user":"jane","uid":"7","groups":["dev","ops"],"extra":{"scopes":["a"]},)"
        R"("resourceAttributes":{"verb":"get","group":"gangplan.io","resource":"gangs",)"
        R"("version":"v1alpha1","subresource":"explanation","namespace":"ml","name":"train"}}})");
  answer = Answer(201, R"({"status":{"allowed":false,"denied":true}})");
  CHECK_FALSE(*reviewer.May(kJane, ToGet("ml")));
  for (absl::StatusOr<HttpResponse> bad : std::vector<absl::StatusOr<HttpResponse>>{
           Answer(403, "no"), Answer(500, R"({"status":{"allowed":true}})"),
           Answer(201, R"({"status":{}})"), Answer(201, "{"), absl::UnavailableError("gone")}) {
    answer = std::move(bad);
    CHECK_FALSE(reviewer.May(kJane, ToGet("ml")).ok());
  }
}

TEST_CASE("ServerReviewer: as many at once as it has connections, then a turn is waited for") {
  Gate gate;
  FunctionTransports transports([&](const HttpRequest&) -> absl::StatusOr<HttpResponse> {
    gate.Pass();
    return Answer(201, R"({"status":{"allowed":true}})");
  });
  ServerReviewer reviewer(transports, 2, absl::Milliseconds(1));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] { reviewer.May(kJane, ToGet("ml")).IgnoreError(); });
  gate.AwaitArrivals(2);
  CHECK(absl::IsUnavailable(reviewer.May(kJane, ToGet("ml")).status()));
  gate.Open();
  for (std::thread& thread : threads) thread.join();
  CHECK(*reviewer.May(kJane, ToGet("ml")));
}

}  // namespace
}  // namespace gangplan::permissions_test
