// Room that Kueue itself has given to the pods of Workloads (its Topology Aware Scheduling), and
// that these pods do not take yet: it counts on its nodes as if they were there, so that nobody is
// planned into it. What is held there for plans gives way to it (Plans::CheckNode), since Kueue has
// said yes already.
//
// A pod set takes, of each site that it was given, as many pods as it has there less those of its
// pods that are bound there, or have succeeded there, and in all no more than still have to come.
// A site is a node, or a rack where only racks are given: there its room stands on nodes that have
// it free, and stays as long as they have it. A pod set whose pods are members of gangs of ours
// takes nothing: their plans count. To a pod of a Workload the room of that Workload is free.
//
// Work: what a pod or a node changes costs O(log sites) for each Workload that it is of, or that
// has room or a site there. Room in racks is looked for on so many nodes an input; Tick goes on
// with what that leaves, and takes Workloads of many sites whose pods have become ours, or no more.
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
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/limits.h"
#include "extender/planner/rack_nodes.h"
#include "extender/planner/site_wants.h"
#include "extender/planner/timers.h"
#include "topology/base/text_map.h"
#include "topology/pod_facts.h"
#include "topology/workload_facts.h"

namespace gangplan {

class KueueRoom {
  struct Set;

 public:
  // Of the pods of a pod set: who brings them to their nodes.
  enum class Whose : uint8_t {
    kOthers,  // while none of them is a member of a gang
    kOurs,    // our plans: nothing of it counts
  };

  // `reads`: Workloads are told at all.
  KueueRoom(Ledger& ledger, bool reads) : ledger_(ledger), reads_(reads) {}

  // --- Facts. What they change follows with Fit.
  // `whose`: of each of its pod sets.
  void Put(absl::Time now, const WorkloadFacts& workload, const std::vector<Whose>& whose);
  void Erase(std::string_view name);  // namespace/name
  void OnPod(const PodFacts& pod);
  void OnPodDeleted(std::string_view uid);
  // A Binding of the pod to this node is on its way; to none: not any more.
  void NoteBinding(std::string_view uid, std::string_view node);
  // The pod is a member of a gang of ours from now on, or none any more; nothing where OnPod has
  // not told of it. One whose owner is still to be read is none.
  void NoteMember(std::string_view uid, bool member);
  // The gang that it is a member of gives way to another one: until pods are members again its
  // Workload asks us for nothing.
  void NoteGivesWay(std::string_view uid);
  void OnNode(const NodeFacts& node);
  void OnNodeGone(std::string_view name);
  void Tick(absl::Time now);
  // The nodes are all there by now: Workloads that were told before them look for room in racks, as
  // far as that goes at the start.
  void OnNodesListed();

  // Gives room back that is not needed any more; `grows`: and takes what is. On this node it is
  // given to a pod of its own, which is nobody's gain.
  void Fit(bool grows, std::string_view by_pod_on = {}) {
    FitWithin(kKueueLooksAtOnce, grows, by_pod_on);
  }
  // Nodes of which it has taken more since the last call.
  std::set<NodeIndex> TakeTaken() { return std::exchange(taken_, {}); }

  // --- Questions.
  bool any() const { return !on_.empty(); }
  bool IsOn(std::string_view node) const { return on_.contains(node); }
  std::vector<std::string> Nodes() const;  // where something is taken
  // What of the node's is free to this pod: that of its own Workload; to the cluster's own all.
  ResourceList OpenTo(const PodFacts& pod, std::string_view node) const;
  ResourceList OpenTo(std::string_view uid, int32_t priority, std::string_view node) const;
  // Who takes room, for those who see this namespace alone; empty: nobody. `nodes`: there.
  std::string ToldTo(std::string_view ns, const std::vector<std::string>& nodes) const;
  std::string ToldTo(std::string_view ns) const;

  // Pods that leave their nodes together: the room of as many as Workloads wait for then, beyond
  // those that they wait for by now, is taken again.
  class Leaving {
   public:
    explicit Leaving(const KueueRoom& room) : room_(room) {}
    void Go(std::string_view uid);  // once more is nothing
    // Of one that goes: what of its room is taken again; null: nothing.
    const ResourceList* TakenAgain(std::string_view uid) const;

