// What planning needs of a Job that waits, suspended, until Gangplan starts it. Pure data.
#pragma once

#include <string>

#include "topology/pod_facts.h"

namespace gangplan {

struct JobFacts {
  OwnerFacts owner;              // as its pods would have it
  std::string resource_version;  // of this state of it
  bool suspended = false;
  bool terminating = false;
  bool finished = false;  // Complete or Failed: it makes no pods any more
  // One that it would make now: the Job is its controller, its name is the Job's, it has no UID and
  // no index, and no priority but where the template has a number: that of a class is put into pods
  // alone. Its fault: the template cannot be read.
  PodFacts pod;

  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

}  // namespace gangplan
