// Pods per lowest-level domain of one pod set, as cases and answers spell it. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/json_cursor.h"

namespace gangplan::conformance {

struct DomainCount {
  std::vector<std::string> values;  // one a level of the assignment
  int64_t count = 0;
  friend bool operator==(const DomainCount&, const DomainCount&) = default;
};

struct Assignment {
  std::vector<std::string> levels;  // the host name alone where the topology ends in it
  std::vector<DomainCount> domains;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

// Reads {"levels": [...], "domains": [{"values": [...], "count": n}, ...]}.
Assignment ReadAssignment(const JsonCursor& json);

}  // namespace gangplan::conformance
