#include "tests/simulation/hold_ages.h"

#include <set>

#include "fmt/format.h"

namespace gangplan::simulation {
namespace {

constexpr absl::Duration kHoldBound = absl::Minutes(6);
constexpr absl::Duration kPostingBound =
    absl::Minutes(10);  // Bindings in doubt are asked for again
constexpr size_t kMostGroups = 10'000;

}  // namespace

void HoldAges::Check() {
  if (!service_.alive() || time_.now() < next_) return;
  next_ = time_.now() + absl::Seconds(5);
  std::map<Hold, absl::Time> now;
  std::set<std::string> names;
  for (const GroupReport& group : service_.planner().List(0, kMostGroups)) names.insert(group.name);
  for (const std::string& name : names) {
    const std::optional<GroupReport> group = service_.planner().Report(name);
    for (const GroupReport::SlotReport& slot : group->slots) {
      if (slot.state != "held" && slot.state != "posting") continue;
      const Hold hold{name, group->key.incarnation, slot.pod_set, slot.rank, slot.node};
      const auto known = since_.find(hold);
      const absl::Time since = known == since_.end() ? time_.now() : known->second;
      now[hold] = since;
      const absl::Duration bound = slot.state == "posting" ? kPostingBound : kHoldBound;
      if (time_.now() < since + bound) continue;
      throw Broken(fmt::format("{}: rank {} holds {} for {} for {}", name, slot.rank, slot.node,
                               slot.pod.empty() ? "nobody" : slot.pod,
                               absl::FormatDuration(time_.now() - since)));
    }
  }
  since_ = std::move(now);
}

}  // namespace gangplan::simulation
