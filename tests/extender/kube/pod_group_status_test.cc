// The status of a PodGroup of coscheduling: what it says, and how it is written.
#include "extender/kube/pod_group_status.h"

#include "fmt/format.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::pod_group_status_test {
namespace {

PodGroupStatus After(const PodGroupStatus& before, const PodGroupCounts& counts) {
  return StatusAfter({"u", "7", 3, before, ""}, counts);
}

// Of so many pods that have come, so many of them in these phases.
PodGroupCounts Pods(int32_t pods, int32_t running = 0, int32_t succeeded = 0, int32_t failed = 0) {
  return {pods, running, succeeded, failed, "team/web"};
}

std::string PhaseAfter(std::string_view before, const PodGroupCounts& counts) {
  return After({std::string(before), "", 0, 0, 0}, counts).phase;
}

TEST_CASE("A PodGroup's phase is what its own controller would have made of it") {
  CHECK(PhaseAfter("", Pods(0)) == "Pending");
  CHECK(PhaseAfter("", Pods(2, 2)) == "Pending");
  CHECK(PhaseAfter("", Pods(3)) == "Scheduling");
  CHECK(PhaseAfter("Pending", Pods(4, 2)) == "Scheduling");
  CHECK(PhaseAfter("Scheduling", Pods(4, 2, 1)) == "Running");
  CHECK(PhaseAfter("Running", Pods(3, 2)) == "Scheduling");
  CHECK(PhaseAfter("Running", Pods(2, 2)) == "Pending");
  CHECK(PhaseAfter("Running", Pods(3, 1, 1, 1)) == "Failed");
  CHECK(PhaseAfter("Running", Pods(4, 0, 1, 1)) == "Scheduling");
  CHECK(PhaseAfter("Running", Pods(4, 0, 3, 1)) == "Finished");
  CHECK(PhaseAfter("Finished", Pods(1, 1)) == "Finished");
  CHECK(PhaseAfter("Failed", Pods(3, 3)) == "Failed");
}

TEST_CASE("A PodGroup's counts are told from its second phase on") {
  CHECK(After({}, Pods(2, 1)) == PodGroupStatus{"Pending", "", 0, 0, 0});
  CHECK(After({}, Pods(5, 3, 1, 0)) == PodGroupStatus{"Running", "team/web", 3, 1, 0});
  CHECK(After({"Running", "team/old", 3, 0, 0}, Pods(2, 2)) ==
        PodGroupStatus{"Pending", "team/old", 2, 0, 0});
  PodGroupCounts bare = Pods(3);
  bare.occupied_by.clear();
  CHECK(After({"Pending", "team/old", 0, 0, 0}, bare).occupied_by == "team/old");
}

struct Bench : FakeTools {
  ScriptedTransport transport;

  absl::Status Write(const PodGroupCounts& counts) {
    return WritePodGroupStatus(transport, {"team", "ring", counts}, tools);
  }
};

HttpResponse Stands(std::string_view version, std::string_view manager, std::string_view phase) {
  const std::string managers =
      manager.empty() ? "" : fmt::format(R"({{"manager":"{}","subresource":"status"}})", manager);
  return Answer(200, fmt::format(R"({{"metadata":{{"uid":"u","resourceVersion":"{}",)"
                                 R"("managedFields":[{}]}},"spec":{{"minMember":2}},)"
                                 R"("status":{{"phase":"{}"}}}})",
                                 version, managers, phase));
}

const HttpResponse kConflict = Answer(409, R"({"message":"the object has been modified"})");

TEST_CASE("A PodGroup's status is written in the version that was read") {
  Bench bench;
  bench.transport.answers = {Stands("7", "", ""), Answer(200)};
  CHECK(bench.Write(Pods(2, 2)).ok());
  REQUIRE(bench.transport.requests.size() == 2);
  const std::string path = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/team/podgroups/ring";
  CHECK(bench.transport.requests[0].target == path);
  CHECK(bench.transport.requests[1].target == path + "/status");
  CHECK(bench.transport.requests[1].body ==
        R"({"metadata":{"uid":"u","resourceVersion":"7"},"status":{"phase":"Running",)"
        R"("occupiedBy":"team/web","running":2,"succeeded":null,"failed":null}})");
}

TEST_CASE("A PodGroup that says so already is not written") {
  Bench bench;
  bench.transport.answers = {Stands("7", "gangplan", "Pending")};
  CHECK(bench.Write(Pods(1)).ok());
  CHECK(bench.transport.requests.size() == 1);
}

TEST_CASE("A PodGroup whose status somebody else has written is left to him") {
  Bench bench;
  bench.transport.answers = {Stands("7", "controller", "Pending")};
  const absl::Status status = bench.Write(Pods(2, 2));
  CHECK(absl::IsAborted(status));
  CHECK(Message(status) == "writing the status of PodGroup team/ring: \"controller\" writes it");
  CHECK(bench.transport.requests.size() == 1);
  // He comes between the read and the write.
  bench.transport.answers = {Stands("7", "", ""), kConflict, Stands("8", "controller", "Pending")};
  CHECK(absl::IsAborted(bench.Write(Pods(2, 2))));
}

TEST_CASE("A PodGroup that is changed by its user meanwhile is read again, and not for ever") {
  Bench bench;
  bench.transport.answers = {Stands("7", "", ""), kConflict, Stands("8", "", ""), Answer(200)};
  CHECK(bench.Write(Pods(2, 2)).ok());
  CHECK(bench.transport.requests[3].body.find(R"("resourceVersion":"8")") != std::string::npos);
  Bench endless;
  for (int i = 0; i < kPatientTries; ++i) {
    endless.transport.answers.push_back(Stands("7", "", ""));
    endless.transport.answers.push_back(kConflict);
  }
  CHECK(absl::IsUnavailable(endless.Write(Pods(2, 2))));
  CHECK(endless.transport.requests.size() == 2 * kPatientTries);
}

TEST_CASE("A PodGroup that is gone, and a write that is not allowed, say so") {
  Bench bench;
  bench.transport.answers = {Answer(404)};
  CHECK(absl::IsNotFound(bench.Write(Pods(2))));
  bench.transport.answers = {Stands("7", "", ""), Answer(403, R"({"message":"no"})")};
  const absl::Status denied = bench.Write(Pods(2));
  CHECK(absl::IsPermissionDenied(denied));
  CHECK(Message(denied) == "writing the status of PodGroup team/ring: 403 no");
}

}  // namespace
}  // namespace gangplan::pod_group_status_test
