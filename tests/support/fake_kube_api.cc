#include "tests/support/fake_kube_api.h"

#include <algorithm>

#include "fmt/format.h"
#include "rapidjson/document.h"
#include "tests/support/fake_kube_json.h"
#include "tests/support/query.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

// Labels of a Binding land on the pod from Kubernetes 1.35 on.
constexpr int kFirstMinorThatBindsLabels = 35;

std::string PodJson(const FakePod& pod) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"{}","uid":"{}",)"
      R"("resourceVersion":"{}","annotations":{},"labels":{}{}}},)"
      R"("spec":{{"containers":[{{"name":"c"}}],"nodeName":"{}"}},)"
      R"("status":{{"phase":"{}","nominatedNodeName":"{}"}}}})",
      pod.name, pod.ns, pod.uid, pod.version, JsonOf(pod.annotations), JsonOf(pod.labels),
      pod.terminating ? R"(,"deletionTimestamp":"2027-01-15T08:00:00Z")" : "", pod.node, pod.phase,
      pod.nominated);
}

}  // namespace

// One connection of the fake.
class FakeKubeTransport : public Transport {
 public:
  explicit FakeKubeTransport(FakeKubeApi* api) : api_(api) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    MutexLock lock(api_->mutex_);
    return api_->Serve(request, interrupted_);
  }
  absl::StatusOr<HttpResponse> Stream(const HttpRequest& request,
                                      const ChunkReceiver& on_chunk) override {
    return api_->Watch(request, on_chunk, interrupted_);
  }
  void Interrupt() override { api_->Interrupt(&interrupted_); }

 private:
  FakeKubeApi* const api_;
  bool interrupted_ = false;  // guarded by the fake's mutex
};

std::unique_ptr<Transport> FakeKubeApi::Make() { return std::make_unique<FakeKubeTransport>(this); }

void FakeKubeApi::Interrupt(bool* interrupted) {
  MutexLock lock(mutex_);
  *interrupted = true;
  changed_.notify_all();
}

std::string FakeKubeApi::NodeJson(const std::string& name, int64_t version) {
  return fmt::format(
      R"({{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{}","resourceVersion":"{}"}},)"
      R"("status":{{"allocatable":{{"cpu":"{}","pods":"110"}},)"
      R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      name, version, version);
}

void FakeKubeApi::Changed(const std::string& collection, const std::string& type,
                          const std::string& object) {
  changes_.push_back(
      {collection, version_, fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object)});
  changed_.notify_all();
}

void FakeKubeApi::PutNode(const std::string& name) {
  MutexLock lock(mutex_);
  const bool known = nodes_.contains(name);
  nodes_[name] = ++version_;
  Changed("nodes", known ? "MODIFIED" : "ADDED", NodeJson(name, version_));
}

void FakeKubeApi::DeleteNode(const std::string& name) {
  MutexLock lock(mutex_);
  nodes_.erase(name);
  ++version_;
  Changed("nodes", "DELETED", NodeJson(name, version_));
}

void FakeKubeApi::PutPod(FakePod pod) {
  MutexLock lock(mutex_);
  const std::string key = pod.ns + "/" + pod.name;
  const bool known = pods_.contains(key);
  pod.version = ++version_;
  Changed("pods", known ? "MODIFIED" : "ADDED", PodJson(pod));
  pods_[key] = std::move(pod);
}

void FakeKubeApi::DeletePod(const std::string& ns, const std::string& name) {
  MutexLock lock(mutex_);
  auto it = pods_.find(ns + "/" + name);
  GANGPLAN_CHECK(it != pods_.end());
  it->second.version = ++version_;
  Changed("pods", "DELETED", PodJson(it->second));
  pods_.erase(it);
}

FakePod FakeKubeApi::GetPod(const std::string& ns, const std::string& name) {
  MutexLock lock(mutex_);
  return pods_.at(ns + "/" + name);
}

std::string FakeKubeApi::TopologyJson(const std::string& name, const FakeTopology& topology) {
  std::string levels;
  for (const std::string& label : topology.labels)
    levels += fmt::format(R"({}{{"nodeLabel":"{}"}})", levels.empty() ? "" : ",", label);
  return fmt::format(
      R"({{"kind":"Topology","apiVersion":"kueue.x-k8s.io/{}","metadata":{{"name":"{}",)"
      R"("resourceVersion":"{}"}},"spec":{{"levels":[{}]}}}})",
      topology_version_, name, topology.version, levels);
}

void FakeKubeApi::PutTopology(const std::string& name, const std::vector<std::string>& labels) {
  MutexLock lock(mutex_);
  const bool known = topologies_.contains(name);
  topologies_[name] = {labels, ++version_};
  Changed("topologies", known ? "MODIFIED" : "ADDED", TopologyJson(name, topologies_[name]));
}

void FakeKubeApi::DeleteTopology(const std::string& name) {
  MutexLock lock(mutex_);
  FakeTopology gone = topologies_.at(name);
  gone.version = ++version_;
  topologies_.erase(name);
  Changed("topologies", "DELETED", TopologyJson(name, gone));
}

