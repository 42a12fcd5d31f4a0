// The solver's inside: what is best in one domain, by the width of its keys. See solver.h.
//
//   a block with racks of nodes for 4 + 4 and for 3 + 3 + 2 members; 11 of them, soft packs: by the
//   racks' level the split is 8 and 3, and either rack can take either; 8 cost two nodes in the
//   first and three in the second, 3 cost one node in both: the first takes 8
//
// Thread rule: one call at a time. Memory: what is kept for later, as much as it is given; of
// the rest docs/exact.md tells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "algorithms/exact/field.h"
#include "algorithms/exact/key.h"

namespace gangplan::exact {

class OddTable;

// A child and the members it takes; none with 0.
struct Pick {
  int32_t child = 0;
  int32_t members = 0;
};

// A domain with so many members, as one number.
inline uint64_t PlaceOf(int level, int32_t index, int32_t members) {
  return static_cast<uint64_t>(level + 1) << 59 | static_cast<uint64_t>(index) << 28 |
         static_cast<uint64_t>(members);
}

template <int kWords>
class Chooser {
 public:
  using KeyOf = Key<kWords>;

  Chooser(Field& field, const KeyLayout& layout, int64_t& steps, int64_t most_kept_bytes)
      : field_(field), layout_(layout), steps_(steps), most_kept_bytes_(most_kept_bytes) {}

  // The key of what is below the domain when it has `members`, which it reaches; and who takes how
  // many where `picks` is given. Once the steps are used up the picks are only valid and the key is
  // nothing.
  KeyOf Best(int level, int32_t index, int32_t members, std::vector<Pick>* picks);
  bool ended() const { return steps_ <= 0; }
  // Nothing that could be better was left out.
  bool proven() const { return !ended() && !cut_; }
  // False: the steps have ended, and no placement was found without more than there is.
  bool answered() const { return answered_; }

 private:
  using Children = Field::Children;
  using Costs = std::vector<std::pair<KeyOf, size_t>>;  // of items, by their index
  using Ranked = Field::Ranked;
  struct Item {
    int32_t child = 0;
    Reach reach;
    int64_t room = 0;
  };
  struct Layers;
  using LoadedChildren = absl::InlinedVector<int32_t, 2>;
  using ChildList = const LoadedChildren*;
  struct HostKind;
  struct HostMosts;
  struct HostClasses;
  struct Splits;
  class LoadedDeal;
  using KindsRef = std::shared_ptr<const std::vector<HostKind>>;
  using SplitsRef = std::shared_ptr<const Splits>;  // nothing: they are not known
  struct Way;
  struct Ways;
  class WayPrices;
  using Prices = std::vector<std::shared_ptr<WayPrices>>;  // of one domain and members

