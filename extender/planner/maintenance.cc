#include "extender/planner/maintenance.h"

#include <algorithm>
#include <limits>

#include "extender/planner/known_ends.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

void Maintenance::Note(NodeIndex node, int64_t begins) {
  const auto known = begins_.find(node);
  const int64_t before = known == begins_.end() ? 0 : known->second;
  if (before == begins) return;
  if (before != 0) {
    in_order_.erase({before, node});
    begins_.erase(known);
  }
  if (begins == 0) return;
  begins_.emplace(node, begins);
  in_order_.emplace(begins, node);
}

std::vector<NodeIndex> Maintenance::KeptFrom(const Group& group, bool any) const {
  std::vector<NodeIndex> nodes;
  if (in_order_.empty()) return nodes;
  const int64_t end = any ? 0 : EndOfNew(now_, group, patience_);
  const int64_t until = end == 0 ? kNever : end;
  for (const auto& [begins, node] : in_order_) {
    if (begins >= until) break;
    nodes.push_back(node);
  }
  return nodes;
}

bool Maintenance::Meets(const Group& group, absl::Time begins,
                        const std::vector<NodeIndex>& nodes) const {
  if (in_order_.empty()) return false;
  const int64_t end = EndOfNew(begins, group, patience_);
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex node) {
    const auto known = begins_.find(node);
    return known != begins_.end() && (end == 0 || known->second < end);
  });
}

// Says the same for as long as the same nodes are kept from it, whatever the time is.
std::string Maintenance::Text(const Group& group, const std::vector<NodeIndex>& nodes) const {
  const int64_t first = begins_.at(nodes.front());
  const int64_t taken = RoomTakenBy(group);
  std::string text = fmt::format("maintenance keeps it off {} node{}: ", nodes.size(),
                                 nodes.size() == 1 ? "" : "s");
  if (first == kMaintenanceUnread) {
    text += fmt::format("of some {} is no time, expected one such as 2026-12-01T06:00Z",
                        kMaintenanceWord);
  } else {
    text += fmt::format("it begins at {}{}", UtcText(absl::FromUnixSeconds(first)),
                        nodes.size() == 1 ? "" : " on the first of them");
  }
  if (taken == 0)
    return text + ", and nobody has told how long the gang runs (gangplan.io/runtime)";
  return text + fmt::format(", and the gang takes its room for {}",
                            absl::FormatDuration(absl::Seconds(taken)));
}

}  // namespace gangplan
