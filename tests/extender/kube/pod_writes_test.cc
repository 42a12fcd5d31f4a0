#include "extender/kube/pod_writes.h"

#include <deque>

#include "extender/kube/merge_patch.h"
#include "extender/kube/owner_reader.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::pod_writes_test {
namespace {

struct Bench : FakeTools {
  ScriptedTransport transport;
  VersionMemory version;
  PodRef pod{"ns", "p", "u1"};

  absl::Status Nominate() { return PatchNomination(transport, {pod, "n1"}, version, tools); }
};

HttpResponse Version(int minor) {
  return Answer(200, R"({"major":"1","minor":")" + std::to_string(minor) + "\"}");
}

TEST_CASE("a nomination is one patch of the status, with the UID") {
  Bench bench;
  bench.transport.answers = {Version(kFirstMinorThatWakesByStatus), Answer(200), Answer(200)};
  CHECK(bench.Nominate().ok());
  CHECK(bench.Nominate().ok());
  REQUIRE(bench.transport.requests.size() == 3);  // the version is read once
  CHECK(bench.transport.requests[0].target == "/version");
  const HttpRequest& patch = bench.transport.requests[1];
  CHECK(patch.method == "PATCH");
  CHECK(patch.target == "/api/v1/namespaces/ns/pods/p/status?fieldValidation=Ignore");
  CHECK(patch.accept == "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  CHECK(patch.content_type == "application/merge-patch+json");
  CHECK(patch.body == R"({"metadata":{"uid":"u1"},"status":{"nominatedNodeName":"n1"}})");
}

TEST_CASE("a server that does not wake by status is not asked to") {
  Bench bench;
  bench.transport.answers = {Version(kFirstMinorThatWakesByStatus - 1)};
  const absl::Status status = bench.Nominate();
  CHECK(absl::IsUnimplemented(status));
  CHECK(Message(status) == "Kubernetes 1.31 does not wake a pod by a nomination; 1.32 does");
  CHECK(absl::IsUnimplemented(bench.Nominate()));
  CHECK(bench.transport.requests.size() == 1);
}

TEST_CASE("the version of a server that is too old is read again after a while") {
  Bench bench;
  bench.transport.answers = {Version(kFirstMinorThatWakesByStatus - 1),
                             Version(kFirstMinorThatWakesByStatus), Answer(200)};
  CHECK(absl::IsUnimplemented(bench.Nominate()));
  bench.clock.Advance(kOldVersionKept - absl::Nanoseconds(1));
  CHECK(absl::IsUnimplemented(bench.Nominate()));
  CHECK(bench.transport.requests.size() == 1);
  bench.clock.Advance(absl::Nanoseconds(1));
  CHECK(bench.Nominate().ok());
}

TEST_CASE("a version that could not be read is read again") {
  Bench bench;
  bench.transport.answers = {Answer(403, R"({"message":"no"})"), Version(34), Answer(200)};
  CHECK(Message(bench.Nominate()) == "reading the server's version: 403 no");
  CHECK(bench.Nominate().ok());
}

TEST_CASE("answers to a patch") {
  struct Case {
    int status;
    absl::StatusCode code;
  };
  for (const Case& one :
       {Case{403, absl::StatusCode::kPermissionDenied}, Case{404, absl::StatusCode::kNotFound},
        Case{422, absl::StatusCode::kFailedPrecondition}}) {
    Bench bench;
    bench.transport.answers = {Version(34), Answer(one.status)};
    CHECK(bench.Nominate().code() == one.code);
    CHECK(bench.transport.requests.size() == 2);
  }
}

TEST_CASE("a wake is one patch of the annotations") {
  Bench bench;
  bench.transport.answers = {Answer(200)};
  CHECK(WakePod(bench.transport, bench.pod, bench.tools).ok());
  const HttpRequest& patch = bench.transport.requests[0];
  CHECK(patch.target == "/api/v1/namespaces/ns/pods/p?fieldValidation=Ignore");
  CHECK(patch.body == R"({"metadata":{"uid":"u1",)"
                      R"("annotations":{"gangplan.io/wake":"2027-01-15T08:00:00.000000Z"}}})");
}

TEST_CASE("what may be repeated is repeated, with waits that grow or that the server names") {
  Bench bench;
  bench.transport.answers = {absl::UnavailableError("no connection"),
                             Answer(429, "", absl::Seconds(3)), Answer(503), Answer(200)};
  CHECK(WakePod(bench.transport, bench.pod, bench.tools).ok());
  REQUIRE(bench.pause.waits.size() == 3);
  CHECK(bench.pause.waits[0] >= kFirstWait / 2);
  CHECK(bench.pause.waits[0] <= kFirstWait);
  CHECK(bench.pause.waits[1] == absl::Seconds(3));
  CHECK(bench.pause.waits[2] >= kFirstWait * 2);
}

TEST_CASE("patience ends") {
  Bench bench;
  for (int i = 0; i < kPatientTries; ++i) bench.transport.answers.push_back(Answer(503));
  CHECK(absl::IsUnavailable(WakePod(bench.transport, bench.pod, bench.tools)));
  CHECK(bench.transport.requests.size() == kPatientTries);
  Bench long_wait;
  long_wait.transport.answers = {Answer(429, "", kLongestWait + absl::Seconds(1))};
  CHECK(absl::IsResourceExhausted(WakePod(long_wait.transport, long_wait.pod, long_wait.tools)));
  CHECK(long_wait.pause.waits.empty());
}

PodRelease Release() {
  PodRelease release{.pod = {"ns", "p", "u1"}};
  release.annotations = {{"gangplan.io/pinned", "nodes"}};
  release.required_terms = {{{}, {{"metadata.name", SelectorOperator::kIn, {"n1"}}}},
                            {{}, {{"metadata.name", SelectorOperator::kIn, {"n2"}}}}};
  return release;
}

TEST_CASE("a release is one patch, which takes the gate by its name and gives the nodes") {
  Bench bench;
  bench.transport.answers = {Answer(200)};
  CHECK(PatchRelease(bench.transport, Release(), bench.tools).ok());
  REQUIRE(bench.transport.requests.size() == 1);
  const HttpRequest& patch = bench.transport.requests[0];
  CHECK(patch.method == "PATCH");
  CHECK(patch.target == "/api/v1/namespaces/ns/pods/p?fieldValidation=Ignore");
  CHECK(patch.content_type == "application/strategic-merge-patch+json");
  CHECK(patch.body ==
        R"({"metadata":{"uid":"u1","annotations":{"gangplan.io/pinned":"nodes"}},"spec":{)"
        R"("schedulingGates":[{"$patch":"delete","name":"gangplan.io/gang"}],)"
        R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"({"nodeSelectorTerms":[)"
        R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]},)"
        R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n2"]}]}]}}}}})");
}

