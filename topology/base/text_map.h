// Maps and sets by strings that are asked with a std::string_view, without a copy.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace gangplan {

// Hash and equality for that.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    return absl::Hash<absl::string_view>{}({text.data(), text.size()});
  }
};
struct TextEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};
template <typename Value>
using TextMap = absl::flat_hash_map<std::string, Value, TextHash, TextEqual>;
using TextSet = absl::flat_hash_set<std::string, TextHash, TextEqual>;

}  // namespace gangplan
