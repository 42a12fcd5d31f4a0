// What becomes of a request for nodes, as Events for the gang's owner. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/app/provisioning_step.h"

namespace gangplan {

// Nodes that have come may take so long until pods fit on them.
inline constexpr absl::Duration kNodesFitWithin = absl::Minutes(5);

struct ProvisioningNote {
  bool warning = false;
  const char* reason = nullptr;  // at most one of each for a request
  std::string text;
};

// `waits_for`: why the gang lacks room, in its own words.
std::vector<ProvisioningNote> NotesOf(absl::Time now, const ProvisioningStep& step,
                                      const std::string& waits_for);

}  // namespace gangplan
