#include "extender/planner/restarts.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr absl::Duration kAsked = absl::Seconds(10);  // whether all of one may go

std::vector<int32_t> CountsOf(const Group& group) {
  std::vector<int32_t> counts;
  for (const PodSet& set : group.pod_sets().sets()) counts.push_back(set.count);
  return counts;
}

}  // namespace

void Restarts::SetOptions(absl::Time now, const RepairOptions& options) {
  options_ = options;
  if (options_.on_failure == OnFailure::kWait) lacking_.clear();  // nobody looks at them
  if (options_.on_failure != OnFailure::kRestart && asked_ != 0) {
    evictions_.Cancel(now, asked_);
    asked_ = 0;
  }
  if (options_.on_failure == OnFailure::kRelax) return;
  for (GroupId id : std::exchange(relaxed_, {})) Unrelax(id);
}

void Restarts::Unrelax(GroupId id) {
  Group* group = books_.groups.Find(id);
  if (group == nullptr || !group->relaxed()) return;
  group->SetRelaxed(false);
  plans_.AskAnew(id);
}

// It was whole, runs in part, and has no room for the rest.
bool Restarts::Lacks(const Group& group) const {
  const bool part = group.bound() > 0 && group.In(SlotState::kPosting) == 0 && group.HasLost();
  const bool relaxes = options_.on_failure == OnFailure::kRelax;
  if (!part) return false;
  const bool grows = IsJoined(group, books_.owners) || (!relaxes && group.AnyFinished());
  if (grows || !group.stale().empty() || !group.WaitsForRoom()) return false;
  const bool kept_back = group.hold() != nullptr || !books_.named.WhyNot(group).empty();
  if (!relaxes && kept_back) return false;  // it could not be planned then
  const Verdict& told = group.verdict();
  const bool none = told.outcome == Outcome::kWait || told.outcome == Outcome::kImpossible;
  return none && told.decided && group.NextRungText().empty() && !HasGrown(group);
}

// Some set of it has more members than when all of it ran.
bool Restarts::HasGrown(const Group& group) const {
  if (group.pod_sets().sets().size() < 2) return false;
  const auto whole = whole_.find(group.id());
  const std::vector<int32_t> counts = CountsOf(group);
  if (whole == whole_.end() || whole->second.size() != counts.size()) return true;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > whole->second[i]) return true;
  }
  return false;
}

// Of which nobody could tell in time whether all of it may go: its next turn comes as late as that
// of one that has only begun to lack room.
void Restarts::EndQuestion(absl::Time now) {
  if (!evictions_.Knows(asked_)) asked_ = 0;
  if (asked_ == 0 || now < asked_until_ || books_.yielding.EvictedFor(asked_) != nullptr) return;
  books_.yielding.Spare(asked_, now + kSparedFor);
  evictions_.Cancel(now, asked_);
  asked_ = 0;
}

// Since when each has lacked room, and of several pod sets how many there are when all run.
void Restarts::LookForLacking(absl::Time now) {
  std::map<GroupId, absl::Time> lacking;
  std::erase_if(whole_, [&](const auto& one) { return books_.groups.Find(one.first) == nullptr; });
  for (const auto& [id, group] : books_.groups.groups()) {
    const bool whole = group->state() == GroupState::kRunning;
    if (whole && group->pod_sets().sets().size() > 1) whole_[id] = CountsOf(*group);
    const bool goes = books_.yielding.EvictedFor(id) != nullptr || evictions_.Knows(id);
    if (goes || !Lacks(*group)) continue;
    const auto known = lacking_.find(id);
    lacking.emplace_hint(lacking.end(), id, known == lacking_.end() ? now : known->second);
  }
  lacking_ = std::move(lacking);
}

