// What the domains of a tree can take under the rules: for every domain the set of member counts
// for which a placement inside of it exists. Built from the leaves up; where no rule says how many,
// it is read from the counts, so a plain request costs nothing here.
//
//   a rack of nodes for 4, 4 and 2 members, node=pack min=3: the first two nodes take 0, 3 or 4,
//   the last one nothing; the rack takes 0, 3, 4, 6, 7 or 8, with rack=pack factor=2 0, 4, 6 or 8
//   one stands on the last node, beside its room for 2: that takes 3 and nothing else, is odd, and
//   the rack takes 3, 6, 7, 9, 10 or 11
//
// Invariants: reach(level, index) is exact up to the number of members, the domain's own rule
// included; level -1 is the whole tree. `steps` counts the work.
// Cost: O(domains); of a domain with children that are not alike (members that stand, sets with
// gaps) one step for each of them, or, where what they take together has gaps or parts are counted,
// a table of sets, see SumSteps. It is charged before it is made, and beyond `most_steps`, or too
// large for memory, it is not: the field has ended.
// Thread rule: one call at a time (children() builds what it gives on first use).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/exact/count_set.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/hosting.h"
#include "algorithms/exact/kept_lists.h"
#include "algorithms/exact/leaf_kinds.h"
#include "algorithms/exact/loads.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/terms.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan::exact {

// A leaf where members stand (at least one), and its room for others beside them.
struct SpecialLeaf {
  int32_t leaf = 0;
  int32_t stands = 1;
  int32_t room = 0;
};

// A child, with its load, and the members it takes.
struct LoadedCount {
  int32_t child = 0;
  int32_t members = 0;
};

struct Question {
  const Tree* tree = nullptr;
  const FitCounts* counts = nullptr;     // of the leaves that are not special
  std::span<const SpecialLeaf> special;  // by leaf, each once
  std::span<const Terms> terms;          // one a level
  int32_t members = 0;                   // in all, those that stand included
  int last_level = 0;                    // levels below have no rule and no goal
  // Pods of other shapes beside: `members` counts them all. Then special leaves are those where
  // members stand, and nothing is beside the loads.
  const Loads* loads = nullptr;
  int64_t most_steps = INT64_MAX;  // that what the domains can take may take to find out
};

// Bytes of one table of sums, all of it, and of a set in it beside its numbers.
inline constexpr int64_t kMostSumBytes = int64_t{64} << 20;
inline constexpr int64_t kSetBytes = 64;

class Field {
 public:
  explicit Field(const Question& question);

  // Siblings by the most that each takes, largest first, equal ones by path.
  struct Ranked {
    Siblings siblings;
    std::span<const int32_t> order;        // by index; empty for leaves that are alike
    std::span<const int32_t> except = {};  // of such leaves, those of the domain that are not
  };
  struct Children {
    Ranked alike;                  // those that take nothing or lo, lo + step, ... their most
    std::span<const int32_t> odd;  // the others that can take anything, by index
    // All of them as if they were alike, where some are odd: the best split of these is a bound,
    // and when it is possible it is the best. Empty where nothing is known to be best by its level.
    Ranked loose;
    bool possible = true;  // false: members stand where the rules allow nobody
  };

  // Children of a domain when some of them have loads, by those.
  struct Arranged {
    Children children;
    std::vector<Run> alike, loose;
    std::vector<int32_t> alike_order, loose_order, odd, except;
  };

  // Members from lo to hi, without a gap.
  struct Span {
    int64_t lo = 0;
    int64_t hi = 0;
  };

  const Question& question() const { return question_; }
  const Tree& tree() const { return *question_.tree; }
  const Terms& terms(int level) const { return question_.terms[level]; }
  // A domain with a load has a number of its own beyond those of its level; wherever a domain is
  // asked for by its index, but for its children, this number is one too.
  int32_t Loaded(int level, int32_t index, int32_t load) const {
    return index + load * Size(level);
  }
  int32_t LoadOf(int level, int32_t index) const {
    return question_.loads == nullptr ? 0 : index / Size(level);
  }
  int32_t Unloaded(int level, int32_t index) const {
    return question_.loads == nullptr ? index : index % Size(level);
  }
  // What is asked of the whole tree, at level -1: with every load where there are some.
  int32_t Whole() const { return question_.loads == nullptr ? 0 : question_.loads->whole(); }

