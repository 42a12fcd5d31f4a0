// Groups that are read anew: because levels, objects or owners say something else now. What is
// bound or on its way keeps its place; all else is let go, and the groups are read again from their
// pods' own words, as after a restart.
#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/roster.h"

namespace gangplan {

bool Roster::ReturnsLater(const Returner& a, const Returner& b) {
  const auto key = [](const Returner& one) {
    return std::tie(one.unbound, one.seen, one.name, one.uid);
  };
  return key(a) > key(b);
}

void Roster::MakeStale(Group& group, std::string_view why) {
  group.MakeStale(why);
  stale_.insert(group.id());
  if (!plans_.RoundIsOver()) GiveUpStale(group);
}

void Roster::GiveUpStale(Group& group) {
  plans_.Spend(kSlotWork * group.In(SlotState::kHeld));
  plans_.Release(group,
                 fmt::format("gang {}: {}, the gang is planned anew", group.name(), group.stale()));
}

void Roster::ReadStale() {
  reading_ = !DissolveStale();
  if (reading_) return;
  ReturnSome();
  if (returning()) return;
  for (const auto& [key, past] : std::exchange(past_, {})) {
    if (Group* again = books_.groups.FindByKey(key)) again->SetPast(past);
  }
}

// A group with an open Binding keeps its slots until that is settled: they would be lost with it.
// False: there are more.
bool Roster::DissolveStale() {
  for (auto next = stale_.begin(); next != stale_.end();) {
    if (plans_.RoundIsOver()) return false;
    const GroupId id = *next++;
    Group* group = books_.groups.Find(id);
    if (group != nullptr && group->In(SlotState::kHeld) > 0) {
      GiveUpStale(*group);
      if (plans_.RoundIsOver()) return false;
    }
    if (group != nullptr && group->In(SlotState::kPosting) > 0) continue;
    stale_.erase(id);
    if (group == nullptr) continue;
    Dissolve(*group);
  }
  return true;
}

void Roster::Dissolve(Group& group) {
  past_[group.key()] = group.past();
  for (const auto& [uid, member] : group.members()) {
    KnownPod& record = books_.pods.At(uid);
    record.group = 0;
    if (record.facts != nullptr) TakeOut(group, member, record);  // else nobody asked to keep them
  }
  plans_.Spend(kLeaveWork * static_cast<int64_t>(group.members().size()));
  plans_.Erase(group.id());
}

void Roster::TakeOut(const Group& group, const Member& member, KnownPod& record) {
  const std::string& uid = member.pod.uid;
  PodFacts& pod = *record.facts;
  record.reentry = {member.seen, books_.waker.Rejected(uid) || !member.sound()};
  if (member.slot >= 0 && group.slot(member.slot).state == SlotState::kBound) {
    // The watch may not have shown yet what a 201 has proved.
    pod.node_name = books_.ledger.model().NodeName(group.slot(member.slot).node);
    for (auto& [key, value] : plans_.Annotations(group, member.slot))
      SetLabel(pod.annotations, key, std::move(value));
  }
  books_.waker.Forget(uid);
  returners_.push_back({pod.node_name.empty(), member.seen, pod.name, uid});
  std::push_heap(returners_.begin(), returners_.end(), ReturnsLater);
}

// A round's work of them.
void Roster::ReturnSome() {
  while (returning()) {
    std::pop_heap(returners_.begin(), returners_.end(), ReturnsLater);
    const std::string uid = std::move(returners_.back().uid);
    returners_.pop_back();
    KnownPod* record = books_.pods.Find(uid);
    if (record == nullptr || !record->reentry) continue;  // gone, or back by itself
    Return(*record, PodFacts(std::move(*record->facts)));
    plans_.Spend(kJoinWork);
    if (plans_.RoundIsOver()) return;
  }
}

// REQUIRES: it returns. `pod`: as it is by now.
void Roster::Return(KnownPod& record, const PodFacts& pod) {
  const Reentry reentry = *std::exchange(record.reentry, std::nullopt);
  record.facts.reset();
  Judge(reentry.seen, pod);
  const Group* group = books_.groups.Find(books_.pods.At(pod.uid).group);
  const Member* member = group == nullptr ? nullptr : group->Find(pod.uid);
  if (member == nullptr) return;
  books_.waker.MarkRejected(pod.uid, reentry.waits && member->live() && pod.node_name.empty());
}

// Whose Binding was open are judged by now, when it is not any more.
void Roster::RejoinChanged(absl::Time now) {
  for (const auto& [uid, pod] : std::exchange(unbound_, {})) {
    const KnownPod* record = books_.pods.Find(uid);
    if (record != nullptr && record->group == 0 && record->node.empty()) Judge(now, pod);
  }
  for (const std::string& uid : std::exchange(changed_, {})) {
    const KnownPod* record = books_.pods.Find(uid);
    if (record == nullptr || record->group == 0 || !record->node.empty() || !record->facts)
      continue;
    if (!books_.groups.Find(record->group)->stale().empty()) continue;
    if (books_.desk.AttemptOf(uid) != nullptr) {
      changed_.insert(uid);
    } else {
      Rejoin(now, PodFacts(*record->facts));
    }
  }
}

// Who is to be asked once more, in the order of return, so many at most. True: there are more.
bool Roster::CollectUntold(const Group& group, size_t most, std::vector<std::string>& uids) const {
  std::vector<Returner> untold;
  for (const auto& [uid, member] : group.members()) {
    const auto& facts = books_.pods.At(uid).facts;
    if (group.IsUntold(member) && facts != nullptr)
      untold.push_back({facts->node_name.empty(), member.seen, facts->name, uid});
  }
  const size_t taken = std::min(most, untold.size());
  const auto end = untold.begin() + static_cast<ptrdiff_t>(taken);
  std::partial_sort(untold.begin(), end, untold.end(),
                    [](const Returner& a, const Returner& b) { return ReturnsLater(b, a); });
  std::transform(untold.begin(), end, std::back_inserter(uids),
                 [](Returner& one) { return std::move(one.uid); });
  return taken < untold.size();
}

// Where a template was forgotten, all who did not agree with it are asked once more, so many in a
// turn.
void Roster::RejudgeUntold(absl::Time now) {
  size_t left = kMaxJudgedAnew;
  for (GroupId id : plans_.TakeUntold()) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) continue;
    std::vector<std::string> uids;
    const bool more = left == 0 || CollectUntold(*group, left, uids);
    left -= uids.size();
    std::vector<std::pair<absl::Time, PodFacts>> pods;
    for (const std::string& uid : uids)
      pods.emplace_back(group->Find(uid)->seen, *books_.pods.At(uid).facts);
    for (const auto& [seen, pod] : pods) plans_.Leave(now, id, pod.uid, "is judged anew");
    for (const auto& [seen, pod] : pods) {
      KnownPod& record = books_.pods.At(pod.uid);
      record.reentry = {seen, true};  // who does not agree was told to wait
      Return(record, pod);
    }
    if (more) plans_.KeepUntold(id);
  }
}

}  // namespace gangplan
