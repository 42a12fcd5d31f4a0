// The search for the bound of a crowd, by the width of its keys: the split of each level, who takes
// what of it, and the same below. See crowd.h.
//
//   racks of 9, 8 and 8 workers, the first one with room for three others beside: of 20 members
//   with three others no split is better than 12 and 8; only the first rack takes 12, with all
//   three; which one takes 8 is asked of the nodes of the other two, and then all the same of the
//   nodes of the two racks that are used
//
// Thread rule: one call at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/crowd.h"
#include "algorithms/exact/crowd_floor.h"
#include "algorithms/exact/crowd_level.h"
#include "algorithms/exact/crowd_room.h"
#include "algorithms/exact/deal_graph.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/key.h"
#include "algorithms/exact/terms.h"
#include "topology/tree.h"

namespace gangplan::exact {

template <int kWords>
class Crowd {
 public:
  using KeyOf = Key<kWords>;

  Crowd(const Tree& tree, std::span<const Terms> terms, const CrowdRoom& room,
        const KeyLayout& layout, int64_t& steps)
      : tree_(tree),
        terms_(terms),
        room_(room),
        loads_(room.loads()),
        layout_(layout),
        steps_(steps),
        levels_(tree, terms, room, steps),
        floor_(tree, loads_, layout, levels_, steps) {}

  CrowdAnswer Find(int32_t members);

 private:
  using Table = DealGraph<kWords>;
  // A child, with a part of the load, that takes so many.
  struct Taken {
    int32_t child = 0;
    int32_t part = 0;
    int32_t members = 0;
  };

  bool ended() const { return steps_ <= 0; }
  bool LeavesBelow(int level) const { return level + 1 == tree_.leaf_level(); }
  Tree::Range Range(int level, int32_t index) const { return ChildrenOf(tree_, level, index); }
  KeyOf KeyOfLevel(int level, const CrowdLevel& found) const;
  // What one domain of the level costs by the level itself.
  KeyOf Own(int level, int32_t members) const {
    KeyOf own;
    if (members > 0) layout_.Add(level, members, 1, own);
    return own;
  }
  KeyOf Best(int level, int32_t index, int32_t load, int32_t members, const KeyOf* cap);
  KeyOf BestOfLeaves(int level, const Taken& domain);
  KeyOf Ask(int level, const Taken& child, const KeyOf* cap);
  bool SetOut(int level, Tree::Range range, int32_t load, Table& table);
  void Estimate(int level, Table& table);
  bool AskFor(int level, const typename Table::Option& one, Table& table);
  void AskRest(int level, Table& table);
  bool AskTaken(int level, const KeyOf* cap, Table& table);
  void RaiseAll(const typename Table::Option& same, const KeyOf& least, Table& table);
  bool Sharpen(int level, Table& table, KeyOf& key);
  KeyOf LeastOf(int level, const Taken& child);
  // No domain of leaves costs less, its own level included.
  KeyOf LeastOfAny(int level, int32_t load, int32_t members) {
    return Own(level, members) + floor_.OfOne(load, members, false);
  }
  std::optional<KeyOf> OneTakesAll(int level, int32_t index, int32_t load, int32_t members,
                                   const KeyOf* cap, Taken* who);
  std::vector<int32_t> LargestFirst(int level, Tree::Range range, int32_t load) const;
  void AddOptions(int level, int32_t child, int32_t load, Table& table) const;
  std::optional<KeyOf> DealOut(int level, int32_t index, int32_t load,
                               const std::vector<Run>& split, const KeyOf* cap,
                               std::vector<Taken>* taken);
  std::optional<KeyOf> Share(int level, int32_t index, int32_t load, int32_t members,
                             const std::vector<Run>& split, const KeyOf* cap,
                             std::vector<Taken>* taken);
  KeyOf ShareBest(int level, int32_t index, int32_t load, int32_t members, const KeyOf* cap,
                  CrowdLevel& here, std::vector<Taken>* taken);
  void PutHosts(int32_t first, std::span<const Fullest::Host> hosts);
  KeyOf Descend(int level, int32_t index, int32_t load, int32_t members);

  const Tree& tree_;
  std::span<const Terms> terms_;
  const CrowdRoom& room_;
  const Loads& loads_;
  const KeyLayout& layout_;
  int64_t& steps_;
  absl::flat_hash_map<uint64_t, KeyOf> known_;      // by place, the load in its index
  absl::flat_hash_map<uint64_t, KeyOf> of_leaves_;  // the same, as near as they can be
  CrowdLevels levels_;
  CrowdFloor<kWords> floor_;
  std::map<int32_t, Mix> put_;
  bool whole_ = true;  // so far it is known who hosts what
};

}  // namespace gangplan::exact
