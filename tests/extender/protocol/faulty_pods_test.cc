// A bound pod counts on its node, whatever else in its object cannot be read.
#include <limits>
#include <string>
#include <vector>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::faulty_pods_test {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
const ResourceList kUsage = {{"cpu", 2'000}, {"pods", 1}};
const std::string kContainer = R"({"name":"c","resources":{"requests":{"cpu":"2"}}})";

// More members of the objects that they are named for; each begins with a comma, or is empty.
struct Rest {
  std::string metadata = {};
  std::string spec = {};
  std::string status = {};
  std::string containers = {};
  std::string node = "x";
};

std::string Text(const Rest& rest) {
  return fmt::format(R"({{"metadata":{{"name":"p","namespace":"n","uid":"u","labels":{{"a":"b"}},)"
                     R"("annotations":{{"gangplan.io/size":"4"}}{}}},"spec":{{"nodeName":"{}",)"
                     R"("containers":[{}{}]{}}},"status":{{"phase":"Running"{}}}}})",
                     rest.metadata, rest.node, kContainer, rest.containers, rest.spec, rest.status);
}

ObjectList ListOf(const Rest& rest) {
  std::string text = fmt::format(R"({{"items":[{}]}})", Text(rest));
  absl::StatusOr<ObjectList> list = DecodeList(text, "Pod");
  REQUIRE(ErrorOf(list) == "");
  return *std::move(list);
}

WatchEvent EventOf(const Rest& rest) {
  std::string line = fmt::format(R"({{"type":"MODIFIED","object":{}}})", Text(rest));
  absl::StatusOr<WatchEvent> event = DecodeWatchEvent(line, "Pod");
  REQUIRE(ErrorOf(event) == "");
  return *std::move(event);
}

// It counts, with no words; its fault is told by its list and by its watch. Returns what it uses.
ResourceList UsageOf(const Rest& rest, const std::string& fault) {
  INFO(fault);
  const ObjectList list = ListOf(rest);
  REQUIRE(list.pods.size() == 1);
  REQUIRE(list.bad.size() == 1);
  const PodFacts& pod = list.pods[0];
  CHECK(list.bad[0].name == "n/p");
  CHECK(list.bad[0].counts);
  CHECK(Message(list.bad[0].status).ends_with(fault));
  CHECK(Message(list.bad[0].status).starts_with("items[0]"));
  CHECK(pod.fault.ends_with(fault));
  CHECK(pod.uid == "u");
  CHECK(pod.node_name == "x");
  CHECK(pod.annotations.empty());
  CHECK(pod.scheduler_name.empty());
  const WatchEvent event = EventOf(rest);
  CHECK(Message(event.bad).starts_with("object"));
  CHECK(event.pod.fault.ends_with(fault));
  CHECK(event.pod.requests == pod.requests);
  return pod.requests;
}

struct Limit {
  size_t most;
  std::function<Rest(size_t)> rest;  // with so many bytes or elements
  std::string fault;
};

void Check(const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    INFO(limit.fault);
    const ObjectList at = ListOf(limit.rest(limit.most));
    REQUIRE(at.pods.size() == 1);
    CHECK(at.pods[0].fault == "");
    CHECK(at.bad.empty());
    CHECK(AmountOf(at.pods[0].requests, "cpu") == 2'000);
    const ResourceList beyond = UsageOf(limit.rest(limit.most + 1), limit.fault);
    CHECK(AmountOf(beyond, "cpu") == 2'000);
    CHECK(AmountOf(beyond, "pods") == 1);
  }
}

TEST_CASE("Faulty pods: beyond a limit of the metadata") {
  const auto annotation = [](size_t bytes) {
    return Rest{.metadata =
                    R"(,"annotations":{"gangplan.io/x":")" + std::string(bytes, 'x') + "\"}"};
  };
  Check({
      {kMaxLabels,
       [](size_t n) { return Rest{.metadata = R"(,"labels":{)" + Entries(n, "\"\"") + "}"}; },
       "metadata.labels: more than 1024 entries"},
      {kMaxLabels,
       [](size_t n) { return Rest{.metadata = R"(,"annotations":{)" + Entries(n, "\"\"") + "}"}; },
       "metadata.annotations: more than 1024 entries"},
      {kMaxAnnotationBytes, annotation,
       "metadata.annotations.gangplan.io/x: longer than 4096 bytes"},
      {kMaxOwners,
       [](size_t n) { return Rest{.metadata = R"(,"ownerReferences":[)" + Repeat(n, "{}") + "]"}; },
       "metadata.ownerReferences: more than 64 items"},
  });
}

TEST_CASE("Faulty pods: beyond a limit of what is asked of nodes and schedulers") {
  const auto terms = [](const std::string& text) {
    return Rest{.spec = R"(,"affinity":{"nodeAffinity":{)"
                        R"("requiredDuringSchedulingIgnoredDuringExecution":{)"
                        R"("nodeSelectorTerms":[)" +
                        text + "]}}}"};
  };
  const auto expressions = [&](size_t n) {
    return terms(R"({"matchExpressions":[)" + Repeat(n, R"({"key":"k","operator":"Exists"})") +
                 "]}");
  };
  const auto values = [&](size_t n) {
    return terms(R"({"matchExpressions":[{"key":"k","operator":"In","values":[)" +
                 Repeat(n, "\"v\"") + "]}]}");
  };
  const auto preferred = [](size_t n) {
    return Rest{.spec = R"(,"affinity":{"nodeAffinity":{)"
                        R"("preferredDuringSchedulingIgnoredDuringExecution":[)" +
                        Repeat(n, R"({"weight":1})") + "]}}"};
  };
  Check({
      {kMaxTolerations,
       [](size_t n) {
         return Rest{.spec = R"(,"tolerations":[)" + Repeat(n, R"({"key":"k"})") + "]"};
       },
       "spec.tolerations: more than 1024 items"},
      {kMaxLabels,
       [](size_t n) { return Rest{.spec = R"(,"nodeSelector":{)" + Entries(n, "\"\"") + "}"}; },
       "spec.nodeSelector: more than 1024 entries"},
      {kMaxSelectorTerms, [&](size_t n) { return terms(Repeat(n, "{}")); },
       "nodeSelectorTerms: more than 256 items"},
      {kMaxRequirements, expressions, "matchExpressions: more than 256 items"},
      {kMaxRequirementValues, values, "values: more than 4096 items"},
      {kMaxSelectorTerms, preferred,
       "preferredDuringSchedulingIgnoredDuringExecution: more than 256 items"},
      {kMaxNameBytes,
       [](size_t n) { return Rest{.spec = R"(,"schedulerName":")" + std::string(n, 's') + "\""}; },
       "spec.schedulerName: longer than 253 bytes"},
      {kMaxNameBytes,
       [](size_t n) { return Rest{.spec = R"(,"hostname":")" + std::string(n, 'h') + "\""}; },
       "spec.hostname: longer than 253 bytes"},
      {kMaxNameBytes,
       [](size_t n) { return Rest{.spec = R"(,"subdomain":")" + std::string(n, 's') + "\""}; },
       "spec.subdomain: longer than 253 bytes"},
      {kMaxNameBytes,
       [](size_t n) {
         return Rest{.spec =
                         R"(,"schedulingGroup":{"podGroupName":")" + std::string(n, 'g') + "\"}"};
       },
       "spec.schedulingGroup.podGroupName: longer than 253 bytes"},
      {kMaxConditions,
       [](size_t n) { return Rest{.status = R"(,"conditions":[)" + Repeat(n, "{}") + "]"}; },
       "status.conditions: more than 256 items"},
  });
}