void FakeKubeApi::ServeTopologies(const std::string& version) {
  MutexLock lock(mutex_);
  topology_version_ = version;
}

bool FakeKubeApi::ServesTopologies(const std::string& path) {
  return !topology_version_.empty() &&
         path == fmt::format("/apis/kueue.x-k8s.io/{}/topologies", topology_version_);
}

void FakeKubeApi::PutObject(const std::string& path, const std::string& json) {
  MutexLock lock(mutex_);
  objects_[path] = json;
}

void FakeKubeApi::PutRule(const std::string& collection, const std::string& name,
                          const std::string& fields) {
  MutexLock lock(mutex_);
  const bool known = rules_[collection].contains(name);
  ++version_;
  std::string& object = rules_[collection][name];
  object = fmt::format(R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}},{}}})", name,
                       version_, fields);
  Changed(collection, known ? "MODIFIED" : "ADDED", object);
}

void FakeKubeApi::SetMinorVersion(int minor) {
  MutexLock lock(mutex_);
  minor_ = minor;
}

void FakeKubeApi::SetPageItems(size_t items) {
  MutexLock lock(mutex_);
  page_items_ = items;
}

void FakeKubeApi::FailNext(std::function<bool(std::string_view)> matches, When when,
                           absl::StatusOr<HttpResponse> answer) {
  MutexLock lock(mutex_);
  faults_.push_back({std::move(matches), when, std::move(answer)});
}

std::function<void()> FakeKubeApi::HoldAll(std::function<bool(std::string_view)> matches) {
  auto hold = std::make_shared<std::function<bool(std::string_view)>>(std::move(matches));
  MutexLock lock(mutex_);
  holds_.push_back(hold);
  return [this, hold] {
    MutexLock release_lock(mutex_);
    std::erase(holds_, hold);
    changed_.notify_all();
  };
}

std::vector<std::string> FakeKubeApi::Requests() {
  MutexLock lock(mutex_);
  std::vector<std::string> texts;
  for (const auto& [text, body] : requests_) texts.push_back(text);
  return texts;
}

std::vector<std::string> FakeKubeApi::Bodies(std::string_view method_and_path) {
  MutexLock lock(mutex_);
  std::vector<std::string> bodies;
  for (const auto& [text, body] : requests_) {
    if (text == method_and_path) bodies.push_back(body);
  }
  return bodies;
}

void FakeKubeApi::WaitForRequests(std::string_view beginning, size_t count) {
  MutexLock lock(mutex_);
  auto seen = [&] {
    return static_cast<size_t>(
        std::count_if(requests_.begin(), requests_.end(),
                      [&](const auto& one) { return one.first.starts_with(beginning); }));
  };
  while (seen() < count) changed_.wait(mutex_);
}

absl::StatusOr<HttpResponse> FakeKubeApi::Serve(const HttpRequest& request,
                                                const bool& interrupted) {
  const std::string text = request.method + " " + request.target;
  requests_.emplace_back(text, request.body);
  changed_.notify_all();
  auto held = [&] {
    return std::any_of(holds_.begin(), holds_.end(),
                       [&](const auto& hold) { return (*hold)(text); });
  };
  while (held() && !interrupted) changed_.wait(mutex_);
  if (interrupted) return absl::CancelledError("interrupted");
  auto fault = std::find_if(faults_.begin(), faults_.end(),
                            [&](const Fault& one) { return one.matches(text); });
  if (fault == faults_.end()) return Handle(request);
  const Fault taken = *fault;
  faults_.erase(fault);
  if (taken.when == When::kAfter) Handle(request);
  return taken.answer;
}

HttpResponse FakeKubeApi::Handle(const HttpRequest& request) {
  const size_t question = request.target.find('?');
  const std::string path = request.target.substr(0, question);
  const std::string query =
      question == std::string::npos ? "" : request.target.substr(question + 1);
  if (path == "/version") return {200, fmt::format(R"({{"major":"1","minor":"{}"}})", minor_), {}};
  const bool listed = path == "/api/v1/nodes" || path == "/api/v1/pods" || ServesTopologies(path) ||
                      path.ends_with("/configmaps") || path.ends_with("/leases") ||
                      path == "/apis/batch/v1/jobs" || path == "/api/v1/limitranges" ||
                      path == "/apis/node.k8s.io/v1/runtimeclasses" ||
                      path == "/apis/scheduling.k8s.io/v1/priorityclasses";
  if (listed) return List(CollectionOf(request.target), query);
  if (path.ends_with("/events") && request.method == "POST") return {201, "{}", {}};
  if (auto it = objects_.find(path); it != objects_.end()) return {200, it->second, {}};
  const std::vector<std::string> parts = Split(path, '/');
  if (parts.size() >= 6 && parts[0] == "api" && parts[4] == "pods")
    return HandlePod(request, parts);
  if (parts.size() == 6 && parts[4] == "configmaps")
    return HandleConfigMap(request, parts[3], parts[5]);
  if (parts.size() >= 7 && parts[5] == "jobs") return HandleJob(request, parts);
  return StatusAnswer(404, "no such path");
}

