// Seeded choices that are the same on every machine and with every library: SplitMix64 (Steele,
// Lea, Flood: Fast splittable pseudorandom number generators). Not for secrets. One thread.
#pragma once

#include <cstdint>

namespace gangplan {

constexpr uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

class Seeded {
 public:
  explicit constexpr Seeded(uint64_t seed) : state_(seed) {}

  constexpr uint64_t Next() { return Mix(state_ += 0x9E3779B97F4A7C15ULL); }
  // From `low` to `high`, both included. REQUIRES: low <= high, and not the whole range of int64.
  constexpr int64_t Between(int64_t low, int64_t high) {
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return low + static_cast<int64_t>(Next() % count);
  }
  // True in `part` of `whole` cases. REQUIRES: whole > 0.
  constexpr bool Chance(int64_t part, int64_t whole) { return Between(0, whole - 1) < part; }

 private:
  uint64_t state_;
};

}  // namespace gangplan
