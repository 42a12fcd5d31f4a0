// Who has placed pods of late, as the Events of schedulers tell. Blocks; any thread, one transport
// each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "extender/kube/patience.h"

namespace gangplan {

// One pod was placed.
struct PlacedEvent {
  absl::Time at;
  std::string by;  // which of several schedulers of the name: "gangplan-HOST"
};

// Those by schedulers of this name that the server still has, by time; of more than
// kMaxPlacedEvents only so many. PermissionDenied: Events may not be listed.
absl::StatusOr<std::vector<PlacedEvent>> ReadPlacedEvents(Transport& transport,
                                                          std::string_view scheduler,
                                                          const CallTools& tools);

}  // namespace gangplan