FakeTexts FakeKubeApi::ObjectsIn(const std::string& collection) {
  FakeTexts objects;
  if (collection == "nodes") {
    for (const auto& [name, version] : nodes_) objects[name] = NodeJson(name, version);
  } else if (collection == "pods") {
    for (const auto& [key, pod] : pods_) objects[key] = PodJson(pod);
  } else if (collection == "topologies") {
    for (const auto& [name, one] : topologies_) objects[name] = TopologyJson(name, one);
  } else if (const auto rules = rules_.find(collection); rules != rules_.end()) {
    objects.insert(rules->second.begin(), rules->second.end());
  } else if (collection.starts_with("/apis/batch/")) {
    objects = JobsIn(collection);
  } else {
    objects = ConfigMapsIn(collection);
  }
  return objects;
}

// A continue token is the name after which the list goes on, with the version that it began at.
HttpResponse FakeKubeApi::List(const std::string& collection, const std::string& query) {
  const std::string token = QueryValue(query, "continue");
  int64_t version = version_;
  std::string after;
  if (!token.empty()) {
    const size_t colon = token.find("%3A");
    version = NumberAt(token.substr(0, colon));
    after = token.substr(colon + 3);
    for (size_t at; (at = after.find("%2F")) != std::string::npos;) after.replace(at, 3, "/");
    if (version < oldest_) return StatusAnswer(410, "the continue token has expired");
  }
  const FakeTexts objects = ObjectsIn(collection);
  std::string items;
  std::string next;
  size_t count = 0;
  for (auto it = objects.upper_bound(after); it != objects.end(); ++it) {
    items += (count++ == 0 ? "" : ",") + it->second;
    if (count < page_items_) continue;
    if (std::next(it) != objects.end()) next = fmt::format("{}:{}", version, it->first);
    break;
  }
  return {200,
          fmt::format(R"({{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"{}",)"
                      R"("continue":"{}"}},"items":[{}]}})",
                      version, next, items),
          {}};
}

// parts: api v1 namespaces NS pods NAME [SUBRESOURCE]
HttpResponse FakeKubeApi::HandlePod(const HttpRequest& request,
                                    const std::vector<std::string>& parts) {
  auto it = pods_.find(parts[3] + "/" + parts[5]);
  if (it == pods_.end()) return StatusAnswer(404, fmt::format("pods '{}' not found", parts[5]));
  const std::string subresource = parts.size() > 6 ? parts[6] : "";
  if (request.method == "GET") return {200, PodJson(it->second), {}};
  if (request.method == "PATCH") return PatchPod(it->second, subresource == "status", request.body);
  if (request.method == "POST" && subresource == "binding") return Bind(it->second, request.body);
  return StatusAnswer(405, "not allowed");
}

HttpResponse FakeKubeApi::Bind(FakePod& pod, const std::string& body) {
  rapidjson::Document binding;
  binding.Parse(body.data(), body.size());
  if (binding.HasParseError()) return StatusAnswer(400, "not JSON");
  if (TextAt(binding, {"metadata", "uid"}) != pod.uid) {
    return StatusAnswer(409, "Precondition failed: UID in precondition");
  }
  if (pod.terminating)
    return StatusAnswer(409, "pod is being deleted, cannot be assigned to a host");
  if (!pod.node.empty()) {
    return StatusAnswer(409, fmt::format("pod is already assigned to node '{}'", pod.node));
  }
  pod.node = TextAt(binding, {"target", "name"});
  pod.nominated.clear();
  MergeAt(binding, {"metadata", "annotations"}, &pod.annotations);
  if (minor_ >= kFirstMinorThatBindsLabels) MergeAt(binding, {"metadata", "labels"}, &pod.labels);
  pod.version = ++version_;
  Changed("pods", "MODIFIED", PodJson(pod));
  return StatusAnswer(201, "");
}

HttpResponse FakeKubeApi::PatchPod(FakePod& pod, bool status, const std::string& body) {
  rapidjson::Document patch;
  patch.Parse(body.data(), body.size());
  if (patch.HasParseError()) return StatusAnswer(400, "not JSON");
  const std::string uid = TextAt(patch, {"metadata", "uid"});
  if (!uid.empty() && uid != pod.uid) return OtherUid("Pod", pod.name);
  if (status) {
    if (!pod.node.empty()) return StatusAnswer(422, "may not be set once the pod is bound");
    pod.nominated = TextAt(patch, {"status", "nominatedNodeName"});
  } else {
    MergeAt(patch, {"metadata", "annotations"}, &pod.annotations);
    MergeAt(patch, {"metadata", "labels"}, &pod.labels);
  }
  pod.version = ++version_;
  Changed("pods", "MODIFIED", PodJson(pod));
  return {200, PodJson(pod), {}};
}

}  // namespace gangplan
