#include "extender/kube/provisioning_calls.h"

#include <string>

#include "extender/kube/limits.h"
#include "extender/kube/provisioning_bodies.h"
#include "kube_fakes.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"
#include "topology/implied_resource.h"

namespace gangplan::provisioning_calls_test {
namespace {

struct Bench : FakeTools {
  absl::Status Send(const ProvisioningWrite& write) {
    return SendProvisioning(transport, write, tools);
  }
  ScriptedTransport transport;
};

ProvisioningWrite Write() {
  ProvisioningWrite write;
  write.ns = "team";
  write.name = "gangplan-train-1";
  write.by = "gangplan";
  write.gang = "team/train";
  write.owner = OwnerRef{"batch/v1", "Job", "train", "u-train"};
  write.class_name = "a.class";
  write.parameters = {{"ValidUntilSeconds", "60"}};
  ProvisioningPods pods;
  pods.count = 4;
  pods.ns = "team";
  pods.requests = {{"cpu", 1500}, {"example.com/gpu", 8}, {"memory", 1 << 30}, {"pods", 1}};
  write.pod_sets = {pods};
  return write;
}

std::string Object(std::string_view uid, std::string_view more = "",
                   std::string_view by = "gangplan") {
  return fmt::format(R"({{"metadata":{{"name":"x","namespace":"team","uid":"{}",)"
                     R"("labels":{{"gangplan.io/provisioning-by":"{}"}},)"
                     R"("annotations":{{"gangplan.io/provisioning-for":"team/train"}}{}}}}})",
                     uid, by, more);
}

TEST_CASE("Provisioning calls: a request, and a template that is its own") {
  Bench bench;
  bench.transport.answers = {Answer(201, Object("u-1")), Answer(201, Object("t-1"))};
  CHECK(bench.Send(Write()).ok());
  REQUIRE(bench.transport.requests.size() == 2);
  const HttpRequest& request = bench.transport.requests[0];
  CHECK(request.method == "POST");
  CHECK(request.target == "/apis/autoscaling.x-k8s.io/v1/namespaces/team/provisioningrequests");
  CHECK(request.body ==
        R"({"apiVersion":"autoscaling.x-k8s.io/v1","kind":"ProvisioningRequest","metadata":{)"
        R"("namespace":"team","name":"gangplan-train-1",)"
        R"("labels":{"gangplan.io/provisioning-by":"gangplan"},)"
        R"("annotations":{"gangplan.io/provisioning-for":"team/train"},)"
        R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train",)"
        R"("uid":"u-train"}]},"spec":{"provisioningClassName":"a.class",)"
        R"("parameters":{"ValidUntilSeconds":"60"},"podSets":[{"count":4,)"
        R"("podTemplateRef":{"name":"gangplan-train-1-0"}}]}})");
  CHECK(bench.transport.requests[1].target == "/api/v1/namespaces/team/podtemplates");
  CHECK(bench.transport.requests[1].body ==
        R"({"apiVersion":"v1","kind":"PodTemplate","metadata":{"namespace":"team",)"
        R"("name":"gangplan-train-1-0","labels":{"gangplan.io/provisioning-by":"gangplan"},)"
        R"("ownerReferences":[{"apiVersion":"autoscaling.x-k8s.io/v1",)"
        R"("kind":"ProvisioningRequest","name":"gangplan-train-1","uid":"u-1"}]},)"
        R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"member",)"
        R"("image":"registry.k8s.io/pause:3.10","resources":{"requests":{"cpu":"1500m",)"
        R"("example.com/gpu":"8","memory":"1073741824"},"limits":{"example.com/gpu":"8"}},)"
        R"("ports":[]}]}}})");
}

TEST_CASE("Provisioning bodies: where the pods may go, and what they take of a node") {
  ProvisioningWrite write = Write();
  ProvisioningPods& pods = write.pod_sets[0];
  pods.requests = {{HostPort(8080, "TCP"), kWholeNode},
                   {HostPort(9090, "UDP"), 1},
                   {HostPort(9090, "UDP", "10.0.0.1"), kWholeNode},
                   {ApartFrom("app=x"), kWholeNode}};
  pods.filter.node_selector = {{"pool", "a"}};
  pods.filter.required_terms = {{{{"zone", SelectorOperator::kIn, {"z"}}}, {}}};
  pods.filter.tolerations = {{"gpu", true, "", TaintEffect::kNoSchedule},
                             {"team", false, "ml", {}}};
  pods.labels = {{"app", "x"}};
  const PodSelector selector{{"team"}, false, {{"app", SelectorOperator::kExists, {}}}};
  pods.affinity.near = {{"zone", {{}, true, {}}}};
  pods.affinity.apart = {{"kubernetes.io/hostname", selector},
                         {"rack", {{"other", "team"}, false, {}}}};
  const std::string body = PodTemplateBody(write, 0, "u-1");
  const auto has = [&](std::string_view part) {
    INFO(body);
    CHECK(body.find(part) != std::string::npos);
  };
  has(R"("ports":[{"containerPort":8080,"hostPort":8080,"protocol":"TCP"},)"
      R"({"containerPort":9090,"hostPort":9090,"protocol":"UDP","hostIP":"10.0.0.1"}])");
  has(R"("resources":{"requests":{},"limits":{}})");
  has(R"("nodeSelector":{"pool":"a"})");
  has(R"("nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
      R"({"matchExpressions":[{"key":"zone","operator":"In","values":["z"]}]}]}})");
  has(R"("podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",)"
      R"("labelSelector":{},"namespaceSelector":{}}]})");
  has(R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[)"
      R"({"key":"app","operator":"Exists"}]}},{"topologyKey":"rack","labelSelector":{},)"
      R"("namespaces":["other","team"]}])");
  has(R"("tolerations":[{"key":"gpu","operator":"Exists","effect":"NoSchedule"},)"
      R"({"key":"team","operator":"Equal","value":"ml"}])");
  has(R"("template":{"metadata":{"labels":{"app":"x"}},)");
}

TEST_CASE("Provisioning calls: what is there already is left as it is") {
  Bench bench;
  const std::string exists = R"({"message":"already exists"})";
  SECTION("both are ours") {
    bench.transport.answers = {Answer(409, exists), Answer(200, Object("u-1")), Answer(409, exists),
                               Answer(200, Object("t-1", R"(,"ownerReferences":[{"uid":"u-1"}])"))};
    CHECK(bench.Send(Write()).ok());
  }
  SECTION("the request is another one") {
    bench.transport.answers = {Answer(409, exists), Answer(200, Object("u-1", "", "others"))};
    CHECK(absl::IsAborted(bench.Send(Write())));
  }
  SECTION("the request is just going") {
    bench.transport.answers = {
        Answer(409, exists),
        Answer(200, Object("u-1", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"))};
    CHECK(absl::IsUnavailable(bench.Send(Write())));
  }
  SECTION("the template is of an older request, and goes with that") {
    bench.transport.answers = {Answer(201, Object("u-2")), Answer(409, exists),
                               Answer(200, Object("t-1", R"(,"ownerReferences":[{"uid":"u-1"}])"))};
    CHECK(absl::IsUnavailable(bench.Send(Write())));
  }
  SECTION("the templates of a request that is there") {
    ProvisioningWrite write = Write();
    write.uid = "u-1";
    bench.transport.answers = {Answer(201, Object("t-1"))};
    CHECK(bench.Send(write).ok());
    REQUIRE(bench.transport.requests.size() == 1);
    CHECK(bench.transport.requests[0].body.find(R"("uid":"u-1")") != std::string::npos);
  }
}

TEST_CASE("Provisioning calls: errors are told as they are") {
  Bench bench;
  SECTION("nobody serves them") {
    bench.transport.answers = {Answer(404, "404 page not found")};
    CHECK(absl::IsNotFound(bench.Send(Write())));
  }
  SECTION("no right") {
    bench.transport.answers = {Answer(201, Object("u-1")), Answer(403, "{}")};
    CHECK(absl::IsPermissionDenied(bench.Send(Write())));
  }
  SECTION("a busy server is asked again") {
    bench.transport.answers = {Answer(503), Answer(201, Object("u-1")), Answer(201, Object("t-1"))};
    CHECK(bench.Send(Write()).ok());
  }
}

TEST_CASE("Provisioning calls: a list page by page, and how each stands") {
  Bench bench;
  bench.transport.answers = {
      Answer(200, R"({"metadata":{"continue":"next"},"items":[{"metadata":{"name":"a-1",)"
                  R"("namespace":"team","uid":"u-1",)"
                  R"("creationTimestamp":"2027-01-15T08:00:00Z","annotations":{"other":"x",)"
                  R"("gangplan.io/provisioning-for":"team/a"}},"status":{"conditions":[)"
                  R"({"type":"Accepted","status":"True"},{"type":"Failed","status":"False"},)"
                  R"({"type":"Provisioned","status":"True","message":"three nodes",)"
                  R"("lastTransitionTime":"2027-01-15T08:00:00Z"}],)"
                  R"("provisioningClassDetails":{"pool":"p"}}}]})"),
      Answer(200, R"({"metadata":{},"items":[{"metadata":{"name":"b-1","namespace":"team",)"
                  R"("uid":"u-2","deletionTimestamp":"2027-01-15T08:00:00Z"},"status":{)"
                  R"("conditions":[{"type":"Failed","status":"True","message":"none",)"
                  R"("lastTransitionTime":"soon"},{"type":"BookingExpired","status":"True"},)"
                  R"({"type":"CapacityRevoked","status":"True"}]}}]})")};
  const auto listed = ReadProvisioning(bench.transport, {"gangplan", "second"}, bench.tools);
  REQUIRE(listed.ok());
  REQUIRE(listed->size() == 2);
  const ProvisioningFacts& a = (*listed)[0];
  CHECK(a.ns == "team");
  CHECK(a.name == "a-1");
  CHECK(a.uid == "u-1");
  CHECK(a.gang == "team/a");
  CHECK_FALSE(a.going);
  CHECK_FALSE(a.failed.is);
  CHECK(a.provisioned.is);
  CHECK_FALSE(a.awaited.is);
  CHECK(a.made == absl::FromUnixSeconds(1'800'000'000));
  CHECK(a.provisioned.message == "three nodes");
  CHECK(a.provisioned.since == absl::FromUnixSeconds(1'800'000'000));
  CHECK(a.details == LabelSet{{"pool", "p"}});
  const ProvisioningFacts& b = (*listed)[1];
  CHECK(b.going);
  CHECK(b.made == absl::InfiniteFuture());
  CHECK(b.gang.empty());
  CHECK((b.failed.is && b.expired.is && b.revoked.is));
  CHECK(b.failed.since == absl::InfinitePast());
  CHECK(bench.transport.requests[0].target ==
        "/apis/autoscaling.x-k8s.io/v1/provisioningrequests?limit=500&labelSelector="
        "gangplan.io%2Fprovisioning-by%20in%20%28gangplan%2Csecond%29");
  CHECK(bench.transport.requests[1].target.ends_with("&continue=next"));
}

TEST_CASE("Provisioning calls: one that is not provisioned yet says why") {
  Bench bench;
  bench.transport.answers = {
      Answer(200, R"({"items":[{"metadata":{"name":"a-1","namespace":"team","uid":"u-1"},)"
                  R"("status":{"conditions":[{"type":"Accepted","status":"True"},)"
                  R"({"type":"Provisioned","status":"False","reason":"CapacityIsNotFound",)"
                  R"("message":"Capacity is not found, CA will try to find it later.",)"
                  R"("lastTransitionTime":"2027-01-15T08:00:00Z"}]}}]})")};
  const auto listed = ReadProvisioning(bench.transport, {"gangplan"}, bench.tools);
  REQUIRE(listed.ok());
  REQUIRE(listed->size() == 1);
  const ProvisioningFacts& one = (*listed)[0];
  CHECK_FALSE(one.provisioned.is);
  CHECK(one.awaited.is);
  CHECK(one.awaited.message == "Capacity is not found, CA will try to find it later.");
  CHECK(one.awaited.since == absl::FromUnixSeconds(1'800'000'000));
}

std::string Many(int count, std::string_view of, std::string_view before, std::string_view after) {
  std::string all(before);
  for (int i = 0; i < count; ++i)
    all += fmt::format("{}{}", i == 0 ? "" : ",", fmt::format(fmt::runtime(of), i));
  return all.append(after);
}

TEST_CASE("Provisioning calls: an object that is written to be too large hides no other one") {
  Bench bench;
  std::string more;
  SECTION("owners") {
    more = Many(1'001, R"({{"uid":"o-{}"}})", R"("metadata":{"ownerReferences":[)", "],");
  }
  SECTION("labels") { more = Many(10'001, R"("l-{}":"x")", R"("metadata":{"labels":{)", "},"); }
  SECTION("annotations") {
    more = Many(10'001, R"("a-{}":"x")", R"("metadata":{"annotations":{)", "},");
  }
  SECTION("a key") {
    more = R"("metadata":{"annotations":{")" + std::string(400, 'k') + R"(":"x"},)";
  }
  SECTION("conditions") {
    more = Many(65, R"({{"type":"t-{}"}})", R"("status":{"conditions":[)", R"(]},"metadata":{)");
  }
  SECTION("a message") {
    more = R"("status":{"conditions":[{"type":"Failed","status":"True","message":")" +
           std::string(100'000, 'm') + R"("}]},"metadata":{)";
  }
  SECTION("details") {
    more = Many(65, R"("d-{}":"x")", R"("status":{"provisioningClassDetails":{)",
                R"(}},"metadata":{)");
  }
  bench.transport.answers = {Answer(200, R"({"items":[7,{)" + more +
                                             R"("name":"a-1","namespace":"team","uid":"u-1"}},)" +
                                             Object("u-2") + "]}")};
  const auto listed = ReadProvisioning(bench.transport, {"gangplan"}, bench.tools);
  REQUIRE(listed.ok());
  REQUIRE(listed->size() == 2);
  CHECK((*listed)[0].name == "a-1");
  CHECK((*listed)[0].uid == "u-1");
  CHECK((*listed)[0].failed.message.size() <= kMaxServerMessageBytes);
  CHECK((*listed)[1].uid == "u-2");
  CHECK((*listed)[1].gang == "team/train");
}

TEST_CASE("Provisioning calls: a server that lists without an end is not followed") {
  Bench bench;
  std::string items;
  for (int i = 0; i < kListPageItems; ++i)
    items += fmt::format(R"({}{{"metadata":{{"uid":"n{}"}}}})", i == 0 ? "" : ",", i);
  for (size_t i = 0; i < 2 * kMaxListedProvisioning / kListPageItems; ++i)
    bench.transport.answers.push_back(Answer(
        200, fmt::format(R"({{"metadata":{{"continue":"next{}"}},"items":[{}]}})", i, items)));
  const auto listed = ReadProvisioning(bench.transport, {"gangplan"}, bench.tools);
  REQUIRE(listed.ok());
  CHECK(listed->size() == kMaxListedProvisioning);
  bench.transport.answers = {Answer(200, R"({"metadata":{"continue":"next"},"items":[]})")};
  CHECK(ReadProvisioning(bench.transport, {"gangplan"}, bench.tools)->empty());
}

TEST_CASE("Provisioning calls: who is gone, or another one, needs no deleting") {
  Bench bench;
  const ProvisioningDelete request{"team", "x", "u-1"};
  SECTION("it goes") { bench.transport.answers = {Answer(200, "{}")}; }
  SECTION("it is gone") { bench.transport.answers = {Answer(404, "{}")}; }
  SECTION("another one has its name") {
    bench.transport.answers = {
        Answer(409, R"({"message":"Precondition failed: UID in precondition: u-1"})")};
  }
  CHECK(SendProvisioningDelete(bench.transport, request, bench.tools).ok());
  CHECK(bench.transport.requests[0].body ==
        R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background",)"
        R"("preconditions":{"uid":"u-1"}})");
  bench.transport.answers = {Answer(403, "{}")};
  CHECK(absl::IsPermissionDenied(SendProvisioningDelete(bench.transport, request, bench.tools)));
}

}  // namespace
}  // namespace gangplan::provisioning_calls_test
