// Room that Kueue itself has given to the pods of Workloads (its Topology Aware Scheduling), and
// that these pods do not take yet: it counts on its nodes as if they were there, so that nobody is
// planned into it. What is held there for plans gives way to it (Plans::CheckNode), since Kueue has
// said yes already.
//
// A pod set takes, on each node that it was given, as many pods as it has there less those of its
// pods that are bound there, or have succeeded there, and in all no more than still have to come.
// Where only racks are given its room stands on nodes of the rack that have it free, and stays
// there as long as they have it. A pod set whose pods are members of gangs of ours takes nothing:
// their plans count. To a pod of a Workload the room of that Workload is free.
//
// Invariant: what stands in the ledger for a Workload is what it takes of nodes that exist, once
// nothing is to be fitted. Where all levels are down to the node it hangs on no order of events.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/timers.h"
#include "topology/base/text_map.h"
#include "topology/pod_facts.h"
#include "topology/workload_facts.h"

namespace gangplan {

class KueueRoom {
 public:
  // Of the pods of a pod set: who brings them to their nodes.
  enum class Whose : uint8_t {
    kOthers,
    kAskUs,  // another's plan, while none of them is a member of a gang
    kOurs,   // our plans: nothing of it counts
  };

  explicit KueueRoom(Ledger& ledger) : ledger_(ledger) {}

  // --- Facts. What they change follows with Fit.
  // `whose`: of each of its pod sets.
  void Put(absl::Time now, const WorkloadFacts& workload, const std::vector<Whose>& whose);
  void Erase(std::string_view name);  // namespace/name
  void OnPod(const PodFacts& pod);
  void OnPodDeleted(std::string_view uid);
  // A Binding of the pod to this node is on its way; to none: not any more.
  void NoteBinding(std::string_view uid, std::string_view node);
  // A pod that OnPod has told of is a member of a gang, or may be, or is none.
  void NoteMember(const PodFacts& pod, bool member);
  void OnNode(const NodeFacts& node);
  void OnNodeGone(std::string_view name);
  void Tick(absl::Time now);

  // Gives room back that is not needed any more; `grows`: and takes what is. On this node it is
  // given to a pod of its own, which is nobody's gain. O(domains) of what was given anew, else of
  // what changed.
  void Fit(bool grows, std::string_view by_pod_on = {});
  // Nodes of which it has taken more since the last call.
  std::set<NodeIndex> TakeTaken() { return std::exchange(taken_, {}); }

  // --- Questions.
  bool any() const { return !on_.empty(); }
  bool IsOn(std::string_view node) const { return on_.contains(node); }
  std::vector<std::string> Nodes() const;  // where something is taken
  // What of the node's is free to this pod: that of its own Workload; to the cluster's own all.
  ResourceList OpenTo(const PodFacts& pod, std::string_view node) const;
  ResourceList OpenTo(std::string_view uid, int32_t priority, std::string_view node) const;
  // The pod stands in its Workload's room: when it goes, that is taken again.
  bool Covers(std::string_view uid) const;
  // Who takes room, for those who see this namespace alone; empty: nobody. `nodes`: there.
  std::string ToldTo(std::string_view ns, const std::vector<std::string>& nodes) const;
  std::string ToldTo(std::string_view ns) const;

  std::string BrokenInvariant() const;