// Of those that have lacked it for too long one of the namespace after that of the last one, which
// has done so for the longest; null: none.
const Group* Restarts::Next(absl::Time now) const {
  const Group* next = nullptr;
  const auto before = [&](const Group& one, const Group& other) {
    const auto key = [&](const Group& group) {
      const std::string& ns = group.key().ns;
      return std::tuple(ns <= last_ns_, std::string_view(ns), lacking_.at(group.id()), group.id());
    };
    return key(one) < key(other);
  };
  for (const auto& [id, since] : lacking_) {
    const Group& group = *books_.groups.Find(id);
    const bool due = now >= since + options_.timeout && !books_.yielding.Spared(id);
    if (due && (next == nullptr || before(group, *next)) && evictions_.MadeAnew(group))
      next = &group;
  }
  return next;
}

void Restarts::Tick(absl::Time now) {
  if (options_.on_failure == OnFailure::kWait || now < look_) return;
  look_ = now + kRestartLook;
  NotePast(now);
  EndQuestion(now);
  if (!books_.outbox.active() || !failed_nodes_.MayAct()) return lacking_.clear();
  LookForLacking(now);
  if (options_.on_failure == OnFailure::kRelax) return Relax(now);
  if (evictions_.AnyCameOn(now - kUnheardFor)) return;  // it may leave what others lack
  const Group* next = Next(now);
  if (next == nullptr) return;
  last_ns_ = next->key().ns;
  Restart(now, *next);
}

// Who starts anew has its rules again.
void Restarts::Relax(absl::Time now) {
  for (const auto& [id, since] : lacking_) {
    Group& group = *books_.groups.Find(id);
    if (now < since + options_.timeout || group.relaxed()) continue;
    group.SetRelaxed(true);
    relaxed_.insert(id);
    Tell(
        group, kGangRelaxed,
        fmt::format("gang {} of {}: {} of it run, and the rest has had no room beside them for {}: "
                    "it may go anywhere now (repair.onFailure: relax); {}",
                    group.name(), group.size(), group.bound(),
                    absl::FormatDuration(options_.timeout), group.verdict().reason));
    plans_.AskAnew(id);
  }
  std::erase_if(relaxed_, [&](GroupId id) {
    const Group* group = books_.groups.Find(id);
    if (group != nullptr && group->Started()) return false;
    Unrelax(id);
    return true;
  });
}

void Restarts::NotePast(absl::Time now) {
  for (const auto& one : evictions_.TakeRestarted(Evictions::Cause::kNoRoom))
    past_[one.key.LastingName()].times.push_back(now);
  for (auto& [key, past] : past_) {
    std::erase_if(past.times, [&](absl::Time one) { return one + kRestartsWithin <= now; });
    past.told &= std::ssize(past.times) >= options_.retries;
  }
  std::erase_if(past_, [](const auto& entry) { return entry.second.times.empty(); });
}

void Restarts::Restart(absl::Time now, const Group& group) {
  const auto known = past_.find(group.key().LastingName());
  const auto times = known == past_.end() ? 0 : std::ssize(known->second.times);
  const std::string lacks = fmt::format(
      "gang {} of {}: {} of it run, and the rest has had no room beside them for {}", group.name(),
      group.size(), group.bound(), absl::FormatDuration(options_.timeout));
  if (times >= options_.retries) {
    if (!std::exchange(known->second.told, true)) {
      Tell(group, kGangRestarted,
           fmt::format("{}; it waits now, since it has started anew {} of {} times within "
                       "an hour: {}",
                       lacks, times, options_.retries, group.verdict().reason));
    }
    lacking_[group.id()] = now;  // others have their turn
    return;
  }
  asked_ = group.id();
  asked_until_ = now + kAsked;
  evictions_.Restart(now, group.id(), Evictions::Cause::kNoRoom,
                     fmt::format("{}: all of it is evicted, to start anew where it fits ({} of {} "
                                 "times within an hour); {}",
                                 lacks, times + 1, options_.retries, group.verdict().reason));
}

void Restarts::Tell(const Group& group, std::string_view reason, std::string note) const {
  if (!group.owner()) return;
  books_.outbox.Push(EventNote{group.key().ns, *group.owner(), true, std::string(reason),
                               kRestartAction, std::move(note)});
}

}  // namespace gangplan
