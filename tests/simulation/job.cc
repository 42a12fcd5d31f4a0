#include "tests/simulation/job.h"

#include <algorithm>

#include "extender/frontends/gangplan/words.h"

namespace gangplan::simulation {

bool Job::HasSucceeded() const {
  return std::any_of(indices.begin(), indices.end(),
                     [](const Index& index) { return index.succeeded; });
}

void SayHeld(const Job& job, LabelSet& annotations) {
  std::erase_if(annotations, [](const auto& word) { return word.first == kHoldWord; });
  if (job.held_since) SetWord(annotations, kHoldWord, "its user says so");
}

bool IsHome(const Job& job, const NodeFacts& node) {
  const bool rings = FindLabel(node.labels, kNetLabel) != nullptr;
  return job.topology.empty() || rings == (job.topology == kRings);
}

std::string GroupName(const Job& job) {
  const std::string* word = FindLabel(job.spec.words, kGroupWord);
  return job.ns + "/" + (word == nullptr ? job.spec.name : *word);
}

PodFacts PodOf(const Job& job, int index, int life) {
  PodFacts pod = JobPod(job.spec, index, life);
  pod.ns = job.ns;
  if (job.late) pod.controller->kind = "StatefulSet";
  return pod;
}

}  // namespace gangplan::simulation
