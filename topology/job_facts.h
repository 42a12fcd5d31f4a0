// What planning needs of an owner, a Job or a JobSet, that waits, suspended, until Gangplan starts
// it. Pure data.
#pragma once

#include <string>
#include <vector>

#include "topology/pod_facts.h"

namespace gangplan {

struct JobFacts {
  OwnerFacts owner;              // as its pods would have it
  std::string resource_version;  // of this state of it
  bool suspended = false;
  bool terminating = false;
  bool finished = false;  // it makes no pods any more
  // It may be started: a JobSet when its Jobs are all there, and suspended.
  bool ready = true;
  // Of a JobSet: some of its Jobs have ended.
  bool begun = false;
  // For each template one pod that it would make now: of a Job one, of a JobSet one for each of
  // owner.pod_sets. Its name is the owner's, it has no UID and no index, and no priority but where
  // the template has a number: that of a class is put into pods alone. Its fault: the template
  // cannot be read.
  std::vector<PodFacts> pods;

  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

}  // namespace gangplan
