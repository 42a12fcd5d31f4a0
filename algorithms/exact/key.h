// The goal of a placement as a few wide integers: level by level from the top, for pack the used
// domains, then the sum of their squared members (the more the better); for spread the sum of
// squares. Less is better. Keys add up over domains and compare as one long number.
//
//   rack=pack, node=pack, 8 members     racks  squares  nodes  squares
//   nodes of 4 and 4 in one rack            1      -64      2      -32     the least
//   nodes of 4, 3 and 1 in one rack         1      -64      3      -26
//   nodes of 4 and 4 in two racks           2      -32      2      -32
//   a level has 5 bits for domains and 9 for squares: all is one word
//
// Plain values.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "algorithms/exact/terms.h"
#include "topology/tree.h"

namespace gangplan::exact {

__extension__ using Word = __int128;

template <int kWords>
struct Key {
  std::array<Word, kWords> words{};

  // More than any cost.
  static Key Most() {
    Key key;
    key.words.front() = Word{1} << 126;
    return key;
  }

  Key& operator+=(const Key& other) {
    for (int i = 0; i < kWords; ++i) words[i] += other.words[i];
    return *this;
  }
  friend Key operator+(Key a, const Key& b) { return a += b; }
  friend Key operator-(Key a, const Key& b) {
    for (int i = 0; i < kWords; ++i) a.words[i] -= b.words[i];
    return a;
  }
  friend Key operator*(Key a, int32_t count) {
    for (Word& word : a.words) word *= count;
    return a;
  }
  friend bool operator==(const Key& a, const Key& b) { return a.words == b.words; }
  friend bool operator<(const Key& a, const Key& b) { return a.words < b.words; }
};

// Where in a key the numbers of each level stand.
class KeyLayout {
 public:
  KeyLayout(const Tree& tree, const std::vector<Terms>& terms, int32_t members) {
    const int most = static_cast<int>(std::bit_width(static_cast<uint32_t>(members)));
    for (int level = 0; level < tree.level_count(); ++level) {
      if (terms[level].kind == LevelRule::Kind::kAny) {
        places_.push_back({});
        continue;
      }
      const bool pack = terms[level].kind == LevelRule::Kind::kPack;
      // One bit more than the numbers have: what is added below may be negative.
      const int squares = 2 * most + 1, units = pack ? most + 1 : 0;  // the bits of each
      if (words_ == 0 || free_ < squares + units) {
        ++words_;
        free_ = 126;
      }
      Place place{words_ - 1, 0, 0, squares, units};
      if (pack) place.domain = Word{1} << (free_ - units);
      free_ -= units + squares;
      place.square = pack ? -(Word{1} << free_) : Word{1} << free_;
      places_.push_back(place);
    }
  }

  int words() const { return words_; }

  // Adds `count` domains of `level` with `members` each.
  template <int kWords>
  void Add(int level, int64_t members, int64_t count, Key<kWords>& key) const {
    const Place& place = places_[level];
    key.words[place.word] += (place.domain + place.square * (members * members)) * count;
  }
  // What it is level by level, as LevelCost has it. REQUIRES: it is a sum of what was added, for no
  // more members in any level than the layout is for.
  template <int kWords>
  std::vector<int64_t> CostsOf(Key<kWords> key) const {
    std::vector<int64_t> costs(places_.size(), 0);
    for (size_t level = places_.size(); level-- > 0;) {
      const Place& place = places_[level];
      if (place.square == 0) continue;
      Word& word = key.words[static_cast<size_t>(place.word)];
      const Word squares =
          TakeLast(word, place.square < 0 ? -place.square : place.square, place.square_bits);
      const Word domains =
          place.domain == 0 ? Word{0} : TakeLast(word, place.domain, place.domain_bits);
      costs[level] = static_cast<int64_t>(kDomainCost * domains + squares);
    }
    return costs;
  }
  // Adds so many domains of `level` with so much as the sum of their squares.
  template <int kWords>
  void AddAll(int level, int64_t domains, int64_t squares, Key<kWords>& key) const {
    const Place& place = places_[level];
    key.words[place.word] += place.domain * domains + place.square * squares;
  }

 private:
  struct Place {
    int word = 0;
    Word domain = 0;
    Word square = 0;  // less than 0: the more the better
    int square_bits = 0;
    int domain_bits = 0;
  };

  // The number in so many bits from `unit` on, which is less than 0 where the first one is set;
  // below it there is nothing.
  static Word TakeLast(Word& word, Word unit, int bits) {
    const Word half = Word{1} << (bits - 1), all = half * 2;
    const Word number = ((word / unit + half) % all + all) % all - half;
    word -= number * unit;
    return number;
  }

  std::vector<Place> places_;
  int words_ = 0;
  int free_ = 0;
};

}  // namespace gangplan::exact