  // So much more is kept.
  void Keep(size_t bytes) {
    kept_bytes_ += static_cast<int64_t>(bytes);
    if (kept_bytes_ > most_kept_bytes_) steps_ = std::min<int64_t>(steps_, 0);
  }
  void Remember(uint64_t place, const KeyOf& key) {
    if (known_.emplace(place, key).second) Keep(sizeof(place) + sizeof(KeyOf));
  }
  bool LeavesBelow(int level) const { return level + 1 == field_.tree().leaf_level(); }
  // How many children a used domain of the level uses.
  int32_t ToUse(int level) const {
    const int32_t parts = field_.terms(level + 1).parts;
    return parts > 0 ? parts : kAnyParts;
  }
  // The key of a child with so many members, its own level included.
  KeyOf Ask(int level, int32_t child, int32_t members);
  bool BestAlike(int level, int32_t index, const Ranked& children, int32_t parts, int32_t members,
                 KeyOf& key, std::vector<Pick>* picks);
  bool BestLoose(int level, int32_t index, const Children& children, int32_t members, KeyOf& key,
                 std::vector<Pick>* picks);
  void AddLevel(int level, std::span<const Run> split, KeyOf& key) const {
    for (const Run& run : split) layout_.Add(level, run.value, run.count, key);
  }
  bool DealSplit(int level, const Ranked& children, std::vector<Run> split, KeyOf& key,
                 std::vector<Pick>* picks);
  void PickLeaves(int32_t index, std::span<const int32_t> except, std::span<const Run> split,
                  std::vector<Pick>& picks);
  // Deal these values out to these children of `level` and add what it costs at best; false when
  // some child cannot take what is left for it.
  bool Deal(int level, std::span<const int32_t> children, std::span<const Run> values, KeyOf& key,
            std::vector<Pick>* picks);
  bool DealTwo(int level, std::span<const Item> items, std::span<const Run> values, KeyOf& key,
               std::vector<Pick>* picks);
  void TakeLarge(int level, std::span<const Item> items, std::span<const size_t> open,
                 std::span<const Run> values, int32_t missing, std::vector<char>& takes);
  Costs AskCheapest(int level, std::span<const Item> items, std::span<const size_t> open,
                    int32_t members, size_t most);
  KeyOf LeastOf(int level, int32_t child, int32_t members);
  int32_t WidestAt(int top, int level);
  std::optional<KeyOf> FindFloor(int top, int level, int32_t members, int32_t pods);
  bool AddFloor(int top, int level, int32_t members, int32_t pods, KeyOf& floor);
  bool AddFloorBelow(int level, std::span<const Run> split, int32_t members, int32_t pods,
                     KeyOf& floor);
  int32_t LargestAt(int level);
  void AddPacked(int level, int32_t members, int32_t most, int32_t hosts, int32_t host_most,
                 KeyOf& key) const;
  bool DealMany(int level, std::span<const Item> items, std::span<const Run> values, KeyOf& key,
                std::vector<Pick>* picks);
  std::vector<Item> Items(int level, std::span<const int32_t> children) const;
  void DealInOrder(std::vector<Item> items, std::span<const Run> values,
                   std::vector<Pick>& picks) const;
  KeyOf BestOdd(int level, int32_t index, const Children& children, int32_t members,
                std::vector<Pick>* picks);
  void FillLayer(const OddTable& table, int level, int32_t child, size_t odd, Layers& layers);
  void PickOdd(const OddTable& table, int level, int32_t index, const Children& children,
               const Layers& layers, std::vector<Pick>& picks);
  void AnyOdd(int level, int32_t index, const Children& children, int32_t members,
              std::vector<Pick>& picks);

