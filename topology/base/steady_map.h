// A map by text that grows in small steps. A hash table that grows moves all that it has at once:
// with some hundred thousand entries that takes a tenth of a second, in the middle of one call.
// This is many tables, each of which has a share of the entries and grows by itself.
// Thread rule: const reads from any thread. A pointer dies with the next Make or Erase.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "topology/base/text.h"

namespace gangplan {

template <typename Value>
class SteadyMap {
 public:
  // Null when there is none.
  Value* Find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
  const Value* Find(std::string_view key) const {
    const size_t hash = TextHash()(key);
    const TextMap<Value>& share = shares_[ShareOf(hash)];
    auto known = share.find(key, hash);
    return known == share.end() ? nullptr : &known->second;
  }
  bool contains(std::string_view key) const { return Find(key) != nullptr; }
  // The value of the key, made when there is none; true: it was made.
  std::pair<Value*, bool> Make(std::string_view key) {
    const size_t hash = TextHash()(key);
    TextMap<Value>& share = shares_[ShareOf(hash)];
    if (auto known = share.find(key, hash); known != share.end()) return {&known->second, false};
    ++size_;
    return {&share[std::string(key)], true};
  }
  // Nothing when there is none.
  void Erase(std::string_view key) {
    const size_t hash = TextHash()(key);
    TextMap<Value>& share = shares_[ShareOf(hash)];
    auto known = share.find(key, hash);
    if (known == share.end()) return;
    share.erase(known);
    --size_;
  }
  size_t size() const { return size_; }

  // visit(key, value) for each entry, in no order that means anything.
  template <typename Visit>
  void VisitAll(Visit visit) const {
    for (const TextMap<Value>& share : shares_) {
      for (const auto& [key, value] : share) visit(key, value);
    }
  }

 private:
  static constexpr int kShareBits = 8;

  // The bits of the hash that the tables themselves look at last.
  static size_t ShareOf(size_t hash) { return hash >> (8 * sizeof(size_t) - kShareBits); }

  std::array<TextMap<Value>, size_t{1} << kShareBits> shares_;
  size_t size_ = 0;
};

}  // namespace gangplan
