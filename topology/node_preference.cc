#include "topology/node_preference.h"

namespace gangplan {

int64_t PreferenceScore(std::span<const PreferredTerm> terms, const NodeFacts& node) {
  int64_t score = 0;
  for (const PreferredTerm& preferred : terms) {
    if (MatchesTerm(preferred.term, node)) score += preferred.weight;
  }
  return score;
}

}  // namespace gangplan