   private:
    struct OfSet {
      const Set* set = nullptr;
      int64_t left = 0;                // for how many it waited, of all that have still to come
      int64_t gone = 0;                // how many have gone
      int64_t wanted = 0;              // how many more its sites want
      std::map<size_t, int64_t> from;  // by site, how many have gone

      int64_t more() const;  // how many more pods it waits for
    };
    struct Goer {
      const OfSet* of = nullptr;
      bool wanted = false;  // its site wants one more for it
    };

    const KueueRoom& room_;
    std::map<std::pair<std::string_view, size_t>, OfSet> sets_;  // by Workload and pod set
    std::map<std::string, Goer, std::less<>> goers_;             // by UID
  };
  // What of the room of these victims would be no pod's that is like this one.
  ResourceList TakenAgain(const std::vector<std::string_view>& victims, const PodFacts& pod) const;

  // How many sites, nodes and places it has looked at, so far.
  int64_t work() const { return work_; }
  std::string BrokenInvariant() const;

 private:
  // Of a node, by a pod set.
  struct Place {
    size_t site = 0;
    int32_t pods = 0;
    ResourceList taken = {};
  };
  struct Site {
    std::vector<std::string> values;
    int32_t count = 0;
    int64_t there = 0;                              // pods of the set, bound or done
    int32_t held = 0;                               // pods, on these:
    std::set<std::string, std::less<>> nodes = {};  // one at most, where a site is a node
  };
  // Pods of the set on a node.
  struct There {
    size_t site = 0;
    int64_t pods = 0;
  };
  struct Set {
    std::string name;
    ResourceList each;
    std::vector<std::string> levels;
    bool by_host = false;
    int64_t all = 0;  // pods that it has, those that have succeeded, too; 0: not told
    int64_t reclaimable = 0;
    int64_t given = 0;        // to all sites
    bool takes = false;       // it is not ours now
    std::vector<Site> sites;  // by their values
    SiteWants wants;
    std::map<std::string, Place, std::less<>> held;   // by node
    std::map<std::string, There, std::less<>> there;  // likewise
  };
  struct Claim {
    std::string uid;
    int64_t since = 0;      // Unix seconds: what started before was of an earlier quota
    size_t sites = 0;       // of all sets
    bool loose = false;     // of some set only racks are known
    bool gave_way = false;  // its gang has, and none of its pods is a member again
    std::vector<Set> sets;
  };
  using Claims = std::map<std::string, Claim, std::less<>>;  // by namespace/name
  // A pod that says it is of a Workload.
  struct Seat {
    std::string workload;
    std::string set;
    std::string node;     // empty: it is bound nowhere
    int64_t started = 0;  // Unix seconds; 0: nobody tells
    bool done = false;
    bool binding = false;  // its Binding there is on its way
    bool member = false;
  };
  struct Counts {
    int32_t live = 0;
    std::multiset<int64_t> done;  // when they started
    bool empty() const { return live == 0 && done.empty(); }
    void Add(const Seat& seat, int sign);
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
  // A rack that lacks room: where the search for it goes on.
  struct Search {
    bool over_holds = false;
    std::string from = {};  // a node
  };
  using RackKey = std::tuple<std::string, size_t, size_t>;  // Workload, pod set, site

