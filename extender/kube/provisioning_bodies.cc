#include "extender/kube/provisioning_bodies.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "extender/cluster/provisioning_words.h"
#include "extender/kube/affinity_body.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"
#include "topology/implied_resource.h"

namespace gangplan {
namespace {

// Nobody runs it.
constexpr std::string_view kImage = "registry.k8s.io/pause:3.10";
constexpr std::string_view kPods = "pods";

void WriteTexts(JsonText& json, std::string_view key, const LabelSet& texts) {
  if (texts.empty()) return;
  json.Key(key).Begin();
  for (const auto& [name, value] : texts) json.Field(name, value);
  json.End();
}

void WriteOwner(JsonText& json, const OwnerRef& owner) {
  json.Key("ownerReferences").BeginList().Begin().Field("apiVersion", owner.api_version);
  json.Field("kind", owner.kind).Field("name", owner.name).Field("uid", owner.uid).End().EndList();
}

JsonText OpenObject(std::string_view api, std::string_view kind, std::string_view name,
                    const ProvisioningWrite& write) {
  JsonText json;
  json.Begin().Field("apiVersion", api).Field("kind", kind).Key("metadata").Begin();
  json.Field("namespace", write.ns).Field("name", name);
  json.Key("labels").Begin().Field(kProvisioningByLabel, write.by).End();
  return json;
}

bool IsOfNode(std::string_view resource) { return resource == kPods || IsImplied(resource); }

// Kubernetes takes a request of these without a limit.
bool MayBeExceeded(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage";
}

void WriteAmounts(JsonText& json, std::string_view key, const ResourceList& amounts, bool limits) {
  json.Key(key).Begin();
  for (const ResourceAmount& one : amounts) {
    if (IsOfNode(one.name) || one.amount <= 0 || (limits && MayBeExceeded(one.name))) continue;
    json.Field(one.name, fmt::format("{}{}", one.amount, one.name == "cpu" ? "m" : ""));
  }
  json.End();
}

struct OpenPort {
  int32_t port = 0;
  std::string_view protocol;
  std::string_view address;  // empty: all of the node's
};

// Of "host port 8080/TCP of 10.0.0.1", where all of it is taken.
std::optional<OpenPort> PortOf(const ResourceAmount& amount) {
  constexpr std::string_view kPort = "host port ", kOf = " of ";
  std::string_view rest = amount.name;
  if (!rest.starts_with(kPort) || amount.amount < kWholeNode) return std::nullopt;
  rest.remove_prefix(kPort.size());
  OpenPort open;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), open.port);
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  if (error != std::errc() || !rest.starts_with('/')) return std::nullopt;
  rest.remove_prefix(1);
  const size_t of = rest.find(kOf);
  open.protocol = rest.substr(0, of);
  if (of != std::string_view::npos) open.address = rest.substr(of + kOf.size());
  return open;
}

void WritePorts(JsonText& json, const ResourceList& requests) {
  json.Key("ports").BeginList();
  for (const ResourceAmount& one : requests) {
    const std::optional<OpenPort> open = PortOf(one);
    if (!open) continue;
    json.Begin().Field("containerPort", int64_t{open->port}).Field("hostPort", int64_t{open->port});
    json.Field("protocol", open->protocol);
    if (!open->address.empty()) json.Field("hostIP", open->address);
    json.End();
  }
  json.EndList();
}

std::string_view WordOf(const Toleration& toleration) {
  if (toleration.exists) return "Exists";
  switch (toleration.comparison) {
    case TaintComparison::kEqual:
      return "Equal";
    case TaintComparison::kLess:
      return "Lt";
    case TaintComparison::kGreater:
      return "Gt";
  }
  return {};
}

std::string_view WordOf(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule:
      return "NoSchedule";
    case TaintEffect::kPreferNoSchedule:
      return "PreferNoSchedule";
    case TaintEffect::kNoExecute:
      return "NoExecute";
  }
  return {};
}

void WriteTolerations(JsonText& json, const std::vector<Toleration>& tolerations) {
  if (tolerations.empty()) return;
  json.Key("tolerations").BeginList();
  for (const Toleration& one : tolerations) {
    json.Begin();
    if (!one.key.empty()) json.Field("key", one.key);
    json.Field("operator", WordOf(one));
    if (!one.exists && !one.value.empty()) json.Field("value", one.value);
    if (one.effect) json.Field("effect", WordOf(*one.effect));
    json.End();
  }
  json.EndList();
}

}  // namespace

std::string TemplateNameOf(const ProvisioningWrite& write, size_t set) {
  return fmt::format("{}-{}", write.name, set);
}

std::string ProvisioningBody(const ProvisioningWrite& write) {
  JsonText json = OpenObject("autoscaling.x-k8s.io/v1", "ProvisioningRequest", write.name, write);
  json.Key("annotations").Begin().Field(kProvisioningForAnnotation, write.gang).End();
  if (write.owner) WriteOwner(json, *write.owner);
  json.End().Key("spec").Begin().Field("provisioningClassName", write.class_name);
  WriteTexts(json, "parameters", write.parameters);
  json.Key("podSets").BeginList();
  for (size_t i = 0; i < write.pod_sets.size(); ++i) {
    json.Begin().Field("count", int64_t{write.pod_sets[i].count});
    json.Key("podTemplateRef").Begin().Field("name", TemplateNameOf(write, i)).End().End();
  }
  return json.EndList().End().End().Take();
}

std::string PodTemplateBody(const ProvisioningWrite& write, size_t set, std::string_view uid) {
  const ProvisioningPods& pods = write.pod_sets[set];
  JsonText json = OpenObject("v1", "PodTemplate", TemplateNameOf(write, set), write);
  WriteOwner(json,
             {"autoscaling.x-k8s.io/v1", "ProvisioningRequest", write.name, std::string(uid)});
  json.End().Key("template").Begin();
  if (!pods.labels.empty()) {
    json.Key("metadata").Begin();
    WriteTexts(json, "labels", pods.labels);
    json.End();
  }
  json.Key("spec").Begin().Field("restartPolicy", "Never");
  json.Key("containers").BeginList().Begin().Field("name", "member").Field("image", kImage);
  json.Key("resources").Begin();
  WriteAmounts(json, "requests", pods.requests, false);
  WriteAmounts(json, "limits", pods.requests, true);
  json.End();
  WritePorts(json, pods.requests);
  json.End().EndList();
  WriteTexts(json, "nodeSelector", pods.filter.node_selector);
  WritePodPlaces(json, pods.filter, pods.affinity, pods.ns);
  WriteTolerations(json, pods.filter.tolerations);
  return json.End().End().End().Take();
}

}  // namespace gangplan
