#include "extender/planner/pod_group_pods.h"

#include <algorithm>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/planner/results.h"
#include "extender/protocol/pod_group_words.h"
#include "topology/labels.h"
#include "topology/object_name.h"

namespace gangplan {
// Who occupies it stays so while a pod of theirs is there; then it is the first by name.
void PodGroupPods::Count(Group& group, const Pod& pod, int32_t sign) {
  PodGroupCounts& counts = group.counts;
  counts.pods += sign;
  if (pod.phase == PodPhase::kRunning) counts.running += sign;
  if (pod.phase == PodPhase::kSucceeded) counts.succeeded += sign;
  if (pod.phase == PodPhase::kFailed) counts.failed += sign;
  if (pod.maker.empty()) return;
  const auto maker = group.makers.try_emplace(pod.maker).first;
  maker->second += sign;
  if (maker->second == 0) group.makers.erase(maker);
  if (!group.makers.empty() && !group.makers.contains(counts.occupied_by))
    counts.occupied_by = group.makers.begin()->first;
}

// Nothing is told while none of its pods has named us.
void PodGroupPods::NoteNews(absl::Time now, const std::string& key, Group& group) {
  group.news = true;
  if (group.ours && !group.open) due_.SetEarlier(key, now + Results::DelayAfter(group.failures));
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
  const Pod& counted =
      pods_
          .emplace(pod.uid,
                   Pod{key, pod.controller ? NameInNamespace(pod.ns, pod.controller->name) : "",
                       pod.phase})
          .first->second;
  Group& group = groups_[key];
  group.ns = pod.ns;
  group.name = *name;
  group.ours |= ours;
  Count(group, counted, 1);
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
  Count(group, pod, -1);
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

// One that comes, or comes again, after its pods, or wants another number of them.
void PodGroupPods::OnObject(absl::Time now, std::string_view uid, const OwnerFacts& object) {
  const std::string_view kind = kNamedObjects[0].kind;
  if (!uid.starts_with(kind) || uid.size() <= kind.size() || uid[kind.size()] != ' ') return;
  const auto found = groups_.find(uid.substr(kind.size() + 1));
  if (found == groups_.end()) return;
  Group& group = found->second;
  const bool news = group.missing || (group.least && group.least != object.size);
  group.least = object.size;
  if (!news) return;
  group.missing = false;
  group.failures = 0;
  NoteNews(now, found->first, group);
}

void PodGroupPods::OnWritten(absl::Time now, std::string_view ns, std::string_view name,
                             const absl::Status& status) {
  const std::string key = NameInNamespace(ns, name);
  const auto found = groups_.find(key);
  if (found == groups_.end()) return;
  Group& group = found->second;
  const bool rests = absl::IsAborted(status) || absl::IsNotFound(status) ||
                     absl::IsPermissionDenied(status) || absl::IsUnimplemented(status) ||
                     absl::IsFailedPrecondition(status);
  group.open = false;
  group.missing = absl::IsNotFound(status);
  group.failures = status.ok() ? 0 : group.failures + 1;
  const bool may_try = group.counts.pods > 0 || group.failures < kLastStatusTries;
  group.news |= !status.ok() && !rests && may_try;
  if (group.news) NoteNews(now, key, group);
  ForgetIfEmpty(key);
}

}  // namespace gangplan
