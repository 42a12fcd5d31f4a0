// How much was done, counted where it is done: what a test holds against the steps that were paid
// for it.
//
//   a table of 100 entries that is filled for 10 steps: CountWork(Work::kEntry, 100) where it is
//   filled, and a step was 20 units
//
// Nothing in the product reads it. Cost: an addition for each lump. Thread rule: each thread has
// its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gangplan::exact {

// What is done, and about how many nanoseconds one takes.
enum class Work : int64_t {
  kWord = 1,     // of a set of counts, or a sum of a plain loop
  kEntry = 2,    // of a table or a list, looked at or filled
  kCompare = 4,  // of a sort or a heap
  kReach = 12,   // what a child can take, or the room of a leaf
  kFind = 30,    // in a map, or a list that is made
};

inline constinit thread_local int64_t work_units = 0;

inline void CountWork(Work kind, int64_t times) {
  work_units += static_cast<int64_t>(kind) * times;
}
// A sort of so many.
inline void CountSort(size_t size) {
  int64_t halves = 1;
  for (size_t rest = size; rest > 1; rest /= 2) ++halves;
  CountWork(Work::kCompare, static_cast<int64_t>(size) * halves);
}

}  // namespace gangplan::exact
