// A short text of what is said, the same on every machine and in every run (FNV-1a, 64 bits): for
// what nobody gains by making two of one digest. Each part is told apart from the next.
//
// Thread rule: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "topology/node_filter.h"

namespace gangplan {

class Digest {
 public:
  void Step(uint8_t byte) { sum_ = (sum_ ^ byte) * 0x100000001b3; }
  void Bytes(std::string_view bytes) {
    for (const char letter : bytes) Step(static_cast<uint8_t>(letter));
  }
  void Add(std::string_view text) {
    Bytes(text);
    Step(0);
  }
  void Add(const std::vector<SelectorRequirement>& requirements) {
    for (const SelectorRequirement& one : requirements) {
      Add(one.key);
      Step(static_cast<uint8_t>(one.op));
      for (const std::string& value : one.values) Add(value);
      Step(1);
    }
    Step(2);
  }
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace gangplan
