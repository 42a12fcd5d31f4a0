// One of Sakkara's constraints: as its author writes it, and what of it is in force. Sakkara
// ignores in silence what makes no sense; here each such word is told. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

struct SakkaraConstraint {
  std::string type;
  bool hard = false;
  int64_t partitions = 0;  // 0: not written; so are the others
  int64_t min = 0;
  int64_t max = 0;
  int64_t factor = 0;
};

struct SakkaraRange {
  int64_t min = 0;
  int64_t max = 0;
  friend bool operator==(const SakkaraRange&, const SakkaraRange&) = default;
};

// What a level without a constraint has, too: a soft pack.
struct SakkaraRule {
  bool spread = false;  // else pack
  bool hard = false;
  std::optional<SakkaraRange> range;
  std::optional<int64_t> partitions;
  int64_t factor = 1;  // 1: none; in force when the rule is not hard
  bool factor_used() const { return factor > 1 && !hard; }
  friend bool operator==(const SakkaraRule&, const SakkaraRule&) = default;
};

// Spread is exactly "spread", all else is pack. A range needs both ends above 0 and min <= max,
// partitions a number above 0, a factor one above 1; hard leaves all three out. What is ignored is
// added to `notes`, each of which begins with `place`.
SakkaraRule ReadSakkaraRule(const SakkaraConstraint& written, std::string_view place,
                            std::vector<std::string>& notes);

}  // namespace gangplan
