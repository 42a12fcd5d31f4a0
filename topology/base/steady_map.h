// A map by text for some hundred thousand entries: it grows in small steps, and what it takes is
// little more than its keys and values. A hash table that grows moves all that it has at once: that
// takes a tenth of a second then, in the middle of one call. This is many tables, each of which has
// a share of the entries and grows by itself. They are half empty, so they hold pointers alone: an
// entry is one piece of memory, its key behind its value.
// Thread rule: const reads from any thread. A pointer, or a key, dies with its own Erase.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "topology/base/shares.h"
#include "topology/base/text_map.h"

namespace gangplan {

template <typename Value>
class SteadyMap {
 public:
  SteadyMap() = default;
  SteadyMap(const SteadyMap& other) {
    other.VisitAll([this](std::string_view key, const Value& value) { *Make(key).first = value; });
  }
  SteadyMap(SteadyMap&& other) noexcept = default;
  SteadyMap& operator=(SteadyMap other) noexcept {
    std::swap(shares_, other.shares_);
    std::swap(size_, other.size_);
    return *this;
  }

  // Null when there is none.
  Value* Find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
  const Value* Find(std::string_view key) const {
    const Entry* entry = EntryOf(key);
    return entry == nullptr ? nullptr : &entry->value;
  }
  bool contains(std::string_view key) const { return Find(key) != nullptr; }
  // Of a value that stands in some map of this kind. O(1), without a look at the map.
  static std::string_view KeyOfValue(const Value& value) {
    return KeyOf(*reinterpret_cast<const Entry*>(&value));
  }
  // The same text, as it stands here until its Erase. REQUIRES: there is one.
  std::string_view KeptKey(std::string_view key) const { return KeyOf(*EntryOf(key)); }
  // The value of the key, made when there is none; true: it was made.
  std::pair<Value*, bool> Make(std::string_view key) {
    const size_t hash = TextHash()(key);
    Share& share = shares_[ShareOf(hash)];
    if (auto known = share.find(key, hash); known != share.end()) return {&(*known)->value, false};
    ++size_;
    return {&(*share.insert(NewEntry(key)).first)->value, true};
  }
  // Nothing when there is none.
  void Erase(std::string_view key) {
    const size_t hash = TextHash()(key);
    Share& share = shares_[ShareOf(hash)];
    auto known = share.find(key, hash);
    if (known == share.end()) return;
    share.erase(known);
    --size_;
  }
  size_t size() const { return size_; }

  // visit(key, value) for each entry, in no order that means anything.
  template <typename Visit>
  void VisitAll(Visit visit) const {
    for (const Share& share : shares_) {
      for (const EntryPtr& entry : share) visit(KeyOf(*entry), std::as_const(entry->value));
    }
  }
  // Erases each entry of which is_gone(key, value) is true.
  template <typename IsGone>
  void EraseIf(IsGone is_gone) {
    for (Share& share : shares_) {
      size_ -= absl::erase_if(
          share, [&](const EntryPtr& entry) { return is_gone(KeyOf(*entry), entry->value); });
    }
  }

 private:
  struct Entry {
    Value value = {};        // first, as KeyOfValue has it
    uint32_t key_bytes = 0;  // right behind this
  };
  struct DeleteEntry {
    void operator()(Entry* entry) const {
      entry->~Entry();
      ::operator delete(entry);
    }
  };
  using EntryPtr = std::unique_ptr<Entry, DeleteEntry>;
  static_assert(alignof(Entry) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  static std::string_view KeyOf(const Entry& entry) {
    return {reinterpret_cast<const char*>(&entry + 1), entry.key_bytes};
  }
  static EntryPtr NewEntry(std::string_view key) {
    auto* entry = ::new (::operator new(sizeof(Entry) + key.size())) Entry;
    entry->key_bytes = static_cast<uint32_t>(key.size());
    key.copy(reinterpret_cast<char*>(entry + 1), key.size());
    return EntryPtr(entry);
  }

  struct HashKey {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return TextHash()(key); }
    size_t operator()(const EntryPtr& entry) const { return TextHash()(KeyOf(*entry)); }
  };
  struct SameKey {
    using is_transparent = void;
    bool operator()(const EntryPtr& a, std::string_view key) const { return KeyOf(*a) == key; }
    bool operator()(const EntryPtr& a, const EntryPtr& b) const { return KeyOf(*a) == KeyOf(*b); }
  };
  using Share = absl::flat_hash_set<EntryPtr, HashKey, SameKey>;

  // Of an empty map the key is not even hashed: those that are mostly empty are asked of each pod.
  const Entry* EntryOf(std::string_view key) const {
    if (size_ == 0) return nullptr;
    const size_t hash = TextHash()(key);
    const Share& share = shares_[ShareOf(hash)];
    auto known = share.find(key, hash);
    return known == share.end() ? nullptr : known->get();
  }
  std::array<Share, kShares> shares_;
  size_t size_ = 0;
};

}  // namespace gangplan
