// The capacity of a placement case: its tree, what is free in each lowest domain, and how many pods
// of each pod set fit there. Nodes that are not ready, cordoned, of another flavor or without a
// level's label are absent; nodes with one host name are one. Without a level of host names the
// lowest domains pool their nodes and no node filter is looked at.
// REQUIRES: the case outlives it. Thread rule: one thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "algorithms/tas/workload.h"
#include "tests/conformance/placement_answer.h"
#include "tests/conformance/placement_case.h"

namespace gangplan::conformance {

class CaseCapacity : public TasCapacity {
 public:
  static absl::StatusOr<CaseCapacity> Make(const PlacementCase& placement_case,
                                           Compatibility compatibility);

  const Tree& tree() const { return tree_; }
  int lowest() const { return lowest_; }
  // The lowest domain of this full path, or of this host name alone where the levels end in it; -1
  // for none.
  int32_t Find(const std::vector<std::string>& values) const;
  // What an assignment shows of a lowest domain.
  std::vector<std::string> Shown(int32_t domain) const;

  TasCounts Counts(int32_t workers, int32_t leader) override;
  void Assume(int32_t pod_set, std::span<const TasShare> shares) override;

  // Why lowest domains have no room for any pod of the pod set, outside of `confined` too.
  ExclusionStats Stats(int32_t pod_set, std::optional<Tree::Domain> confined) const;

 private:
  using Amounts = std::map<std::string, int64_t>;
  struct Fit {
    int64_t pods = 0;
    std::string limit;  // the resource that allows the fewest, the first by name of several
  };

  explicit CaseCapacity(const PlacementCase& placement_case, Compatibility compatibility)
      : case_(placement_case), compatibility_(compatibility) {}
  absl::Status Build();
  void Merge(std::vector<const NodeFacts*> nodes);
  void TakeFree(const NodeFacts& node, Amounts& free) const;
  // The first reason why pods may not use the domain; empty: they may.
  std::string Exclusion(const CasePodSet& pod_set, int32_t domain) const;
  static Fit FitsIn(const Amounts& room, const CasePodSet& pod_set);
  int32_t PodsThatFit(const Amounts& room, const CasePodSet& pod_set, bool allowed) const;
  void CountBesideLeader(const CasePodSet& workers, const CasePodSet& leader);
  void Score(const CasePodSet& pod_set);

  const PlacementCase& case_;
  const Compatibility compatibility_;
  bool hosts_ = false;  // the levels end in the host name
  int lowest_ = 0;
  std::vector<NodeFacts> nodes_;             // merged, under their host names
  std::vector<const NodeFacts*> originals_;  // the first of each, as the case has it
  std::vector<Amounts> node_free_;
  Tree tree_;
  std::vector<Amounts> free_;              // by lowest domain
  std::vector<const NodeFacts*> host_of_;  // by lowest domain; null without host names
  FitCounts counts_;
  std::vector<int32_t> beside_leader_, leader_fits_;
  std::vector<int64_t> affinity_;
};

}  // namespace gangplan::conformance
