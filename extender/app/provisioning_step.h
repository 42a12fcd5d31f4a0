// What is to be done next about the requests for nodes of one gang that lacks room, told by the
// requests that there are and by nothing else: whoever starts anew goes on where another one has
// ended. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "config/settings.h"
#include "extender/cluster/provisioning.h"

namespace gangplan {

struct ProvisioningStep {
  enum class Stand {
    kNone,         // there is none yet, or older ones go first
    kOpen,         // it is to be answered
    kProvisioned,  // and nothing has ended it since
    kEnded,        // in vain; another attempt follows after the back-off
    kGivenUp,      // likewise, and none follows
  };
  Stand stand = Stand::kNone;
  const ProvisioningFacts* last = nullptr;    // of the last attempt; null with kNone
  int attempt = 0;                            // its number
  int make = 0;                               // the attempt to be made now; 0: none
  absl::Time again = absl::InfiniteFuture();  // with kEnded: when
  std::string_view why;                       // with kEnded and kGivenUp, for people
  std::vector<const ProvisioningFacts*> remove;
};

// It was given what it asked for, and that is not over.
bool IsBooked(const ProvisioningFacts& request);

// It has waited for an answer for longer than anybody backs off, and may go on to: whoever is to
// answer it has tried, and others ask beside it.
bool IsOverdue(const ProvisioningSettings& settings, absl::Time now,
               const ProvisioningFacts& request);

// `base`: the name of what the gang asks for, without an attempt; `known`: its requests, whatever
// they ask for. Points into these.
ProvisioningStep NextStep(const ProvisioningSettings& settings, absl::Time now,
                          std::string_view base,
                          const std::vector<const ProvisioningFacts*>& known);

}  // namespace gangplan
