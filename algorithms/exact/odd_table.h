// The best split of members over children that are not alike and, after them, over those that are,
// by their own level alone. Children are numbered in the order of `odd`; `used` counts the children
// in use where exactly so many have to be (it stays 0 elsewhere).
//
//   racks for 4 members each, rack=pack min=3; in the first a member stands, so it takes 3 or 4,
//   the others 0, 3 or 4: of 8 members it has 4 in each best split, of 7 it can have 3 or 4, as one
//   of the others has the rest, and both are asked of its nodes
//
// Built at once; const reads from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/field.h"

namespace gangplan::exact {

class OddTable {
 public:
  // Entries of such a table, and how often they are looked at in all.
  static int64_t Entries(const Field& field, int level, const Field::Children& children,
                         int32_t members);
  static int64_t Work(const Field& field, int level, const Field::Children& children,
                      int32_t members);
  OddTable(const Field& field, int level, const Field::Children& children, int32_t members);

  size_t odd() const { return counts_.size(); }
  int32_t used_limit() const { return used_limit_; }
  int32_t members() const { return members_; }
  // The counts that child `odd` can take, 0 among them where it may be left out, ascending.
  std::span<const int32_t> counts(size_t odd) const { return counts_[odd]; }
  // `used` when the child takes this count beside.
  int32_t Used(int32_t used, int32_t count) const {
    return counts_used_ && count > 0 ? used + 1 : used;
  }
  // How many of the alike children must be used; kAnyParts: any number.
  int32_t PartsLeft(int32_t used) const { return counts_used_ ? used_limit_ - used : kAnyParts; }
  // Whether the best split of `rest` over odd.. can give this child this count.
  bool CanBeBest(size_t odd, int32_t used, int32_t rest, int32_t count) const;
  bool Possible(size_t odd, int32_t used, int32_t rest) const {
    return At(odd, used, rest) < kImpossible;
  }
  size_t State(int32_t used, int32_t rest) const {
    return static_cast<size_t>(used) * (static_cast<size_t>(members_) + 1) +
           static_cast<size_t>(rest);
  }
  size_t states() const { return State(used_limit_, members_) + 1; }

 private:
  static constexpr int64_t kImpossible = INT64_MAX / 4;

  int64_t At(size_t odd, int32_t used, int32_t rest) const {
    return costs_[odd * states() + State(used, rest)];
  }
  void FillLast(const Field::Children& children);
  void FillOdd(size_t odd);

  bool counts_used_ = false;
  int32_t used_limit_ = 0;
  int32_t members_ = 0;
  LevelRule::Kind kind_;
  std::vector<std::vector<int32_t>> counts_;
  std::vector<int64_t> costs_;  // [odd][used][rest]
};

}  // namespace gangplan::exact