TEST_CASE("a release that disowns a pod takes its managedFields, by one empty entry") {
  Bench bench;
  bench.transport.answers = {Answer(200)};
  const PodRelease release{.pod = {"ns", "p", "u1"}, .disown = true};
  CHECK(PatchRelease(bench.transport, release, bench.tools).ok());
  CHECK(bench.transport.requests[0].body ==
        R"({"metadata":{"uid":"u1","managedFields":[{}]},"spec":{"schedulingGates":[)"
        R"({"$patch":"delete","name":"gangplan.io/gang"}]}})");
}

TEST_CASE("what a release does not say is not in its body, Kueue's gate goes where it says so") {
  Bench bench;
  bench.transport.answers = {Answer(200)};
  PodRelease release{.pod = {"ns", "p", "u1"}};
  release.kueue = true;
  CHECK(PatchRelease(bench.transport, release, bench.tools).ok());
  CHECK(bench.transport.requests[0].body ==
        R"({"metadata":{"uid":"u1"},"spec":{"schedulingGates":[)"
        R"({"$patch":"delete","name":"gangplan.io/gang"},)"
        R"({"$patch":"delete","name":"kueue.x-k8s.io/topology"}]}})");
}

TEST_CASE("answers to a release, and to the end of a pod") {
  struct Case {
    int status;
    std::string body;
    absl::StatusCode code;
  };
  const Case cases[] = {
      {200, "", absl::StatusCode::kOk},
      {202, "", absl::StatusCode::kOk},
      {401, "", absl::StatusCode::kUnauthenticated},
      {403, "", absl::StatusCode::kPermissionDenied},
      {404, "", absl::StatusCode::kNotFound},
      {409, R"({"message":"Precondition failed: UID in precondition: u1, UID in object meta: u2"})",
       absl::StatusCode::kAborted},
      {409, R"({"message":"the UID in the precondition (u1) does not match"})",
       absl::StatusCode::kAborted},
      {422, R"({"message":"Pod \"p\" is invalid: metadata.uid: Invalid value"})",
       absl::StatusCode::kAborted},
      {422, R"({"message":"Pod \"p\" is invalid: spec: Forbidden: pod updates may not change"})",
       absl::StatusCode::kFailedPrecondition},
  };
  for (const Case& one : cases) {
    Bench bench;
    bench.transport.answers = {Answer(one.status, one.body), Answer(one.status, one.body)};
    CHECK(PatchRelease(bench.transport, Release(), bench.tools).code() == one.code);
    CHECK(EndPod(bench.transport, {.pod = {"ns", "p", "u1"}}, bench.tools).code() == one.code);
    CHECK(bench.transport.requests.size() == 2);
  }
}

