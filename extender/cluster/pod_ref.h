// Which pod is meant, in the words of the Kubernetes API. The UID is the pod: under its name there
// may be another one by now. A value.
#pragma once

#include <string>

#include "topology/pod_facts.h"

namespace gangplan {

struct PodRef {
  std::string ns;
  std::string name;
  std::string uid;
};

// As an Event names what it is about.
inline OwnerRef AsObject(const PodRef& pod) { return {"v1", "Pod", pod.name, pod.uid}; }

inline PodRef RefOf(const PodFacts& pod) { return {pod.ns, pod.name, pod.uid}; }

}  // namespace gangplan
