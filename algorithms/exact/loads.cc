#include "algorithms/exact/loads.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gangplan::exact {

Loads::Loads(const Shapes& shapes, int32_t leaf_count)
    : mixes_{Mix(shapes.all().size(), 0)}, stride_(shapes.all().size(), 0) {
  for (size_t shape = 0; shape < shapes.all().size(); ++shape) {
    if (shape == shapes.main()) continue;
    const size_t before = mixes_.size();
    stride_[shape] = static_cast<int32_t>(before);
    for (int32_t pods = 1; pods <= shapes.all()[shape].missing; ++pods) {
      for (size_t i = 0; i < before; ++i) {
        Mix more = mixes_[i];
        more[shape] = pods;
        mixes_.push_back(std::move(more));
      }
    }
  }
  for (const Mix& mix : mixes_) pods_.push_back(std::accumulate(mix.begin(), mix.end(), 0));
  for (const Mix& part : mixes_) {
    for (const Mix& load : mixes_)
      within_.push_back(std::equal(part.begin(), part.end(), load.begin(), std::less_equal<>()));
  }
  rooms_.resize(mixes_.size());
  for (int32_t load = 1; load < count(); ++load) {
    rooms_[load].reserve(leaf_count);
    for (int32_t leaf = 0; leaf < leaf_count; ++leaf)
      rooms_[load].push_back(RoomBeside(shapes, leaf, load));
  }
}

// A load fits when it does without one of its pods, and that pod beside.
int32_t Loads::RoomBeside(const Shapes& shapes, int32_t leaf, int32_t load) const {
  for (size_t shape = 0; shape < stride_.size(); ++shape) {
    if (mixes_[load][shape] == 0) continue;
    const int32_t without = load - stride_[shape];
    if (without > 0 && rooms_[without][leaf] == kNone) return kNone;
    if (shapes.Fit(leaf, shape, mixes_[without]) == 0) return kNone;
    return shapes.Fit(leaf, shapes.main(), mixes_[load]);
  }
  return kNone;
}

}  // namespace gangplan::exact