TEST_CASE("a release in doubt is sent again: it is the same twice") {
  Bench bench;
  bench.transport.answers = {absl::UnknownError("no whole answer"), Answer(503),
                             Answer(409, R"({"message":"the object has been modified"})"),
                             Answer(200)};
  CHECK(PatchRelease(bench.transport, Release(), bench.tools).ok());
  CHECK(bench.transport.requests.size() == 4);
  Bench worn;
  for (int i = 0; i < kPatientTries; ++i) worn.transport.answers.push_back(Answer(500));
  CHECK(absl::IsUnavailable(PatchRelease(worn.transport, Release(), worn.tools)));
}

TEST_CASE("a release of one version is of no other, and in doubt after an earlier try") {
  PodRelease release = Release();
  release.resource_version = "77";
  const HttpResponse conflict = Answer(409, R"({"message":"the object has been modified"})");
  Bench bench;
  bench.transport.answers = {conflict};
  CHECK(absl::IsAborted(PatchRelease(bench.transport, release, bench.tools)));
  REQUIRE(bench.transport.requests.size() == 1);
  CHECK(bench.transport.requests[0].body.starts_with(
      R"({"metadata":{"uid":"u1","resourceVersion":"77","annotations":)"));
  Bench doubt;
  doubt.transport.answers = {Answer(503), conflict};
  CHECK(absl::IsUnavailable(PatchRelease(doubt.transport, release, doubt.tools)));
}

TEST_CASE("a disruption budget that keeps a pod is a refusal, and so is more than one of them") {
  const HttpResponse budget = Answer(
      429, R"({"message":"Cannot evict pod as it would violate the pod's disruption budget."})");
  Bench bench;
  for (int i = 0; i < kPatientTries; ++i) bench.transport.answers.push_back(budget);
  const PodDelete pod{.pod = {"ns", "p", "u1"}};
  CHECK(absl::IsFailedPrecondition(EndPod(bench.transport, pod, bench.tools)));
  Bench several;
  for (int i = 0; i < kPatientTries; ++i)
    several.transport.answers.push_back(
        Answer(500, R"({"message":"This pod has more than one PodDisruptionBudget"})"));
  CHECK(absl::IsFailedPrecondition(EndPod(several.transport, pod, several.tools)));
}

TEST_CASE("an eviction may only be tried, and a pod deleted without one") {
  Bench bench;
  bench.transport.answers = {Answer(201), Answer(200)};
  PodDelete pod{.pod = {"ns", "p", "u1"}, .how = PodDelete::How::kTry};
  CHECK(EndPod(bench.transport, pod, bench.tools).ok());
  CHECK(bench.transport.requests[0].body ==
        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"ns","name":"p"},)"
        R"("deleteOptions":{"dryRun":["All"],"preconditions":{"uid":"u1"}}})");
  pod.how = PodDelete::How::kForce;
  CHECK(EndPod(bench.transport, pod, bench.tools).ok());
  const HttpRequest& request = bench.transport.requests[1];
  CHECK(request.method == "DELETE");
  CHECK(request.target == "/api/v1/namespaces/ns/pods/p");
  CHECK(request.body ==
        R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u1"}})");
}

