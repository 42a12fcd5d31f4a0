#include "algorithms/exact/count_set.h"

#include <algorithm>
#include <bit>

#include "algorithms/exact/work.h"

namespace gangplan::exact {

void CountSet::Trim() {
  const int used = limit_ % 64 + 1;
  if (used < 64) words_.back() &= (uint64_t{1} << used) - 1;
}

void CountSet::Lower(int32_t limit) {
  limit_ = limit;
  words_.resize(static_cast<size_t>(limit / 64 + 1));
  words_.shrink_to_fit();
  Trim();
}

int32_t CountSet::Next(int32_t from) const {
  if (from > limit_) return limit_ + 1;
  size_t at = static_cast<size_t>(from / 64);
  uint64_t word = words_[at] >> (from % 64) << (from % 64);
  while (word == 0 && ++at < words_.size()) word = words_[at];
  return word == 0 ? limit_ + 1 : static_cast<int32_t>(at * 64) + std::countr_zero(word);
}

CountSet::Extent CountSet::extent() const {
  Extent extent;
  CountWork(Work::kWord, std::ssize(words_));
  for (uint64_t word : words_) extent.size += std::popcount(word);
  if (Has(0)) --extent.size;
  if (extent.size == 0) return extent;
  extent.lowest = Next(1);
  size_t last = words_.size() - 1;
  while (words_[last] == 0) --last;
  extent.highest = static_cast<int32_t>(last * 64) + 63 - std::countl_zero(words_[last]);
  return extent;
}

void CountSet::AddEach(int32_t first, int32_t step, int32_t last) {
  for (int64_t count = first; count <= std::min(last, limit_); count += step)
    Add(static_cast<int32_t>(count));
}

void CountSet::AddShifted(const CountSet& other, int32_t shift) {
  if (shift > limit_) return;
  const size_t words = static_cast<size_t>(shift / 64);
  const int bits = shift % 64;
  CountWork(Work::kWord, static_cast<int64_t>(words_.size() - words));
  for (size_t i = words_.size(); i-- > words;) {  // from the top: `other` may be this set
    uint64_t word = other.words_[i - words] << bits;
    if (bits > 0 && i > words) word |= other.words_[i - words - 1] >> (64 - bits);
    words_[i] |= word;
  }
  Trim();
}

CountSet CountSet::PlusEach(int32_t first, int32_t step, int32_t last) const {
  CountSet result(limit_);
  CountWork(Work::kFind, 1);
  last = std::min(last, limit_);
  if (first > last) return result;
  result.AddShifted(*this, first);
  const int64_t terms = (last - first) / step + 1;
  for (int64_t have = 1; have < terms;) {
    const int64_t more = std::min(have, terms - have);
    result.AddShifted(result, static_cast<int32_t>(more * step));
    have += more;
  }
  return result;
}

}  // namespace gangplan::exact
