// Every limit at its value, where the text is taken, and one beyond, where it is refused.

#include "extender/protocol/limits.h"
#include "fmt/format.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::limits_test {
namespace {

struct Limit {
  Decoder decoder;
  size_t most;
  std::function<std::string(size_t)> text;  // with so many bytes or elements
  std::string error;
};

void Check(const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    INFO(limit.error);
    CHECK(ErrorOf(limit.decoder, limit.text(limit.most)) == "");
    CHECK(ErrorOf(limit.decoder, limit.text(limit.most + 1)) == limit.error);
  }
}

TEST_CASE("Sizes of whole texts") {
  auto bind = [](size_t bytes) {
    std::string text = R"({"PodName":"p","PodNamespace":"n","PodUID":"u","Node":"x"})";
    return text + std::string(bytes - text.size(), ' ');
  };
  auto pod = [](size_t bytes) {
    return PodText("") + std::string(bytes - PodText("").size(), ' ');
  };
  auto list = [](size_t bytes) { return "{}" + std::string(bytes - 2, ' '); };
  auto watch = [](size_t bytes) {
    std::string text = R"({"type":"ADDED"})";
    return text + std::string(bytes - text.size(), ' ');
  };
  Check({
      {Decoder::kBind, kMaxRequestBytes, bind, "the text is longer than 67108864 bytes: 67108865"},
      {Decoder::kPod, kMaxObjectBytes, pod, "the text is longer than 16777216 bytes: 16777217"},
      {Decoder::kWatch, kMaxObjectBytes, watch, "the text is longer than 16777216 bytes: 16777217"},
      {Decoder::kList, kMaxListBytes, list, "the text is longer than 536870912 bytes: 536870913"},
  });
}

TEST_CASE("Names and words") {
  auto bytes = [](std::string text) {
    return [text](size_t count) {
      return std::string(text).replace(text.find('@'), 1, std::string(count, 'x'));
    };
  };
  const std::string name = R"({"metadata":{"name":"p","uid":"u"},)";
  const std::string terms = name + R"("spec":{"affinity":{"nodeAffinity":{)"
                                   R"("requiredDuringSchedulingIgnoredDuringExecution":{)"
                                   R"("nodeSelectorTerms":[{"matchExpressions":[)";
  const std::string value = terms + R"({"key":"k","operator":"In","values":["@"]}]}]}}}}})";
  const std::string selector = name + R"("spec":{"nodeSelector":{"k":"@"}}})";
  const std::string label = R"({"metadata":{"name":"p","uid":"u","labels":{"k":"@"}}})";
  const std::string annotation =
      R"({"metadata":{"name":"p","uid":"u","annotations":{"gangplan.io/x":"@"}}})";
  const std::string container = name + R"("spec":{"containers":[{"restartPolicy":"@"}]}})";
  const std::string taint = R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"@",)"
                            R"("effect":"NoExecute"}]}})";
  Check({
      {Decoder::kFilter, kMaxNameBytes,
       bytes(R"({"Pod":{"metadata":{"name":"p","uid":"u"}},)"
             R"("NodeNames":["a","@"]})"),
       "NodeNames[1]: longer than 253 bytes"},
      {Decoder::kBind, kMaxUidBytes,
       bytes(R"({"PodName":"p","PodNamespace":"n","PodUID":"@","Node":"x"})"),
       "PodUID: longer than 128 bytes"},
      {Decoder::kBind, kMaxNameBytes,
       bytes(R"({"PodName":"p","PodNamespace":"n","PodUID":"u","Node":"@"})"),
       "Node: longer than 253 bytes"},
      {Decoder::kPreempt, kMaxNameBytes,
       bytes(R"({"Pod":{"metadata":{"name":"p","uid":"u"}},)"
             R"("NodeNameToMetaVictims":{"@":{}}})"),
       "NodeNameToMetaVictims." + std::string(64, 'x') +
           "...: the node's name is longer than 253 bytes"},
      {Decoder::kPod, kMaxNameBytes, bytes(value),
       "Pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms[0].matchExpressions[0].values[0]: longer than 253 bytes"},
      {Decoder::kPod, kMaxValueBytes, bytes(selector),
       "Pod.spec.nodeSelector.k: longer than 253 bytes"},
      {Decoder::kPod, kMaxValueBytes, bytes(label), "Pod.metadata.labels.k: longer than 253 bytes"},
      {Decoder::kPod, kMaxAnnotationBytes, bytes(annotation),
       "Pod.metadata.annotations.gangplan.io/x: longer than 4096 bytes"},
      {Decoder::kPod, kMaxTokenBytes, bytes(container),
       "Pod.spec.containers[0].restartPolicy: longer than 64 bytes"},
      {Decoder::kNode, kMaxKeyBytes, bytes(taint),
       "Node.spec.taints[0].key: longer than 317 bytes"},
      {Decoder::kList, kMaxMessageBytes, bytes(R"({"metadata":{"continue":"@"}})"),
       "metadata.continue: longer than 32768 bytes"},
  });
}

