// The pods of PodGroups of coscheduling, counted as the status of a PodGroup counts them: each that
// bears its label, whichever scheduler it names. The status is due a while after a count has
// changed, of PodGroups of which a pod has named us, and after pauses that grow where it could not
// be written or was somebody else's.
//
// Invariant: of one PodGroup one write is on its way at most.
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/planner/timers.h"
#include "topology/base/text.h"
#include "topology/pod_facts.h"

namespace gangplan {

class PodGroupPods {
 public:
  // Pods that name one of these are ours; without any nobody is told anything.
  explicit PodGroupPods(std::vector<std::string> scheduler_names)
      : scheduler_names_(std::move(scheduler_names)) {}

  // As the watch shows it.
  void OnPod(absl::Time now, const PodFacts& pod);
  void OnPodDeleted(absl::Time now, std::string_view uid);

  // Statuses to be written, so many at most; each comes back by OnWritten.
  std::vector<PodGroupWrite> TakeDue(absl::Time now);
  void OnWritten(absl::Time now, std::string_view ns, std::string_view name,
                 const absl::Status& status);

 private:
  struct Group {
    std::string ns;
    std::string name;
    PodGroupCounts counts;
    bool ours = false;  // a pod of it has named us
    bool open = false;  // a write is on its way
    bool news = false;  // since that
    int failures = 0;   // in a row
  };
  struct Pod {
    std::string group;  // its key
    PodPhase phase = PodPhase::kPending;
  };

  static void Count(PodGroupCounts& counts, PodPhase phase, int32_t sign);
  void Leave(absl::Time now, const Pod& pod);
  void NoteNews(absl::Time now, const std::string& key, Group& group);
  void ForgetIfEmpty(const std::string& key);

  const std::vector<std::string> scheduler_names_;
  // By UID and by namespace and name; never walked.
  TextMap<Pod> pods_;
  TextMap<Group> groups_;
  Timers<std::string> due_;
};

}  // namespace gangplan
