#include "extender/app/provisioning_notes.h"

#include <algorithm>

#include "extender/planner/event_reasons.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

using Stand = ProvisioningStep::Stand;

std::string Told(const std::string& message) {
  return message.empty() ? "no reason told" : message;
}

std::string DetailsText(const LabelSet& details) {
  std::string text;
  for (const auto& [key, value] : details)
    text += fmt::format("{}{}: {}", text.empty() ? " (" : ", ", key, value);
  return text.empty() ? text : text + ")";
}

std::string EndText(const ProvisioningStep& step) {
  const ProvisioningFacts& last = *step.last;
  const ProvisioningFacts::Condition& unbooked = last.revoked.is ? last.revoked : last.expired;
  return fmt::format("ProvisioningRequest {} {}: {}", last.name, step.why,
                     Told(last.failed.is ? last.failed.message : unbooked.message));
}

}  // namespace

std::vector<ProvisioningNote> NotesOf(absl::Time now, const ProvisioningStep& step,
                                      const std::string& waits_for) {
  std::vector<ProvisioningNote> notes;
  if (step.stand == Stand::kOpen && step.last->awaited.is) {
    notes.push_back({true, kGangNodesAwaited,
                     fmt::format("ProvisioningRequest {} is not provisioned yet: {}",
                                 step.last->name, Told(step.last->awaited.message))});
  } else if (step.stand == Stand::kProvisioned) {
    const ProvisioningFacts& last = *step.last;
    notes.push_back({false, kGangNodesProvisioned,
                     fmt::format("ProvisioningRequest {} is provisioned{}", last.name,
                                 DetailsText(last.details))});
    if (now - last.provisioned.since < kNodesFitWithin) return notes;
    notes.push_back(
        {true, kGangNodesUnfit,
         fmt::format("{} after ProvisioningRequest {} was provisioned it has no room "
                     "yet: {}",
                     absl::FormatDuration(kNodesFitWithin), last.name, Told(waits_for))});
  } else if (step.stand == Stand::kEnded) {
    const absl::Time again = std::max(now, step.again);
    notes.push_back({true, kGangNodesFailed,
                     fmt::format("{}; nodes are asked for again at {}", EndText(step),
                                 absl::FormatTime("%H:%M:%SZ", again, absl::UTCTimeZone()))});
  } else if (step.stand == Stand::kGivenUp) {
    notes.push_back({true, kGangNodesGivenUp,
                     fmt::format("{}; after {} requests no more nodes are asked for", EndText(step),
                                 step.attempt)});
  }
  return notes;
}

}  // namespace gangplan
