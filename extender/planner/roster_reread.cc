// Groups that are read anew: because levels, objects or owners say something else now. What is
// bound or on its way keeps its place; all else is let go, and the groups are read again from their
// pods' own words, as after a restart.
#include <algorithm>
#include <tuple>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/roster.h"

namespace gangplan {

// A member on its way out of its group and back.
struct Roster::Returner {
  PodFacts pod;
  absl::Time seen;
  bool waits = false;  // was told to wait: only an event wakes it

  // What is bound comes first and takes the slot that it had; then the order of arrival.
  auto Turn() const {
    return std::make_tuple(pod.node_name.empty(), seen, std::string_view(pod.name),
                           std::string_view(pod.uid));
  }
  friend bool operator<(const Returner& a, const Returner& b) { return a.Turn() < b.Turn(); }
};

// What is left of groups until their pods return.
struct Roster::Dissolved {
  std::vector<Returner> pods;
  std::map<GroupKey, Group::Past> past;
};

// Words that cannot be read any more are those that were read.
void Roster::KeepFacts(KnownPod& record, const PodFacts& pod) {
  if (pod.fault.empty()) {
    record.facts = std::make_unique<PodFacts>(pod);
  } else if (record.facts != nullptr) {
    record.facts->node_name = pod.node_name;
    record.facts->phase = pod.phase;
    record.facts->terminating = pod.terminating;
  }
}

void Roster::MakeStale(Group& group, std::string_view why) {
  group.MakeStale(why);
  stale_.insert(group.id());
  plans_.Release(group, fmt::format("gang {}: {}, the gang is planned anew", group.name(), why));
}

// A group with an open Binding keeps its slots until that is settled: they would be lost with it.
void Roster::ReadStale() {
  Dissolved dissolved;
  std::vector<GroupId> ready;
  for (GroupId id : stale_) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr || group->In(SlotState::kPosting) == 0) ready.push_back(id);
  }
  for (GroupId id : ready) {
    stale_.erase(id);
    if (Group* group = books_.groups.Find(id)) Dissolve(*group, dissolved);
  }
  std::sort(dissolved.pods.begin(), dissolved.pods.end());
  for (const Returner& returner : dissolved.pods) Return(returner);
  for (const auto& [key, past] : dissolved.past) {
    if (Group* again = books_.groups.FindByKey(key)) again->SetPast(past);
  }
}

void Roster::Dissolve(Group& group, Dissolved& dissolved) {
  dissolved.past[group.key()] = group.past();
  for (const auto& [uid, member] : group.members()) {
    KnownPod& record = books_.pods.At(uid);
    record.group = 0;
    if (record.facts == nullptr) continue;  // it runs, and nobody asked to keep its words
    Returner returner{std::move(*record.facts), member.seen,
                      books_.waker.Rejected(uid) || !member.sound()};
    record.facts.reset();
    if (member.slot >= 0 && group.slot(member.slot).state == SlotState::kBound) {
      // The watch may not have shown yet what a 201 has proved.
      returner.pod.node_name = books_.ledger.model().NodeName(group.slot(member.slot).node);
      for (auto& [key, value] : plans_.Annotations(group, member.slot))
        SetLabel(returner.pod.annotations, key, std::move(value));
    }
    books_.waker.Forget(uid);
    dissolved.pods.push_back(std::move(returner));
  }
  plans_.Erase(group.id());
}

void Roster::Return(const Returner& returner) {
  Judge(returner.seen, returner.pod);
  const Group* group = books_.groups.Find(books_.pods.At(returner.pod.uid).group);
  if (group == nullptr) return;
  const Member* member = group->Find(returner.pod.uid);
  if (member == nullptr) return;
  books_.waker.MarkRejected(returner.pod.uid,
                            returner.waits && member->live() && returner.pod.node_name.empty());
}

// Whose Binding was open are judged by now, when it is not any more.
void Roster::RejoinChanged(absl::Time now) {
  for (const auto& [uid, pod] : std::exchange(unbound_, {})) {
    const KnownPod* record = books_.pods.Find(uid);
    if (record != nullptr && record->group == 0 && !record->bound) Judge(now, pod);
  }
  for (const std::string& uid : std::exchange(changed_, {})) {
    const KnownPod* record = books_.pods.Find(uid);
    if (record == nullptr || record->group == 0 || record->bound || !record->facts) continue;
    if (!books_.groups.Find(record->group)->stale().empty()) continue;
    if (books_.desk.AttemptOf(uid) != nullptr) {
      changed_.insert(uid);
    } else {
      Rejoin(now, PodFacts(*record->facts));
    }
  }
}

// Who is to be asked once more, so many at most. True: there are more. O(so many).
bool Roster::CollectUntold(const Group& group, size_t most, std::vector<Returner>& pods) const {
  for (const UnsoundMember& judged : group.unsound()) {
    if (!group.IsUntold(*group.Find(judged.uid))) return false;  // those after it were, since
    const auto& facts = books_.pods.At(judged.uid).facts;
    if (facts == nullptr) continue;
    if (pods.size() == most) return true;
    pods.push_back({*facts, judged.seen, true});  // who does not agree was told to wait
  }
  return false;
}

// Where a template was forgotten, all who did not agree with it are asked once more, so many in a
// turn.
void Roster::RejudgeUntold(absl::Time now) {
  size_t left = kMaxJudgedAnew;
  for (GroupId id : plans_.TakeUntold()) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) continue;
    std::vector<Returner> pods;
    const bool more = left == 0 || CollectUntold(*group, left, pods);
    left -= pods.size();
    for (const Returner& one : pods) plans_.Leave(now, id, one.pod.uid, "is judged anew");
    for (const Returner& one : pods) Return(one);
    if (more) plans_.KeepUntold(id);
  }
}

}  // namespace gangplan
