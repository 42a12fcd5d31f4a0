#include "extender/app/settings_check.h"

#include "extender/planner/bind_times.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kAbout = "times";
// What admission gives pods that say nothing of nodes that are not ready.
constexpr absl::Duration kUsualToleration = absl::Seconds(300);

}  // namespace

void CheckSettings(const Settings& settings, Findings& findings) {
  const size_t before = findings.all.size();
  const absl::Duration bind = settings.server.bind_timeout, gather = settings.gang.gather_timeout;
  const absl::Duration held = LongestHold(bind);
  const bool holds = settings.server.verbs && settings.gang.start_when == StartWhen::kAllMembers;
  if (holds && gather > held) {
    findings.Add(Health::kWarn, kAbout,
                 fmt::format("gang.gatherTimeout is {}, but a bind call is answered after {} of "
                             "server.bindTimeout's {}: members that wait longer for the others are "
                             "sent back and come again",
                             absl::FormatDuration(gather), absl::FormatDuration(held),
                             absl::FormatDuration(bind)),
                 fmt::format("gang.gatherTimeout of at most {}, or a longer httpTimeout of the "
                             "scheduler's bind entry and the same server.bindTimeout",
                             absl::FormatDuration(held)));
  }
  if (settings.repair.after >= kUsualToleration) {
    findings.Add(
        Health::kWarn, kAbout,
        fmt::format("repair.after is {}, but Kubernetes itself evicts pods from a node that "
                    "is not ready after their tolerationSeconds, {} where they say nothing",
                    absl::FormatDuration(settings.repair.after),
                    absl::FormatDuration(kUsualToleration)),
        fmt::format("repair.after of less than {}, or 0s to leave it to Kubernetes",
                    absl::FormatDuration(kUsualToleration)));
  }
  if (findings.all.size() == before)
    findings.Add(Health::kOk, kAbout, "those of the configuration agree with each other");
}

}  // namespace gangplan
