// The topology of Sakkara's users: a ConfigMap's data, else a label on every node, else none, to
// levels, units and nodes. SAX, iterative, with limits; linear in the text. Pure; any thread.
//
// Better than Sakkara, which drops or merges in silence:
// - A unit is its whole path: equal names under two parents are two units.
// - A node that stands in several places is nowhere, and a node above the others' depth has no
// place
//   on every level: both are left out, and told by name.
// - A unit that one object names twice holds what both hold, and is told.
// - Names of levels are counted from the leaves up, as Sakkara does; a level that lacks one gets
// one
//   that no rule reaches. What is missing or too many is told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/node_facts.h"

namespace gangplan {

struct SakkaraLevel {
  std::string name;   // never empty, unique
  bool named = true;  // false: the name is ours, and rules by that name are not for this level
  friend bool operator==(const SakkaraLevel&, const SakkaraLevel&) = default;
};

// What holds nodes or other units.
struct SakkaraUnit {
  std::string name;
  int32_t parent = -1;  // place among the units; -1: the root
  friend bool operator==(const SakkaraUnit&, const SakkaraUnit&) = default;
};

struct SakkaraNode {
  std::string name;
  int32_t unit = -1;  // that it stands in; -1: the root
  friend bool operator==(const SakkaraNode&, const SakkaraNode&) = default;
};

// What was left out or is not as its author may think.
struct SakkaraProblem {
  std::string name;  // of a node, of a unit, or of a key of the data
  std::string text;
  friend bool operator==(const SakkaraProblem&, const SakkaraProblem&) = default;
};

struct SakkaraTopology {
  std::string name;
  std::vector<std::string> resources;    // that its author wants looked at
  std::vector<std::string> level_names;  // as given, top to bottom
  std::string root_name;                 // the one that falls on the root; empty: none does
  std::vector<SakkaraLevel> levels;      // coarsest first, the nodes' level last
  std::vector<SakkaraUnit> units;        // level by level, each by path
  std::vector<SakkaraNode> nodes;        // by path
  std::vector<SakkaraProblem> problems;  // the first kMaxSakkaraProblems
  size_t problem_count = 0;              // of all
  friend bool operator==(const SakkaraTopology&, const SakkaraTopology&) = default;
};

// A topology object. An error leaves the topology in force as it is; it begins with the key:
// "level-names[1]: expected ...". Keys that are not Sakkara's are ignored.
absl::StatusOr<SakkaraTopology> ReadSakkaraTopology(const LabelSet& data);

// Without an object: racks by the node label kSakkaraRackLabel, if every node has it and it is not
// empty. An error, which names the first node by name that lacks it, means FlatSakkaraTopology.
absl::StatusOr<SakkaraTopology> ReadSakkaraNodeLabels(std::span<const NodeFacts* const> nodes);

// Without either: all nodes in one level.
SakkaraTopology FlatSakkaraTopology(std::span<const NodeFacts* const> nodes);

// The names of the units that hold the node, from the top. O(levels).
std::vector<std::string_view> SakkaraPath(const SakkaraTopology& topology, const SakkaraNode& node);

}  // namespace gangplan