  KeyOf BestLoaded(int level, int32_t index, int32_t members, std::vector<Pick>* picks);
  std::vector<int32_t> FindHosts(int level, int32_t index, int32_t load);
  KindsRef HostKinds(int level, int32_t index, int32_t load);
  std::vector<HostKind> FindKinds(int level, int32_t index, int32_t load);
  std::vector<HostKind> KindsOfLeaves(int level, int32_t index, int32_t load);
  Ways FindWays(int level, int32_t index, int32_t load, int32_t members,
                std::vector<int32_t> hosts);
  std::optional<Way> LookAtWay(int level, int32_t index, int32_t members,
                               const std::vector<HostKind>& kinds, std::span<const size_t> chosen,
                               const KeyOf& floor);
  template <typename Visit>
  void VisitWays(const std::vector<HostKind>& kinds, int32_t load, Visit visit) const;
  std::optional<KeyOf> KeyOfLeaves(int level, int32_t index, int32_t load, int32_t members);
  std::optional<KeyOf> LeastLoaded(int level, int32_t index, int32_t load, int32_t members);
  bool MostBeside(int level, int32_t index, int32_t load, LeafKinds::Row& most);
  bool TakesItsLeast(const Reach& host, const Siblings& siblings, size_t hosts) const;
  template <typename Visit>
  void VisitHosts(int level, const std::vector<HostKind>& kinds, std::span<const size_t> chosen,
                  Visit visit) const;
  template <typename Visit>
  void VisitDistinct(int level, std::span<const ChildList> lists, Visit visit) const;
  bool IsPlain(int level, int32_t index);
  bool IsHost(int level, const Ways& ways, int32_t child) const;
  bool IsSingle(const Ways& ways, const Way& way) const;
  HostClasses ClassesOf(const std::vector<HostKind>& kinds, const Siblings& siblings, int level,
                        int32_t members, int32_t pods);
  SplitsRef BestSplits(int level, int32_t index, int32_t load, int32_t members);
  bool FindSplits(int level, int32_t index, int32_t load, int32_t members, Splits& found);
  std::optional<KeyOf> DealWithLoad(int level, int32_t index, int32_t load, int32_t members,
                                    const KeyOf* cap, std::vector<int32_t>* hosts);
  KeyOf AskWithin(int level, int32_t child, int32_t members, const KeyOf& cap);
  std::optional<KeyOf> OneTakesAll(int level, int32_t index, int32_t load, int32_t members,
                                   const KeyOf* bound, std::vector<int32_t>* hosts);
  int64_t CountHosts(const std::vector<HostKind>& kinds, std::span<const size_t> chosen) const;
  std::optional<KeyOf> DealEach(int level, int32_t index, int32_t load, int32_t members,
                                const Splits& found, const KeyOf* bound,
                                std::vector<int32_t>* hosts);
  std::optional<KeyOf> DealAll(int level, int32_t index, int32_t load, const Splits& found,
                               const KeyOf* cap, std::vector<int32_t>* hosts);
  bool HasHosts(int level, const std::vector<HostKind>& kinds,
                std::span<const size_t> chosen) const;
  KeyOf LeastWith(int level, int32_t members, size_t hosts) const;
  int64_t ArrangeSteps(int level, int32_t index) const;
  bool BestHosts(int level, int32_t index, int32_t members, const Ways& ways, const Way& way,
                 const std::optional<KeyOf>& least, Prices& known, KeyOf& best,
                 LoadedChildren& hosts);
  bool Split(int level, int32_t index, int32_t members, std::span<const int32_t> loaded,
             std::vector<Run>& split);
  bool Bound(int level, int32_t index, int32_t members, const HostMosts& mosts,
             std::span<const int32_t> loaded, Way& way);
  bool GiveLeast(int level, int32_t index, int32_t members, std::span<const int32_t> loaded,
                 std::vector<Run>& split, Way& way);
  bool Evaluate(int level, int32_t index, int32_t members, const Way& way,
                std::span<const int32_t> loaded, KeyOf& key, std::vector<Pick>* picks);
  std::optional<bool> PriceHosts(int level, int32_t index, const Ways& ways, const Way& way,
                                 std::span<const int32_t> some, std::vector<Run> split,
                                 Prices& known, KeyOf& best, LoadedChildren& hosts);
  bool DealLoose(int level, int32_t index, int32_t members, std::span<const int32_t> loaded,
                 std::vector<Pick>& picks);
  bool CanTake(int level, std::span<const int32_t> children, std::span<const Pick> dealt) const;
  bool TryWay(int level, int32_t index, int32_t members, const Ways& ways, const Way& way,
              std::vector<Pick>& picks);
  void AnyWay(int level, int32_t index, int32_t load, int32_t members, const Ways& ways,
              std::vector<Pick>& picks);

  Field& field_;
  const KeyLayout& layout_;
  int64_t& steps_;
  bool cut_ = false;
  bool answered_ = true;
  const int64_t most_kept_bytes_;
  int64_t kept_bytes_ = 0;       // of the maps below
  int64_t odd_bytes_ = 0;        // of the tables over irregular siblings that are filled
  std::vector<Run> leaf_split_;  // scratch
  std::vector<Run> way_split_;   // scratch
  absl::flat_hash_map<int, int32_t> widest_;
  std::vector<int32_t> largest_;  // by level, as far as LargestAt was asked
  absl::flat_hash_map<uint64_t, KeyOf> known_;
  absl::flat_hash_map<uint64_t, std::optional<KeyOf>> floors_;
  absl::flat_hash_map<uint64_t, SplitsRef> splits_;  // by the domain, its load and members
  absl::flat_hash_map<uint64_t, KindsRef> kinds_;    // by the place of the load's domain
};

extern template class Chooser<1>;
extern template class Chooser<2>;
extern template class Chooser<kMaxLevels + 1>;

}  // namespace gangplan::exact