  // kueue_room.cc
  static std::string WorkloadOf(const PodFacts& pod);
  static Claim ClaimOf(const WorkloadFacts& workload, const std::vector<Whose>& whose);
  void Enter(const std::string& name, Claim claim);
  void FollowSite(const std::string& name, const Set& set, const Site& site);
  void LeaveSite(const std::string& name, const Set& set, const Site& site);
  void CountSeated(const Seat& seat, int sign);
  void Count(const Seat& seat, int sign);
  void SetSeat(std::string_view uid, Seat seat);
  void MarkHost(const std::string& host, const std::string& node);
  void ForgetHost(std::string_view node);
  void MarkHolders(const std::string& node);
  size_t SizeOf(const std::string& name, const Claim& claim) const;
  // kueue_room_merge.cc
  static bool AreAlike(const Claim& a, const Claim& b);
  static std::vector<size_t> SitesBefore(const Set& set, const std::vector<Site>& sites);
  void Merge(const std::string& name, Claim& claim, size_t index, Set next);
  void Renumber(const std::string& name, Set& set, size_t index, const std::vector<size_t>& from,
                const std::vector<size_t>& to);
  void CountAnew(const std::string& name, Set& set, size_t site);
  void MarkUncounted(const std::string& name, const Set& set);
  // kueue_room_told.cc
  static std::string Told(std::string_view own, bool more, bool others);
  ResourceList Open(const std::string& workload, int32_t priority, std::string_view node) const;
  std::string BrokenSet(const std::string& name, const Claim& claim, size_t index) const;
  // kueue_room_fit.cc
  static std::string UidOf(const Claim& claim, size_t set, std::string_view node);
  static int64_t LeftOf(const Seats* seats, const Set& set);
  static int64_t PodsOn(const Claim& claim, const Counts& counts);
  const Seats* SeatsOf(std::string_view name) const;
  const std::string& HostOf(const std::string& node) const;
  std::string NodeOfHost(const std::string& host) const;
  bool IsOurs(std::string_view node) const;
  size_t SiteOf(const Set& set, const std::string& node) const;
  void Recount(const std::string& name, Claim& claim, size_t index, const Dirty& dirty);
  void RecountAll(const Seats* seats, const Claim& claim, Set& set);
  void CountOn(const Seats* seats, const Claim& claim, Set& set, const std::string& node);
  void GiveBack(const std::string& name, Claim& claim, size_t index, const Dirty& dirty);
  void KeepWhatStands(const std::string& name, Claim& claim, size_t index, const std::string& node);
  void Lower(const std::string& name, Claim& claim, size_t index, size_t site);
  void Take(const std::string& name, Claim& claim, size_t index);
  void FitWithin(int64_t looks, bool grows, std::string_view by_pod_on);
  bool TakeInRack(const RackKey& key, Search& search);
  void GoOn();
  ResourceList TakenOf(const Set& set, NodeIndex node, int32_t pods) const;
  int64_t FitsOn(const Set& set, std::string_view node, bool over_holds) const;
  void SetPods(const std::string& name, Claim& claim, size_t index, size_t site,
               const std::string& node, int32_t pods);
  void NoteLeft(const std::string& name, const std::string& node);
  void Release(const std::string& name, Claim& claim, size_t index);

  Ledger& ledger_;
  const bool reads_;
  Claims claims_;
  std::map<std::string, Seats, std::less<>> seats_;                   // by Workload
  absl::flat_hash_map<std::string, Seat, TextHash, TextEqual> pods_;  // by UID
  // Of each node, which Workloads take some, and how many of their sets.
  std::map<std::string, std::map<std::string, int32_t>, std::less<>> on_;
  // Likewise, how many pods that say that they are of it, placed by Kueue or not.
  std::map<std::string, std::map<std::string, int64_t>> seated_on_;
  std::map<std::string, int32_t, std::less<>> holding_;  // Workloads, and on how many nodes
  std::map<std::string, std::set<std::string>, std::less<>> by_host_;  // Workloads
  // Nodes of another hostname than their name, by that, and that by them.
  std::map<std::string, std::set<std::string>, std::less<>> nodes_of_host_;
  std::map<std::string, std::string, std::less<>> host_of_;
  RackNodes racks_;
  std::map<std::string, Dirty> dirty_;
  std::string_view by_pod_on_;  // while Fit runs
  int64_t looks_ = 0;           // at nodes that a search for room may still take, likewise
  std::map<RackKey, Search> short_;
  RackKey last_short_;
  std::set<std::string, std::less<>> turned_;  // Workloads whose pods are ours now, or no more
  std::string last_turned_;
  std::set<std::string, std::less<>> loose_;
  std::string last_loose_;
  absl::Time next_turn_ = absl::InfinitePast();
  Timers<std::string> ends_;  // of Workloads that are not admitted
  std::set<NodeIndex> taken_;
  int64_t work_ = 0;
};

}  // namespace gangplan