TEST_CASE("a pod is evicted by its UID and its version") {
  Bench bench;
  bench.transport.answers = {Answer(201)};
  const PodDelete pod{.pod = {"ns", "p", "u1"}, .resource_version = "77"};
  CHECK(EndPod(bench.transport, pod, bench.tools).ok());
  const HttpRequest& request = bench.transport.requests[0];
  CHECK(request.method == "POST");
  CHECK(request.target == "/api/v1/namespaces/ns/pods/p/eviction");
  CHECK(request.content_type == "application/json");
  CHECK(request.body ==
        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"ns","name":"p"},)"
        R"("deleteOptions":{"preconditions":{"uid":"u1","resourceVersion":"77"}}})");
}

const OwnerRef kJob{"batch/v1", "Job", "train", "u9"};

TEST_CASE("an owner is read by its path") {
  Bench bench;
  bench.transport.answers = {Answer(
      200, R"({"kind":"Job","apiVersion":"batch/v1",)"
           R"("metadata":{"name":"train","namespace":"ns","uid":"u9",)"
           R"("annotations":{"gangplan.io/size":"4"}},"spec":{"parallelism":4,"completions":8}})")};
  auto owner = ReadOwnerFacts(bench.transport, {"ns", kJob}, bench.tools);
  REQUIRE(owner.ok());
  CHECK(bench.transport.requests[0].target == "/apis/batch/v1/namespaces/ns/jobs/train");
  CHECK(owner->ref == kJob);
  CHECK(owner->ns == "ns");
  CHECK(owner->size == 4);
  CHECK(*FindLabel(owner->annotations, "gangplan.io/size") == "4");
}

TEST_CASE("an owner that is gone, replaced or hidden") {
  Bench gone;
  gone.transport.answers = {Answer(404, R"({"message":"not there"})")};
  CHECK(Message(ReadOwnerFacts(gone.transport, {"ns", kJob}, gone.tools).status()) ==
        "reading Job ns/train: 404 not there");
  Bench replaced;
  replaced.transport.answers = {
      Answer(200, R"({"kind":"Job","metadata":{"name":"train","namespace":"ns","uid":"u10"}})")};
  const absl::Status status =
      ReadOwnerFacts(replaced.transport, {"ns", kJob}, replaced.tools).status();
  CHECK(absl::IsNotFound(status));
  CHECK(Message(status) == "Job ns/train has UID u10 now, not u9");
  Bench hidden;
  hidden.transport.answers = {Answer(403)};
  CHECK(absl::IsPermissionDenied(
      ReadOwnerFacts(hidden.transport, {"ns", kJob}, hidden.tools).status()));
}

TEST_CASE("a PodGroup is known by its name in the namespace of its pods, and nothing else is") {
  const std::string body =
      R"({"kind":"PodGroup","metadata":{"name":"ring","namespace":"ns","uid":"u1"}})";
  const auto read = [&](const OwnerRef& owner) {
    Bench bench;
    bench.transport.answers = {Answer(200, body)};
    return ReadOwnerFacts(bench.transport, {"ns", owner}, bench.tools);
  };
  const OwnerRef ring{"scheduling.x-k8s.io/v1alpha1", "PodGroup", "ring", "PodGroup ns/ring"};
  REQUIRE(read(ring).ok());
  CHECK(read(ring)->ref == ring);
  for (const OwnerRef& other :
       {OwnerRef{ring.api_version, ring.kind, ring.name, "PodGroup other/ring"},
        OwnerRef{ring.api_version, ring.kind, "x", ring.uid},
        OwnerRef{"batch/v1", "Job", ring.name, ring.uid}}) {
    CHECK(absl::IsNotFound(read(other).status()));
  }
}

