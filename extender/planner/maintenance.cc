#include "extender/planner/maintenance.h"

#include <algorithm>
#include <utility>

#include "extender/planner/known_ends.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan {

absl::Time Maintenance::EndOf(const Group& group, absl::Time begins) const {
  if (begins == absl::InfiniteFuture()) return begins;
  const int64_t end = EndOfNew(begins, group, patience_);
  return end == 0 ? absl::InfiniteFuture() : absl::FromUnixSeconds(end);
}

std::span<const NodeIndex> Maintenance::Before(absl::Time end) const {
  if (!std::exchange(listed_, true)) {
    nodes_ = begins_.Before(absl::InfiniteFuture());
    times_.clear();
    for (const NodeIndex node : nodes_) times_.push_back(begins_.Of(node));
  }
  const auto count = std::lower_bound(times_.begin(), times_.end(), end) - times_.begin();
  return std::span(nodes_).first(static_cast<size_t>(count));
}

bool Maintenance::WantsRuntime(const Group& group) const {
  return !begins_.empty() && RoomTakenBy(group) == 0;
}

bool Maintenance::Meets(const Group& group, absl::Time begins,
                        const std::vector<NodeIndex>& nodes) const {
  if (begins_.empty()) return false;
  const absl::Time end = EndOf(group, begins);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeIndex node) { return begins_.Of(node) < end; });
}

// Says the same for as long as the same nodes are kept from it, whatever the time is.
std::string Maintenance::Text(const Group& group, const std::vector<NodeIndex>& nodes) const {
  const absl::Time first = begins_.Of(nodes.front());
  const int64_t taken = RoomTakenBy(group);
  std::string text = fmt::format("maintenance keeps it off {} node{}: ", nodes.size(),
                                 nodes.size() == 1 ? "" : "s");
  if (first == absl::FromUnixSeconds(kMaintenanceUnread)) {
    text += fmt::format("of some {} is no time, expected one such as 2026-12-01T06:00Z",
                        kMaintenanceWord);
  } else {
    text += fmt::format("it begins at {}{}", UtcText(first),
                        nodes.size() == 1 ? "" : " on the first of them");
  }
  if (taken == 0)
    return text + ", and nobody has told how long the gang runs (gangplan.io/runtime)";
  return text + fmt::format(", and the gang takes its room for {}",
                            absl::FormatDuration(absl::Seconds(taken)));
}

}  // namespace gangplan
