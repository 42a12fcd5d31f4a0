#include "tests/simulation/hold_ages.h"

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kHoldBound = absl::Minutes(6);

}  // namespace

void HoldAges::Check() {
  if (!service_.alive() || time_.now() < next_) return;
  next_ = time_.now() + absl::Seconds(5);
  std::map<Hold, absl::Time> now;
  for (const GroupReport& group : service_.planner().Reports()) {
    for (const GroupReport::SlotReport& slot : group.slots) {
      if (slot.state != "held" && slot.state != "posting") continue;
      const Hold hold{group.name, group.key.incarnation, slot.pod_set, slot.rank, slot.node};
      const auto known = since_.find(hold);
      const absl::Time since = known == since_.end() ? time_.now() : known->second;
      now[hold] = since;
      if (slot.state == "posting" || time_.now() < since + kHoldBound) continue;
      throw Broken(fmt::format("{}: rank {} holds {} for {} for {}", group.name, slot.rank,
                               slot.node, slot.pod.empty() ? "nobody" : slot.pod,
                               absl::FormatDuration(time_.now() - since)));
    }
  }
  since_ = std::move(now);
}

}  // namespace gangplan::simulation
