// What the templates of owners that wait say.
#include <algorithm>
#include <string>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/planner/suspended_owners.h"
#include "fmt/format.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

bool PinsItself(const JobFacts& job) {
  const OwnerKind* kind = FindOwnerKind(job.owner.ref.kind);
  return kind != nullptr && kind->pins_own_template;
}

// A pod that the user's own words make; another one than the owner was pinned to.
PodFacts Unpinned(const JobFacts& job, PodFacts pod) {
  if (PinsItself(job))
    pod.filter =
        WithoutPin(std::move(pod.filter), FindLabel(job.owner.annotations, kPinnedAnnotation));
  return pod;
}

}  // namespace

bool SuspendedOwners::Templates::gated() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Foretold& one) { return one.pod.gated(); });
}

std::string SuspendedOwners::NoGang(const JobFacts& job) const {
  const std::string other = job.pods.empty() ? "" : roster_.OtherScheduler(job.pods.front());
  if (!other.empty()) return fmt::format("its template {}", other);
  return "nothing says which gang its pods are: annotate it with gangplan.io/place, say";
}

SuspendedOwners::Templates SuspendedOwners::Read(const JobFacts& job) {
  Templates read;
  for (size_t i = 0; i < job.pods.size(); ++i) {
    Foretold told{Unpinned(job, admission_.PodOf(job, i)), {}, i};
    told.pod.created = job.owner.created;
    told.spec = roster_.SpecOf(told.pod, job.owner);
    const std::string& problem = told.pod.fault.empty() ? told.spec.problem : told.pod.fault;
    ++templates_read_;
    read.speaks = read.speaks || told.spec.kind != GroupSpec::Kind::kForeign;
    read.problem = problem;
    if (!problem.empty()) return read;  // of hundreds of templates no more is asked
    const bool member = told.spec.kind == GroupSpec::Kind::kMember;
    (member ? read.members : read.others).push_back(std::move(told));
  }
  read.foreign = read.members.empty();
  if (read.foreign) read.problem = NoGang(job);
  if (read.problem.empty()) read.problem = admission_.ProblemOf(job);
  if (!read.problem.empty()) return read;
  const GroupSpec& first = read.members.front().spec;
  read.one_gang = first.key.IsOf(job.owner.ref.uid) &&
                  read.members.size() == first.pod_sets.size() &&
                  std::all_of(read.members.begin(), read.members.end(),
                              [&](const Foretold& one) { return one.spec.key == first.key; });
  if (read.one_gang && job.check) read.problem = WhatLacksQuota(job, first);
  return read;
}

}  // namespace gangplan
