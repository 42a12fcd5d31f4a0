// The standard pod request, case by case.

#include <string>
#include <string_view>

#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::pod_requests_test {
namespace {

// The requests of a pod with this spec and status, without the one of `pods`.
ResourceList Requests(std::string_view spec, std::string_view status = "") {
  std::string text = fmt::format(R"({{"metadata":{{"name":"p","uid":"u"}},"spec":{{{}}},)"
                                 R"("status":{{{}}}}})",
                                 spec, status);
  absl::StatusOr<PodFacts> pod = DecodePod(text);
  REQUIRE(ErrorOf(pod) == "");
  ResourceList rest;
  for (const ResourceAmount& entry : pod->requests) {
    if (entry.name != "pods") rest.push_back(entry);
  }
  CHECK(rest.size() + 1 == pod->requests.size());
  return rest;
}

TEST_CASE("Requests of containers add up") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"250m","memory":"1Gi"}}},)"
                 R"({},{"resources":{"requests":{"cpu":"1","example.com/gpu":2}}}])") ==
        ResourceList{{"cpu", 1'250}, {"example.com/gpu", 2}, {"memory", 1 << 30}});
}

TEST_CASE("What is asked for is rounded up, cpu in thousandths") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1500u","memory":"100m"}}}])") ==
        ResourceList{{"cpu", 2}, {"memory", 1}});
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":0.1,"memory":1.5e3}}}])") ==
        ResourceList{{"cpu", 100}, {"memory", 1'500}});
}

TEST_CASE("A request of nothing is none, and `pods` is always one") {
  std::string text =
      PodText(R"("containers":[{"resources":{"requests":{"cpu":"0","memory":"0Gi","pods":"7"}}}])");
  absl::StatusOr<PodFacts> pod = DecodePod(text);
  REQUIRE(pod.ok());
  CHECK(pod->requests == ResourceList{{"pods", 1}});
}

TEST_CASE("A limit without a request is a request") {
  CHECK(Requests(R"("containers":[{"resources":{"limits":{"cpu":"2","example.com/gpu":"4"},)"
                 R"("requests":{"cpu":"1"}}}])") ==
        ResourceList{{"cpu", 1'000}, {"example.com/gpu", 4}});
  CHECK(Requests(R"("containers":[{"resources":{"limits":{"cpu":"2"},"requests":{"cpu":"0"}}}])")
            .empty());
}

TEST_CASE("The largest init container counts when it is more than all containers") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"2","memory":"5"}}}],)"
                 R"("initContainers":[{"resources":{"requests":{"cpu":"1"}}},)"
                 R"({"resources":{"requests":{"cpu":"3","memory":"1"}}},)"
                 R"({"resources":{"limits":{"cpu":"2"}}}])") ==
        ResourceList{{"cpu", 3'000}, {"memory", 5}});
}

TEST_CASE("A sidecar runs beside the containers and the init containers after it") {
  const std::string containers = R"("containers":[{"resources":{"requests":{"cpu":"1"}}}],)";
  const std::string sidecar = R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}})";
  const std::string init = R"({"resources":{"requests":{"cpu":"4"}}})";
  CHECK(Requests(containers + "\"initContainers\":[" + sidecar + "]") ==
        ResourceList{{"cpu", 3'000}});
  CHECK(Requests(containers + "\"initContainers\":[" + sidecar + "," + init + "]") ==
        ResourceList{{"cpu", 6'000}});
  CHECK(Requests(containers + "\"initContainers\":[" + init + "," + sidecar + "]") ==
        ResourceList{{"cpu", 4'000}});
  CHECK(Requests(containers + "\"initContainers\":[" + sidecar + "," + init + "," + sidecar +
                 "]") == ResourceList{{"cpu", 6'000}});
  CHECK(Requests(containers + "\"initContainers\":[" + sidecar + "," + sidecar + "," + init +
                 "]") == ResourceList{{"cpu", 8'000}});
}

TEST_CASE("Another restart policy makes no sidecar") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[)"
                 R"({"restartPolicy":"Never","resources":{"requests":{"cpu":"1"}}}])") ==
        ResourceList{{"cpu", 1'000}});
}

TEST_CASE("Overhead comes on top of the larger part") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[)"
                 R"({"resources":{"requests":{"cpu":"2","memory":"3"}}}],)"
                 R"("overhead":{"cpu":"250m","memory":"1","example.com/x":"1"})") ==
        ResourceList{{"cpu", 2'250}, {"example.com/x", 1}, {"memory", 4}});
}

TEST_CASE("A request for the whole pod replaces the sum of what it names") {
  const std::string containers =
      R"("containers":[{"resources":{"requests":{"cpu":"4","memory":"8","example.com/gpu":"1"}}}],)"
      R"("initContainers":[{"resources":{"requests":{"cpu":"9"}}}],)";
  CHECK(Requests(containers + R"("resources":{"requests":{"cpu":"2"}},"overhead":{"cpu":"1"})") ==
        ResourceList{{"cpu", 3'000}, {"example.com/gpu", 1}, {"memory", 8}});
  CHECK(Requests(containers + R"("resources":{"requests":{"memory":"3","hugepages-2Mi":"4Mi",)"
                              R"("example.com/gpu":"7"}})") ==
        ResourceList{
            {"cpu", 9'000}, {"example.com/gpu", 1}, {"hugepages-2Mi", 4 << 20}, {"memory", 3}});
}

TEST_CASE("A limit for the whole pod counts where nobody asks for the resource") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1"}}}],)"
                 R"("resources":{"limits":{"cpu":"4","memory":"5"}})") ==
        ResourceList{{"cpu", 1'000}, {"memory", 5}});
  CHECK(Requests(R"("resources":{"limits":{"cpu":"4"},"requests":{"cpu":"3"}})") ==
        ResourceList{{"cpu", 3'000}});
}

// In-place resize: status tells what the node's agent allocated and what is in force.
TEST_CASE("While a container is resized the largest of the three amounts counts") {
  const std::string spec = R"("containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}},)"
                           R"({"name":"b","resources":{"requests":{"cpu":"1"}}}])";
  auto status = [](std::string_view allocated, std::string_view actual) {
    return fmt::format(R"("containerStatuses":[{{"name":"a","allocatedResources":{{"cpu":"{}"}},)"
                       R"("resources":{{"requests":{{"cpu":"{}"}}}}}}])",
                       allocated, actual);
  };
  CHECK(Requests(spec, status("1", "1")) == ResourceList{{"cpu", 3'000}});
  CHECK(Requests(spec, status("3", "1")) == ResourceList{{"cpu", 4'000}});
  CHECK(Requests(spec, status("1", "5")) == ResourceList{{"cpu", 6'000}});
  const std::string refused =
      R"(,"conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}])";
  const std::string deferred =
      R"(,"conditions":[{"type":"PodResizePending","status":"True","reason":"Deferred"}])";
  CHECK(Requests(spec, status("1", "1") + refused) == ResourceList{{"cpu", 2'000}});
  CHECK(Requests(spec, status("1", "1") + deferred) == ResourceList{{"cpu", 3'000}});
}

TEST_CASE("A status without amounts, or of another container, changes nothing") {
  const std::string spec =
      R"("containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}],)"
      R"("initContainers":[{"name":"i","resources":{"requests":{"cpu":"1"}}}])";
  CHECK(Requests(spec, R"("containerStatuses":[{"name":"a","resources":{"requests":{}}}])") ==
        ResourceList{{"cpu", 2'000}});
  CHECK(Requests(spec, R"("containerStatuses":[{"name":"x","allocatedResources":{"cpu":"9"}}],)"
                       R"("initContainerStatuses":[{"name":"i",)"
                       R"("allocatedResources":{"cpu":"9"}}])") == ResourceList{{"cpu", 2'000}});
}

TEST_CASE("A sidecar is resized like a container") {
  CHECK(Requests(R"("initContainers":[{"name":"s","restartPolicy":"Always",)"
                 R"("resources":{"requests":{"cpu":"1"}}}])",
                 R"("initContainerStatuses":[{"name":"s","allocatedResources":{"cpu":"3"}}])") ==
        ResourceList{{"cpu", 3'000}});
}

TEST_CASE("A resize of the whole pod") {
  CHECK(Requests(R"("resources":{"requests":{"cpu":"2"}})",
                 R"("allocatedResources":{"cpu":"3"},"resources":{"requests":{"cpu":"1"}})") ==
        ResourceList{{"cpu", 3'000}});
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1"}}}])",
                 R"("allocatedResources":{"cpu":"3"})") == ResourceList{{"cpu", 1'000}});
}

TEST_CASE("Of a resize of the whole pod only what the pod asks for counts") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"memory":"9"}}}],)"
                 R"("resources":{"requests":{"cpu":"2"}})",
                 R"("allocatedResources":{"cpu":"3","memory":"1"})") ==
        ResourceList{{"cpu", 3'000}, {"memory", 9}});
}

constexpr std::string_view kPort = R"({"containerPort":80,"hostPort":8080})";

std::string Containers(std::string_view ports) {
  return fmt::format(R"("containers":[{{"ports":[{}]}}])", ports);
}

TEST_CASE("A port of the node is asked for whole, by protocol") {
  CHECK(Requests(Containers(R"({"containerPort":80},{"containerPort":81,"hostPort":0})")).empty());
  CHECK(Requests(Containers(kPort)) == ResourceList{{"host port 8080/TCP", 1'000}});
  CHECK(Requests(Containers(R"({"hostPort":53,"protocol":"UDP"},{"hostPort":53,"protocol":""})")) ==
        ResourceList{{"host port 53/TCP", 1'000}, {"host port 53/UDP", 1'000}});
  CHECK(Requests(Containers(R"({"hostPort":1,"protocol":"SCTP","hostIP":"0.0.0.0"})")) ==
        ResourceList{{"host port 1/SCTP", 1'000}});
}

TEST_CASE("A port that a pod names twice is one port") {
  CHECK(Requests(Containers(fmt::format("{0},{0}", kPort))) ==
        ResourceList{{"host port 8080/TCP", 1'000}});
}

TEST_CASE("A port of one address leaves the others of the node free") {
  const std::string one = R"({"hostPort":53,"hostIP":"10.0.0.1"})";
  CHECK(Requests(Containers(one)) ==
        ResourceList{{"host port 53/TCP", 1}, {"host port 53/TCP of 10.0.0.1", 1'000}});
  for (const std::string& both : {one + R"(,{"hostPort":53})", R"({"hostPort":53},)" + one}) {
    CHECK(Requests(Containers(both)) ==
          ResourceList{{"host port 53/TCP", 1'000}, {"host port 53/TCP of 10.0.0.1", 1'000}});
  }
}

TEST_CASE("Sidecars listen as long as the pod runs, other init containers do not count") {
  CHECK(Requests(fmt::format(R"("initContainers":[{{"ports":[{}]}}])", kPort)).empty());
  CHECK(Requests(fmt::format(R"("initContainers":[{{"restartPolicy":"Always","ports":[{}]}}])",
                             kPort)) == ResourceList{{"host port 8080/TCP", 1'000}});
}

TEST_CASE("On the node's network every port is the node's") {
  CHECK(Requests(R"("hostNetwork":true,)" + Containers(R"({"containerPort":80})")) ==
        ResourceList{{"host port 80/TCP", 1'000}});
  CHECK(Requests(R"("hostNetwork":true,)" + Containers(kPort)) ==
        ResourceList{{"host port 8080/TCP", 1'000}});
  CHECK(Requests(R"("hostNetwork":false,)" + Containers(R"({"containerPort":80})")).empty());
}

TEST_CASE("Of amounts of one resource the last one counts") {
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1","cpu":"2"}}}],)"
                 R"("overhead":{"cpu":"5"},"overhead":{"cpu":"1"})") ==
        ResourceList{{"cpu", 3'000}});
  CHECK(Requests(R"("containers":[{"resources":{"requests":{"cpu":"1"}}}],)"
                 R"("containers":[{"resources":{"requests":{"cpu":"7"}}}])") ==
        ResourceList{{"cpu", 7'000}});
}

TEST_CASE("Sums reach the largest number and not one more") {
  const std::string most = "9223372036854775807";
  auto two = [](std::string_view a, std::string_view b) {
    return fmt::format(R"("containers":[{{"resources":{{"requests":{{"x.io/a":"{}"}}}}}},)"
                       R"({{"resources":{{"requests":{{"x.io/a":"{}"}}}}}}])",
                       a, b);
  };
  CHECK(Requests(two(most, "0")) == ResourceList{{"x.io/a", INT64_MAX}});
  CHECK(ErrorOf(Decoder::kPod, PodText(two(most, "1"))) ==
        "Pod: the sum of the requests of x.io/a does not fit in 64 bits");
  CHECK(ErrorOf(Decoder::kPod, PodText(two("9223372036854775808", "1"))) ==
        "Pod.spec.containers[0].resources.requests.x.io/a: "
        "quantity \"9223372036854775808\": too large");
}

}  // namespace
}  // namespace gangplan::pod_requests_test
