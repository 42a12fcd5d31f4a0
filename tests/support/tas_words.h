// Topology words of one pod set, as Kueue's annotations say them, to a request of the engine.
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/tas.h"
#include "topology/tree.h"

namespace gangplan {

struct TasSliceWords {
  std::string level;  // node label key, or the level's alias
  std::optional<int32_t> size;
};

struct TasWords {
  std::optional<std::string> required;
  std::optional<std::string> preferred;
  bool unconstrained = false;
  std::vector<TasSliceWords> slices;  // outermost first
  bool given = false;                 // there is a request; one that says nothing is an error
};

// The request for `count` pods, or what the words contradict themselves in. No request at all means
// unconstrained. `lowest`: the level that is placed on.
std::variant<TasRequest, TasFailure> ResolveTas(const Tree& tree, int lowest, const TasWords& words,
                                                int32_t count);

// Slices without a level: unconstrained, from the top level down.
inline bool SlicesAlone(const TasWords& words) {
  return !words.required && !words.preferred && !words.unconstrained && !words.slices.empty();
}

}  // namespace gangplan
