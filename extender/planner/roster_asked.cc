// What the scheduler tells of pods in its calls, which may be ahead of the watch, behind it, or
// made up: whoever reaches its port may call.
#include "absl/hash/hash.h"
#include "extender/planner/gate_pin.h"
#include "extender/planner/limits.h"
#include "extender/planner/roster.h"
#include "topology/pod_bytes.h"

namespace gangplan {
namespace {

// Of what tells which group a pod is of and where it may go, but for its gates and what its record
// has as it is. Another number in each process, so that nobody can look for two that are alike.
uint32_t WordsOf(const PodFacts& pod) {
  const std::string_view controller = pod.controller ? pod.controller->uid : std::string_view();
  return static_cast<uint32_t>(absl::HashOf(pod.annotations, pod.filter, pod.scheduler_name,
                                            pod.host, pod.scheduling_group, controller,
                                            pod.never_preempts, pod.fault));
}

bool SaysAsShown(const KnownPod& record, const PodFacts& pod) {
  return record.priority == pod.priority && *record.requests == pod.requests &&
         *record.profile == pod.profile() && record.shown_words == WordsOf(pod);
}

}  // namespace

void Roster::NoteShown(KnownPod& record, const PodFacts& pod) {
  record.shown_words = pod.node_name.empty() && !pod.finished() ? WordsOf(pod) : 0;
}

// What the caller tells of a pod that no watch has shown is kept, so much of all of them.
bool Roster::NoteAsked(absl::Time now, const PodFacts& pod) {
  const KnownPod* known = books_.pods.Find(pod.uid);
  if (known != nullptr && (known->confirmed || known->group != 0)) return true;
  if (!books_.pods.KeepText(pod.uid, TextBytes(pod))) return false;
  if (known != nullptr) return true;
  const bool released = !WasReleased(pod) || MayHaveReleased(pod.uid);
  books_.pods.Note(pod).never_released = !released;
  books_.pods.AwaitConfirmation(pod.uid, now + kUnconfirmedFor);
  return true;
}

// Of one that the watch has shown it may only be told that its gates are gone: the API server binds
// none that has some, whoever tells.
const KnownPod* Roster::Asked(absl::Time now, const PodFacts& pod) {
  if (!NoteAsked(now, pod)) return nullptr;
  KnownPod& record = books_.pods.At(pod.uid);
  record.asked = true;
  if (record.group != 0 || record.bound || record.leaving) return &record;
  const auto joins = to_join_.find({record.created, pod.uid});
  const PodFacts* const waiting = books_.owners.Waiting(record.owner_key, pod.uid);
  if (joins != to_join_.end()) {
    Judge(now, PodFacts(joins->second));
  } else if (waiting != nullptr) {
    Judge(now, PodFacts(*waiting));
  } else {
    const auto judge = [&](const PodFacts& said) {
      if (!record.confirmed || SaysAsShown(record, said)) Judge(now, said);
    };
    record.never_released ? judge(NotReleased(pod)) : judge(pod);
  }
  return books_.pods.Find(pod.uid);
}

KueueRoom::Whose Roster::WhosePods(const WorkloadFacts& workload,
                                   const WorkloadFacts::PodSet& set) const {
  PodFacts pod = set.pod;
  pod.controller = workload.owner;
  if (!pod.fault.empty()) return KueueRoom::Whose::kOurs;
  const bool ours = NamesUs(pod, options_) && (!IsPlain(pod) || !workload.checks.empty());
  return ours ? KueueRoom::Whose::kOurs : KueueRoom::Whose::kOthers;
}

}  // namespace gangplan
