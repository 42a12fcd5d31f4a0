#include "extender/kube/resource_path.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::resource_path_test {
namespace {

std::string PathOf(std::string api_version, std::string kind, std::string name = "a") {
  auto path = OwnerPath("ns", {std::move(api_version), std::move(kind), std::move(name), "u"});
  return path.ok() ? *path : Message(path.status());
}

TEST_CASE("a name cannot leave its place in the path") {
  CHECK(PercentEncode("aZ09-._~") == "aZ09-._~");
  CHECK(PercentEncode("a/b?c#d e%\xC3\xA9") == "a%2Fb%3Fc%23d%20e%25%C3%A9");
  CHECK(PodPath("n", "../x", "binding") == "/api/v1/namespaces/n/pods/..%2Fx/binding");
  CHECK(PodPath("n", "p") == "/api/v1/namespaces/n/pods/p");
}

TEST_CASE("ConfigMaps of all namespaces, of one, and one by its name") {
  CHECK(JobPath("n", "../x", "status") == "/apis/batch/v1/namespaces/n/jobs/..%2Fx/status");
  CHECK(JobPath("n", "j") == "/apis/batch/v1/namespaces/n/jobs/j");
  CHECK(ConfigMapPath("") == "/api/v1/configmaps");
  CHECK(ConfigMapPath("a/b") == "/api/v1/namespaces/a%2Fb/configmaps");
  CHECK(ConfigMapPath("ns", "../x") == "/api/v1/namespaces/ns/configmaps/..%2Fx");
}

TEST_CASE("owners have the path of their kind") {
  CHECK(PathOf("batch/v1", "Job") == "/apis/batch/v1/namespaces/ns/jobs/a");
  CHECK(PathOf("apps/v1", "StatefulSet") == "/apis/apps/v1/namespaces/ns/statefulsets/a");
  CHECK(PathOf("v1", "ReplicationController") == "/api/v1/namespaces/ns/replicationcontrollers/a");
  CHECK(PathOf("jobset.x-k8s.io/v1alpha2", "JobSet") ==
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/ns/jobsets/a");
  CHECK(PathOf("x/v1", "Ingress") == "/apis/x/v1/namespaces/ns/ingresses/a");
  CHECK(PathOf("x/v1", "Batch") == "/apis/x/v1/namespaces/ns/batches/a");
  CHECK(PathOf("x/v1", "Policy") == "/apis/x/v1/namespaces/ns/policies/a");
  CHECK(PathOf("x/v1", "Gateway") == "/apis/x/v1/namespaces/ns/gateways/a");
}

TEST_CASE("an owner without a path is refused with its name") {
  CHECK(PathOf("a/b/c", "Job") ==
        "apiVersion \"a/b/c\" of Job ns/a is neither VERSION nor GROUP/VERSION");
  CHECK(PathOf("", "Job") == "apiVersion \"\" of Job ns/a is neither VERSION nor GROUP/VERSION");
  CHECK(PathOf("/v1", "Job") ==
        "apiVersion \"/v1\" of Job ns/a is neither VERSION nor GROUP/VERSION");
  CHECK(PathOf("v1", "", "a") ==
        "an owner needs a namespace, a kind and a name; got \"ns\", \"\", \"a\"");
}

}  // namespace
}  // namespace gangplan::resource_path_test
