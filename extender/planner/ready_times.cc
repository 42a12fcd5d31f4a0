#include "extender/planner/ready_times.h"

#include <algorithm>
#include <vector>

#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"
#include "topology/object_name.h"

namespace gangplan {

// ---- who is not ready

GroupId ReadyTimes::Keeps(std::string_view uid, const KnownPod& record) const {
  const bool runs = record.bound && !record.leaving;
  if (!runs || record.ready || record.group == 0) return 0;
  const Member* member = books_.groups.Find(record.group)->Find(uid);
  return member != nullptr && member->sound() && member->slot >= 0 ? record.group : 0;
}

void ReadyTimes::OnPod(absl::Time now, const PodFacts& pod) {
  if (!options_.on()) return;
  KnownPod* record = books_.pods.Find(pod.uid);
  if (record == nullptr) return Count(now, pod.uid, 0);
  record->ready = pod.ready;
  Judge(now, pod.uid, *record);
}

void ReadyTimes::Follow(absl::Time now) {
  for (const std::string& uid : books_.pods.TakeSeated()) {
    KnownPod* record = options_.on() ? books_.pods.Find(uid) : nullptr;
    if (record != nullptr) Judge(now, uid, *record);
  }
}

void ReadyTimes::Judge(absl::Time now, std::string_view uid, KnownPod& record) {
  const GroupId group = Keeps(uid, record);
  if (group != 0 && !unready_.contains(group))
    NoteFirst(*books_.groups.Find(group), record.was_ready);
  record.was_ready |= record.ready;
  Count(now, uid, group);
}

// The first one of its gang that is not ready, and was or not: until now all of it was, or nobody
// is left of those who were. O(members).
void ReadyTimes::NoteFirst(const Group& group, bool was_ready) {
  const auto was = [&](const auto& entry) {
    return entry.second.runs && !entry.second.over && books_.pods.At(entry.first).was_ready;
  };
  if (was_ready && group.AllBound()) was_ready_.insert(group.id());
  if (std::none_of(group.members().begin(), group.members().end(), was))
    was_ready_.erase(group.id());
}

// From now on it keeps this group waiting; 0: nobody.
void ReadyTimes::Count(absl::Time now, std::string_view uid, GroupId group) {
  auto known = counted_.find(uid);
  const bool is_gone = known != counted_.end() && (books_.groups.Find(known->second) == nullptr ||
                                                   books_.groups.Retired(known->second));
  if (is_gone) {
    Move(now, known->second);
    known = counted_.find(uid);
  }
  const GroupId before = known == counted_.end() ? 0 : known->second;
  if (before == group) return;
  if (before != 0) {
    const auto unready = unready_.find(before);
    unready->second.pods.erase(unready->second.pods.find(uid));
    if (unready->second.pods.empty()) AllReady(now, before);
    counted_.erase(known);
  }
  if (group == 0) return;
  counted_.emplace(uid, group);
  const auto [unready, first] = unready_.try_emplace(group);
  unready->second.pods.emplace(uid);
  if (!first) return;
  unready->second.since = now;
  unready->second.found = books_.pods.At(uid).found;
  due_.Set(group, now);
}

// Of each of its pods that runs the watch has shown that it was.
bool ReadyTimes::IsReady(const Group& group) const {
  const auto was = [&](const auto& entry) {
    if (!entry.second.live() || !entry.second.runs) return true;
    const KnownPod& record = books_.pods.At(entry.first);
    return record.bound && record.was_ready;
  };
  return group.AllBound() && group.bound() > 0 &&
         std::all_of(group.members().begin(), group.members().end(), was);
}

void ReadyTimes::AllReady(absl::Time now, GroupId id) {
  unready_.erase(id);
  due_.Clear(id);
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || !IsReady(*group)) return;
  was_ready_.insert(id);
  for (const std::string& name : Yielding::RestNamesOf(group->key(), group->makers())) {
    if (rests_.Of(name) == absl::InfiniteFuture()) past_.erase(name);
  }
  evictions_.CancelRestart(now, id);
}

