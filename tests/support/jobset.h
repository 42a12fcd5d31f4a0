// A JobSet, its pods and what it says while it waits, as its controller makes them. For tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/protocol/jobset_words.h"
#include "fmt/format.h"
#include "tests/support/planner_world.h"
#include "topology/job_facts.h"
#include "topology/owner_kinds.h"

namespace gangplan {

struct JobSetPart {
  std::string name;
  int64_t jobs = 1;
  int64_t each = 1;
  int64_t gpus = 1;
  LabelSet words = {{"gangplan.io/place", "rack=pack!"}};
  int32_t priority = 0;
  bool last = false;  // made when the others are ready
};

struct JobSetSpec {
  std::string name = "train";
  std::vector<JobSetPart> parts = {};
  LabelSet words = {};
  int restarts = 0;
  bool in_order = false;
  std::string uid = {};  // empty: "set-" + name

  std::string Uid() const { return uid.empty() ? "set-" + name : uid; }
  const JobSetPart& Part(std::string_view part) const {
    return *std::find_if(parts.begin(), parts.end(),
                         [&](const JobSetPart& one) { return one.name == part; });
  }
};

// A driver and twice two workers, each worker on a node of its own.
inline JobSetSpec Training(std::string_view name = "train") {
  return {.name = std::string(name),
          .parts = {{.name = "driver", .gpus = 2},
                    {.name = "workers", .jobs = 2, .each = 2, .gpus = 8}}};
}

// The pod of this index in the Job of this number. `life`: how often it was made before.
inline PodFacts PodOf(const JobSetSpec& set, std::string_view part_name, int job, int index,
                      int life = 0) {
  const JobSetPart& part = set.Part(part_name);
  const std::string of = fmt::format("{}-{}-{}", set.name, part.name, job);
  JobSpec spec{.name = of, .gpus = part.gpus, .priority = part.priority, .words = part.words};
  spec.uid = fmt::format("{}-{}-{}-{}", set.Uid(), part.name, job, set.restarts);
  PodFacts pod = JobPod(spec, index, life);
  SetWord(pod.labels, kJobSetName, set.name);
  SetWord(pod.labels, kJobSetUid, set.Uid());
  SetWord(pod.labels, kReplicatedJob, part.name);
  SetWord(pod.labels, kReplicatedJobReplicas, fmt::format("{}", part.jobs));
  SetWord(pod.labels, kRestartAttempt, fmt::format("{}", set.restarts));
  SetWord(pod.labels, kJobSetJobIndex, fmt::format("{}", job));
  return pod;
}

// Of all pods of it alike, which nobody has made yet.
inline PodFacts TemplateOf(const JobSetSpec& set, const JobSetPart& part) {
  PodFacts pod = PodOf(set, part.name, 0, 0);
  pod.uid.clear();
  pod.name = set.name;
  pod.controller->uid.clear();
  std::erase_if(pod.labels, [](const auto& label) { return label.first == kJobSetJobIndex; });
  std::erase_if(pod.annotations, [](const auto& word) {
    return word.first == "batch.kubernetes.io/job-completion-index";
  });
  return pod;
}

inline OwnerFacts OwnerOf(const JobSetSpec& set) {
  OwnerFacts owner;
  owner.ref = {"jobset.x-k8s.io/v1alpha2", "JobSet", set.name, set.Uid()};
  owner.ns = "team";
  owner.annotations = set.words;
  owner.in_order = set.in_order;
  for (const JobSetPart& part : set.parts) {
    owner.pod_sets.push_back({part.name, part.jobs, part.each, {}, part.words});
    if (!part.last) continue;
    PodFacts& last = owner.pod_sets.back().last.emplace(TemplateOf(set, part));
    std::erase_if(last.labels, [](const auto& label) { return label.first == kRestartAttempt; });
  }
  return owner;
}

inline std::vector<PodFacts> PodsOf(const JobSetSpec& set) {
  std::vector<PodFacts> pods;
  for (const JobSetPart& part : set.parts) {
    for (int job = 0; job < part.jobs; ++job) {
      for (int index = 0; index < part.each; ++index)
        pods.push_back(PodOf(set, part.name, job, index));
    }
  }
  return pods;
}

// As the watch shows it while it waits.
inline JobFacts WaitingOf(const JobSetSpec& set, int version) {
  JobFacts facts;
  facts.owner = OwnerOf(set);
  facts.resource_version = std::to_string(version);
  facts.suspended = true;
  for (const JobSetPart& part : set.parts) facts.pods.push_back(TemplateOf(set, part));
  return facts;
}

}  // namespace gangplan
