// JobSets: as owners, and with their templates while they wait.

#include <string>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::jobset_test {
namespace {

std::string Part(std::string_view name, std::string_view rest, std::string_view job,
                 std::string_view pod) {
  return fmt::format(
      R"({{"name":"{}",{}"template":{{"metadata":{{"annotations":{{"gangplan.io/place":"of-job",)"
      R"("gangplan.io/topology":"t"}}}},"spec":{{{}"template":{{{}}}}}}}}})",
      name, rest, job, pod);
}

constexpr std::string_view kPod =
    R"("metadata":{"labels":{"app":"a"},"annotations":{"gangplan.io/place":"of-pod"}},)"
    R"("spec":{"schedulerName":"gangplan","containers":[{"resources":{"requests":{"cpu":"1"}}}]})";

std::string SetText(
    std::string_view parts, std::string_view spec = "", std::string_view status = "",
    std::string_view kind = R"("kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1alpha2",)") {
  return fmt::format(
      R"({{{}"metadata":{{"name":"s","namespace":"n","uid":"u","resourceVersion":"7"}},)"
      R"("spec":{{"suspend":true,{}"replicatedJobs":[{}]}},"status":{{{}}}}})",
      kind, spec, parts, status);
}

std::string TwoParts() {
  return Part("driver", "", R"("completions":1,)", kPod) + "," +
         Part("workers", R"("replicas":2,)", R"("parallelism":4,"completions":3,)", kPod) + "," +
         Part("none", R"("replicas":0,)", "", kPod);
}

constexpr std::string_view kAllThere =
    R"("replicatedJobsStatus":[{"name":"workers","suspended":2},{"name":"driver","suspended":1}])";

JobFacts Waiting(std::string text) {
  absl::StatusOr<JobFacts> set = DecodeJob(text, kJobSetKind);
  INFO(ErrorOf(set));
  REQUIRE(set.ok());
  return *std::move(set);
}
std::string ErrorOfSet(std::string text) { return ErrorOf(DecodeJob(text, kJobSetKind)); }

OwnerFacts Owner(std::string text) {
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
  INFO(ErrorOf(owner));
  REQUIRE(owner.ok());
  return *std::move(owner);
}

TEST_CASE("JobSet: it tells its pod sets, with the words of their Jobs and pods") {
  const OwnerFacts owner = Owner(SetText(TwoParts()));
  CHECK(owner.ref == OwnerRef{"jobset.x-k8s.io/v1alpha2", "JobSet", "s", "u"});
  CHECK_FALSE(owner.size);
  REQUIRE(owner.pod_sets.size() == 2);
  CHECK(owner.pod_sets[0].name == "driver");
  CHECK(owner.pod_sets[0].size() == 1);
  CHECK(owner.pod_sets[1].jobs == 2);
  CHECK(owner.pod_sets[1].each == 3);
  CHECK(owner.pod_sets[1].labels == LabelSet{{"app", "a"}});
  CHECK(owner.pod_sets[1].annotations ==
        LabelSet{{"gangplan.io/place", "of-pod"}, {"gangplan.io/topology", "t"}});
  CHECK_FALSE(owner.in_order);
  CHECK(Waiting(SetText(TwoParts())).owner == owner);
}

TEST_CASE("JobSet: one that starts its Jobs one after the other says so") {
  const std::string order = R"("startupPolicy":{"startupPolicyOrder":"InOrder"},)";
  CHECK(Owner(SetText(TwoParts(), order)).in_order);
  CHECK_FALSE(
      Owner(SetText(TwoParts(), R"("startupPolicy":{"startupPolicyOrder":"AnyOrder"},)")).in_order);
}

std::string Dependent(std::string_view others, std::string_view rest = "",
                      std::string_view job = "") {
  return SetText(Part("node", "", R"("parallelism":4,"completions":4,)", kPod) + "," +
                 Part("launcher", fmt::format(R"("dependsOn":[{}],{})", others, rest), job, kPod));
}

constexpr std::string_view kOnReady = R"({"name":"node","status":"Ready"})";

TEST_CASE("JobSet: what depends on others is made after them, but for a last pod on their start") {
  const auto in_order = [](const std::string& text) {
    const OwnerFacts owner = Owner(text);
    CHECK(Waiting(text).owner == owner);
    CHECK((owner.in_order != owner.any_last()));
    return owner.in_order;
  };
  CHECK_FALSE(in_order(Dependent(kOnReady)));
  CHECK_FALSE(in_order(Dependent(kOnReady, R"("replicas":1,)", R"("parallelism":1,)")));
  CHECK_FALSE(in_order(Dependent(fmt::format("{0},{0}", kOnReady))));
  CHECK(in_order(Dependent(R"({"name":"node","status":"Complete"})")));
  CHECK(in_order(Dependent(R"({"name":"node"})")));
  CHECK(in_order(Dependent(std::string(kOnReady) + R"(,{"name":"node","status":"Complete"})")));
  CHECK(in_order(Dependent(kOnReady, R"("replicas":2,)")));
  CHECK(in_order(Dependent(kOnReady, "", R"("parallelism":2,)")));
}

TEST_CASE("JobSet: a last pod is known by its template, as its controller would make it") {
  const OwnerFacts owner = Owner(Dependent(kOnReady));
  REQUIRE(owner.pod_sets.size() == 2);
  CHECK_FALSE(owner.pod_sets[0].last);
  REQUIRE(owner.pod_sets[1].last);
  PodFacts last = *owner.pod_sets[1].last;
  CHECK(last.labels == LabelSet{{"app", "a"},
                                {"jobset.sigs.k8s.io/jobset-name", "s"},
                                {"jobset.sigs.k8s.io/jobset-uid", "u"},
                                {"jobset.sigs.k8s.io/replicatedjob-name", "launcher"},
                                {"jobset.sigs.k8s.io/replicatedjob-replicas", "1"}});
  // As one that waits has it, which knows how often it was made anew.
  const JobFacts waiting = Waiting(Dependent(kOnReady));
  REQUIRE(waiting.pods.size() == 2);
  SetLabel(last.labels, "jobset.sigs.k8s.io/restart-attempt", "0");
  CHECK(waiting.pods[1] == last);
  const std::string spoilt = SetText(
      Part("node", "", "", kPod) + "," +
      Part("launcher", fmt::format(R"("dependsOn":[{}],)", kOnReady), "", R"("spec":7)"));
  CHECK(Owner(spoilt).pod_sets[1].last->fault ==
        "spec.replicatedJobs[1].template.spec.template.spec: expected an object, found a number");
}

TEST_CASE("JobSet: another kind with the same words has no pod sets, whatever is wrong in it") {
  CHECK(Owner(SetText(TwoParts(), "", "", R"("kind":"JobSet","apiVersion":"x.io/v1",)"))
            .pod_sets.empty());
  CHECK(Owner(SetText("7", "", "", R"("kind":"Other","apiVersion":"x.io/v1",)")).pod_sets.empty());
  std::string wrong = SetText("7");
  CHECK(ErrorOf(DecodeOwner(wrong)) ==
        "spec.replicatedJobs[0]: expected an object, found a number");
}

TEST_CASE("JobSet: one that waits has a pod of each template, as its controller would make it") {
  const JobFacts set = Waiting(SetText(TwoParts(), "", R"("restarts":3)"));
  CHECK(set.resource_version == "7");
  CHECK(set.suspended);
  CHECK_FALSE(set.finished);
  REQUIRE(set.pods.size() == 2);
  const PodFacts& pod = set.pods[1];
  CHECK(pod.fault.empty());
  CHECK(pod.name == "s");
  CHECK(pod.uid.empty());
  CHECK(pod.scheduler_name == "gangplan");
  CHECK(pod.requests == ResourceList{{"cpu", 1000}, {"pods", 1}});
  CHECK(pod.controller == OwnerRef{"batch/v1", "Job", "s-workers-0", ""});
  CHECK(pod.labels == LabelSet{{"app", "a"},
                               {"jobset.sigs.k8s.io/jobset-name", "s"},
                               {"jobset.sigs.k8s.io/jobset-uid", "u"},
                               {"jobset.sigs.k8s.io/replicatedjob-name", "workers"},
                               {"jobset.sigs.k8s.io/replicatedjob-replicas", "2"},
                               {"jobset.sigs.k8s.io/restart-attempt", "3"}});
}

TEST_CASE("JobSet: it is ready when all its Jobs are there and suspended") {
  CHECK(Waiting(SetText(TwoParts(), "", std::string(kAllThere))).ready);
  CHECK_FALSE(Waiting(SetText(TwoParts())).ready);
  CHECK_FALSE(Waiting(SetText(TwoParts(), "",
                              R"("replicatedJobsStatus":[{"name":"workers","suspended":2}])"))
                  .ready);
  CHECK_FALSE(Waiting(SetText(TwoParts(), "",
                              R"("replicatedJobsStatus":[{"name":"workers","suspended":1},)"
                              R"({"name":"driver","suspended":1}])"))
                  .ready);
}

TEST_CASE(
    "JobSet: what ran before is stopped when no Job of it is active, as its controller tells") {
  const auto stopped = [](std::string_view conditions, std::string_view statuses) {
    return Waiting(SetText(TwoParts(), "",
                           fmt::format(R"("conditions":[{}],"replicatedJobsStatus":[{}])",
                                       conditions, statuses)))
        .stopped;
  };
  constexpr std::string_view kTrue = R"({"type":"Suspended","status":"True"})";
  constexpr std::string_view kFalse = R"({"type":"Suspended","status":"False"})";
  CHECK(stopped("", ""));
  CHECK(stopped(kTrue, R"({"name":"workers","suspended":2},{"name":"driver","active":0})"));
  CHECK_FALSE(stopped(kTrue, R"({"name":"workers","suspended":2},{"name":"driver","active":1})"));
  CHECK_FALSE(stopped(kFalse, R"({"name":"workers","suspended":2})"));
}

TEST_CASE("JobSet: it has begun when one of its Jobs has ended, and may be over") {
  CHECK_FALSE(Waiting(SetText(TwoParts(), "", std::string(kAllThere))).begun);
  for (const char* end : {"succeeded", "failed"}) {
    const std::string status =
        fmt::format(R"("replicatedJobsStatus":[{{"name":"driver","{}":1}}])", end);
    CHECK(Waiting(SetText(TwoParts(), "", status)).begun);
  }
  for (const char* type : {"Completed", "Failed"}) {
    const std::string status =
        fmt::format(R"("conditions":[{{"type":"{}","status":"True"}}])", type);
    CHECK(Waiting(SetText(TwoParts(), "", status)).finished);
  }
  CHECK_FALSE(
      Waiting(SetText(TwoParts(), "", R"("conditions":[{"type":"Suspended","status":"True"}])"))
          .finished);
}

TEST_CASE("JobSet: a template that cannot be read is told with its place, beside others that can") {
  const std::string wrong =
      Part("b", "", "", R"("spec":{"containers":[{"resources":{"requests":{"cpu":"-1"}}}]})");
  const JobFacts set = Waiting(SetText(Part("a", "", "", kPod) + "," + wrong));
  CHECK(set.pods[0].fault.empty());
  CHECK(set.pods[1].fault ==
        "spec.replicatedJobs[1].template.spec.template.spec.containers[0].resources.requests.cpu: "
        "must not be negative: -1");
  CHECK(Waiting(SetText(Part("a", "", "", R"("spec":{})"))).pods[0].fault ==
        "spec.replicatedJobs[0].template.spec.template: spec.containers is missing");
  CHECK(Waiting(SetText(Part("a", "", "", R"("spec":{"nodeName":"n1","containers":[{}]})")))
            .pods[0]
            .fault ==
        "spec.replicatedJobs[0].template.spec.template.spec.nodeName: is set; expected the "
        "scheduler to choose");
}

TEST_CASE("JobSet: lists and watches have those without a kind, and name those that are wrong") {
  const std::string bare = SetText(TwoParts(), "", "", "");
  std::string list = fmt::format(
      R"({{"kind":"JobSetList","metadata":{{"resourceVersion":"9"}},"items":[{},)"
      R"({{"metadata":{{"name":"bad","namespace":"n","uid":"u2"}},"spec":{{"suspend":7}}}}]}})",
      bare);
  const absl::StatusOr<ObjectList> read = DecodeList(list, "JobSet");
  REQUIRE(read.ok());
  REQUIRE(read->jobs.size() == 1);
  CHECK(read->jobs[0].owner.ref.kind == "JobSet");
  REQUIRE(read->bad.size() == 1);
  CHECK(read->bad[0].name == "n/bad");
  std::string line = fmt::format(R"({{"type":"ADDED","object":{}}})", bare);
  const absl::StatusOr<WatchEvent> event = DecodeWatchEvent(line, "JobSet");
  REQUIRE(event.ok());
  REQUIRE(event->job);
  CHECK(*event->job == read->jobs[0]);
}

TEST_CASE("JobSet: another kind or version is refused, and more replicated Jobs than the limit") {
  CHECK(ErrorOfSet(SetText("", "", "", R"("kind":"Job",)")) ==
        "JobSet: expected kind JobSet, found Job");
  CHECK(ErrorOfSet(SetText("", "", "", R"("apiVersion":"jobset.x-k8s.io/v1",)")) ==
        "JobSet: expected apiVersion jobset.x-k8s.io/v1alpha2, found jobset.x-k8s.io/v1");
  std::string parts = "{}";
  for (size_t i = 1; i < kMaxReplicatedJobs; ++i) parts += ",{}";
  CHECK(ErrorOfSet(SetText(parts)).empty());
  CHECK(ErrorOfSet(SetText(parts + ",{}")).find("more than 256") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::jobset_test
