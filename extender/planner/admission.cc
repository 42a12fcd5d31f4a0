#include "extender/planner/admission.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "extender/protocol/template_requests.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

using Kind = AdmissionRule::Kind;

// What the class asks for of nodes and the template does not say; where both do, and differ, the
// API server refuses the pods.
void AddNodes(const AdmissionRule& rule, NodeFilter& filter) {
  for (const auto& label : rule.node_selector) {
    if (FindLabel(filter.node_selector, label.first) == nullptr)
      filter.node_selector.push_back(label);
  }
  std::sort(filter.node_selector.begin(), filter.node_selector.end());
  filter.tolerations.insert(filter.tolerations.end(), rule.tolerations.begin(),
                            rule.tolerations.end());
}

}  // namespace

bool Admission::Note(const AdmissionRule& rule, bool stands) {
  Rules& rules = rules_[static_cast<size_t>(rule.kind)];
  const std::pair key(rule.ns, rule.name);
  const auto known = rules.find(key);
  const bool same = stands ? known != rules.end() && known->second == rule : known == rules.end();
  if (same) return false;
  if (stands) {
    rules.insert_or_assign(key, rule);
  } else {
    rules.erase(known);
  }
  if (rule.kind != Kind::kPriorityClass) return true;
  // There is one at the most, but for the moment in which another one becomes it.
  default_class_ = nullptr;
  for (const auto& [name, one] : rules) {
    const bool less = default_class_ == nullptr || one.priority < default_class_->priority;
    if (one.is_default && less) default_class_ = &one;
  }
  return true;
}

const AdmissionRule* Admission::Find(Kind kind, const std::string& name) const {
  const auto it = Of(kind).find({"", name});
  return name.empty() || it == Of(kind).end() ? nullptr : &it->second;
}

// Of several for one resource the first by name counts.
ResourceList Admission::DefaultsIn(const std::string& ns) const {
  const Rules& rules = Of(Kind::kLimitRange);
  ResourceList defaults;
  for (auto it = rules.lower_bound({ns, ""}); it != rules.end() && it->first.first == ns; ++it) {
    std::copy_if(it->second.amounts.begin(), it->second.amounts.end(), std::back_inserter(defaults),
                 [&](const ResourceAmount& amount) {
                   return std::none_of(
                       defaults.begin(), defaults.end(),
                       [&](const ResourceAmount& one) { return one.name == amount.name; });
                 });
  }
  return defaults;
}

std::string Admission::Missing(const TemplateNeeds& needs) const {
  const auto lacks = [&](Kind kind, const std::string& name) {
    return !name.empty() && Find(kind, name) == nullptr;
  };
  if (lacks(Kind::kPriorityClass, needs.priority_class))
    return fmt::format("there is no PriorityClass {}", needs.priority_class);
  if (lacks(Kind::kRuntimeClass, needs.runtime_class))
    return fmt::format("there is no RuntimeClass {}", needs.runtime_class);
  return {};
}

std::string Admission::ProblemOf(const JobFacts& job) const {
  for (const TemplateNeeds& needs : job.needs) {
    if (std::string missing = Missing(needs); !missing.empty()) return missing;
  }
  if (!job.check) return {};
  for (const RoomCheck::PodSet& set : job.check->pod_sets) {
    for (const std::string& name : set.flavors) {
      if (Find(Kind::kResourceFlavor, name) == nullptr)
        return fmt::format("there is no ResourceFlavor {}", name);
    }
  }
  return {};
}

// Null: none is named, and none stands for those.
const AdmissionRule* Admission::ClassOf(const TemplateNeeds& needs) const {
  return needs.priority_class.empty() ? default_class_
                                      : Find(Kind::kPriorityClass, needs.priority_class);
}

int32_t Admission::PriorityOf(const PodFacts& pod, const TemplateNeeds& needs) const {
  const AdmissionRule* rule = ClassOf(needs);
  return rule == nullptr ? pod.priority : rule->priority;
}

int32_t Admission::PriorityOf(const JobFacts& job) const {
  std::optional<int32_t> greatest;
  for (size_t i = 0; i < job.pods.size(); ++i) {
    const PodFacts& pod = job.pods[i];
    const int32_t own = i < job.needs.size() ? PriorityOf(pod, job.needs[i]) : pod.priority;
    greatest = std::max(greatest.value_or(own), own);
  }
  return greatest.value_or(0);
}

// By Kueue, which starts it with the nodes of its flavors, and what checks have added.
void Admission::AddFlavors(const RoomCheck::PodSet& set, NodeFilter& filter) const {
  for (const std::string& name : set.flavors) {
    if (const AdmissionRule* flavor = Find(Kind::kResourceFlavor, name)) AddNodes(*flavor, filter);
  }
  for (const auto& [key, value] : set.node_selector) SetLabel(filter.node_selector, key, value);
  filter.tolerations.insert(filter.tolerations.end(), set.tolerations.begin(),
                            set.tolerations.end());
}

PodFacts Admission::PodOf(const JobFacts& job, size_t index) const {
  PodFacts pod = job.pods[index];
  if (job.check && index < job.check->pod_sets.size())
    AddFlavors(job.check->pod_sets[index], pod.filter);
  if (index >= job.needs.size()) return pod;  // nobody has told what it lacks
  const TemplateNeeds& needs = job.needs[index];
  const AdmissionRule* runtime = Find(Kind::kRuntimeClass, needs.runtime_class);
  const ResourceList defaults = DefaultsIn(job.owner.ns);
  pod.priority = PriorityOf(pod, needs);
  if (const AdmissionRule* rule = ClassOf(needs); rule != nullptr && rule->never_preempts)
    pod.never_preempts = true;
  if (runtime != nullptr) AddNodes(*runtime, pod.filter);
  if (runtime == nullptr && defaults.empty()) return pod;
  const ResourceList& overhead = runtime == nullptr ? needs.overhead : runtime->amounts;
  pod.requests = CompletedRequests(pod.requests, needs, defaults, overhead);
  return pod;
}

}  // namespace gangplan
