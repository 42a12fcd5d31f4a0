// What nodes and pods show by themselves of what is probably not as somebody wants it: noted as
// they are first told, counted, and a few named.
//
// Any thread. Costs a look at the labels of each; of pods that are counted 8 bytes until Close, and
// of each node on which others take devices a few names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "config/settings.h"
#include "extender/app/finding.h"
#include "extender/app/preset_guess.h"
#include "extender/cluster/events.h"
#include "topology/base/mutex.h"
#include "topology/tree.h"

namespace gangplan {

class ClusterSigns {
 public:
  explicit ClusterSigns(const Settings& settings)
      : ours_(settings.scheduler_names), nodes_(settings.nodes) {}

  // Nodes and pods among them, each once, however often it is told.
  void Note(std::span<const ClusterEvent> events);
  // Notes no more.
  void Close();

  PresetGuess::Best preset() const;
  // All of these nodes are of the control plane, and have no devices: they take no members, and are
  // not missed among those of the levels.
  bool AreAside(std::span<const UnplacedNode> nodes) const;
  const NodeScope& nodes() const { return nodes_; }
  // Of pods. Those of other schedulers count where gangs may go: on nodes of the tree, and where
  // some nodes have a taint of their own (of another key than Kubernetes' and the clouds'), on
  // those alone; those that another Gangplan has placed count on all nodes that are ours. `trees`:
  // of all topologies; none where they are not known.
  void Tell(Findings& findings, const std::vector<const Tree*>& trees = {}) const;

 private:
  // Some pods, of which the first by name are named.
  struct Some {
    int64_t pods = 0;
    std::set<std::string> names;
    std::set<std::string> what;  // as many at most

    void Add(const PodFacts& pod, std::string_view about);
    void Add(const Some& more);
    std::string Text() const;
  };

  void NoteNode(const NodeFacts& node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellElsewhere(Findings& findings) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellTwins(Findings& findings) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellRivals(Findings& findings, const std::vector<const Tree*>& trees) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NotePod(const PodFacts& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsFirst(std::string_view id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::vector<std::string> ours_;
  const NodeScope nodes_;
  mutable Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<size_t> known_ ABSL_GUARDED_BY(mutex_);  // hashes of names and UIDs
  PresetGuess guess_ ABSL_GUARDED_BY(mutex_);
  // With words of ours, and another scheduler; by that.
  std::map<std::string, Some> elsewhere_ ABSL_GUARDED_BY(mutex_);
  // Placed by another Gangplan, that of such a scheduler; by scheduler and node.
  std::map<std::string, std::map<std::string, Some>> twins_ ABSL_GUARDED_BY(mutex_);
  Some unread_ ABSL_GUARDED_BY(mutex_);                    // with words that nobody reads
  std::set<std::string> outside_ ABSL_GUARDED_BY(mutex_);  // nodes that are not ours
  // With devices, by another scheduler; by node.
  std::map<std::string, Some> rivals_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> tainted_ ABSL_GUARDED_BY(mutex_);   // nodes with a taint of their own
  std::set<std::string> aside_ ABSL_GUARDED_BY(mutex_);     // ... of the control plane, no devices
  std::set<std::string> timeless_ ABSL_GUARDED_BY(mutex_);  // ... whose maintenance is no time
};

}  // namespace gangplan
