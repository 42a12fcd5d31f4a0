#include "extender/app/server_check.h"

#include <set>

#include "extender/app/rights.h"
#include "extender/kube/access_review.h"
#include "extender/kube/placed_events.h"
#include "extender/kube/pod_writes.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Back to one that was there before: a Lease may go so once; more often, both run.
constexpr int kReturnsOfOne = 1;

std::string NameOf(const Access& access) {
  return fmt::format("{}{}{}{}{} {}", access.group, access.group.empty() ? "" : "/",
                     access.resource, access.subresource.empty() ? "" : "/", access.subresource,
                     access.verb);
}

void CheckVersion(const ServerVersion& version, const Settings& settings, Findings& findings) {
  constexpr std::string_view kAbout = "version";
  const std::string text = fmt::format("Kubernetes {}.{}", version.major, version.minor);
  if (version.major != 1 || version.minor < kFirstMinor) {
    return findings.Add(Health::kFail, kAbout, text,
                        fmt::format("Kubernetes 1.{} or later", kFirstMinor));
  }
  if (version.minor < kFirstMinorThatWakesByStatus && settings.wake == WakeBy::kNominate) {
    return findings.Add(Health::kWarn, kAbout,
                        text + " does not wake a pod by a nomination: wake is nominate",
                        "wake: annotate, with the part wakes of the rights");
  }
  if (version.minor > kLastMinorTried) {
    return findings.Add(
        Health::kWarn, kAbout,
        fmt::format("{}; the latest that Gangplan is tried with is 1.{}", text, kLastMinorTried),
        "a later Gangplan, where there is one");
  }
  findings.Add(Health::kOk, kAbout, text);
}

absl::Status CheckPart(Transport& transport, const NeededPart& part, const Account& account,
                       const CallTools& tools, Findings& findings) {
  const std::string about = "rights " + part.name;
  std::vector<std::string> missing;
  for (const Access& access : part.access) {
    const absl::StatusOr<bool> may = MayDo(transport, access, account, tools);
    if (!may.ok()) return may.status();
    if (!*may) missing.push_back(NameOf(access));
  }
  if (missing.empty()) {
    findings.Add(Health::kOk, about, fmt::format("all {}", part.access.size()));
  } else {
    findings.Add(part.vital ? Health::kFail : Health::kWarn, about,
                 fmt::format("may not: {}", fmt::join(missing, ", ")),
                 fmt::format("the role of the part {} (helm upgrade, or examples/rbac.yaml); "
                             "docs/rights.md says what stops without it",
                             part.name));
  }
  return absl::OkStatus();
}

void CheckRights(Transport& transport, const Settings& settings, const Account& account,
                 const CallTools& tools, Findings& findings) {
  for (const NeededPart& part : NeededParts(settings)) {
    const absl::Status asked = CheckPart(transport, part, account, tools, findings);
    if (absl::IsPermissionDenied(asked)) {
      findings.unseen.push_back(fmt::format("rights: {}", Message(asked)));
      return;
    }
    if (!asked.ok()) {
      findings.Add(Health::kFail, "rights " + part.name, Message(asked),
                   "an API server that answers");
      return;
    }
  }
}

}  // namespace

void CheckServer(Transport& transport, const Settings& settings, const Account& account,
                 const CallTools& tools, Findings& findings) {
  VersionMemory memory;
  const absl::StatusOr<ServerVersion> version = memory.Get(transport, tools);
  if (!version.ok()) {
    return findings.Add(Health::kFail, "version", Message(version.status()),
                        "an API server that answers, and whom its credentials open");
  }
  CheckVersion(*version, settings, findings);
  CheckRights(transport, settings, account, tools, findings);
}

void CheckSchedulers(Transport& transport, const Settings& settings, const CallTools& tools,
                     Findings& findings) {
  for (const std::string& scheduler : settings.scheduler_names) {
    const std::string about = "scheduler " + scheduler;
    const absl::StatusOr<std::vector<PlacedEvent>> placed =
        ReadPlacedEvents(transport, scheduler, tools);
    if (!placed.ok()) {
      findings.unseen.push_back(fmt::format("{}: {}", about, Message(placed.status())));
      continue;
    }
    std::set<std::string> instances;
    int returns = 0;
    for (size_t i = 0; i < placed->size(); ++i) {
      const bool known = !instances.insert((*placed)[i].by).second;
      returns += known && (*placed)[i].by != (*placed)[i - 1].by;
    }
    if (returns > kReturnsOfOne) {
      findings.Add(Health::kFail, about,
                   fmt::format("{} schedulers of that name place pods in turns: {}",
                               instances.size(), SomeOf(instances)),
                   "one scheduler of a name, or one that leads (docs/replicas.md)");
    } else if (placed->empty()) {
      findings.Add(Health::kOk, about, "has placed no pod of late");
    } else {
      findings.Add(Health::kOk, about,
                   fmt::format("{} pods placed of late, by {}", placed->size(), placed->back().by));
    }
  }
}

}  // namespace gangplan
