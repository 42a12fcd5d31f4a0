#include "algorithms/exact/loads.h"

#include <algorithm>
#include <functional>

#include "topology/fit_counts.h"

namespace gangplan::exact {

Loads::Loads(const Shapes& shapes)
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
  for (const Mix& mix : mixes_) pods_.push_back(PodsIn(mix));
  for (const Mix& part : mixes_) {
    for (const Mix& load : mixes_)
      within_.push_back(std::equal(part.begin(), part.end(), load.begin(), std::less_equal<>()));
  }
  rooms_.resize(mixes_.size());
  for (int32_t load = 1; load < count(); ++load) rooms_[load] = RoomsBeside(shapes, load);
}

int64_t Loads::Count(const Shapes& shapes, int64_t most) {
  int64_t loads = 1;
  for (size_t shape = 0; shape < shapes.all().size() && loads <= most; ++shape)
    if (shape != shapes.main()) loads *= shapes.all()[shape].missing + 1;
  return loads;
}

// A load fits when it does without one of its pods, and that pod beside.
std::vector<int32_t> Loads::RoomsBeside(const Shapes& shapes, int32_t load) const {
  size_t shape = 0;
  while (mixes_[load][shape] == 0) ++shape;
  const int32_t without = load - stride_[shape];
  std::vector<int32_t> rooms = shapes.FitEach(shapes.main(), mixes_[load]);
  if (mixes_[load][shape] == pods_[load]) {  // of one shape: so many fit as its counts say
    const std::vector<int32_t>& fit = shapes.counts(shape).levels.back();
    const int32_t pods = pods_[load];
    for (size_t leaf = 0; leaf < rooms.size(); ++leaf)
      rooms[leaf] = fit[leaf] < pods ? kNone : rooms[leaf];
    for (const int32_t leaf : shapes.standing())
      if (shapes.Fit(leaf, shape, mixes_[without]) == 0) rooms[leaf] = kNone;
    return rooms;
  }
  const std::vector<int32_t> fits = shapes.FitEach(shape, mixes_[without]);
  for (size_t leaf = 0; leaf < rooms.size(); ++leaf)
    if (fits[leaf] == 0 || rooms_[without][leaf] == kNone) rooms[leaf] = kNone;
  return rooms;
}

}  // namespace gangplan::exact
