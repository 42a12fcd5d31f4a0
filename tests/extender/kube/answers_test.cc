#include "extender/kube/answers.h"

#include "extender/kube/limits.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::answers_test {
namespace {

TEST_CASE("the message of a Status, and of what is none") {
  CHECK(ServerMessage(
            R"({"kind":"Status","details":{"message":"inner"},"message":"outer","code":409})") ==
        "outer");
  CHECK(ServerMessage("gate\nway") == "gate way");
  CHECK(ServerMessage("") == "no message");
  CHECK(ServerMessage(R"({"code":500})") == R"({"code":500})");
  CHECK(ServerMessage(R"({"message":12,"message":"last"})") == "last");
}

TEST_CASE("a server's message is passed on up to its limit") {
  CHECK(ServerMessage(std::string(kMaxServerMessageBytes, 'x')).size() == kMaxServerMessageBytes);
  CHECK(ServerMessage(std::string(kMaxServerMessageBytes + 1, 'x')).size() ==
        kMaxServerMessageBytes);
}

TEST_CASE("a deep answer neither ends the process nor its text") {
  CHECK(ServerMessage(std::string(300'000, '[')) == std::string(kMaxServerMessageBytes, '['));
}

TEST_CASE("a review of rights is read, and one that says nothing is none") {
  CHECK(*ParseAccessAnswer(R"({"kind":"x","status":{"allowed":true,"reason":"RBAC"}})"));
  CHECK_FALSE(*ParseAccessAnswer(R"({"status":{"allowed":false,"denied":true}})"));
  for (const char* none : {"", "{}", R"({"status":{}})", R"({"status":{"allowed":"yes"}})", "[]"}) {
    INFO(none);
    CHECK_FALSE(ParseAccessAnswer(none).ok());
  }
}

TEST_CASE("statuses become codes") {
  auto code = [](int status) { return AnswerStatus({status, "", {}}, "x").code(); };
  CHECK(code(200) == absl::StatusCode::kOk);
  CHECK(code(201) == absl::StatusCode::kOk);
  CHECK(code(400) == absl::StatusCode::kFailedPrecondition);
  CHECK(code(401) == absl::StatusCode::kUnauthenticated);
  CHECK(code(403) == absl::StatusCode::kPermissionDenied);
  CHECK(code(404) == absl::StatusCode::kNotFound);
  CHECK(code(409) == absl::StatusCode::kAborted);
  CHECK(code(410) == absl::StatusCode::kOutOfRange);
  CHECK(code(418) == absl::StatusCode::kUnknown);
  CHECK(code(422) == absl::StatusCode::kFailedPrecondition);
  CHECK(code(429) == absl::StatusCode::kResourceExhausted);
  CHECK(code(503) == absl::StatusCode::kUnavailable);
  CHECK(Message(AnswerStatus({403, R"({"message":"no"})", {}}, "nominating")) ==
        "nominating: 403 no");
}

TEST_CASE("the server's version") {
  auto version = ParseServerVersion(R"({"major":"1","minor":"34+","gitVersion":"v1.34.1"})");
  REQUIRE(version.ok());
  CHECK(version->major == 1);
  CHECK(version->minor == 34);
  CHECK(Message(ParseServerVersion("nothing").status()) == "the server's version is not JSON");
  CHECK(Message(ParseServerVersion(R"({"major":"1"})").status()) ==
        "the server's version has no number in \"minor\"");
  CHECK(Message(ParseServerVersion(R"({"major":"x","minor":"1"})").status()) ==
        "the server's version has no number in \"major\"");
}

}  // namespace
}  // namespace gangplan::answers_test
