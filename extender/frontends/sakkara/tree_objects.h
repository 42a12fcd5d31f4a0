// The topology of Sakkara's users, live: the ConfigMaps that hold a tree, which of them is in
// force, and what that makes of a node: the units above it become labels of its own, so that the
// rest of Gangplan sees levels and labels as always.
//
// In force is the first object by name that could be read, now or before: an object that is spoiled
// keeps its last good tree. When the last object goes, its tree stays. Where there never was one,
// the nodes' label kSakkaraRackLabel gives two levels if every node has it, else all nodes are one
// level. Nothing is in force while there are only objects that cannot be read.
//
// Thread rule: one caller at a time.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "extender/protocol/sakkara_topology.h"
#include "topology/base/text_map.h"
#include "topology/config_map_facts.h"
#include "topology/node_facts.h"
#include "topology/tree.h"

namespace gangplan {

// A label of a node that is only ours, never Kubernetes': "sakkara.topology/rack".
inline constexpr std::string_view kSakkaraUnitLabel = "sakkara.topology/";

class TreeObjects {
 public:
  // `name`: what the topology is called here.
  explicit TreeObjects(std::string name) : name_(std::move(name)) {}

  // The object as it stands now, or that it is gone. The status is that of the reading; its error
  // names the key.
  absl::Status Put(const ConfigMapFacts& facts);
  void Erase(std::string_view name);
  // What its author should hear of an object: why it is refused, or a line for each thing that is
  // left out of its tree or is not as one may think. Empty: nothing.
  std::string Told(std::string_view name) const;

  // Chooses what is in force; true when levels or the place of some node are others than before.
  // `nodes` are all that exist, and decide where there is no object.
  bool Choose(std::span<const NodeFacts* const> nodes);
  // The levels in force, complete; nothing when there are none yet.
  const std::optional<Topology>& levels() const { return levels_; }
  // Why what was asked for by an object is not in force; empty when all objects could be read.
  std::string fault() const;

  // `node` with the labels of its units in place of those that it had. O(labels).
  NodeFacts Placed(const NodeFacts& node) const;

 private:
  struct Object {
    absl::Status status;
    std::optional<SakkaraTopology> tree;  // the last that could be read
  };

  bool TakeTree(const SakkaraTopology& tree);
  void TakeLabels(std::span<const NodeFacts* const> nodes);

  const std::string name_;
  std::map<std::string, Object, std::less<>> objects_;
  std::optional<Topology> levels_;
  TextMap<std::vector<std::string>> paths_;  // of a tree's nodes: a unit for each upper level
};

}  // namespace gangplan
