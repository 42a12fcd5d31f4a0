#include "algorithms/exact/count_set.h"

#include <algorithm>

namespace gangplan::exact {

void CountSet::Trim() {
  const int used = limit_ % 64 + 1;
  if (used < 64) words_.back() &= (uint64_t{1} << used) - 1;
}

void CountSet::AddShifted(const CountSet& other, int32_t shift) {
  if (shift > limit_) return;
  const size_t words = static_cast<size_t>(shift / 64);
  const int bits = shift % 64;
  for (size_t i = words; i < words_.size(); ++i) {
    uint64_t word = other.words_[i - words] << bits;
    if (bits > 0 && i > words) word |= other.words_[i - words - 1] >> (64 - bits);
    words_[i] |= word;
  }
  Trim();
}

CountSet CountSet::PlusEach(int32_t first, int32_t step, int32_t last) const {
  CountSet result(limit_);
  last = std::min(last, limit_);
  if (first > last) return result;
  result.AddShifted(*this, first);
  const int64_t terms = (last - first) / step + 1;
  for (int64_t have = 1; have < terms;) {
    const int64_t more = std::min(have, terms - have);
    const CountSet before = result;
    result.AddShifted(before, static_cast<int32_t>(more * step));
    have += more;
  }
  return result;
}

}  // namespace gangplan::exact
