#include "tests/simulation/group_objects.h"

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

ConfigMapFacts ObjectOf(const Job& job) {
  ConfigMapFacts object;
  object.ns = "team";
  object.name = GroupObjects::NameOf(job);
  object.uid = "uid-of-" + object.name;
  object.data = {{"constraints", job.constraints},
                 {"name", job.spec.name},
                 {"size", fmt::format("{}", job.spec.size)}};
  return object;
}

}  // namespace

bool GroupObjects::IsSound(const ApiServer& api, const Job& job) {
  if (job.constraints.empty()) return true;
  const auto found = api.objects().find(NameOf(job));
  if (found == api.objects().end()) return false;
  const std::string* constraints = FindLabel(found->second.data, "constraints");
  return constraints != nullptr && *constraints == job.constraints;
}

void GroupObjects::Add(const Job& job) {
  if (job.constraints.empty()) return;
  time_.After(random_.Millis(0, 5'000), [this, object = ObjectOf(job)] {
    if (!api_.objects().contains(object.name)) api_.PutObject(object);
  });
}

void GroupObjects::Harm(const std::map<std::string, Job>& jobs) {
  for (const auto& [uid, job] : jobs) {
    if (job.constraints.empty() || job.done || !random_.OneIn(2)) continue;
    ConfigMapFacts object = ObjectOf(job);  // without its results
    if (trace) trace("harm to " + object.name);
    if (random_.OneIn(3)) SetWord(object.data, "constraints", "{");
    if (random_.OneIn(3))
      api_.DeleteObject(object.name);
    else
      api_.PutObject(object);
  }
}

void GroupObjects::Heal(const std::map<std::string, Job>& jobs) {
  for (const auto& [uid, job] : jobs) {
    if (job.constraints.empty()) continue;
    ConfigMapFacts object = ObjectOf(job);
    const auto found = api_.objects().find(object.name);
    if (found != api_.objects().end()) {
      for (const auto& [key, value] : found->second.data) {
        if (FindLabel(object.data, key) == nullptr) SetWord(object.data, key, value);
      }
    }
    api_.PutObject(object);
  }
}

}  // namespace gangplan::simulation
