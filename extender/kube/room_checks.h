// Kueue's admission checks that are ours: which Workloads wait for one, told as the owners whose
// pods they are about (JobFacts with a RoomCheck), so that these are planned as any that wait
// suspended. An owner is read when its Workload gets quota; what is changed of it later Kueue tells
// by another Workload, or another quota.
//
// What cannot be planned before its pods are there, of an owner of another kind or of one that runs
// already, is told as the Workload itself, without templates. Likewise one whose owner cannot be
// read, or has yet to come, with the reason in place of its first template.
//
// Thread rule: any thread; Take and ReadAgain run one call after the other, reads included.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "extender/cluster/events.h"
#include "topology/base/mutex.h"
#include "topology/job_facts.h"
#include "topology/workload_facts.h"

namespace gangplan {

class RoomChecks {
 public:
  // NotFound, or Aborted where another one has its name: it is gone.
  using ReadOwner =
      std::function<absl::StatusOr<JobFacts>(const std::string& ns, const OwnerRef& owner)>;
  // Says in the check's condition Active whether we answer it.
  using SayActive = std::function<void(const AdmissionCheckFacts& check)>;

  RoomChecks(ReadOwner read, SayActive say) : read_(std::move(read)), say_(std::move(say)) {}

  // Of WorkloadFacts, AdmissionCheckFacts and what is gone of them: the JobFacts that they make.
  std::vector<ClusterEvent> Take(std::vector<ClusterEvent> events);
  // Of owners that could not be read, what they say now.
  std::vector<ClusterEvent> ReadAgain();
  // What was not said, or not written: where another one has acted until now, or it failed.
  void SayAgain();

 private:
  using Events = std::vector<ClusterEvent>;
  struct Kept {
    WorkloadFacts facts;
    std::optional<JobFacts> owner;  // as it was read
    int64_t read_for = 0;           // the quota since then
    bool unread = false;            // it could not be
    bool again = false;             // it is to be read once more, and stands until that succeeds
    std::optional<OwnerRef> told;   // as what it was told; nothing: it is none of ours
  };

  bool IsOurs(const std::string& check) const;
  RoomCheck Judge(const WorkloadFacts& facts) const;
  void NoteCheck(AdmissionCheckFacts check, Events* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetCheck(const std::string& name, Events* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteWorkload(WorkloadFacts facts, Events* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetWorkload(const std::string& name, Events* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellAll(Events* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell(const std::string& name, Kept& kept, Events* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellNone(const std::string& name, Kept& kept, Events* out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeBack(const std::string& name, Kept& kept, Events* out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellOf(const std::string& name, Kept& kept, const OwnerRef& owner, Events* out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Read(Kept& kept) const;
  static std::string WhyUnplanned(const Kept& kept, RoomCheck::State state);

  const ReadOwner read_;
  const SayActive say_;
  Mutex mutex_;                                                    // before the other one
  std::map<std::string, Kept> workloads_ ABSL_GUARDED_BY(mutex_);  // by namespace/name
  // By the UID of what was told, the Workloads that tell it, the last one last: of an elastic Job
  // that grows there are two.
  std::map<std::string, std::vector<std::string>> by_owner_ ABSL_GUARDED_BY(mutex_);
  mutable Mutex checks_mutex_;
  std::map<std::string, AdmissionCheckFacts> checks_
      ABSL_GUARDED_BY(checks_mutex_);  // ours, by name
};

}  // namespace gangplan
