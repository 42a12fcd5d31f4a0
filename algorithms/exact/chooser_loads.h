// The ways to spread a load over the children of a domain: chooser_hosts.cc has who can take a part
// of it, chooser_leaves.cc the same of leaves, chooser_splits.cc the splits that ways lead to,
// chooser_deal.cc what these cost whoever the hosts are, chooser_loads.cc the ways one by one, and
// chooser_ties.cc what ways cost that differ in their hosts alone.
//
//   racks r0 and r1, alike inside, for 8 workers, 7 beside a leader or 6 beside two; r2 for 5, or 5
//   beside one leader: with two leaders the kinds of hosts are r2 with one, {r0, r1} with one and
//   {r0, r1} with both; the ways are r2 and one of r0 and r1, r0 and r1, and one of r0 and r1 alone
//
// Values of one call; thread rule: the chooser's.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "algorithms/exact/chooser.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

// Children with one part of the load that hold as many without it and with it: by their level it
// does not matter which of them has it.
template <int kWords>
struct Chooser<kWords>::HostKind {
  int32_t part = 0;
  bool fits = false;      // with the part they take what others do, but for their most and least
  int32_t without = 0;    // the most of one of them
  Reach with;             // what one takes with the part
  LoadedChildren loaded;  // by index

  HostKind(int32_t of_load, bool is_alike, int32_t most, const Reach& reach)
      : part(of_load), fits(is_alike), without(most), with(reach) {}
};

// The most of some hosts, in one order.
template <int kWords>
struct Chooser<kWords>::HostMosts {
  absl::InlinedVector<int32_t, 2> without, with;

  HostMosts(const std::vector<HostKind>& kinds, std::span<const size_t> chosen) {
    for (const size_t kind : chosen) {
      without.push_back(kinds[kind].without);
      with.push_back(kinds[kind].with.hi);
    }
  }
};

// Kinds that are one by their level, where a sibling with more room than any gets is like another.
template <int kWords>
struct Chooser<kWords>::HostClasses {
  std::vector<uint32_t> of;  // by kind

  // What a choice of kinds comes to: equal ones are the same by their level.
  uint64_t Of(std::span<const size_t> chosen) const {
    uint64_t all = 0;
    for (const size_t kind : chosen) all = all << 32 | (of[kind] + 1);
    return all;
  }
};

// Kinds of children whose parts are the load in all.
template <int kWords>
struct Chooser<kWords>::Way {
  absl::InlinedVector<size_t, 2> kinds;  // ascending
  int32_t least = 0;                     // that some host takes
  KeyOf bound;                           // no placement of this way has less
  bool alike = false;  // the children are alike but for what they have: their level meets the bound
};

template <int kWords>
struct Chooser<kWords>::Ways {
  KindsRef kinds;
  std::vector<Way> ways;  // by their bound
  bool cut = false;       // there are more
  // The hosts of some of the best placements, those that are the same inside as one number, by this
  // number; none where they are not known.
  std::vector<int32_t> hosts;
};

// The splits that are the best by the level, with any hosts.
template <int kWords>
struct Chooser<kWords>::Splits {
  KeyOf cost;
  KeyOf least;           // no placement of the domain costs less
  bool bounded = false;  // what is below the children is part of it
  std::vector<std::vector<Run>> splits;
  // The kinds of hosts that lead to one of them, the first ones, and how many hosts there are.
  std::vector<absl::InlinedVector<size_t, 2>> choices;
  int64_t count = 0;
};

// Calls visit(kinds) for each choice of kinds whose parts are the load, until it is false.
template <int kWords>
template <typename Visit>
void Chooser<kWords>::VisitWays(const std::vector<HostKind>& kinds, int32_t load,
                                Visit visit) const {
  const Loads& loads = *field_.question().loads;
  absl::InlinedVector<size_t, 2> chosen;
  const auto choose = [&](const auto& self, size_t from, int32_t rest) -> bool {
    if (rest == 0) return visit(std::span<const size_t>(chosen));
    for (size_t kind = from; kind < kinds.size(); ++kind) {
      const int32_t part = kinds[kind].part;
      if (part > rest || !loads.Within(part, rest)) continue;
      chosen.push_back(kind);
      const bool more = self(self, kind, rest - part);
      chosen.pop_back();
      if (!more) return false;
    }
    return true;
  };
  choose(choose, 0, load);
}

// Calls visit(children) with a child of each list, none of them twice, until it is false. Of a list
// that follows itself each choice comes once. `steps` pays for the children that are passed by, and
// does not end it.
template <int kWords>
template <typename Visit>
void Chooser<kWords>::VisitDistinct(int level, std::span<const ChildList> lists,
                                    Visit visit) const {
  constexpr int kChildrenAStep = 8;
  LoadedChildren chosen;
  int passed = 0;
  const auto choose = [&](const auto& self, size_t from) -> bool {
    const size_t at = chosen.size();
    if (at == lists.size()) return visit(std::span<const int32_t>(chosen));
    for (size_t i = from; i < lists[at]->size(); ++i) {
      if (++passed % kChildrenAStep == 0) --steps_;
      CountWork(Work::kEntry, 2);
      const int32_t child = (*lists[at])[i];
      const bool twice = std::any_of(chosen.begin(), chosen.end(), [&](int32_t one) {
        return field_.Unloaded(level + 1, one) == field_.Unloaded(level + 1, child);
      });
      if (twice) continue;
      const bool again = at + 1 < lists.size() && lists[at + 1] == lists[at];
      chosen.push_back(child);
      const bool more = self(self, again ? i + 1 : 0);
      chosen.pop_back();
      if (!more) return false;
    }
    return true;
  };
  choose(choose, 0);
}

// The same with children of these kinds.
template <int kWords>
template <typename Visit>
void Chooser<kWords>::VisitHosts(int level, const std::vector<HostKind>& kinds,
                                 std::span<const size_t> chosen, Visit visit) const {
  absl::InlinedVector<ChildList, 2> lists;
  for (const size_t kind : chosen) lists.push_back(&kinds[kind].loaded);
  VisitDistinct(level, lists, visit);
}

}  // namespace gangplan::exact