TEST_CASE("of an owner that is not there it is known whether the server has its kind") {
  const OwnerRef ring{"scheduling.x-k8s.io/v1alpha1", "PodGroup", "ring", "PodGroup ns/ring"};
  const auto read = [&](const OwnerRef& owner, std::deque<ScriptedTransport::Answer> answers) {
    Bench bench;
    bench.transport.answers = std::move(answers);
    return ReadOwnerFacts(bench.transport, {"ns", owner}, bench.tools);
  };
  const HttpResponse there =
      Answer(200, R"({"resources":[{"name":"podgroups","kind":"PodGroup"}]})");
  const HttpResponse without = Answer(200, R"({"resources":[{"name":"x","kind":"X"}]})");
  CHECK(absl::IsNotFound(read(ring, {Answer(404), there}).status()));
  for (const HttpResponse& unknown : {Answer(403), Answer(200, "no JSON")})
    CHECK(absl::IsNotFound(read(ring, {Answer(404), unknown}).status()));
  for (const HttpResponse& served : {Answer(404), without}) {
    const absl::Status status = read(kJob, {Answer(404), served}).status();
    CHECK(absl::IsUnimplemented(status));
    CHECK(Message(status) == "the cluster serves no Job of batch/v1");
  }
  // What is known by its name is read in the version that there is.
  const HttpResponse versions =
      Answer(200, R"({"versions":[{"groupVersion":"scheduling.x-k8s.io/v1alpha1"},)"
                  R"({"groupVersion":"scheduling.x-k8s.io/v1"}]})");
  const HttpResponse object = Answer(
      200, R"({"apiVersion":"scheduling.x-k8s.io/v1","kind":"PodGroup","metadata":{"name":"ring",)"
           R"("namespace":"ns","uid":"u1"},"spec":{"minMember":3}})");
  const auto owner = read(ring, {Answer(404), without, versions, there, object});
  REQUIRE(owner.ok());
  CHECK(owner->ref == ring);
  CHECK(owner->size == 3);
  CHECK(absl::IsUnimplemented(read(ring, {Answer(404), without, versions, Answer(404)}).status()));
  CHECK(absl::IsUnimplemented(read(ring, {Answer(404), without, Answer(404)}).status()));
}

TEST_CASE("a Job of an MPIJob that cannot be read is known as a part of that") {
  const std::string part =
      R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"train","namespace":"ns",)"
      R"("uid":"u9","ownerReferences":[{"apiVersion":"kubeflow.org/v2beta1","kind":"MPIJob",)"
      R"("name":"pi","uid":"u7","controller":true}]},"spec":{}})";
  for (const auto& [code, why] : {std::pair(403, Unread::kDenied), {404, Unread::kGone}}) {
    Bench bench;
    bench.transport.answers = {Answer(200, part), Answer(code)};
    const auto owner = ReadOwnerFacts(bench.transport, {"ns", kJob}, bench.tools);
    REQUIRE(owner.ok());
    CHECK(owner->ref == kJob);
    CHECK(owner->unread == why);
    CHECK(owner->whole() == OwnerRef{"kubeflow.org/v2beta1", "MPIJob", "pi", "u7"});
    CHECK_FALSE(owner->size);
  }
  Bench lost;
  lost.transport.answers = {Answer(200, part), Answer(400)};
  CHECK_FALSE(ReadOwnerFacts(lost.transport, {"ns", kJob}, lost.tools).ok());
}

}  // namespace
}  // namespace gangplan::pod_writes_test
