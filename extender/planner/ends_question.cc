#include "extender/planner/ends_question.h"

#include <algorithm>

namespace gangplan {

size_t EndsQuestion::AddAmounts(std::vector<int64_t> amounts) {
  amounts_.push_back(std::move(amounts));
  return amounts_.size() - 1;
}

// The first so many ends are free, and no others.
VictimQuestion::Change EndsQuestion::MoveTo(size_t freed) {
  VictimQuestion::Change change;
  const int64_t times = freed > freed_ ? 1 : -1;
  for (size_t i = std::min(freed, freed_); i < std::max(freed, freed_); ++i)
    change.push_back({ends_[i].leaf, &amounts_[ends_[i].amounts], times});
  freed_ = freed;
  return change;
}

void EndsQuestion::Find(const VictimQuestion::Place& place) {
  std::sort(ends_.begin(), ends_.end());
  std::vector<size_t> moments = {0};  // so many are gone after each
  for (size_t i = 1; i <= ends_.size(); ++i) {
    if (i == ends_.size() || ends_[i].at != ends_[i - 1].at) moments.push_back(i);
  }
  const auto fits = [&](size_t moment) {
    PlacementResult result = place(MoveTo(moments[moment]));
    const bool placed = result.outcome == Outcome::kPlaced;
    if (placed) {
      by = moment == 0 ? 0 : ends_[moments[moment] - 1].at;
      placement = std::move(result);
    }
    return placed;
  };
  size_t last = moments.size() - 1;
  if (!fits(last)) return;
  for (size_t first = 0; first < last;) {
    const size_t middle = (first + last) / 2;
    if (fits(middle)) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
}

}  // namespace gangplan