// It was read anew: its pods are those of another group by now.
void ReadyTimes::Move(absl::Time now, GroupId gone) {
  const Unready unready = std::move(unready_.at(gone));
  unready_.erase(gone);
  due_.Clear(gone);
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

// Of one that was found running nobody knows whether all of it was ready: it has the longer time.
absl::Time ReadyTimes::DueAt(const Group& group, const Unready& unready) const {
  const bool was_ready = was_ready_.contains(group.id());
  absl::Duration patience = was_ready ? options_.repair : options_.start;
  if (unready.found && !was_ready) {
    const auto [least, most] = std::minmax(options_.start, options_.repair);
    patience = least > absl::ZeroDuration() ? most : least;
  }
  if (patience <= absl::ZeroDuration()) return absl::InfiniteFuture();
  return std::max({unready.since, unready.whole, unready.lacking, books_.sight.since()}) + patience;
}

// Of one that may grow its least number is ready.
bool ReadyTimes::HasEnough(const Group& group, const Unready& unready) const {
  const int32_t ready = group.bound() - static_cast<int32_t>(unready.pods.size());
  return group.sizing().at_least && ready >= LeastOf(group, books_.owners);
}

// Nor one that would not be planned then.
bool ReadyTimes::MayRestart(const Group& group) const {
  return books_.outbox.active() && failed_nodes_.MayAct() && !group.AnyFinished() &&
         group.stale().empty() && !books_.yielding.Spared(group.id()) &&
         evictions_.MadeAnew(group) && group.hold() == nullptr &&
         books_.named.WhyNot(group).empty();
}

// It is looked at again and again, for as long as some of it is not ready: who was whole, and was
// repaired, has its time anew.
void ReadyTimes::Look(absl::Time now, GroupId id) {
  const Group* group = books_.groups.Find(id);
  if (group == nullptr) return Move(now, id);
  Unready& unready = unready_.at(id);
  const bool whole = group->AllThereRun();
  unready.whole = whole ? std::min(unready.whole, now) : absl::InfiniteFuture();
  if (HasEnough(*group, unready)) {
    unready.lacking = absl::InfiniteFuture();
    evictions_.CancelRestart(now, id);
  } else if (group->sizing().at_least) {
    unready.lacking = std::min(unready.lacking, now);
  }
  const absl::Time at = DueAt(*group, unready);
  due_.Set(id, whole ? std::clamp(at, now + kRestartLook, now + kReadyLook) : now + kRestartLook);
  if (now < at || books_.yielding.EvictedFor(id) != nullptr) return;
  if (evictions_.Knows(id)) {  // nobody can tell whether all of it may go
    if (evictions_.CancelRestart(now, id, now - kReadyLook))
      books_.yielding.Spare(id, now + kSparedFor);
  } else if (whole && !evictions_.full() && MayRestart(*group)) {
    Restart(now, *group, unready);
  }
}

void ReadyTimes::Tick(absl::Time now) {
  if (!options_.on()) return;
  for (const auto& one : evictions_.TakeRestarted(Evictions::Cause::kNotReady)) Rest(now, one);
  EndRests(now);
  for (GroupId id : due_.TakeDue(now, kWatchedAtOnce)) Look(now, id);
  if (now < sweep_) return;
  sweep_ = now + kReadySweep;
  std::vector<GroupId> gone;
  for (const auto& [id, unready] : unready_) {
    if (books_.groups.Find(id) == nullptr) gone.push_back(id);
  }
  for (GroupId id : gone) Move(now, id);
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
  const bool one = unready.pods.size() == 1;
  std::string how;
  if (was_ready_.contains(group.id())) {
    how = fmt::format("{} not been ready for {} (repair.readyTimeout)", one ? "has" : "have",
                      absl::FormatDuration(options_.repair));
  } else {
    how = fmt::format("{} not ready within {} of its start (gang.readyTimeout)",
                      one ? "was" : "were", absl::FormatDuration(options_.start));
  }
  evictions_.Restart(
      now, group.id(), Evictions::Cause::kNotReady,
      fmt::format("gang {} of {}: {} of its pods {}: all of it is evicted, to start "
                  "anew after a while; not ready: {}",
                  group.name(), group.size(), unready.pods.size(), how, NamesOf(group, unready)));
}

// ---- what comes after that

void ReadyTimes::Rest(absl::Time now, const Evictions::Restarted& one) {
  const std::vector<std::string> names = Yielding::RestNamesOf(one.key, one.makers);
  Past past{NameInNamespace(one.key.ns, one.key.name)};
  for (const std::string& name : names) past.times = std::max(past.times, past_[name].times);
  const absl::Time until = now + SolveQueue::PauseAfter(kLeastRest, past.times++, kMostRest);
  const std::string why = fmt::format(
      "gang {} was evicted, since not all of its pods were ready in time ({} {}): it is planned "
      "again at {}",
      past.gang, past.times, past.times == 1 ? "time" : "times in a row", UtcText(until));
  for (const std::string& name : names) {
    past_[name] = past;
    rests_.Set(name, until);
    forget_.Set(name, until + kRestsForgotten);
    books_.yielding.Rest(name, why);
  }
  for (GroupId id : books_.groups.Named(past.gang)) was_ready_.erase(id);
}

void ReadyTimes::EndRests(absl::Time now) {
  std::set<std::string> gangs;
  for (const std::string& name : rests_.TakeDue(now)) {
    books_.yielding.EndRest(name);
    const auto past = past_.find(name);
    if (past != past_.end()) gangs.insert(past->second.gang);
  }
  for (const std::string& gang : gangs) {
    for (GroupId id : books_.groups.Named(gang)) plans_.AskAnew(id);
  }
  Forget(now);
}

// Not while it is there and was never ready since, however long that takes.
void ReadyTimes::Forget(absl::Time now) {
  const auto awaits = [&](GroupId id) {
    return unready_.contains(id) || !IsReady(*books_.groups.Find(id));
  };
  for (const std::string& name : forget_.TakeDue(now)) {
    const auto past = past_.find(name);
    if (past == past_.end()) continue;
    const std::vector<GroupId> groups = books_.groups.Named(past->second.gang);
    if (std::any_of(groups.begin(), groups.end(), awaits)) {
      forget_.Set(name, now + kRestsForgotten);
    } else {
      past_.erase(past);
    }
  }
}

}  // namespace gangplan
