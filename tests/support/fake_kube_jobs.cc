// The Jobs of the API server in memory: in which lists they are, and patches with their rules. A
// template may only change while its Job is suspended and has no start time; a patch that changes
// nothing makes no new version.
#include <algorithm>
#include <set>

#include "extender/kube/resource_path.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "tests/support/fake_kube_api.h"
#include "tests/support/fake_kube_json.h"

namespace gangplan {
namespace {

std::string StatusJson(const FakeJob& job) {
  const char* start = job.has_start_time ? R"("startTime":"2027-01-15T08:00:00Z",)" : "";
  if (job.condition.empty()) return fmt::format(R"({}"conditions":[])", start);
  return fmt::format(R"({}"conditions":[{{"type":"{}","status":"True"}}])", start, job.condition);
}

std::string JobJson(const FakeJob& job) {
  return fmt::format(
      R"({{"kind":"Job","apiVersion":"batch/v1","metadata":{{"name":"{}","namespace":"{}",)"
      R"("uid":"{}","resourceVersion":"{}","labels":{},"annotations":{}}},)"
      R"("spec":{{"parallelism":2,"completions":2,"suspend":{},"template":{{"spec":)"
      R"({{"affinity":{{"nodeAffinity":{}}},"containers":[{{"name":"c"}}]}}}}}},"status":{{{}}}}})",
      job.name, job.ns, job.uid, job.version, JsonOf(job.labels), JsonOf(job.annotations),
      job.suspended, job.node_affinity, StatusJson(job));
}

// The lists that have it.
std::set<std::string> Collections(const FakeJob* job) {
  std::set<std::string> collections;
  if (job == nullptr) return collections;
  for (const std::string& one : SelectorsOf(job->labels))
    collections.insert("/apis/batch/v1/jobs?" + one);
  return collections;
}

std::string TextOf(const rapidjson::Value& value) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return text.GetString();
}

// What a patch makes of the template's node affinity: a null takes the required terms away.
std::string Affinity(const rapidjson::Value& patch, const std::string& before) {
  const rapidjson::Value* at =
      FindAt(patch, {"spec", "template", "spec", "affinity", "nodeAffinity"});
  if (at == nullptr) return before;
  const rapidjson::Value* required =
      FindAt(*at, {"requiredDuringSchedulingIgnoredDuringExecution"});
  return required != nullptr && required->IsNull() ? "{}" : TextOf(*at);
}

}  // namespace

FakeTexts FakeKubeApi::JobsIn(const std::string& collection) {
  FakeTexts objects;
  for (const auto& [key, job] : jobs_) {
    if (Collections(&job).contains(collection)) objects[key] = JobJson(job);
  }
  return objects;
}

void FakeKubeApi::TellJob(const FakeJob* before, const FakeJob* now) {
  const std::set<std::string> were = Collections(before);
  const std::set<std::string> are = Collections(now);
  for (const std::string& one : are)
    Changed(one, were.contains(one) ? "MODIFIED" : "ADDED", JobJson(*now));
  for (const std::string& one : were) {
    if (are.contains(one)) continue;
    FakeJob told = *before;
    told.version = version_;
    Changed(one, "DELETED", JobJson(told));
  }
}

void FakeKubeApi::PutJob(FakeJob job) {
  MutexLock lock(mutex_);
  job.version = ++version_;
  const std::string key = job.ns + "/" + job.name;
  auto known = jobs_.find(key);
  TellJob(known == jobs_.end() ? nullptr : &known->second, &job);
  jobs_.insert_or_assign(key, std::move(job));
}

void FakeKubeApi::DeleteJob(const std::string& ns, const std::string& name) {
  MutexLock lock(mutex_);
  const FakeJob job = jobs_.at(ns + "/" + name);
  jobs_.erase(ns + "/" + name);
  ++version_;
  TellJob(&job, nullptr);
}

FakeJob FakeKubeApi::GetJob(const std::string& ns, const std::string& name) {
  MutexLock lock(mutex_);
  return jobs_.at(ns + "/" + name);
}

HttpResponse FakeKubeApi::HandleJob(const HttpRequest& request,
                                    const std::vector<std::string>& parts) {
  auto it = jobs_.find(parts[4] + "/" + parts[6]);
  if (it == jobs_.end()) return StatusAnswer(404, fmt::format("jobs '{}' not found", parts[6]));
  if (request.method == "GET") return {200, JobJson(it->second), {}};
  if (request.method != "PATCH") return StatusAnswer(405, "not allowed");
  rapidjson::Document patch;
  patch.Parse(request.body.data(), request.body.size());
  if (patch.HasParseError()) return StatusAnswer(400, "not JSON");
  const FakeJob before = it->second;
  const std::string version = TextAt(patch, {"metadata", "resourceVersion"});
  if (TextAt(patch, {"metadata", "uid"}) != before.uid) return OtherUid("Job", before.name);
  if (!version.empty() && version != std::to_string(before.version))
    return StatusAnswer(409,
                        "the object has been modified; please apply your changes to the latest"
                        " version and try again");
  FakeJob job = before;
  if (parts.size() == 8) {
    const rapidjson::Value* start = FindAt(patch, {"status", "startTime"});
    if (start != nullptr && start->IsNull() && !before.suspended)
      return StatusAnswer(422, "status.startTime: may not be removed from a Job that runs");
    job.has_start_time = before.has_start_time && (start == nullptr || !start->IsNull());
  } else {
    MergeAt(patch, {"metadata", "labels"}, &job.labels);
    MergeAt(patch, {"metadata", "annotations"}, &job.annotations);
    if (const rapidjson::Value* suspend = FindAt(patch, {"spec", "suspend"}))
      job.suspended = suspend->GetBool();
    job.node_affinity = Affinity(patch, before.node_affinity);
    const bool fixed = !before.suspended || before.has_start_time;
    if (fixed && job.node_affinity != before.node_affinity)
      return StatusAnswer(422,
                          fmt::format("Job.batch '{}' is invalid: spec.template: Invalid value:"
                                      " core.PodTemplateSpec: field is immutable",
                                      job.name));
  }
  if (job == before) return {200, JobJson(job), {}};
  job.version = ++version_;
  TellJob(&before, &job);
  it->second = job;
  return {200, JobJson(job), {}};
}

}  // namespace gangplan
