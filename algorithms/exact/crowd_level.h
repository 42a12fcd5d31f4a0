// The children of a domain by their level alone, for a crowd: what no split of the members over
// them is better than, and where they are leaves who hosts the load in a split that costs as much.
//
//   nodes of 8, 8 and 6 workers; beside these the first has room for two others, the second for
//   none, the last for one: 24 members with two others use three nodes, no split is better than
//   10, 8 and 6 (squares 200), and it is that with both others on the first node
//
// Thread rule: one call at a time. Memory: Fullest of domains that were asked, kMostCrowdBytes; of
// those beyond, and of those that half of the steps do not pay for, what is known is rough.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/crowd_room.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/terms.h"
#include "topology/tree.h"

namespace gangplan::exact {

struct CrowdLevel {
  bool known = false;
  // The only one that costs so little, if it can be dealt; empty: not known.
  std::vector<Run> split;
  int32_t used = 0;  // of pack
  int64_t squares = 0;
  std::optional<std::vector<Fullest::Host>> hosts;  // of leaves, by their place in the domain
};

class CrowdLevels {
 public:
  // REQUIRES: all outlive this. `steps` pays for what is looked at, before it is.
  CrowdLevels(const Tree& tree, std::span<const Terms> terms, const CrowdRoom& room, int64_t& steps)
      : tree_(tree), terms_(terms), room_(room), loads_(room.loads()), steps_(steps) {}

  // Roughly: cheaper, and perhaps better than otherwise.
  CrowdLevel Look(int level, int32_t index, int32_t load, int32_t members, bool rough);
  // The splits of a packed level that cost the least where the one that no other one majorizes
  // cannot be dealt out; `found` is then what they cost. Nothing: not known.
  std::vector<std::vector<Run>> NearestSplits(int level, int32_t index, int32_t load,
                                              int32_t members, CrowdLevel& found);
  // Leaves, where nothing is below, as near as can be.
  CrowdLevel LookAtLeaves(int level, int32_t index, int32_t load, int32_t members);
  // No domain of leaves is better: as if one had of each kind of leaf as many as any has. Roughly:
  // as Look has it, cheaper.
  CrowdLevel LookAtAnyLeaves(int32_t load, int32_t members, bool rough);

 private:
  bool ended() const { return steps_ <= 0; }
  bool LeavesBelow(int level) const { return level + 1 == tree_.leaf_level(); }
  const Terms& TermsBelow(int level) const { return terms_[static_cast<size_t>(level + 1)]; }
  Tree::Range Range(int level, int32_t index) const { return ChildrenOf(tree_, level, index); }
  bool PayFor(std::span<const int32_t> rows);
  const Fullest* FullestOf(int level, int32_t index);
  std::span<const int32_t> AnyLeaves();
  void FindHosts(const Fullest& fullest, const Terms& terms, int32_t load, int32_t members,
                 CrowdLevel& found);

  const Tree& tree_;
  std::span<const Terms> terms_;
  const CrowdRoom& room_;
  const Loads& loads_;
  int64_t& steps_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Fullest>> fullest_;
  int64_t bytes_ = 0;
  std::vector<int32_t> any_leaves_;  // the rows of LookAtAnyLeaves
  std::unique_ptr<Fullest> any_fullest_;
};

}  // namespace gangplan::exact
