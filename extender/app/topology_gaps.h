// What of the cluster the levels in force leave out: a topology whose labels are on no node, or on
// some only, places nobody there, and no gang's verdict says why. For people: the log at start,
// `explain`, and an Event on Gangplan's own pod.
//
// Thread rule: TopologyGaps any thread, GapsWatch one; both take turns of the planner, so never in
// one.
#pragma once

#include <iterator>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "extender/app/locked_planner.h"
#include "extender/cluster/cluster.h"
#include "topology/model.h"

namespace gangplan {

// A topology as it stands, with the labels of its first node that has no place in it.
struct TopologySeen {
  std::shared_ptr<const Tree> tree;
  LabelSet labels;

  int64_t nodes() const { return tree->leaf_count() + std::ssize(tree->unplaced()); }
};

// REQUIRES: the levels are known.
TopologySeen SeenOf(const Model& model, TopologyIndex topology);
// None where one topology has all nodes; else O(nodes).
Model::Strays StraysOf(const Model& model);
// Of one, as below.
std::string GapsIn(const TopologySeen& seen);
// "3 of 9 nodes are in no topology and take no members: n1 for one; ..."; empty: there are none.
std::string StraysText(const Model::Strays& strays, int64_t nodes);

// "512 of 512 nodes lack the label LABEL (level block) and take no members: n1 for one, which has
// the labels of preset aws-3": by level from the top, each node by the first that it lacks; a
// preset only where most have no place. Of several topologies each by its name, and the nodes
// that are in none, or in several. Likewise where no node of the cluster is one of ours. Empty:
// every node has its place, or no levels are known yet. O(nodes left out), beside the turns; of
// several topologies O(nodes) in one, next to nothing each.
std::string TopologyGaps(LockedPlanner& planner);

inline constexpr char kTopologyGaps[] = "TopologyGaps";  // the reason of the Event

// Has the one that acts write the Event: of gaps that are there when it begins to act, or that two
// looks in a row have found, since a node may be labelled a while after it has come; and again each
// while that they stay.
class GapsWatch {
 public:
  static constexpr absl::Duration kLookEach = absl::Minutes(1);
  static constexpr absl::Duration kTellEach = absl::Hours(1);

  // Both outlive it.
  GapsWatch(LockedPlanner& planner, Cluster& cluster) : planner_(planner), cluster_(cluster) {}

  // Now and then, at most kLookEach apart; between two looks it costs nothing.
  void Look(absl::Time now);

 private:
  LockedPlanner& planner_;
  Cluster& cluster_;
  absl::Time next_ = absl::InfinitePast();
  absl::Time tell_from_ = absl::InfinitePast();
  bool stand_ = true;  // the look before has found some; so that the first one tells
};

}  // namespace gangplan