TEST_CASE("Faulty pods: beyond a limit of the containers what can be read counts") {
  const auto ports = [](size_t n) {
    return Rest{.containers = R"(,{"ports":[)" + Repeat(n, "{}") + "]}"};
  };
  const auto resources = [](size_t n) {
    return Rest{.containers = R"(,{"resources":{"requests":{)" + Entries(n, "1") + "}}}"};
  };
  Check({
      {kMaxContainers - 1, [](size_t n) { return Rest{.containers = "," + Repeat(n, "{}")}; },
       "spec.containers: more than 512 items"},
      {kMaxContainers,
       [](size_t n) { return Rest{.spec = R"(,"initContainers":[)" + Repeat(n, "{}") + "]"}; },
       "spec.initContainers: more than 512 items"},
      {kMaxContainers,
       [](size_t n) { return Rest{.status = R"(,"containerStatuses":[)" + Repeat(n, "{}") + "]"}; },
       "status.containerStatuses: more than 512 items"},
      {kMaxPorts, ports, "spec.containers[1].ports: more than 1024 items"},
      {kMaxResources, resources, "spec.containers[1].resources.requests: more than 256 entries"},
  });
  const Rest many = {.containers = "," + Repeat(kMaxContainers, kContainer)};
  CHECK(UsageOf(many, "more than 512 items") == ResourceList{{"cpu", 1'024'000}, {"pods", 1}});
  // Host ports of several containers are all known.
  const Rest open = {
      .containers =
          R"(,{"ports":[)" +
          Repeat(kMaxPorts, [](size_t i) { return fmt::format(R"({{"hostPort":{}}})", i + 1); }) +
          R"(]},{"ports":[{"hostPort":9000}]})"};
  const ResourceList usage =
      UsageOf(open, "asks for more than 320 resources and ports of its node");
  CHECK(usage.size() == 2 + kMaxPorts + 1);
}

