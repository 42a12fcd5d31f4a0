#include "extender/app/needs_watch.h"

#include <set>
#include <tuple>
#include <utility>

#include "extender/app/group_turns.h"
#include "extender/planner/event_reasons.h"
#include "extender/web/advice_view.h"

namespace gangplan {

// Forgets gangs that do not wait any more.
std::optional<std::string> NeedsWatch::Next(absl::Time now) {
  // The least goes first: those of whom something may be told before those who were left open.
  std::optional<std::tuple<absl::Time, int64_t, int64_t, std::string>> next;
  std::set<std::string> waiting;
  EachGroups(planner_, [&](const std::vector<GroupReport>& reports) {
    for (const GroupReport& report : reports) {
      if (!LacksRoom(report)) continue;
      waiting.insert(report.name);
      if (now - absl::FromUnixSeconds(report.created) < kWaitsFrom) continue;
      const auto found = looks_.find(report.name);
      const Looked look = found == looks_.end() ? Looked() : found->second;
      if (now - look.at < (look.open ? kWaitsFrom : kTellEach)) continue;
      std::tuple place{look.open ? look.at : absl::InfinitePast(), -int64_t{report.priority},
                       report.created, report.name};
      if (!next || place < *next) next = std::move(place);
    }
  });
  std::erase_if(looks_, [&](const auto& one) { return !waiting.contains(one.first); });
  if (!next) return std::nullopt;
  return std::get<std::string>(*std::move(next));
}

void NeedsWatch::Look() {
  if (!cluster_.WhyNotActing(absl::ZeroDuration()).empty()) return;
  const absl::Time now = clock_.Now();
  const std::optional<std::string> name = Next(now);
  if (!name) return;
  const std::optional<Advised> advised = advisor_.Ask(*name);
  if (advised && advised->advice.later) return;  // its turn comes
  looks_[*name] = {now, !advised || advised->advice.undecided};
  if (!advised || !advised->advice.nodes || !advised->regarding) return;
  cluster_.Emit(EventNote{advised->ns, *advised->regarding, false, kGangNeedsNodes, kPlanAction,
                          NodesText(*advised->advice.nodes) + " would start it now"});
}

}  // namespace gangplan
