// The few pods of other shapes beside the members of the main shape, as loads: a load says how many
// of each of those shapes a domain has. Loads are numbered from 0 (none) to the whole, digit by
// digit, so that numbers of loads that fit into another subtract as the loads do.
//
//   a leader and a writer beside workers: load 0 is none, 1 the leader, 2 the writer, 3 both; 1 is
//   within 3, and 2 is the rest; a node with 8 cores, of which a worker takes 2, the leader 1 and
//   the writer 4, has room for 3 workers beside load 1, for 2 beside 2, for 1 beside 3
//
// Invariant: a leaf's room beside a load only falls with more load. Built at once, a look at the
// room of each leaf and load; const reads from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/shapes.h"

namespace gangplan::exact {

class Loads {
 public:
  // Pods of other shapes up to which they are placed by loads: ways to spread a load over the
  // children of a domain grow with the power of their number.
  static constexpr int32_t kMostPods = 2;
  static constexpr int32_t kMostLoads = 1 << kMostPods;  // when each is of another shape

  // REQUIRES: `shapes` outlives this.
  explicit Loads(const Shapes& shapes);

  // What there are of them; beyond `most` just more than that.
  static int64_t Count(const Shapes& shapes, int64_t most);

  int32_t count() const { return static_cast<int32_t>(mixes_.size()); }
  int32_t whole() const { return count() - 1; }
  int32_t pods(int32_t load) const { return pods_[load]; }
  const Mix& mix(int32_t load) const { return mixes_[load]; }
  // Whether `part` is a part of `load`: the rest is load - part.
  bool Within(int32_t part, int32_t load) const { return within_[part * count() + load] != 0; }
  // Members of the main shape for which the leaf has room beside the load, up to those that are
  // missing; kNone: the load does not fit.
  static constexpr int32_t kNone = -1;
  int32_t Room(int32_t leaf, int32_t load) const { return rooms_[load][leaf]; }
  // The same by leaf. REQUIRES: load > 0.
  std::span<const int32_t> Rooms(int32_t load) const { return rooms_[load]; }

 private:
  std::vector<int32_t> RoomsBeside(const Shapes& shapes, int32_t load) const;

  std::vector<Mix> mixes_;  // by load
  std::vector<int32_t> pods_;
  std::vector<char> within_;                 // [part][load]
  std::vector<int32_t> stride_;              // by shape; 0: the main one
  std::vector<std::vector<int32_t>> rooms_;  // [load][leaf]; nothing for load 0
};

}  // namespace gangplan::exact
