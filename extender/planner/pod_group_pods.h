// The pods of PodGroups of coscheduling, counted as the status of a PodGroup counts them: each that
// bears its label, whichever scheduler it names. The status is due a while after a count has
// changed, of PodGroups of which a pod has named us, and after pauses that grow where it could not
// be written. What is not there, is somebody else's or is not ours to write rests until there is
// something new of it.
//
// Invariant: of one PodGroup one write is on its way at most.
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/planner/timers.h"
#include "topology/base/text_map.h"
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
  // An object that pods name was read: `uid` is NamedUid.
  void OnObject(absl::Time now, std::string_view uid, const OwnerFacts& object);

  // Statuses to be written, so many at most; each comes back by OnWritten.
  std::vector<PodGroupWrite> TakeDue(absl::Time now);
  void OnWritten(absl::Time now, std::string_view ns, std::string_view name,
                 const absl::Status& status);

 private:
  struct Group {
    std::string ns;
    std::string name;
    PodGroupCounts counts;
    std::map<std::string, int32_t> makers;  // of its pods, "namespace/name"
    std::optional<int64_t> least;           // as its object was read last
    bool missing = false;                   // there was none when it was to be written
    bool ours = false;                      // a pod of it has named us
    bool open = false;                      // a write is on its way
    bool news = false;                      // since that
    int failures = 0;                       // in a row
  };
  struct Pod {
    std::string group;  // its key
    std::string maker;  // empty: nobody
    PodPhase phase = PodPhase::kPending;
  };

  static void Count(Group& group, const Pod& pod, int32_t sign);
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
