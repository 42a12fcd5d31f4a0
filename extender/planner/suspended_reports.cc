// What people are told of owners that wait: by Events, and where no group tells it, by reports.
#include <algorithm>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/frontends/limits.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/suspended_owners.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kRuns =
    "its controller has not told yet that the pods of its last run are stopped";

}  // namespace

std::string SuspendedOwners::TimeText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

void SuspendedOwners::Tell(Entry& entry, std::string reason, std::string problem) {
  if (entry.problem == problem) return;
  entry.problem = problem;
  entry.invalid = reason == kGangInvalid;
  const bool warning = reason != kGangStarting;
  books_.outbox.Push(EventNote{entry.job.owner.ns, entry.job.owner.ref, warning, std::move(reason),
                               kPlanAction, std::move(problem)});
}

void SuspendedOwners::TellSuspended(Entry& entry, std::string_view why) {
  if (entry.job.check) {
    return Tell(entry, kGangSuspended,
                fmt::format("{} gives its quota back, and is planned anew when it has some: {}",
                            NameOf(entry), why));
  }
  Tell(entry, kGangSuspended,
       fmt::format("{} is suspended again by gangplan, and planned anew from {} on: {}",
                   NameOf(entry), TimeText(entry.not_before), why));
}

void SuspendedOwners::TellPause(Entry& entry, int32_t starts) {
  Tell(entry, kGangWaiting,
       fmt::format(
           "{} was started {} times and suspended again each time; it is started again from "
           "{} on. Whoever applies its manifest again and again is to leave out spec.suspend "
           "and the label {}",
           NameOf(entry), starts, TimeText(entry.not_before), kSuspendedLabel));
}

std::string SuspendedOwners::WhatIsUnplanned(const Entry& entry) {
  if (!entry.job.owner.in_order) {
    return fmt::format(
        "{} is started at once, without a plan: its pods are planned when they are there",
        NameOf(entry));
  }
  return fmt::format(
      "{} starts its Jobs one after the other and is started without a plan: each step is a gang "
      "that is planned when its pods are there",
      NameOf(entry));
}

std::string SuspendedOwners::WhyUnplanned(const Entry& entry, const Templates& read) {
  if (!entry.job.check) {
    return fmt::format("{} is started without a plan: nothing says any more that it is a gang",
                       NameOf(entry));
  }
  const std::string& why = entry.job.check->unplanned;
  if (why.empty())
    return fmt::format("{} is nothing that gangplan plans: {}", NameOf(entry), read.problem);
  return fmt::format("{} is started without a plan: {}", NameOf(entry), why);
}

// It waits for us, and no group tells of it.
bool SuspendedOwners::StandsAlone(const Entry& entry) {
  return entry.marked && entry.group == 0 &&
         (entry.state == State::kWaits || entry.state == State::kStarting);
}

std::string SuspendedOwners::WhyItWaits(const Entry& entry) {
  if (entry.problem.empty()) {
    return fmt::format("{} waits suspended for gangplan: {}", NameOf(entry),
                       entry.job.stopped ? "its turn to be planned comes" : kRuns);
  }
  return entry.job.stopped ? entry.problem : fmt::format("{}; {}", entry.problem, kRuns);
}

std::string SuspendedOwners::WhyHeld(GroupId group) const {
  const auto it = by_group_.find(group);
  if (it == by_group_.end()) return {};
  const Entry& entry = entries_.at(it->second);
  if (entry.state != State::kWaits || entry.job.MayStart()) return {};
  return fmt::format("room is held for {}; {}", NameOf(entry),
                     entry.job.stopped ? "its Jobs are not all there yet" : kRuns);
}

GroupReport SuspendedOwners::Describe(const Entry& entry) {
  const OwnerFacts& owner = entry.job.owner;
  GroupReport report;
  report.key = {owner.ref.kind, owner.ns, owner.ref.name, owner.ref.uid};
  report.name = entry.place.name;
  report.created = owner.created;
  report.state = entry.problem.empty() ? GroupState::kNew : GroupState::kBlocked;
  report.road = Road::kSuspended;
  report.priority = static_cast<int32_t>(-entry.place.priority);
  report.place = "not planned yet";
  int64_t size = owner.size.value_or(0);
  for (const OwnerPodSet& set : owner.pod_sets) size += size <= kMaxGroupSize ? set.size() : 0;
  report.size = static_cast<int32_t>(std::clamp<int64_t>(size, 0, kMaxGroupSize));
  report.outcome = entry.invalid ? Outcome::kInvalid : Outcome::kWait;
  report.reason = entry.state == State::kStarting ? entry.problem : WhyItWaits(entry);
  return report;
}

std::vector<GroupReport> SuspendedOwners::List(std::string& after, size_t most) const {
  std::vector<GroupReport> reports;
  auto next = entries_.upper_bound(after);
  for (; next != entries_.end() && most > 0; ++next, --most) {
    after = next->first;
    if (StandsAlone(next->second)) reports.push_back(Describe(next->second));
  }
  if (next == entries_.end()) after.clear();
  return reports;
}

std::optional<GroupReport> SuspendedOwners::Report(std::string_view name) const {
  const auto named = by_name_.find(name);
  if (named == by_name_.end()) return std::nullopt;
  for (const std::string& uid : named->second) {
    const Entry& entry = entries_.at(uid);
    if (StandsAlone(entry)) return Describe(entry);
  }
  return std::nullopt;
}

}  // namespace gangplan
