// The words of a pin, in kPinnedAnnotation of Jobs and of pods: the first of them says how its
// terms are told from the user's own. Constant data and pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/strings/numbers.h"
#include "topology/base/text.h"
#include "topology/node_filter.h"

namespace gangplan {

inline constexpr std::string_view kPinByName = "nodes";      // each term ends with a node
inline constexpr std::string_view kPinByHosts = "hosts";     // ... with host names
inline constexpr std::string_view kPinByLabels = "labels=";  // ... with those of so many levels
inline constexpr std::string_view kPinToOne = "node";        // ... with the one node

inline std::string_view PinKindOf(std::string_view words) {
  return words.substr(0, words.find(' '));
}

// How many labels; nothing: it is no pin by labels.
inline std::optional<size_t> PinLabelsOf(std::string_view kind) {
  size_t labels = 0;
  const bool some = kind.starts_with(kPinByLabels) &&
                    absl::SimpleAtoi(ToAbsl(kind.substr(kPinByLabels.size())), &labels);
  return some ? std::optional(labels) : std::nullopt;
}

// Takes what was added off the term's end. False: it has not so many.
inline bool DropPinLabels(NodeSelectorTerm& term, size_t labels) {
  if (term.labels.size() < labels) return false;
  term.labels.resize(term.labels.size() - labels);
  return true;
}

}  // namespace gangplan
