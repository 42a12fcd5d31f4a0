// Which preset nodes have the labels of. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "topology/labels.h"

namespace gangplan {

class PresetGuess {
 public:
  PresetGuess();
  // A node more.
  void Note(const LabelSet& labels);

  // That whose labels the most nodes have, of equals the one with the most levels, then the first
  // by name. Without nodes it is none.
  struct Best {
    std::string_view preset;
    int64_t nodes = 0;
  };
  Best best() const;

 private:
  std::vector<int64_t> nodes_;  // with all labels, by preset
};

}  // namespace gangplan
