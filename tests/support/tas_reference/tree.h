// The reference's view of a cluster: one domain per path, in vectors and maps. Domains stand level
// by level, within a level by path, so of two domains of a level the smaller index is the smaller
// path. Immutable once built; points into the case.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/placement_case.h"
#include "topology/tree.h"

namespace gangplan::tas_reference {

using conformance::PlacementCase;
using Path = std::vector<std::string>;
using Amounts = std::map<std::string, int64_t>;

struct Domain {
  int level = 0;
  Path path;
  int parent = -1;
  std::vector<int> children;
  const NodeFacts* host = nullptr;  // of a leaf where the levels end in the host
  Amounts free;                     // of a leaf: allocatable less the running pods
};

struct Tree {
  std::vector<std::string> levels;
  bool ends_in_host = false;
  std::vector<Domain> domains;

  int last_level() const { return static_cast<int>(levels.size()) - 1; }
  std::vector<int> At(int level) const;
  int AncestorAt(int domain, int level) const;
  // By full path, or by the last value alone where the levels end in the host; -1: none.
  int Leaf(const std::vector<std::string>& values) const;
  // What an assignment shows of a leaf.
  std::vector<std::string> ShownValues(int leaf) const;
  std::vector<std::string> ShownLevels() const;
};

// The nodes that take part: ready, not cordoned, of the flavor, with every level's label.
Tree BuildTree(const PlacementCase& placement_case);

// The request of `count` pods, each of which takes one of `pods`.
Amounts RequestOf(const ResourceList& one_pod, int64_t count);
void Add(Amounts& to, const Amounts& more);

}  // namespace gangplan::tas_reference
