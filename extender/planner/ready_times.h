// Gangs that run and of which not every pod is ready in time (gang.readyTimeout of those that have
// just started, repair.readyTimeout of those that were): one pod whose device is broken, or whose
// image cannot be pulled, keeps all others waiting, and their nodes. Such a gang is evicted as a
// whole and rests for a while, twice as long each time until it was ready once, so that others have
// its room meanwhile. As Kueue's waitForPodsReady does.
//
// Not one that is not whole: what it lacks is for repair.onFailure, but for a pod that is made when
// the others are ready; one that may grow and of which its
// least number is ready; of which a pod has succeeded; of whose pods some are made by
// nobody anew; nor what a disruption budget is against; nor while so many nodes are not ready that
// it is no fault of these.
//
// A restart of Gangplan counts the times anew. Costs nothing where both times are off, else what
// the pods cost that are bound and not ready.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/planner/evictions.h"
#include "extender/planner/failed_nodes.h"
#include "extender/planner/planner_options.h"
#include "topology/base/text_map.h"

namespace gangplan {

class ReadyTimes {
 public:
  ReadyTimes(const ReadyOptions& options, const Books& books, Plans& plans,
             const FailedNodes& failed_nodes, Evictions& evictions)
      : options_(options),
        books_(books),
        plans_(plans),
        failed_nodes_(failed_nodes),
        evictions_(evictions) {}

  // As the watch shows it, after it was judged.
  void OnPod(absl::Time now, const PodFacts& pod);
  void OnPodDeleted(absl::Time now, std::string_view uid) { Count(now, uid, 0); }
  // Of each input: who has joined its gang, and ran before that, is seen by no event of its own.
  void Follow(absl::Time now);
  void Tick(absl::Time now);

 private:
  struct Unready {
    std::set<std::string, std::less<>> pods;    // UIDs; one at least
    absl::Time since;                           // there are some
    absl::Time whole = absl::InfiniteFuture();  // since when all run that there are
    // Of one that may grow: since when fewer than its least number are ready.
    absl::Time lacking = absl::InfinitePast();
    bool found = false;  // the first of them ran when it was seen first: nobody knows since when
  };
  // What was done to one gang.
  struct Past {
    std::string gang;  // "namespace/name"
    int32_t times = 0;
  };

  // 0: it keeps nobody waiting.
  GroupId Keeps(std::string_view uid, const KnownPod& record) const;
  void Judge(absl::Time now, std::string_view uid, KnownPod& record);
  void Count(absl::Time now, std::string_view uid, GroupId group);
  void NoteFirst(const Group& group, bool was_ready);
  bool IsReady(const Group& group) const;
  void AllReady(absl::Time now, GroupId group);
  void Move(absl::Time now, GroupId gone);
  void Look(absl::Time now, GroupId id);
  absl::Time DueAt(const Group& group, const Unready& unready) const;
  bool MayRestart(const Group& group) const;
  bool HasEnough(const Group& group, const Unready& unready) const;
  void Restart(absl::Time now, const Group& group, const Unready& unready);
  std::string NamesOf(const Group& group, const Unready& unready) const;
  void Rest(absl::Time now, const Evictions::Restarted& one);
  void EndRests(absl::Time now);
  void Forget(absl::Time now);

  const ReadyOptions options_;
  const Books books_;
  Plans& plans_;
  const FailedNodes& failed_nodes_;
  Evictions& evictions_;
  std::map<GroupId, Unready> unready_;
  TextMap<GroupId> counted_;     // pods of unready_, by UID
  std::set<GroupId> was_ready_;  // all of it, once
  Timers<GroupId> due_;
  std::map<std::string, Past> past_;         // by Yielding::RestNamesOf
  Timers<std::string> rests_;                // of past_, whose rest ends then
  Timers<std::string> forget_;               // ... and what is forgotten then
  absl::Time sweep_ = absl::InfinitePast();  // of was_ready_
};

}  // namespace gangplan
