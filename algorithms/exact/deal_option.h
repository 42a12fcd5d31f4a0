// What a child can take when values and a load are dealt out.
//
//   values 8 (index 0) and 0 (index 1), a leader: a child with room for 8, the leader among them or
//   not, has the options {0, part 0}, {0, part 1} and {1, part 0}
//
// Pure data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gangplan::exact {

template <typename KeyOf>
struct DealOption {
  size_t value = 0;  // by index
  int32_t part = 0;
  int32_t child = 0;     // as the caller names it
  bool used = false;     // in some deal
  bool asked = false;    // the caller's: else it costs no less than the key
  bool nearest = false;  // the caller's: nothing nearer to what it costs is known
  KeyOf key;
};

}  // namespace gangplan::exact
