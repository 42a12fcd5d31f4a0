// The fake API server: the truth about pods, nodes and owners, and watches that tell it late, each
// stream in its own order and with its own delay, and that break now and then and list again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "extender/cluster/requests.h"
#include "tests/simulation/timeline.h"
#include "topology/config_map_facts.h"
#include "topology/job_facts.h"
#include "topology/node_facts.h"
#include "topology/pod_facts.h"

namespace gangplan::simulation {

// "job0-3" of the pod "job0-3-1".
std::string MemberName(const PodFacts& pod);

enum class Kind { kPods, kNodes, kObjects, kJobs };

// Somebody who watches pods and nodes, and the ConfigMaps of one namespace.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void SeePod(const PodFacts& pod) = 0;
  virtual void SeePodGone(const std::string& uid) = 0;
  virtual void SeeNode(const NodeFacts& node) = 0;
  virtual void SeeNodeGone(const std::string& name) = 0;
  virtual void SeeObject(const ConfigMapFacts&) {}
  virtual void SeeObjectGone(const std::string&) {}
  virtual void SeeOwner(const OwnerFacts&) {}  // it has changed
  virtual void SeeJob(const JobFacts&) {}      // one that carries the mark
  virtual void SeeJobLeft(const std::string&) {}
  virtual void SeeSynced() = 0;
};

class ApiServer {
 public:
  ApiServer(Timeline& time, Random& random) : time_(time), random_(random) {}

  // Lists first, then watches, until Unwatch. `slowest`: of the delays of this watcher's events.
  int Watch(Watcher* watcher, absl::Duration slowest);
  void Unwatch(int id);
  // Loses the events of one stream that are on their way and lists again.
  void BreakStream(int id, Kind kind);

  void PutPod(PodFacts pod);
  // DELETED at once, or first terminating and gone after `grace`.
  void DeletePod(const std::string& uid, absl::Duration grace);
  absl::Status EvictPod(const PodDelete& pod, absl::Duration grace);
  absl::Status MarkPod(const PodMark& mark);
  void PutNode(const NodeFacts& node);
  void DeleteNode(const std::string& name);
  void PutOwner(OwnerFacts owner);
  // Whoever reads it learns so.
  void EraseOwner(const std::string& uid) { owners_.erase(uid); }
  void PutObject(const ConfigMapFacts& object);
  void DeleteObject(const std::string& name);

  // A Job that is, or was, suspended for Gangplan. Changed by whoever made it: the mark goes on or
  // off with `marked`, where that is said; its pin stays.
  void PutJob(JobFacts job, std::optional<bool> marked = {});
  void EraseJob(const std::string& uid);
  const JobFacts* FindJob(const std::string& uid) const;
  // What the pods of a Job, or of the Jobs of a JobSet for this replicated Job, are born with.
  std::optional<std::vector<NodeSelectorTerm>> TermsOf(const std::string& uid,
                                                       const std::string& part) const;
  absl::Status WriteJob(const JobWrite& write);

  // Takes a pod's gate away and narrows its node affinity, as far as that is allowed.
  absl::Status ReleasePod(const PodRelease& release);

  // What a POST of a Binding comes to. Writes it when it can be.
  BindOutcome Bind(const BindingWrite& post);
  // What reading the pod proves of a Binding; nothing is written.
  BindOutcome Read(const BindingRead& read) const;
  void Nominate(const std::string& uid, const std::string& node);
  void PatchObject(const DataWrite& write);
  void PatchPod(const LabelsWrite& write);

  const std::map<std::string, PodFacts>& pods() const { return pods_; }
  const std::map<std::string, NodeFacts>& nodes() const { return nodes_; }
  const std::map<std::string, ConfigMapFacts>& objects() const { return objects_; }
  const std::map<std::string, OwnerFacts>& owners() const { return owners_; }  // by UID
  std::map<std::string, absl::Time> last_gone;  // when a node of this name was deleted
  std::set<std::string> refused_bindings;  // "job0-3": of this member, however often it is made
  // When a pod that waits was changed to ask for more, by UID: a Binding that cannot have seen it
  // is refused, since nobody could have planned it.
  std::map<std::string, absl::Time> asks_for_more_since;
  // Pods that must stay of those that an owner of this UID has made: its disruption budget.
  std::map<std::string, int32_t> budgets;
  bool takes_labels = true;  // of Bindings, as servers do from 1.35 on
  // Called right before a pod on a node is evicted, and before a Job is suspended to end its run.
  std::function<void(const PodFacts& pod, PodDelete::How how)> before_eviction;
  std::function<void(const std::string& uid)> before_suspension;
  // Called right before a Binding is written.
  std::function<void(const PodFacts& pod, const std::string& node)> before_bind;

 private:
  bool IsProtected(const PodFacts& pod) const;
  struct Stream {
    int epoch = 0;
    absl::Time last = absl::InfinitePast();
    std::set<std::string> told;  // what the watcher believes to exist
  };
  struct Subscription {
    Watcher* watcher = nullptr;
    absl::Duration slowest;
    Stream pods;
    Stream nodes;
    Stream objects;
    Stream owners;
    Stream jobs;
    int lists_open = 4;

    Stream& Of(Kind kind) {
      Stream* const streams[] = {&pods, &nodes, &objects, &jobs};
      return *streams[static_cast<int>(kind)];
    }
  };
  absl::Time Arrival(Subscription& to, Stream& stream);
  template <typename Object>
  void Tell(int id, Stream Subscription::*stream, const std::string& key,
            std::shared_ptr<const Object> object);
  void List(int id, Kind kind);
  void Store(JobFacts job, bool marked);
  absl::Status WriteTemplates(const JobWrite& write, JobFacts& job);
  template <typename Object>
  void TellAll(Stream Subscription::*stream, const std::string& key,
               std::shared_ptr<const Object> object);

  Timeline& time_;
  Random& random_;
  absl::Status CheckVersion(const PodRef& pod, const std::string& version) const;

  std::map<std::string, PodFacts> pods_;
  std::map<std::string, NodeFacts> nodes_;
  std::map<std::string, ConfigMapFacts> objects_;  // by name
  std::map<std::string, OwnerFacts> owners_;
  std::map<std::string, JobFacts> jobs_;    // by UID
  std::map<std::string, JobFacts> marked_;  // of these, those that carry the mark
  // Of JobSets: what stands in the Jobs of each replicated Job, by UID and name.
  std::map<std::string, std::map<std::string, std::vector<NodeSelectorTerm>>> pins_;
  int64_t version_ = 0;
  std::map<int, Subscription> subscriptions_;
  int next_id_ = 1;
};

}  // namespace gangplan::simulation
