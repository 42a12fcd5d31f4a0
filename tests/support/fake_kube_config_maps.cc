// The ConfigMaps of the API server in memory: in which lists they are, and patches of their data.
#include <algorithm>

#include "tests/support/fake_kube_api.h"
#include "tests/support/fake_kube_json.h"
#include "tests/support/query.h"

namespace gangplan {
namespace {

std::string ObjectJson(const FakeConfigMap& object) {
  return fmt::format(
      R"({{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"{}","namespace":"{}",)"
      R"("uid":"{}","resourceVersion":"{}","labels":{}}},"data":{}}})",
      object.name, object.ns, object.uid, object.version, JsonOf(object.labels),
      JsonOf(object.data));
}

// The lists that have it: of its namespace and of all, for each of its labels.
std::vector<std::string> Collections(const FakeConfigMap* object) {
  std::vector<std::string> collections;
  if (object == nullptr) return collections;
  for (const std::string& one : SelectorsOf(object->labels)) {
    collections.push_back("/api/v1/configmaps?" + one);
    collections.push_back(fmt::format("/api/v1/namespaces/{}/configmaps?{}", object->ns, one));
  }
  return collections;
}

bool Has(const std::vector<std::string>& collections, const std::string& one) {
  return std::find(collections.begin(), collections.end(), one) != collections.end();
}

}  // namespace

std::string FakeKubeApi::CollectionOf(const std::string& target) {
  const size_t question = target.find('?');
  const std::string path = target.substr(0, question);
  if (!path.ends_with("/configmaps") && !path.ends_with("/jobs"))
    return path.substr(path.rfind('/') + 1);
  return path + "?" + QueryValue(target.substr(question + 1), "labelSelector");
}

FakeTexts FakeKubeApi::ConfigMapsIn(const std::string& collection) {
  FakeTexts objects;
  for (const auto& [key, object] : config_maps_) {
    if (Has(Collections(&object), collection)) objects[key] = ObjectJson(object);
  }
  return objects;
}

void FakeKubeApi::TellConfigMap(const FakeConfigMap* before, const FakeConfigMap* now) {
  const std::vector<std::string> were = Collections(before);
  const std::vector<std::string> are = Collections(now);
  for (const std::string& one : are)
    Changed(one, Has(were, one) ? "MODIFIED" : "ADDED", ObjectJson(*now));
  for (const std::string& one : were) {
    if (Has(are, one)) continue;
    FakeConfigMap told = *before;
    told.version = version_;
    Changed(one, "DELETED", ObjectJson(told));
  }
}

void FakeKubeApi::PutConfigMap(FakeConfigMap object) {
  MutexLock lock(mutex_);
  FakeConfigMap& kept = config_maps_[object.ns + "/" + object.name];
  object.version = ++version_;
  TellConfigMap(&kept, &object);
  kept = std::move(object);
}

void FakeKubeApi::DeleteConfigMap(const std::string& ns, const std::string& name) {
  MutexLock lock(mutex_);
  const FakeConfigMap object = config_maps_.at(ns + "/" + name);
  config_maps_.erase(ns + "/" + name);
  ++version_;
  TellConfigMap(&object, nullptr);
}

FakeConfigMap FakeKubeApi::GetConfigMap(const std::string& ns, const std::string& name) {
  MutexLock lock(mutex_);
  return config_maps_.at(ns + "/" + name);
}

HttpResponse FakeKubeApi::HandleConfigMap(const HttpRequest& request, const std::string& ns,
                                          const std::string& name) {
  auto it = config_maps_.find(ns + "/" + name);
  if (it == config_maps_.end())
    return StatusAnswer(404, fmt::format("configmaps '{}' not found", name));
  if (request.method != "PATCH") return StatusAnswer(405, "not allowed");
  rapidjson::Document patch;
  patch.Parse(request.body.data(), request.body.size());
  if (patch.HasParseError()) return StatusAnswer(400, "not JSON");
  FakeConfigMap& object = it->second;
  if (TextAt(patch, {"metadata", "uid"}) != object.uid) return OtherUid("ConfigMap", name);
  FakeTexts data = object.data;
  MergeAt(patch, {"data"}, &data);
  if (data != object.data) {
    object.data = std::move(data);
    object.version = ++version_;
    TellConfigMap(&object, &object);
  }
  return {200, ObjectJson(object), {}};
}

}  // namespace gangplan
