#include "extender/api/discovery.h"

#include <string_view>

#include "topology/base/json_text.h"

namespace gangplan {
namespace {

constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kSubresources[] = {"explanation", "history"};

void WriteVersion(JsonText& json) {
  json.Begin().Field("groupVersion", kGroupVersion).Field("version", kApiVersionName).End();
}

void WriteGroup(JsonText& json) {
  json.Field("name", kApiGroup).Key("versions").BeginList();
  WriteVersion(json);
  json.EndList().Key("preferredVersion");
  WriteVersion(json);
}

void WriteVerbs(JsonText& json, bool lists) {
  json.Key("verbs").BeginList().Value("get");
  if (lists) json.Value("list");
  json.EndList();
}

std::string GroupList() {
  JsonText json;
  json.Begin().Field("kind", "APIGroupList").Field("apiVersion", "v1").Key("groups").BeginList();
  json.Begin();
  WriteGroup(json);
  json.End().EndList().End();
  return json.Take();
}

std::string Group() {
  JsonText json;
  json.Begin().Field("kind", "APIGroup").Field("apiVersion", "v1");
  WriteGroup(json);
  json.End();
  return json.Take();
}

std::string Resources() {
  JsonText json;
  json.Begin().Field("kind", "APIResourceList").Field("apiVersion", "v1");
  json.Field("groupVersion", kGroupVersion).Key("resources").BeginList();
  json.Begin().Field("name", "gangs").Field("singularName", "gang").Field("namespaced", true);
  json.Field("kind", "Gang");
  WriteVerbs(json, true);
  json.Key("shortNames").BeginList().Value("gg").EndList().End();
  for (const std::string_view name : kSubresources) {
    json.Begin().Field("name", std::string("gangs/") + std::string(name));
    json.Field("singularName", "").Field("namespaced", true).Field("kind", "Gang");
    WriteVerbs(json, false);
    json.End();
  }
  json.EndList().End();
  return json.Take();
}

void WriteKind(JsonText& json) {
  json.Key("responseKind").Begin().Field("group", kApiGroup).Field("version", kApiVersionName);
  json.Field("kind", "Gang").End();
}

// Everything in one answer.
std::string Aggregated() {
  JsonText json;
  json.Begin().Field("kind", "APIGroupDiscoveryList").Field("apiVersion", "apidiscovery.k8s.io/v2");
  json.Key("metadata").Begin().End().Key("items").BeginList().Begin();
  json.Key("metadata").Begin().Field("name", kApiGroup).End().Key("versions").BeginList().Begin();
  json.Field("version", kApiVersionName).Field("freshness", "Current");
  json.Key("resources").BeginList().Begin().Field("resource", "gangs");
  WriteKind(json);
  json.Field("scope", "Namespaced").Field("singularResource", "gang");
  WriteVerbs(json, true);
  json.Key("shortNames").BeginList().Value("gg").EndList();
  json.Key("subresources").BeginList();
  for (const std::string_view name : kSubresources) {
    json.Begin().Field("subresource", name);
    WriteKind(json);
    WriteVerbs(json, false);
    json.End();
  }
  json.EndList().End().EndList().End().EndList().End().EndList().End();
  return json.Take();
}

}  // namespace

std::optional<HttpReply> Discovery(const std::vector<std::string>& path, AnswerForm form) {
  if (path.empty() || path[0] != "apis") return std::nullopt;
  if (path.size() == 1) {
    if (form == AnswerForm::kDiscovery)
      return HttpReply{200, Aggregated(), std::string(kAggregatedType)};
    return HttpReply{200, GroupList()};
  }
  if (path[1] != kApiGroup || path.size() > 3) return std::nullopt;
  if (path.size() == 2) return HttpReply{200, Group()};
  if (path[2] != kApiVersionName) return std::nullopt;
  return HttpReply{200, Resources()};
}

}  // namespace gangplan
