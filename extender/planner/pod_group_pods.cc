#include "extender/planner/pod_group_pods.h"

#include <algorithm>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/protocol/pod_group_words.h"
#include "topology/labels.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

absl::Duration DelayAfter(int failures) {
  return std::min(kResultsAfter * (int64_t{1} << std::min(failures, 16)), kMaxResultsAfter);
}

}  // namespace

void PodGroupPods::Count(PodGroupCounts& counts, PodPhase phase, int32_t sign) {
  counts.pods += sign;
  if (phase == PodPhase::kRunning) counts.running += sign;
  if (phase == PodPhase::kSucceeded) counts.succeeded += sign;
  if (phase == PodPhase::kFailed) counts.failed += sign;
}

// Nothing is told while none of its pods has named us.
void PodGroupPods::NoteNews(absl::Time now, const std::string& key, Group& group) {
  group.news = true;
  if (group.ours && !group.open) due_.SetEarlier(key, now + DelayAfter(group.failures));
}

void PodGroupPods::OnPod(absl::Time now, const PodFacts& pod) {
  if (scheduler_names_.empty()) return;
  const std::string* name = FindLabel(pod.labels, kPodGroupLabel);
  if (name == nullptr || name->empty()) return OnPodDeleted(now, pod.uid);
  const std::string key = NameInNamespace(pod.ns, *name);
  const bool ours = std::find(scheduler_names_.begin(), scheduler_names_.end(),
                              pod.scheduler_name) != scheduler_names_.end();
  const auto known = pods_.find(pod.uid);
  const bool same =
      known != pods_.end() && known->second.group == key && known->second.phase == pod.phase;
  if (same && (!ours || groups_.at(key).ours)) return;
  OnPodDeleted(now, pod.uid);
  pods_.emplace(pod.uid, Pod{key, pod.phase});
  Group& group = groups_[key];
  group.ns = pod.ns;
  group.name = *name;
  group.ours |= ours;
  Count(group.counts, pod.phase, 1);
  if (group.counts.occupied_by.empty() && pod.controller)
    group.counts.occupied_by = NameInNamespace(pod.ns, pod.controller->name);
  NoteNews(now, key, group);
}

void PodGroupPods::OnPodDeleted(absl::Time now, std::string_view uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  const Pod pod = std::move(known->second);
  pods_.erase(known);
  Leave(now, pod);
}

void PodGroupPods::Leave(absl::Time now, const Pod& pod) {
  Group& group = groups_.at(pod.group);
  Count(group.counts, pod.phase, -1);
  NoteNews(now, pod.group, group);
  ForgetIfEmpty(pod.group);
}

// The last change of one whose pods have all gone is told, too.
void PodGroupPods::ForgetIfEmpty(const std::string& key) {
  const Group& group = groups_.at(key);
  if (group.counts.pods > 0 || group.open || (group.ours && group.news)) return;
  due_.Clear(key);
  groups_.erase(key);
}

std::vector<PodGroupWrite> PodGroupPods::TakeDue(absl::Time now) {
  std::vector<PodGroupWrite> writes;
  for (const std::string& key : due_.TakeDue(now, kStatusesAtOnce)) {
    Group& group = groups_.at(key);
    group.open = true;
    group.news = false;
    writes.push_back({group.ns, group.name, group.counts});
  }
  return writes;
}

// Who is not allowed, or finds another writer, or nothing, comes again with the next change.
void PodGroupPods::OnWritten(absl::Time now, std::string_view ns, std::string_view name,
                             const absl::Status& status) {
  const std::string key = NameInNamespace(ns, name);
  const auto found = groups_.find(key);
  if (found == groups_.end()) return;
  Group& group = found->second;
  const bool rests = absl::IsAborted(status) || absl::IsNotFound(status);
  group.open = false;
  group.failures = status.ok() ? 0 : group.failures + 1;
  group.news |= !status.ok() && !rests && group.counts.pods > 0;
  if (group.news) NoteNews(now, key, group);
  ForgetIfEmpty(key);
}

}  // namespace gangplan
