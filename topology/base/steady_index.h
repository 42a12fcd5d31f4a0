// Small values by names that are asked for by the thousand, as a filter call asks for the nodes of
// its offer. It grows in small steps like a SteadyMap, but its tables hold names and values
// themselves, so that a name of 15 bytes is found without another look into memory; for that half
// of what the tables take is empty.
// Thread rule: const reads from any thread. A pointer dies with the next Set or Erase.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "topology/base/shares.h"
#include "topology/base/text_map.h"

namespace gangplan {

template <typename Value>
class SteadyIndex {
 public:
  // Null when there is none.
  const Value* Find(std::string_view key) const {
    const size_t hash = TextHash()(key);
    const TextMap<Value>& share = shares_[ShareOf(hash)];
    auto known = share.find(key, hash);
    return known == share.end() ? nullptr : &known->second;
  }
  // The value of the key from now on.
  void Set(std::string_view key, Value value) {
    shares_[ShareOf(TextHash()(key))].insert_or_assign(std::string(key), value);
  }
  // Nothing when there is none.
  void Erase(std::string_view key) { shares_[ShareOf(TextHash()(key))].erase(key); }

 private:
  std::array<TextMap<Value>, kShares> shares_;
};

}  // namespace gangplan
