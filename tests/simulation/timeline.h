// The simulation's time and chance: everything that happens is an event at a moment, events of one
// moment happen in the order in which they were made, and every choice comes from one seed, or
// from bytes, the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace gangplan::simulation {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0x1234567) {}
  // The first choices are those of the bytes, two for each, then the seed tells. The bytes must
  // outlive it.
  Random(uint64_t seed, std::string_view choices) : Random(seed) { choices_ = choices; }

  uint64_t Next() {
    if (choices_.size() >= 2) {
      const auto low = static_cast<uint8_t>(choices_[0]);
      const auto high = static_cast<uint8_t>(choices_[1]);
      choices_.remove_prefix(2);
      return uint64_t{high} << 8 | low;
    }
    return FromState();
  }
  // From low to high, both included.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }
  template <typename T>
  const T& OneOf(const std::vector<T>& of) {
    return of[static_cast<size_t>(Between(0, static_cast<int64_t>(of.size()) - 1))];
  }
  bool OneIn(int64_t n) { return n > 0 && Between(1, n) == 1; }
  absl::Duration Millis(int64_t low, int64_t high) {
    return absl::Milliseconds(Between(low, high));
  }

 private:
  uint64_t FromState() {  // SplitMix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  uint64_t state_;
  std::string_view choices_;
};

class Timeline {
 public:
  absl::Time now() const { return now_; }
  void At(absl::Time when, std::function<void()> what) {
    queue_.push({std::max(when, now_), next_++, std::move(what)});
  }
  void After(absl::Duration delay, std::function<void()> what) {
    At(now_ + delay, std::move(what));
  }
  // Lets the next event happen. REQUIRES: one is left (there always is one: the ticks).
  void Step() {
    Event event = std::move(const_cast<Event&>(queue_.top()));
    queue_.pop();
    now_ = event.when;
    event.what();
  }

 private:
  struct Event {
    absl::Time when;
    int64_t order;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  int64_t next_ = 0;
  std::priority_queue<Event> queue_;
};

// A rule of the product was broken.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gangplan::simulation