  Reach reach(int level, int32_t index) const;
  bool Has(const Reach& reach, int32_t count) const {
    if (count == 0) return reach.zero;
    if (count < reach.lo || count > reach.hi || (count - reach.lo) % reach.step != 0) return false;
    return reach.set < 0 || sets_[reach.set].Has(count);
  }
  // The most members up to those asked for that the domain can take; 0 where none can be.
  int32_t Most(int level, int32_t index) const;
  // Children of a domain above the leaves, or of the whole tree.
  const Children& children(int level, int32_t index);
  // The first domain of the level that is the same inside, with the load of this one. Known only
  // where there are loads, else each is its own.
  int32_t Same(int level, int32_t index) const;
  // Whether a child with a load takes what the alike ones do, but for its most, nothing, and a
  // greater least.
  static bool FitsBeyond(const Siblings& siblings, const Reach& reach);
  // Whether members stand only where the rules allow somebody when just these children have loads.
  bool PossibleWith(int level, int32_t index, std::span<const int32_t> loaded) const;
  // The children of a domain when just these have loads.
  void Arrange(int level, int32_t index, std::span<const int32_t> loaded, Arranged& arranged);
  // Only `loose`, when all of them are alike: these are what it says. REQUIRES: there are some
  // without loads.
  void ArrangeAlike(int level, int32_t index, std::span<const int32_t> loaded, Arranged& arranged);
  Tree::Range Range(int level, int32_t index) const;
  // What children.odd[odd].. and the alike ones can take together when `used` children before them
  // are in use (0 where any number may be).
  class Sums {
   public:
    bool Has(size_t odd, int32_t used, int32_t members) const;

   private:
    friend class Field;
    size_t width_ = 1;
    std::vector<Span> spans_;                  // [odd][width], where they say it
    std::vector<std::vector<CountSet>> sets_;  // [odd][used]
  };
  // Takes SumSteps. REQUIRES: HasRoomFor.
  Sums SumsAfter(int level, const Children& children) const;
  // Whether the sums of the children are not too large for memory.
  bool HasRoomFor(int level, const Children& children) const;
  // Whether the children can take so many together. Takes SumSteps.
  bool CanTake(int level, const Children& children, int32_t members) const;
  // Steps of the sums of all children, at the most.
  int64_t SumSteps(int level, const Children& children) const;
  // Some way to spread the load and the members over the children, as full or as even as their kind
  // asks, one child after the other. REQUIRES: the domain reaches the members with the load.
  // O(children x loads^2), or a table of sets where these have gaps or are counted: nothing where
  // it is too large for memory, or takes more than the domains were given, and some milliseconds.
  std::optional<std::vector<LoadedCount>> AnyLoaded(int level, int32_t index, int32_t load,
                                                    int32_t members) const;
  // The leaves of a domain of the level above them, by kind. REQUIRES: there are loads; so below.
  std::span<const LeafKinds::Entry> KindsIn(int level, int32_t index) const {
    return leaf_kinds_->in(level < 0 ? 0 : index);
  }
  // What a leaf of the kind takes with a load.
  const Reach& KindReach(int32_t kind, int32_t load) const {
    return kind_reach_[static_cast<size_t>(kind * question_.loads->count() + load)];
  }
  // The most members that any leaf holds with a load of so many pods, these included; 0: none is.
  int32_t LargestLoadedLeaf(int32_t pods) const {
    return largest_loaded_leaf_[static_cast<size_t>(pods)];
  }
  // Members for which the domain has room now, rules aside.
  int64_t Room(int level, int32_t index) const;
  int64_t steps() const { return steps_; }
  // It takes more steps than it was given, or more memory than is given to any: nothing else may be
  // asked of it.
  bool ended() const { return ended_; }

 private:
  struct Slot {
    Children children;
    bool built = false;
  };
  struct SparseReach {
    int32_t index = 0;
    Reach reach;
  };
  // Counts by the step of their set.
  struct Stretch {
    int32_t first = 0;
    int32_t last = 0;
  };

  // What siblings hold together, and what that gains by a load on one of them, or on two.
  struct MostSums {
    MostSums() { alone.fill(BestOfTwo::kNone); }
    int64_t without = 0;
    std::array<int64_t, Loads::kMostLoads> alone;
    std::array<BestOfTwo, Loads::kMostLoads> parted;
  };

