// The tree as a heat map: a cell for each node, a line for each rack, the blocks side by side. A
// node shows the letter of a gang on it, else how much of its GPUs others have taken. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topology/node_facts.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

class TreePicture {
 public:
  // A topology of three levels. `letters`: by the name of a gang's owner.
  TreePicture(const Topology& topology, std::vector<NodeFacts> nodes,
              std::map<std::string, char> letters, std::string resource, bool colour);

  // Lines of at most 100 letters; `notes` stand at the right, one beside each rack.
  std::string Draw(std::string_view title, const std::vector<PodFacts>& bound,
                   const std::vector<std::string>& notes) const;
  // `letter` as it stands in the picture, coloured.
  std::string Cell(char letter) const;

 private:
  std::string Rack(int32_t block, int32_t row, const std::map<std::string, char>& cells) const;
  std::map<std::string, char> Cells(const std::vector<PodFacts>& bound) const;

  const std::vector<NodeFacts> nodes_;
  const std::map<std::string, char> letters_;
  const std::string resource_;
  const bool colour_;
  Tree tree_;
  int32_t width_ = 0;  // of a block: its racks' most nodes, or its name
};

}  // namespace gangplan
