#include "extender/planner/restarts.h"

#include <algorithm>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

std::string KeyOf(const Group& group) { return group.name() + "/" + group.key().incarnation; }

}  // namespace

// Some of it runs, and some of what ran, or has begun together with it, has no room.
bool Restarts::Lacks(const Group& group) const {
  const bool begun = group.bound() > 0 && group.In(SlotState::kPosting) == 0;
  const bool never_whole = group.past().whole_size == 0;
  const bool lost = group.HasLost() || (never_whole && !first_member_);
  if (!begun || !lost || !group.stale().empty() || !group.WaitsForRoom()) return false;
  const Verdict& told = group.verdict();
  const bool none = told.outcome == Outcome::kWait || told.outcome == Outcome::kImpossible;
  return none && told.decided;
}

bool Restarts::MadeAnew(const Group& group) const {
  return std::all_of(group.members().begin(), group.members().end(), [&](const auto& entry) {
    return !entry.second.runs || !books_.pods.At(entry.first).owner_uid.empty();
  });
}

void Restarts::Tick(absl::Time now) {
  if (!options_.restarts || now < look_) return;
  look_ = now + kRestartLook;
  NotePast(now);
  const bool may = books_.outbox.active() && !failed_nodes_.IsOutage();
  std::map<GroupId, absl::Time> lacking;
  for (const auto& [id, group] : books_.groups.groups()) {
    const bool goes = books_.yielding.EvictedFor(id) != nullptr || evictions_.Knows(id);
    if (!may || goes || !Lacks(*group)) continue;
    const auto known = lacking_.find(id);
    lacking.emplace_hint(lacking.end(), id, known == lacking_.end() ? now : known->second);
  }
  lacking_ = std::move(lacking);
  for (const auto& [id, since] : lacking_) {
    const Group& group = *books_.groups.Find(id);
    const bool due = now >= since + options_.timeout && !books_.yielding.Spared(id);
    if (due && MadeAnew(group)) Restart(now, group);
  }
}

void Restarts::NotePast(absl::Time now) {
  for (GroupId id : evictions_.TakeRestarted()) {
    if (const Group* group = books_.groups.Find(id)) past_[KeyOf(*group)].times.push_back(now);
  }
  for (auto& [key, past] : past_) {
    std::erase_if(past.times, [&](absl::Time one) { return one + kRestartsWithin <= now; });
    past.told &= std::ssize(past.times) >= options_.retries;
  }
  std::erase_if(past_, [](const auto& entry) { return entry.second.times.empty(); });
}

void Restarts::Restart(absl::Time now, const Group& group) {
  const auto known = past_.find(KeyOf(group));
  const auto times = known == past_.end() ? 0 : std::ssize(known->second.times);
  const std::string lacks = fmt::format(
      "gang {} of {}: {} of it run, and the rest has had no room beside them for {}", group.name(),
      group.size(), group.bound(), absl::FormatDuration(options_.timeout));
  if (times >= options_.retries) {
    if (!std::exchange(known->second.told, true)) {
      Tell(group, fmt::format("{}; it waits now, since it has started anew {} of {} times within "
                              "an hour: {}",
                              lacks, times, options_.retries, group.verdict().reason));
    }
    return;
  }
  evictions_.Restart(now, group.id(),
                     fmt::format("{}: all of it is evicted, to start anew where it fits ({} of {} "
                                 "times within an hour); {}",
                                 lacks, times + 1, options_.retries, group.verdict().reason));
}

void Restarts::Tell(const Group& group, std::string note) const {
  if (!group.owner()) return;
  books_.outbox.Push(EventNote{group.key().ns, *group.owner(), true, kGangRestarted, kRestartAction,
                               std::move(note)});
}

}  // namespace gangplan
