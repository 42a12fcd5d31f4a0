#include "extender/planner/ready_times.h"

#include <algorithm>
#include <vector>

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

}  // namespace

// ---- who is not ready

GroupId ReadyTimes::Keeps(const PodFacts& pod, const KnownPod& record) const {
  const bool runs = record.bound && !record.leaving;
  return runs && !pod.ready ? record.group : 0;
}

void ReadyTimes::OnPod(absl::Time now, const PodFacts& pod) {
  if (!options_.on()) return;
  KnownPod* record = books_.pods.Find(pod.uid);
  if (record == nullptr) return Count(now, pod.uid, 0);
  const GroupId group = Keeps(pod, *record);
  // Of a gang that was found running: until now all of it was.
  if (group != 0 && record->was_ready && !unready_.contains(group)) was_ready_.insert(group);
  record->was_ready |= pod.ready;
  Count(now, pod.uid, group);
}

// From now on it keeps this group waiting; 0: nobody.
void ReadyTimes::Count(absl::Time now, std::string_view uid, GroupId group) {
  const auto known = counted_.find(uid);
  const GroupId before = known == counted_.end() ? 0 : known->second;
  if (before == group) return;
  if (before != 0) {
    const auto unready = unready_.find(before);
    unready->second.pods.erase(unready->second.pods.find(uid));
    if (unready->second.pods.empty()) AllReady(before);
    counted_.erase(known);
  }
  if (group == 0) return;
  counted_.emplace(uid, group);
  const auto [unready, first] = unready_.try_emplace(group, Unready{{}, now});
  unready->second.pods.emplace(uid);
  if (first) due_.Set(group, now);
}

void ReadyTimes::AllReady(GroupId id) {
  unready_.erase(id);
  due_.Clear(id);
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || !group->AllBound() || group->bound() == 0) return;
  was_ready_.insert(id);
  past_.erase(group->key().LastingName());
  if (books_.yielding.EvictedFor(id) == nullptr) evictions_.CancelRestart(id);
}

// It was read anew: its pods are those of another group by now.
void ReadyTimes::Move(absl::Time now, GroupId gone) {
  const Unready unready = std::move(unready_.at(gone));
  unready_.erase(gone);
  for (const std::string& uid : unready.pods) counted_.erase(uid);
  for (const std::string& uid : unready.pods) {
    const KnownPod* record = books_.pods.Find(uid);
    const bool runs = record != nullptr && record->bound && !record->leaving;
    const GroupId heir = runs ? record->group : 0;
    Count(now, uid, heir);
    if (heir == 0) continue;
    unready_.at(heir).since = std::min(unready_.at(heir).since, unready.since);
    if (was_ready_.contains(gone)) was_ready_.insert(heir);
  }
}

// ---- who is so for too long

absl::Time ReadyTimes::DueAt(const Group& group, absl::Time since) const {
  const bool was_ready = was_ready_.contains(group.id());
  const absl::Duration patience = was_ready ? options_.repair : options_.start;
  if (patience <= absl::ZeroDuration()) return absl::InfiniteFuture();
  return std::max(since, group.whole().value_or(since)) + patience;
}

bool ReadyTimes::MayRestart(const Group& group) const {
  return books_.outbox.active() && !failed_nodes_.IsOutage() && !group.sizing().at_least &&
         group.finished() == 0 && group.stale().empty() && !books_.yielding.Spared(group.id()) &&
         evictions_.MadeAnew(group);
}

// Whoever is due is looked at again, for as long as some of it is not ready.
void ReadyTimes::Look(absl::Time now, GroupId id) {
  const Group* group = books_.groups.Find(id);
  if (group == nullptr) return Move(now, id);
  const Unready& unready = unready_.at(id);
  const absl::Time at = DueAt(*group, unready.since);
  due_.Set(id, std::max(at, now + kReadyLook));
  if (now < at || books_.yielding.EvictedFor(id) != nullptr) return;
  if (evictions_.Knows(id)) {  // nobody could tell in time whether all of it may go
    if (!evictions_.CancelRestart(id)) return;
    books_.yielding.Spare(id, now + kSparedFor);
  } else if (group->state() == GroupState::kRunning && MayRestart(*group)) {
    Restart(now, *group, unready);
  }
}

void ReadyTimes::Tick(absl::Time now) {
  if (!options_.on()) return;
  for (const GroupKey& key : evictions_.TakeRestarted(Evictions::Cause::kNotReady)) Rest(now, key);
  EndRests(now);
  for (GroupId id : due_.TakeDue(now, kWatchedAtOnce)) Look(now, id);
  if (now < sweep_) return;
  sweep_ = now + kReadySweep;
  std::erase_if(was_ready_, [&](GroupId id) { return books_.groups.Find(id) == nullptr; });
}

// The first ones by name, with their nodes.
std::string ReadyTimes::NamesOf(const Group& group, const Unready& unready) const {
  std::vector<std::string> names;
  for (const std::string& uid : unready.pods) {
    const Member* member = group.Find(uid);
    if (member == nullptr || member->slot < 0) continue;
    const NodeIndex node = group.slot(member->slot).node;
    names.push_back(
        fmt::format("{} on {}", member->pod.name, books_.ledger.model().NodeName(node)));
  }
  std::sort(names.begin(), names.end());
  const bool more = names.size() > kToldUnready;
  if (more) names.resize(kToldUnready);
  return fmt::format("{}{}", fmt::join(names, ", "), more ? " and others" : "");
}

void ReadyTimes::Restart(absl::Time now, const Group& group, const Unready& unready) {
  const bool was_ready = was_ready_.contains(group.id());
  evictions_.Restart(
      now, group.id(), Evictions::Cause::kNotReady,
      fmt::format(
          "gang {} of {}: {} of its pods {} ready {} ({}): all of it is evicted, to start "
          "anew after a while; not ready: {}",
          group.name(), group.size(), unready.pods.size(), was_ready ? "have not been" : "were not",
          was_ready ? fmt::format("for {}", absl::FormatDuration(options_.repair))
                    : fmt::format("within {} of its start", absl::FormatDuration(options_.start)),
          was_ready ? "repair.readyTimeout" : "gang.readyTimeout", NamesOf(group, unready)));
}

// ---- what comes after that

void ReadyTimes::Rest(absl::Time now, const GroupKey& key) {
  const std::string name = key.LastingName();
  Past& past = past_[name];
  past.gang = NameInNamespace(key.ns, key.name);
  absl::Duration pause = kLeastRest;
  for (int32_t time = 0; time < past.times && pause < kMostRest; ++time) pause *= 2;
  pause = std::min(pause, kMostRest);
  ++past.times;
  const absl::Time until = now + pause;
  rests_.Set(name, until);
  forget_.Set(name, until + kRestsForgotten);
  for (GroupId id : books_.groups.Named(past.gang)) was_ready_.erase(id);
  books_.yielding.Rest(
      key, fmt::format("gang {} was evicted, since not all of its pods were ready in time ({} "
                       "{}): it is planned again at {}",
                       past.gang, past.times, past.times == 1 ? "time" : "times in a row",
                       TimeText(until)));
}

void ReadyTimes::EndRests(absl::Time now) {
  for (const std::string& name : rests_.TakeDue(now)) {
    books_.yielding.EndRest(name);
    const auto past = past_.find(name);
    if (past == past_.end()) continue;
    for (GroupId id : books_.groups.Named(past->second.gang)) plans_.AskAnew(id);
  }
  for (const std::string& name : forget_.TakeDue(now)) past_.erase(name);
}

}  // namespace gangplan
