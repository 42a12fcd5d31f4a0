// The pods that the API server will make of a template: what LimitRanges, RuntimeClasses and
// PriorityClasses add to it, by the rules of the admission plug-ins LimitRanger, RuntimeClass and
// Priority; and what Kueue adds to the template that it starts. Webhooks and policies may add more,
// which shows when a pod is there.
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "topology/admission_rule.h"
#include "topology/job_facts.h"

namespace gangplan {

class Admission {
 public:
  // `rule` stands as it is now, or does so no more. False: that was known.
  bool Note(const AdmissionRule& rule, bool stands);

  // The owner's template of this index, completed. O(its containers + the rules of its namespace).
  PodFacts PodOf(const JobFacts& job, size_t index) const;
  // The greatest of its templates.
  int32_t PriorityOf(const JobFacts& job) const;
  // Why the API server will refuse pods of it, for people; empty: not for a class that is missing.
  std::string ProblemOf(const JobFacts& job) const;

 private:
  using Rules = std::map<std::pair<std::string, std::string>, AdmissionRule>;  // namespace, name

  const Rules& Of(AdmissionRule::Kind kind) const { return rules_[static_cast<size_t>(kind)]; }
  void AddFlavors(const RoomCheck::PodSet& set, NodeFilter& filter) const;
  const AdmissionRule* Find(AdmissionRule::Kind kind, const std::string& name) const;
  ResourceList DefaultsIn(const std::string& ns) const;
  const AdmissionRule* ClassOf(const TemplateNeeds& needs) const;
  int32_t PriorityOf(const PodFacts& pod, const TemplateNeeds& needs) const;
  std::string Missing(const TemplateNeeds& needs) const;

  Rules rules_[kAdmissionKinds];
  const AdmissionRule* default_class_ = nullptr;  // of the PriorityClasses; the least by value
};

}  // namespace gangplan
