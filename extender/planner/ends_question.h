// When a group fits that waits, as a question by itself: whose pods end when, where they stand, and
// what these take of it that the newcomer asks for.
//
// Room only grows as pods end, so the first moment is found by halving: some ten questions,
// whatever the number of ends.
//
// Thread rule: one caller at a time, on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "extender/planner/victim_question.h"

namespace gangplan {

class EndsQuestion {
 public:
  // Amounts that pods take, by column of the snapshot; its number.
  size_t AddAmounts(std::vector<int64_t> amounts);
  // A pod on the leaf is gone at that time, in Unix seconds. O(1).
  void Add(int64_t at, int32_t leaf, size_t amounts) { ends_.push_back({at, leaf, amounts}); }
  const std::vector<std::vector<int64_t>>& amounts() const { return amounts_; }

  void Find(const VictimQuestion::Place& place);
  // Of Find. The time by which the newcomer fits: 0: as soon as those have gone who stop already;
  // nothing: not when all of these have ended.
  std::optional<int64_t> by;
  PlacementResult placement;

 private:
  struct End {
    int64_t at = 0;
    int32_t leaf = 0;
    size_t amounts = 0;
    friend auto operator<=>(const End&, const End&) = default;
  };
  VictimQuestion::Change MoveTo(size_t freed);

  std::vector<End> ends_;
  std::vector<std::vector<int64_t>> amounts_;
  size_t freed_ = 0;  // as the last question had it
};

}  // namespace gangplan
