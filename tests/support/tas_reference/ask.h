// What one placement asks of the tree: the pod sets' topology words with every default applied.
// Plain data; points into the case.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "tests/conformance/placement_answer.h"
#include "tests/support/tas_reference/tree.h"
#include "topology/tree.h"

namespace gangplan::tas_reference {

using conformance::CasePodSet;
using conformance::Compatibility;
using conformance::Failure;

struct Layer {
  int level = 0;
  int64_t size = 1;
};

struct Ask {
  const CasePodSet* workers = nullptr;
  const CasePodSet* leader = nullptr;  // null: none is wanted
  int64_t count = 0;                   // of the workers
  int level = 0;                       // where the search begins
  bool required = false;
  bool unconstrained = false;
  bool least_free = false;         // the least free capacity first; else the most
  bool tight = true;               // best fit: the last domain as tight as can be
  bool balanced = false;           // try balanced placement first
  bool affinity = false;           // preferred node affinity counts
  bool fixed = false;              // without the known defects
  std::vector<Layer> layers;       // as asked, outermost first; may be empty
  int64_t slice_size = 1;          // of the outermost layer
  int slice_level = 0;             // of the outermost layer; the last level without slices
  std::map<int, int64_t> inner;    // below the slice level: the level's slice size
  std::optional<int> confined_to;  // a domain that all pods must be under

  int64_t leaders() const { return leader == nullptr ? 0 : 1; }
  // How many whole units `pods` make; in fixed mode a part of one counts as one.
  int64_t Units(int64_t pods, int64_t unit) const { return (pods + (fixed ? unit - 1 : 0)) / unit; }
  int64_t need() const { return Units(count, slice_size); }
};

// The topology words of a request, by level name.
struct Words {
  std::optional<conformance::TopologyWords> topology;
  bool keep_top_level = false;  // a slice-only request whose slices were taken away
};

std::variant<Ask, Failure> MakeAsk(const PlacementCase& placement_case, const Tree& tree,
                                   const Words& words, Compatibility compatibility);

}  // namespace gangplan::tas_reference