TEST_CASE("Faulty pods: words that nobody knows") {
  const auto required = [](std::string_view requirement) {
    return fmt::format(R"(,"affinity":{{"nodeAffinity":{{)"
                       R"("requiredDuringSchedulingIgnoredDuringExecution":{{)"
                       R"("nodeSelectorTerms":[{{"matchExpressions":[{}]}}]}}}}}})",
                       requirement);
  };
  CHECK(UsageOf({.spec = R"(,"tolerations":[{"key":"k","operator":"Near"}])"},
                "expected Equal, Exists, Lt or Gt, found 'Near'") == kUsage);
  CHECK(UsageOf({.spec = R"(,"tolerations":[{"operator":"Equal"}])"},
                "key is missing, which only operator Exists may do without") == kUsage);
  CHECK(UsageOf({.spec = required(R"({"key":"k","operator":"Near"})")},
                "expected In, NotIn, Exists, DoesNotExist, Gt or Lt, found 'Near'") == kUsage);
  CHECK(UsageOf({.spec = required(R"({"key":"k"})")}, "operator is missing") == kUsage);
  CHECK(UsageOf({.metadata = R"(,"annotations":{"gangplan.io/size":4})"},
                "expected a string, found a number") == kUsage);
  CHECK(UsageOf({.spec = R"(,"priority":"high")"}, "expected a number, found a string") == kUsage);
}

TEST_CASE("Faulty pods: a phase that nobody knows is not the end of a pod") {
  const Rest rest = {.status = R"(,"phase":"Sleeping")"};
  CHECK(UsageOf(rest, "found 'Sleeping'") == kUsage);
  CHECK(ListOf(rest).pods[0].phase == PodPhase::kUnknown);
}

TEST_CASE("Faulty pods: an amount that cannot be read is the largest there is") {
  const auto asks = [](std::string_view memory) {
    return Rest{.containers =
                    fmt::format(R"(,{{"resources":{{"requests":{{"memory":"{}"}}}}}})", memory)};
  };
  const ResourceList all = {{"cpu", 2'000}, {"memory", kMost}, {"pods", 1}};
  CHECK(UsageOf(asks("16Ei"), "quantity \"16Ei\": too large") == all);
  CHECK(UsageOf(asks("x"), "quantity \"x\": a digit is missing") == all);
  Rest sum = asks("7Ei");
  sum.containers += sum.containers;
  CHECK(UsageOf(sum, "the sum of the requests of memory does not fit in 64 bits") == all);
  sum.spec = R"(,"overhead":{"memory":"1"})";
  CHECK(UsageOf(sum, "the sum of the requests of memory does not fit in 64 bits") == all);
}

TEST_CASE("Faulty pods: one that is not bound, or that nobody can name, is told and not given on") {
  const std::string wrong = R"(,"priority":"high")";
  const ObjectList unbound = ListOf({.spec = wrong, .node = ""});
  CHECK(unbound.pods.empty());
  REQUIRE(unbound.bad.size() == 1);
  CHECK_FALSE(unbound.bad[0].counts);
  CHECK(unbound.bad[0].name == "n/p");
  CHECK(EventOf({.spec = wrong, .node = ""}).pod == PodFacts());
  const ObjectList nameless = ListOf({.metadata = R"(,"uid":"")", .spec = wrong});
  CHECK(nameless.pods.empty());
  REQUIRE(nameless.bad.size() == 1);
  CHECK_FALSE(nameless.bad[0].counts);
  CHECK(EventOf({.metadata = R"(,"uid":"")", .spec = wrong}).pod == PodFacts());
}

TEST_CASE("Faulty pods: a single one has its node") {
  std::string text = Text({.spec = R"(,"priority":"high")"});
  const absl::StatusOr<PodFacts> pod = DecodePod(text);
  CHECK(ErrorOf(pod) == "Pod.spec.priority: expected a number, found a string");
  REQUIRE(pod.ok());
  CHECK(pod->node_name == "x");
  CHECK(pod->requests == kUsage);
}

}  // namespace
}  // namespace gangplan::faulty_pods_test