TEST_CASE("Counts of a request") {
  auto names = [](size_t count) {
    return FilterText("\"NodeNames\":[" +
                      Repeat(count, [](size_t i) { return fmt::format("\"n{}\"", i); }) + "]");
  };
  auto nodes = [](size_t count) {
    return FilterText("\"Nodes\":{\"items\":[" + Repeat(count, R"({"metadata":{"name":"n"}})") +
                      "]}");
  };
  auto victims = [](size_t count) {
    return FilterText("\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":[" +
                      Repeat(count, R"({"UID":"u"})") + "]}}");
  };
  auto pods = [](size_t count) {
    return FilterText("\"NodeNameToVictims\":{\"a\":{\"Pods\":[" +
                      Repeat(count, R"({"metadata":{"uid":"u"}})") + "]}}");
  };
  auto by_uid = [](size_t count) {
    return FilterText("\"NodeNameToMetaVictims\":{" + Entries(count, "{}") + "}");
  };
  auto by_object = [](size_t count) {
    return FilterText("\"NodeNameToVictims\":{" + Entries(count, "{}") + "}");
  };
  Check({
      {Decoder::kFilter, kMaxOfferedNodes, names, "NodeNames: more than 100000 items"},
      {Decoder::kFilter, kMaxOfferedNodes, nodes, "Nodes.items: more than 100000 items"},
      {Decoder::kPreempt, kMaxVictimsPerNode, victims,
       "NodeNameToMetaVictims.a.Pods: more than 10000 items"},
      {Decoder::kPreempt, kMaxVictimsPerNode, pods,
       "NodeNameToVictims.a.Pods: more than 10000 items"},
      {Decoder::kPreempt, kMaxOfferedNodes, by_uid,
       "NodeNameToMetaVictims: more than 100000 entries"},
      {Decoder::kPreempt, kMaxOfferedNodes, by_object,
       "NodeNameToVictims: more than 100000 entries"},
  });
}

TEST_CASE("Counts of a pod's metadata") {
  auto metadata = [](std::string_view key, char open, char close, auto content) {
    return [=](size_t count) {
      return fmt::format(R"({{"metadata":{{"name":"p","uid":"u","{}":{}{}{}}}}})", key, open,
                         content(count), close);
    };
  };
  auto labels = [](size_t count) { return Entries(count, "\"v\""); };
  auto owners = [](size_t count) { return Repeat(count, "{}"); };
  Check({
      {Decoder::kPod, kMaxLabels, metadata("labels", '{', '}', labels),
       "Pod.metadata.labels: more than 1024 entries"},
      {Decoder::kPod, kMaxLabels, metadata("annotations", '{', '}', labels),
       "Pod.metadata.annotations: more than 1024 entries"},
      {Decoder::kPod, kMaxOwners, metadata("ownerReferences", '[', ']', owners),
       "Pod.metadata.ownerReferences: more than 64 items"},
  });
}

TEST_CASE("Counts of a pod's spec and status") {
  auto list = [](std::string_view place, std::string_view element) {
    return [=](size_t count) {
      return fmt::format(R"({{"metadata":{{"name":"p","uid":"u"}},"{}":[{}]}}}})", place,
                         Repeat(count, element));
    };
  };
  auto amounts = [](std::string_view before, std::string_view after) {
    return [=](size_t count) {
      return PodText(std::string(before) + Entries(count, "\"1\"") + std::string(after));
    };
  };
  // Half of the ports in one container, the others in another.
  auto host_ports = [](size_t count) {
    auto ports = [](size_t from, size_t to) {
      return R"({"ports":[)" +
             Repeat(to - from,
                    [=](size_t i) { return fmt::format(R"({{"hostPort":{}}})", from + i + 1); }) +
             "]}";
    };
    return PodText(R"("containers":[)" + ports(0, count / 2) + "," + ports(count / 2, count) + "]");
  };
  Check({
      {Decoder::kPod, kMaxPorts,
       [](size_t count) {
         return PodText(R"("containers":[{"ports":[)" + Repeat(count, "{}") + "]}]");
       },
       "Pod.spec.containers[0].ports: more than 1024 items"},
      {Decoder::kPod, kMaxPodResources, host_ports,
       "Pod: asks for more than 320 resources and ports of its node"},
      {Decoder::kPod, kMaxContainers, list(R"(spec":{"containers)", "{}"),
       "Pod.spec.containers: more than 512 items"},
      {Decoder::kPod, kMaxContainers, list(R"(spec":{"initContainers)", "{}"),
       "Pod.spec.initContainers: more than 512 items"},
      {Decoder::kPod, kMaxContainers, list(R"(status":{"containerStatuses)", "{}"),
       "Pod.status.containerStatuses: more than 512 items"},
      {Decoder::kPod, kMaxTolerations, list(R"(spec":{"tolerations)", R"({"key":"k"})"),
       "Pod.spec.tolerations: more than 1024 items"},
      {Decoder::kPod, kMaxGates, list(R"(spec":{"schedulingGates)", "{}"),
       "Pod.spec.schedulingGates: more than 64 items"},
      {Decoder::kPod, kMaxConditions, list(R"(status":{"conditions)", "{}"),
       "Pod.status.conditions: more than 256 items"},
      {Decoder::kPod, kMaxResources, amounts(R"("containers":[{"resources":{"requests":{)", "}}}]"),
       "Pod.spec.containers[0].resources.requests: more than 256 entries"},
      {Decoder::kPod, kMaxResources, amounts(R"("overhead":{)", "}"),
       "Pod.spec.overhead: more than 256 entries"},
      {Decoder::kPod, kMaxLabels, amounts(R"("nodeName":"x","nodeSelector":{)", "}"),
       "Pod.spec.nodeSelector: more than 1024 entries"},
  });
}

// A pod whose required node affinity has these terms.
std::string Terms(const std::string& text) {
  return PodText(R"("affinity":{"nodeAffinity":{)"
                 R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
                 text + "]}}}");
}

std::string Expressions(size_t count) {
  return Terms(R"({"matchExpressions":[)" + Repeat(count, R"({"key":"k","operator":"Exists"})") +
               "]}");
}

std::string With(std::string pod, std::string_view field) {
  return pod.insert(pod.find(R"("affinity")"), field);
}

TEST_CASE("Counts of a node affinity") {
  const std::string place =
      "Pod.spec.affinity.nodeAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  auto standing_expressions = [&](size_t count) {
    return With(Expressions(count), R"("nodeName":"x",)");
  };
  auto fields = [&](size_t count) {
    return Terms(R"({"matchFields":[)" +
                 Repeat(count, R"({"key":"metadata.name","operator":"In","values":["n"]})") + "]}");
  };
  auto values = [&](size_t count) {
    return Terms(R"({"matchExpressions":[{"key":"k","operator":"In","values":[)" +
                 Repeat(count, "\"v\"") + "]}]}");
  };
  auto preferred = [](size_t count) {
    return PodText(
        R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)" +
        Repeat(count, R"({"weight":1})") + "]}}");
  };
  Check({
      {Decoder::kPod, kMaxSelectorTerms, preferred,
       "Pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution: more than "
       "256 items"},
      {Decoder::kPod, kMaxSelectorTerms, [&](size_t n) { return Terms(Repeat(n, "{}")); },
       place + ": more than 256 items"},
      {Decoder::kPod, kMaxRequirements, standing_expressions,
       place + "[0].matchExpressions: more than 256 items"},
      {Decoder::kPod, kMaxRequirements, fields, place + "[0].matchFields: more than 256 items"},
      {Decoder::kPod, kMaxRequirementValues, values,
       place + "[0].matchExpressions[0].values: more than 4096 items"},
  });
}

TEST_CASE("Counts of all that a pod asks of nodes together") {
  // One a term, but for the last one, which has the rest.
  auto many = [&](size_t count) {
    const std::string one = R"({"key":"metadata.name","operator":"In","values":["n"]})";
    const auto term = [&](size_t of) { return R"({"matchFields":[)" + Repeat(of, one) + "]}"; };
    return Terms(Repeat(kMaxSelectorTerms - 2, term(1)) + "," + term(256) + "," +
                 term(count - kMaxSelectorTerms - 254));
  };
  // With one label of the selector.
  auto labels = [&](size_t count) {
    return With(Expressions(count - 1), R"("nodeSelector":{"k":"v"},)");
  };
  auto listed = [&](size_t count) {
    const auto term = [&](size_t of) {
      return R"({"matchExpressions":[{"key":"k","operator":"In","values":[)" + Repeat(of, "\"v\"") +
             "]}]}";
    };
    return Terms(term(kMaxRequirementValues) + "," + term(100) + "," +
                 term(count - kMaxRequirementValues - 100));
  };
  const std::string much = "Pod: spec.affinity.nodeAffinity: more than ";
  Check({
      {Decoder::kPod, kMaxNodeRequirements, many, much + "512 requirements in all its terms"},
      {Decoder::kPod, kMaxNodeLabels, labels, much + "64 labels in all its terms"},
      {Decoder::kPod, kMaxNodeValues, listed, much + "8192 values of labels in all its terms"},
  });
  for (const std::string& pod : {many(kMaxNodeRequirements + 1), labels(kMaxNodeLabels + 1)})
    CHECK(ErrorOf(Decoder::kPod, With(pod, R"("nodeName":"x",)")) == "");
}

TEST_CASE("Counts of a node and of a list") {
  auto taints = [](size_t count) {
    return NodeText(R"("spec":{"taints":[)" + Repeat(count, R"({"key":"k","effect":"NoExecute"})") +
                    "]}");
  };
  auto allocatable = [](size_t count) {
    return NodeText(R"("status":{"allocatable":{)" + Entries(count, "1") + "}}");
  };
  auto items = [](size_t count) { return R"({"items":[)" + Repeat(count, "null") + "]}"; };
  Check({
      {Decoder::kNode, kMaxTaints, taints, "Node.spec.taints: more than 1024 items"},
      {Decoder::kNode, kMaxResources, allocatable,
       "Node.status.allocatable: more than 256 entries"},
      {Decoder::kList, kMaxListItems, items, "items: more than 1000000 items"},
  });
}

TEST_CASE("The depth of an object that nobody reads") {
  auto nested = [](size_t depth) {
    return NodeText("\"x\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']'));
  };
  Check({{Decoder::kNode, kMaxSkippedDepth + 1, nested, "Node: nests deeper than 20000 levels"}});
}

}  // namespace
}  // namespace gangplan::limits_test
