#include "extender/demo/object_text.h"

#include <array>

#include "extender/demo/yaml_text.h"
#include "topology/base/check.h"
#include "topology/base/json_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kPods = "pods";

std::string_view PhaseName(PodPhase phase) {
  constexpr std::string_view kNames[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
  return kNames[static_cast<int>(phase)];
}

template <typename Text>
void WriteMap(Text& text, std::string_view key, const LabelSet& labels) {
  if (labels.empty()) return;
  text.Key(key).Begin();
  for (const auto& [name, value] : labels) text.Field(name, std::string_view(value));
  text.End();
}

template <typename Text, typename Wanted>
void WriteAmounts(Text& text, std::string_view key, const ResourceList& amounts, Wanted wanted) {
  text.Key(key).Begin();
  for (const ResourceAmount& amount : amounts) {
    if (wanted(amount)) text.Field(amount.name, std::string_view(QuantityText(amount)));
  }
  text.End();
}

template <typename Text>
void WriteNode(Text& text, const NodeFacts& node) {
  GANGPLAN_CHECK(node.ready && !node.unschedulable && node.taints.empty());
  const auto all = [](const ResourceAmount&) { return true; };
  text.Begin().Field("apiVersion", "v1").Field("kind", "Node");
  text.Key("metadata").Begin().Field("name", std::string_view(node.name));
  WriteMap(text, "labels", node.labels);
  text.End().Key("status").Begin();
  WriteAmounts(text, "allocatable", node.allocatable, all);
  WriteAmounts(text, "capacity", node.allocatable, all);
  text.Key("conditions").BeginList().Begin().Field("type", "Ready").Field("status", "True");
  text.Field("reason", "KubeletReady").End().EndList().End().End();
}

template <typename Text>
void WriteMetadata(Text& text, const PodFacts& pod) {
  text.Key("metadata").Begin().Field("name", std::string_view(pod.name));
  text.Field("namespace", std::string_view(pod.ns)).Field("uid", std::string_view(pod.uid));
  WriteMap(text, "labels", pod.labels);
  WriteMap(text, "annotations", pod.annotations);
  if (pod.controller) {
    const OwnerRef& owner = *pod.controller;
    text.Key("ownerReferences").BeginList().Begin();
    text.Field("apiVersion", std::string_view(owner.api_version));
    text.Field("kind", std::string_view(owner.kind)).Field("name", std::string_view(owner.name));
    text.Field("uid", std::string_view(owner.uid)).Field("controller", true).End().EndList();
  }
  text.End();
}

// Kubernetes wants the same amount as a limit for what it does not know, such as devices.
template <typename Text>
void WriteContainer(Text& text, const ResourceList& requests) {
  const auto requested = [](const ResourceAmount& amount) { return amount.name != kPods; };
  const auto extended = [](const ResourceAmount& amount) {
    return amount.name.find('/') != std::string::npos;
  };
  bool limits = false;
  for (const ResourceAmount& amount : requests) limits = limits || extended(amount);
  text.Key("containers").BeginList().Begin().Field("name", "main");
  text.Field("image", "registry.k8s.io/pause:3.10").Key("resources").Begin();
  WriteAmounts(text, "requests", requests, requested);
  if (limits) WriteAmounts(text, "limits", requests, extended);
  text.End().End().EndList();
}

template <typename Text>
void WritePod(Text& text, const PodFacts& pod) {
  GANGPLAN_CHECK(pod.filter == NodeFilter() && !pod.gated() && !pod.terminating);
  text.Begin().Field("apiVersion", "v1").Field("kind", "Pod");
  WriteMetadata(text, pod);
  text.Key("spec").Begin().Field("schedulerName", std::string_view(pod.scheduler_name));
  if (!pod.node_name.empty()) text.Field("nodeName", std::string_view(pod.node_name));
  if (pod.priority != 0) text.Field("priority", int64_t{pod.priority});
  WriteContainer(text, pod.requests);
  text.End().Key("status").Begin().Field("phase", PhaseName(pod.phase));
  if (!pod.nominated_node_name.empty())
    text.Field("nominatedNodeName", std::string_view(pod.nominated_node_name));
  text.End().End();
}

}  // namespace

std::string NodeJson(const NodeFacts& node) {
  JsonText text;
  WriteNode(text, node);
  return text.Take();
}

std::string PodJson(const PodFacts& pod) {
  JsonText text;
  WritePod(text, pod);
  return text.Take();
}

std::string ClusterJson(const ObjectList& cluster) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  std::string_view separator = "\n";
  const auto add = [&](const std::string& item) {
    text.append(separator).append(item);
    separator = ",\n";
  };
  for (const NodeFacts& node : cluster.nodes) add(NodeJson(node));
  for (const PodFacts& pod : cluster.pods) add(PodJson(pod));
  return text + "\n]}\n";
}

std::string ClusterYaml(const ObjectList& cluster) {
  YamlText text;
  text.Begin().Field("apiVersion", "v1").Field("kind", "List").Key("items").BeginList();
  for (const NodeFacts& node : cluster.nodes) WriteNode(text, node);
  for (const PodFacts& pod : cluster.pods) WritePod(text, pod);
  return text.EndList().End().Take();
}

std::string QuantityText(const ResourceAmount& amount) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  int64_t value = amount.amount;
  if (amount.name == "cpu")
    return value % 1000 == 0 ? fmt::format("{}", value / 1000) : fmt::format("{}m", value);
  size_t unit = 0;
  const bool bytes = amount.name == "memory" || amount.name == "ephemeral-storage";
  for (; bytes && value != 0 && value % 1024 == 0; ++unit) value /= 1024;
  return fmt::format("{}{}", value, kUnits[unit]);
}

}  // namespace gangplan
