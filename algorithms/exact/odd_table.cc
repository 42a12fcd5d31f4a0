#include "algorithms/exact/odd_table.h"

#include <algorithm>

#include "algorithms/exact/work.h"

namespace gangplan::exact {

namespace {

int64_t StatesOf(const Field& field, int level, int32_t members) {
  return (int64_t{field.terms(level + 1).parts} + 1) * (members + 1);
}

}  // namespace

int64_t OddTable::Entries(const Field& field, int level, const Field::Children& children,
                          int32_t members) {
  return StatesOf(field, level, members) * static_cast<int64_t>(children.odd.size() + 1);
}

int64_t OddTable::Work(const Field& field, int level, const Field::Children& children,
                       int32_t members) {
  const int64_t states = StatesOf(field, level, members);
  int64_t work = states * static_cast<int64_t>(children.alike.siblings.most.size() + 1);
  for (int32_t child : children.odd) {
    const Reach reach = field.reach(level + 1, child);
    work += states * ((std::min(reach.hi, members) - reach.lo) / reach.step + 2);
  }
  return work;
}

OddTable::OddTable(const Field& field, int level, const Field::Children& children, int32_t members)
    : counts_used_(field.terms(level + 1).parts > 0),
      used_limit_(field.terms(level + 1).parts),
      members_(members),
      kind_(field.terms(level + 1).kind) {
  for (int32_t child : children.odd) {
    const Reach reach = field.reach(level + 1, child);
    std::vector<int32_t>& counts = counts_.emplace_back();
    if (reach.zero) counts.push_back(0);
    CountWork(Work::kEntry, (std::min(reach.hi, members) - reach.lo) / reach.step);
    for (int32_t count = reach.lo; count <= std::min(reach.hi, members); count += reach.step)
      if (field.Has(reach, count)) counts.push_back(count);
  }
  costs_.assign((odd() + 1) * states(), kImpossible);
  CountWork(Work::kWord, std::ssize(costs_));
  FillLast(children);
  for (size_t i = odd(); i-- > 0;) FillOdd(i);
}

void OddTable::FillLast(const Field::Children& children) {
  std::vector<Run> split;
  for (int32_t used = 0; used <= used_limit_; ++used) {
    for (int32_t rest = 0; rest <= members_; rest += children.alike.siblings.step) {
      if (!BestSplit(children.alike.siblings, kind_, PartsLeft(used), rest, split)) continue;
      int64_t cost = 0;
      for (const Run& run : split) cost += LevelCost(kind_, run.value) * run.count;
      costs_[odd() * states() + State(used, rest)] = cost;
    }
  }
}

void OddTable::FillOdd(size_t odd) {
  for (int32_t used = 0; used <= used_limit_; ++used) {
    for (int32_t count : counts_[odd]) {
      if (Used(used, count) > used_limit_) continue;
      const int64_t own = LevelCost(kind_, count);
      const int64_t* next = &costs_[(odd + 1) * states() + State(Used(used, count), 0)];
      int64_t* here = &costs_[odd * states() + State(used, count)];
      const int32_t rests = members_ - count + 1;
      CountWork(Work::kWord, rests);
      for (int32_t rest = 0; rest < rests; ++rest)
        here[rest] = std::min(here[rest], own + next[rest]);
    }
  }
}

bool OddTable::CanBeBest(size_t odd, int32_t used, int32_t rest, int32_t count) const {
  if (count > rest || Used(used, count) > used_limit_ || !Possible(odd, used, rest)) return false;
  const int64_t next = At(odd + 1, Used(used, count), rest - count);
  return next < kImpossible && LevelCost(kind_, count) + next == At(odd, used, rest);
}

}  // namespace gangplan::exact