  int32_t Size(int level) const { return DomainCount(tree(), level); }
  bool NothingByLevel(int level) const;
  bool PlainBelow(int level) const { return level + 1 >= plain_from_; }
  std::span<const SpecialLeaf> SpecialIn(int level, int32_t index) const;
  // With so many members there, which are `least` or more in the end.
  Reach LeafReach(int32_t stands, int32_t room, int32_t least) const;
  void BuildReach(int level);
  void BuildLeaves(int level, int32_t index, Children& children);
  void BuildInner(int level, int32_t index, Children& children);
  std::span<const Run> LeafRuns(Tree::Range range, int32_t lo, int32_t most);
  void KeepAlike(int level, const std::vector<int32_t>& free, std::vector<int32_t> odd,
                 Children& children);
  // By their most, in `runs` and `ranked`, which outlive what is given.
  Ranked Rank(int level, const std::vector<int32_t>& children, int32_t lo, int32_t step,
              std::vector<Run>& runs, std::vector<int32_t>& ranked) const;
  // The same as if all of them were alike.
  Ranked Loose(int level, const std::vector<int32_t>& all, std::vector<Run>& runs,
               std::vector<int32_t>& ranked) const;
  Ranked Keep(const Ranked& ranked);
  Reach Combine(int level, int32_t index);
  Reach CombineAlike(const Siblings& siblings, int32_t parts);
  Reach CombineOdd(int level, const Children& children);
  // [odd], nothing where they do not say it.
  std::vector<Span> SpansAfter(int level, const Children& children) const;
  // SumSteps where spans do not say it.
  int64_t TableSteps(int level, const Children& children) const;
  // How many numbers of used children are told apart.
  int32_t SumRows(int level, const Children& children) const;
  // The most that the children may take together, up to the members.
  int32_t SumLimit(int level, const Children& children) const;
  std::vector<CountSet> AlikeSums(int level, const Children& children) const;
  // Before child `odd`, by what is behind it.
  std::vector<CountSet> SumsBefore(int level, const Children& children, size_t odd,
                                   const std::vector<CountSet>& behind) const;
  CountSet LastSums(int level, const Children& children) const;  // of all, none in use before
  std::vector<Stretch> StretchesOf(const Reach& reach) const;
  void AddChild(const Reach& reach, const CountSet& from, CountSet& to) const;
  void AddAlike(const Siblings& siblings, int32_t parts, const CountSet& from, CountSet& to) const;
  Reach LoadedLeafReach(int32_t leaf, int32_t load) const;
  void BuildLoaded();
  void BuildLeafKinds();
  void BuildSame();
  std::vector<int32_t> SameLowest(int level) const;
  std::vector<LeafKinds::Apart> SpecialRows() const;
  void AddMosts(std::span<const int32_t> child, int32_t many, MostSums& sums) const;
  int32_t MostOf(const MostSums& sums, int32_t load) const;
  void BuildLoadedPlain(int level, const std::vector<int32_t>& mosts);
  void CombineLoaded(int level, int32_t index);
  bool FillHosting(int level, int32_t index, Hosting& hosting);
  bool CombineForced(int level, int32_t index);
  Reach LoadedReach(int level, int32_t index, int32_t step,
                    std::span<const Hosting::Stretch> stretches);
  void CombineLoads(int level, int32_t index);
  // Steps of a table of sets over the children with loads, and bytes of so many layers of it.
  int64_t LoadedSteps(int level, int32_t index) const;
  int64_t LoadedBytes(int level, int64_t layers) const;
  // What the children before each one take together, by number of used ones and load.
  std::optional<Sums> SumsBefore(int level, int32_t index) const;
  std::vector<Span> SpansBefore(int level, int32_t index) const;
  void AddLoadedChild(int level, int32_t child, const std::vector<CountSet>& from,
                      std::vector<CountSet>& to) const;
  // What the rule of its level leaves of it, and who stands there.
  Reach Own(Reach reach, int level, int32_t index);
  Reach Normal(CountSet set);

  Question question_;
  int plain_from_ = 0;                     // no rule at this level and below says how many
  std::vector<std::vector<Reach>> dense_;  // [level + 1]; empty: read from the counts, but for
  std::vector<std::vector<SparseReach>> sparse_;  // ... domains with special leaves, by index
  std::vector<std::vector<Slot>> slots_;          // [level + 1]
  std::vector<std::vector<Reach>> loaded_;        // [level + 1][number beyond the level's]
  std::vector<std::vector<int32_t>> same_;        // [level above the leaves][index], with loads
  std::optional<LeafKinds> leaf_kinds_;           // with loads
  std::vector<Reach> kind_reach_;                 // [kind][load]
  std::array<int32_t, Loads::kMostPods + 1> largest_loaded_leaf_ = {};
  std::vector<CountSet> sets_;  // each up to the most of its domain
  KeptLists<Run> kept_runs_;
  KeptLists<int32_t> kept_;
  std::vector<Run> runs_;        // scratch
  std::vector<int32_t> ranked_;  // scratch
  std::vector<int32_t> tally_;   // scratch, all 0
  int64_t steps_ = 0;
  bool ended_ = false;
};

}  // namespace gangplan::exact
