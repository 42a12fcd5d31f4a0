// The ways to spread a load over the children of a domain: chooser_hosts.cc has who can take a part
// of it, chooser_loads.cc the ways, and chooser_ties.cc what ways cost that differ in their hosts
// alone. Values of one call; thread rule: the chooser's.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "algorithms/exact/chooser.h"

namespace gangplan::exact {

// Children with one part of the load that hold as many without it and with it: by their level it
// does not matter which of them has it.
template <int kWords>
struct Chooser<kWords>::HostKind {
  int32_t part = 0;
  bool fits = false;  // with the part they take what the others do, from `least` on
  int32_t least = 0;
  int32_t without = 0, with = 0;  // the most of one of them
  std::vector<int32_t> loaded;    // by index
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
};

// Calls visit(children) with children of the way's kinds, none of them twice, until it is false.
template <int kWords>
template <typename Visit>
void Chooser<kWords>::VisitHosts(int level, const Ways& ways, const Way& way, Visit visit) const {
  LoadedChildren chosen;
  const auto choose = [&](const auto& self, size_t from) -> bool {
    const size_t at = chosen.size();
    if (at == way.kinds.size()) return visit(std::span<const int32_t>(chosen));
    const std::vector<int32_t>& children = (*ways.kinds)[way.kinds[at]].loaded;
    for (size_t i = from; i < children.size(); ++i) {
      const bool twice = std::any_of(chosen.begin(), chosen.end(), [&](int32_t one) {
        return field_.Unloaded(level + 1, one) == field_.Unloaded(level + 1, children[i]);
      });
      if (twice) continue;
      const bool again = at + 1 < way.kinds.size() && way.kinds[at + 1] == way.kinds[at];
      chosen.push_back(children[i]);
      const bool more = self(self, again ? i + 1 : 0);
      chosen.pop_back();
      if (!more) return false;
    }
    return true;
  };
  choose(choose, 0);
}

}  // namespace gangplan::exact
