// A front end: one way in which people say what a gang is and where its members go. What a pod says
// is read into a GroupSpec by FindGroup; everything else that depends on whose words they were is
// asked here, so that nobody behind it knows a front end by name.
//
// Stateless singletons: never deleted, compared by address. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/request.h"
#include "extender/frontends/group_spec.h"
#include "topology/labels.h"
#include "topology/tree.h"

namespace gangplan {

// Which engine answers, and why, for people: "Kueue's words".
struct EngineChoice {
  Strategy strategy = Strategy::kExact;
  std::string_view why;
};

// How the ranks of a plan follow the tree.
enum class RankOrder {
  kDepthFirst,  // neighbours in rank are neighbours in the tree
  kByDistance,  // ranks rise with the distance from rank 0
};

// What the pod sets of one group make of each other; an element for each of them.
struct PodSetTies {
  std::vector<int32_t> group;   // two pod sets of one number go together; -1: alone
  std::vector<int32_t> offset;  // the owner's index of the pod of rank 0
  std::string fault;            // not empty: what they contradict each other in
};

class FrontEnd {
 public:
  // "Kueue", as it stands in sentences.
  virtual std::string_view name() const = 0;
  // Which engine answers groups in these words, as long as no operator has set one for all.
  virtual EngineChoice engine() const = 0;
  // Rules are about one pod set; else about the group, so all its pod sets have the same.
  virtual bool rules_per_pod_set() const { return false; }
  // A slice of which every pod was lost is placed as a whole again.
  virtual bool keeps_slices_whole() const { return false; }
  virtual RankOrder rank_order() const { return RankOrder::kDepthFirst; }
  // Rank 0 is left to the pod that asks for it for as long as there is another slot.
  virtual bool keeps_rank_zero() const { return false; }
  // Results of a group are written to the object that describes it and to its pods.
  virtual bool tells_results() const { return false; }

  // Once a pod of each pod set was seen.
  virtual PodSetTies Tie(std::span<const PodSetSpec> pod_sets) const;
  // What of the words `engine`, which the operator has set for every group, cannot say, and what to
  // do; empty: nothing. REQUIRES: the rules are by the levels of `topology`.
  virtual std::string EngineFault(std::span<const PodSetSpec> pod_sets, Strategy engine,
                                  const Topology& topology) const = 0;
  // The rules of the request, as the words have them, to what they are for the engine
  // `request.strategy`. REQUIRES: EngineFault is empty.
  virtual void Translate(PlacementRequest& request) const = 0;
  // What the Binding of a member brings along as labels, so that a container finds its rank when it
  // starts. `plans`: how many its group has had.
  virtual LabelPatch MemberLabels(int32_t rank, int32_t plans) const;

 protected:
  ~FrontEnd() = default;
};

}  // namespace gangplan
