#include "extender/kube/merge_patch.h"

#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::merge_patch_test {
namespace {

struct Bench : FakeTools {
  ScriptedTransport transport;

  absl::Status Send() { return SendMergePatch(transport, "/x", "{}", "writing x", tools); }
};

const HttpResponse kBusy = Answer(
    409, R"({"message":"Operation cannot be fulfilled on configmaps \"g\": the object has been )"
         R"(modified; please apply your changes to the latest version and try again"})");

TEST_CASE("a merge patch is what it is given, as a merge patch") {
  Bench bench;
  bench.transport.answers = {Answer(200)};
  CHECK(bench.Send().ok());
  const HttpRequest& request = bench.transport.requests[0];
  CHECK(request.method == "PATCH");
  CHECK(request.target == "/x?fieldValidation=Ignore");
  CHECK(request.body == "{}");
  CHECK(request.content_type == "application/merge-patch+json");
}

TEST_CASE("a conflict with another writer is tried again, with waits, and not for ever") {
  Bench bench;
  bench.transport.answers = {kBusy, kBusy, Answer(200)};
  CHECK(bench.Send().ok());
  CHECK(bench.transport.requests.size() == 3);
  CHECK(bench.pause.waits.size() == 2);

  Bench endless;
  for (int i = 0; i < kPatientTries; ++i) endless.transport.answers.push_back(kBusy);
  const absl::Status status = endless.Send();
  CHECK(absl::IsUnavailable(status));
  CHECK(Message(status).starts_with("writing x: 409 Operation cannot be fulfilled"));
  CHECK(endless.transport.requests.size() == kPatientTries);
}

TEST_CASE("another UID is told at once, whichever way the server says it") {
  for (const HttpResponse& answer :
       {Answer(409,
               R"({"message":"Operation cannot be fulfilled on pods \"p\": Precondition failed: )"
               R"(UID in precondition: u1, UID in object meta: u2"})"),
        Answer(422, R"({"message":"Pod \"p\" is invalid: metadata.uid: Invalid value: \"u1\": )"
                    R"(field is immutable"})")}) {
    Bench bench;
    bench.transport.answers = {answer};
    CHECK(absl::IsAborted(bench.Send()));
    CHECK(bench.transport.requests.size() == 1);
  }
}

TEST_CASE("what the server refuses is refused at once") {
  struct Case {
    int status;
    absl::StatusCode code;
  };
  for (const Case& one :
       {Case{403, absl::StatusCode::kPermissionDenied}, Case{404, absl::StatusCode::kNotFound},
        Case{422, absl::StatusCode::kFailedPrecondition}}) {
    Bench bench;
    bench.transport.answers = {Answer(one.status)};
    CHECK(bench.Send().code() == one.code);
    CHECK(bench.transport.requests.size() == 1);
  }
}

TEST_CASE("what is gone after an end that may have been done was ended") {
  const HttpResponse gone = Answer(404);
  const HttpResponse another =
      Answer(409, R"({"message":"the UID in the precondition (u1) does not match"})");
  const HttpResponse budgets =
      Answer(500, R"({"message":"This pod has more than one PodDisruptionBudget"})");
  struct Case {
    ScriptedTransport::Answer first;
    HttpResponse last;
    absl::StatusCode code;
  };
  const Case cases[] = {
      {absl::UnknownError("no whole answer"), gone, absl::StatusCode::kOk},
      {Answer(504), gone, absl::StatusCode::kOk},
      {Answer(500), another, absl::StatusCode::kOk},
      // Nothing was sent, or the server has not done it.
      {absl::UnavailableError("no connection"), gone, absl::StatusCode::kNotFound},
      {Answer(429), gone, absl::StatusCode::kNotFound},
      {Answer(429), another, absl::StatusCode::kAborted},
      {budgets, gone, absl::StatusCode::kNotFound},
  };
  for (const Case& one : cases) {
    for (const auto send : {&SendEviction, &SendDelete}) {
      Bench bench;
      bench.transport.answers = {one.first, one.last};
      CHECK(
          send(bench.transport, "/x", "{}", "ending x", PatchOf::kAnyVersion, bench.tools).code() ==
          one.code);
      CHECK(bench.transport.requests.size() == 2);
    }
  }
}

}  // namespace
}  // namespace gangplan::merge_patch_test
