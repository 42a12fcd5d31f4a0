// What planning needs of a Job that waits, suspended, until Gangplan starts it. Pure data.
#pragma once

#include <string>
#include <vector>

#include "topology/pod_facts.h"

namespace gangplan {

// What of a template the API server completes when it makes a pod of it (admission_rule.h).
struct TemplateNeeds {
  struct InitContainer {
    bool sidecar = false;
    ResourceList requests;  // a limit without a request is one
    friend bool operator==(const InitContainer&, const InitContainer&) = default;
  };
  std::vector<InitContainer> init_containers;  // in their order
  std::vector<ResourceList> containers;        // likewise, what each asks for
  ResourceList pod_level;                      // of the whole pod, in place of the sums
  ResourceList overhead;
  std::string runtime_class;   // empty: none is named
  std::string priority_class;  // likewise
  friend bool operator==(const TemplateNeeds&, const TemplateNeeds&) = default;
};

struct JobFacts {
  OwnerFacts owner;              // as its pods would have it
  std::string resource_version;  // of this state of it
  bool suspended = false;
  bool terminating = false;
  bool finished = false;  // Complete or Failed: it makes no pods any more
  // One that it would make now: the Job is its controller, its name is the Job's, it has no UID and
  // no index, and nothing that admission adds. Its fault: the template cannot be read.
  PodFacts pod;
  TemplateNeeds needs;

  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

}  // namespace gangplan
