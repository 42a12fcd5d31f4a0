// Lists of hosts as Slurm writes them: "n[1-4,7],login", "rack[0-1]n[00-15]". Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace gangplan {

// Appends the names, in the order in which they stand. A number keeps the width of its range's
// first: [08-10] is 08, 09, 10. The error tells the part that is none; `most` names are taken, of
// more nothing is appended. O(names).
absl::Status AppendHosts(std::string_view text, size_t most, std::vector<std::string>& hosts);

}  // namespace gangplan
