// Random choices from a seed, the same on every machine and library. One thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gangplan::random_tas {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}

  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(bound));
  }
  int64_t Between(int64_t least, int64_t most) { return least + Below(most - least + 1); }
  bool OneIn(int64_t n) { return Below(n) == 0; }

  template <typename T>
  const T& OneOf(const std::vector<T>& choices) {
    return choices[Below(static_cast<int64_t>(choices.size()))];
  }
  std::string OneWord(const std::vector<std::string>& words) { return OneOf(words); }

  template <typename T>
  void Shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[Below(static_cast<int64_t>(i))]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace gangplan::random_tas
