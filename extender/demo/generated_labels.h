// Level labels of generated nodes: the real keys of a preset with values as its vendor forms them,
// or those of the default configuration. Every preset gives a strict tree: a domain lies in one
// parent only. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/labels.h"
#include "topology/tree.h"

namespace gangplan {

// Where a node stands, counted from 0, and its name.
struct NodePlace {
  int32_t block = 0;
  int32_t rack = 0;
  int32_t node = 0;
  std::string name;
};

// Digits that numbers need so that names sort as their numbers do.
struct NameWidths {
  int block = 1;
  int rack = 1;
  int node = 1;
};

class LabelMaker {
 public:
  // `preset`: a name of config/presets.h, or empty for the levels of the default configuration.
  // InvalidArgument names the presets there are.
  static absl::StatusOr<LabelMaker> Make(std::string_view preset, const NameWidths& widths);

  // Coarsest first; the last is the node's name.
  const std::vector<Level>& levels() const { return levels_; }
  // One label for each level, and those that every node has. Sorted by key.
  LabelSet Labels(const NodePlace& place) const;

 private:
  // Which nodes share a domain of a level.
  enum class Extent { kCluster, kBlockPair, kBlock, kRack, kNode };
  enum class Style { kPlain, kNumbered, kAws, kHash };
  struct Scheme;

  LabelMaker(std::vector<Level> levels, std::vector<Extent> extents, Style style,
             const NameWidths& widths);
  static const Scheme* FindScheme(std::string_view preset);
  std::string Value(size_t level, const NodePlace& place) const;

  std::vector<Level> levels_;
  std::vector<Extent> extents_;  // one for each level
  Style style_;
  NameWidths widths_;
};

}  // namespace gangplan
