// The pod sets of a request of which some have rules of their own, as parts: each set with own
// rules is one, and those without are one for each shape, as nothing tells them apart.
//
//   leader  (own: node=max 1)        part 0
//   workers (own: rack=pack!)        part 1
//   loaders, writers (one shape)     part 2
//
// Invariant: parts are in the order of their first pod set. Const reads from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/exact/shapes.h"
#include "algorithms/exact/terms.h"

namespace gangplan::exact {

// Members by part.
using PartCounts = std::vector<int32_t>;
inline void AddTo(PartCounts& sum, const PartCounts& more) {
  for (size_t part = 0; part < sum.size(); ++part) sum[part] += more[part];
}
// The members on each leaf that has some, those that stand included.
using PartPlacement = std::map<int32_t, PartCounts>;

struct Part {
  std::vector<int32_t> pod_sets;
  size_t shape = 0;
  int32_t count = 0;    // members, those that stand included
  int32_t missing = 0;  // of these, members to place
  std::vector<Terms>
      own;  // by level: of its own rule; of no bounds and no goal where there is none
  std::vector<char> ruled;  // by level: it has one
  int bottom = -1;          // the lowest level of these; -1: none
};

class Parts {
 public:
  Parts(const PlacementView& view, const PlacementRequest& request, bool counted);

  const std::vector<Part>& all() const { return parts_; }
  size_t size() const { return parts_.size(); }
  const Shapes& shapes() const { return shapes_; }
  int bottom() const;  // the lowest level at which a part has an own rule
  const PartPlacement& standing() const { return standing_; }
  int32_t Stands(int32_t leaf, size_t part) const;
  // New members in a placement, by shape. REQUIRES: what stands is in it.
  Mix Fresh(int32_t leaf, const PartCounts& members) const;
  // How many new ones of a part fit beside the new ones of `members`, up to all that are missing.
  int32_t Fit(int32_t leaf, size_t part, const PartCounts& members) const;
  // The new ones among these fit together.
  bool Holds(int32_t leaf, const PartCounts& members) const;
  // Members of each part that stand in, or fit into, a domain: each part as if it were alone.
  PartCounts MostIn(const Tree& tree, int level, int32_t domain) const;
  PartCounts StandingIn(const Tree& tree, int level, int32_t domain) const;
  // No less of the parts of one shape than these have together fits in a domain.
  bool ShapesFit(const PartCounts& members, const PartCounts& standing, int level,
                 int32_t domain) const;
  // The leaves of the new members, by pod set and ascending.
  std::vector<std::vector<int32_t>> Deal(const PlacementRequest& request,
                                         const PartPlacement& placed) const;

 private:
  Shapes shapes_;
  std::vector<Part> parts_;
  PartPlacement standing_;
};

}  // namespace gangplan::exact
