// An object that the API server follows when it makes a pod of a template: what the pod asks for,
// where it may go and how it is ranked may be more than its template says. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/labels.h"
#include "topology/node_filter.h"
#include "topology/resources.h"

namespace gangplan {

struct AdmissionRule {
  // The last one is Kueue's, which adds it to the template when it starts a Job.
  enum class Kind : uint8_t { kLimitRange, kRuntimeClass, kPriorityClass, kResourceFlavor };

  Kind kind = Kind::kLimitRange;
  std::string ns;  // of a LimitRange
  std::string name;
  // LimitRange: what a container asks for that says nothing of it. RuntimeClass: the overhead.
  ResourceList amounts;
  LabelSet node_selector;               // RuntimeClass, ResourceFlavor
  std::vector<Toleration> tolerations;  // likewise
  int32_t priority = 0;                 // PriorityClass
  bool is_default = false;              // likewise: of pods that name no class
  bool never_preempts = false;          // likewise: preemptionPolicy is Never

  friend bool operator==(const AdmissionRule&, const AdmissionRule&) = default;
};
inline constexpr int kAdmissionKinds = 4;

}  // namespace gangplan