 private:
  struct Place {
    std::string node;
    int32_t pods = 0;
    ResourceList taken = {};
  };
  struct Site {
    std::vector<std::string> values;
    int32_t count = 0;
    int32_t want = 0;              // of these, as far as that hangs on this site
    std::vector<Place> held = {};  // one at the most, where a site is a node
  };
  struct Set {
    std::string name;
    Whose whose = Whose::kOthers;
    ResourceList each;
    std::vector<std::string> levels;
    bool by_host = false;
    int64_t reclaimable = 0;
    int64_t given = 0;        // to all sites
    int64_t wanted = 0;       // by all sites
    bool cut = true;          // some have less than they want
    std::vector<Site> sites;  // by their values
  };
  struct Claim {
    std::string uid;
    int64_t quota_since = 0;
    bool over = false;   // it was not admitted in time
    bool loose = false;  // of some set only racks are known
    std::vector<Set> sets;
  };
  using Claims = std::map<std::string, Claim, std::less<>>;  // by namespace/name
  // A pod that says it is of a Workload.
  struct Seat {
    std::string workload;
    std::string set;
    std::string node;  // empty: it is bound nowhere
    bool done = false;
    bool binding = false;  // its Binding there is on its way
    bool member = false;
  };
  struct Counts {
    int32_t live = 0;
    int32_t done = 0;
  };
  struct Seats {
    std::map<std::pair<std::string, std::string>, Counts> on;  // by pod set and node
    std::map<std::string, Counts> of;                          // by pod set
    int32_t members = 0;
    int32_t all = 0;
  };
  // What is to be fitted of a Workload.
  struct Dirty {
    bool all = false;
    std::set<std::string> nodes;  // else what its pods are on, or were
  };

  static std::string UidOf(const Claim& claim, size_t set, std::string_view node);
  static bool AreAlike(const Claim& a, const Claim& b);
  static std::string Told(std::string_view own, bool more, bool others);
  ResourceList Open(const std::string& workload, int32_t priority, std::string_view node) const;
  void Count(const Seat& seat, int sign);
  void SetSeat(std::string_view uid, Seat seat);
  void Release(const std::string& name, Claim& claim);
  bool Takes(std::string_view name, const Claim& claim, const Set& set) const;
  bool Matches(const Set& set, const Site& site, std::string_view node) const;
  const Seats* SeatsOf(std::string_view name) const;
  const std::string& HostOf(const std::string& node) const;
  std::string NodeOfHost(const std::string& host) const;
  Counts Seated(const Seats& seats, const Set& set, const Site& site) const;
  int32_t WantOf(const Seats* seats, const Set& set, const Site& site) const;
  static int64_t LeftOf(const Seats* seats, const Set& set);
  int64_t FitsOn(const Set& set, std::string_view node, bool beside_holds) const;
  void FitAll(const std::string& name, Claim& claim, size_t index, bool grows);
  void FitNodes(const std::string& name, Claim& claim, size_t index,
                const std::set<std::string>& nodes, bool grows);
  void FitHost(const std::string& name, Claim& claim, size_t index, Site& site, int32_t want,
               bool grows);
  void FitRack(const std::string& name, Claim& claim, size_t index, Site& site, int32_t want,
               bool grows);
  void SetPods(const std::string& name, Claim& claim, size_t index, Site& site,
               const std::string& node, int32_t pods);
  void NoteAmounts(const std::string& name, const std::string& node, const ResourceList& amounts,
                   int sign);

  Ledger& ledger_;
  Claims claims_;
  std::map<std::string, Seats, std::less<>> seats_;                   // by Workload
  absl::flat_hash_map<std::string, Seat, TextHash, TextEqual> pods_;  // by UID
  // What is taken of each node, by Workload.
  std::map<std::string, std::map<std::string, ResourceList>, std::less<>> on_;
  std::map<std::string, int32_t, std::less<>> holding_;  // Workloads, and on how many nodes
  std::map<std::string, std::set<std::string>, std::less<>> by_host_;  // Workloads
  // Nodes of another hostname than their name, by that, and that by them.
  std::map<std::string, std::set<std::string>, std::less<>> nodes_of_host_;
  std::map<std::string, std::string, std::less<>> host_of_;
  std::map<std::string, Dirty> dirty_;
  std::string_view by_pod_on_;  // while Fit runs
  std::set<std::string, std::less<>> loose_;
  std::string last_loose_;
  absl::Time next_loose_ = absl::InfinitePast();
  Timers<std::string> ends_;  // of Workloads that are not admitted
  std::set<NodeIndex> taken_;
};

}  // namespace gangplan
