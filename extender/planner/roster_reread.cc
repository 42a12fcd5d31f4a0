// Groups that are read anew: because levels, objects or owners say something else now. What is
// bound or on its way keeps its place; all else is let go, and the groups are read again from their
// pods' own words, as after a restart.
#include <algorithm>
#include <functional>
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

bool Roster::IsSpoiled(const Group& group) const {
  const auto& members = group.members();
  const auto runs = std::find_if(members.begin(), members.end(), [&](const auto& one) {
    return one.second.runs && !one.second.finished && books_.pods.At(one.first).facts != nullptr;
  });
  return runs != members.end() &&
         SpecOf(*books_.pods.At(runs->first).facts).kind == GroupSpec::Kind::kInvalid;
}

// It is held: it gives back what it has, and leaves the line.
void Roster::TakeHold(Group& group, bool was_held) {
  if (group.holds() > 0) {
    MakeStale(group, "it is held");
  } else if (!was_held) {
    plans_.AskAnew(group.id());
  }
}

// Those of which no Binding is open: a group keeps its slots until that is settled, they would be
// lost with it.
std::vector<GroupId> Roster::ReadyToRead() {
  std::vector<GroupId> ready;
  for (GroupId id : stale_) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr || group->In(SlotState::kPosting) == 0) ready.push_back(id);
  }
  for (GroupId id : ready) stale_.erase(id);
  return ready;
}

void Roster::ReadStale() {
  size_t begun = 0;
  for (GroupId id : ReadyToRead()) begun += BeginReread(id);
  // That was a turn's work where it is a large one: a member goes over, so that there is a new one.
  for (size_t left = begun > settings_.at_once ? 1 : settings_.at_once; !rereads_.empty();) {
    const auto next = rereads_.begin();
    left = ReadSome(next->first.second, next->second, left);
    if (!next->second.left.empty()) return;
    const auto done = rereads_.extract(next);
    EndReread(done.key().second, done.mapped());
  }
}

// Members of one that is read anew go over to it, some a turn: what they have said so far is read.
bool Roster::IsBeingMade(GroupId id) const {
  return std::any_of(rereads_.begin(), rereads_.end(),
                     [&](const auto& reread) { return reread.second.into == id; });
}

// What is bound comes first, in the order of its slots, and takes the one that it had; then the
// order of arrival. Returns how many members there are. O(members x log members).
size_t Roster::BeginReread(GroupId id) {
  const Group* group = books_.groups.Find(id);
  if (group == nullptr) return 0;
  using Turn = std::tuple<bool, int32_t, absl::Time, std::string_view, std::string_view>;
  std::vector<Turn> turns;
  turns.reserve(group->members().size());
  for (const auto& [uid, member] : group->members()) {
    const int32_t slot = member.runs ? member.slot : 0;
    turns.emplace_back(!member.runs, slot, member.seen, member.pod.name, uid);
  }
  std::sort(turns.begin(), turns.end(), std::greater<>());
  Reread reread{group->key(), group->stale(), group->past(), {}};
  reread.left.reserve(turns.size());
  for (const Turn& turn : turns) reread.left.emplace_back(std::get<4>(turn));
  rereads_.emplace(std::pair(!group->Started(), id), std::move(reread));
  plans_.Retire(id);
  return turns.size();
}

// Returns how many more it could have been.
size_t Roster::ReadSome(GroupId id, Reread& reread, size_t most) {
  for (; most > 0 && !reread.left.empty(); --most) {
    const std::string uid = std::move(reread.left.back());
    reread.left.pop_back();
    Group* group = books_.groups.Find(id);
    if (group == nullptr || group->Find(uid) == nullptr) continue;  // it has left meanwhile
    if (const std::optional<Returner> returner = TakeOut(*group, uid)) Return(*returner);
  }
  Group* again = books_.groups.FindByKey(reread.key);
  if (again == nullptr || again->id() == reread.into) return most;
  reread.into = again->id();
  again->SetPast(reread.past);
  if (!reread.left.empty() && again->state() == GroupState::kNew) again->MakeStale(reread.why);
  return most;
}

// Whatever was told to the new one before all were in it has changed nothing. It may be read anew
// itself by now, or there is more that goes over to it.
void Roster::EndReread(GroupId id, const Reread& reread) {
  if (books_.groups.Find(id) != nullptr) plans_.Erase(id);
  Group* again = books_.groups.Find(reread.into);
  if (again == nullptr || stale_.contains(reread.into) || books_.groups.Retired(reread.into))
    return;
  const bool more = std::any_of(rereads_.begin(), rereads_.end(),
                                [&](const auto& other) { return other.second.key == reread.key; });
  if (more && again->state() == GroupState::kNew) return again->MakeStale(reread.why);
  again->EndStale();
  plans_.SeatByRank(*again);
  books_.lifecycle.Fire(again->id(), GroupEvent::kMembersChanged);
  books_.lifecycle.Fire(again->id(), GroupEvent::kCapacityGained);
}

// Nothing where it runs and nobody asked to keep its words. REQUIRES: it is one of the group.
std::optional<Roster::Returner> Roster::TakeOut(Group& group, const std::string& uid) {
  const Member& member = *group.Find(uid);
  KnownPod& record = books_.pods.At(uid);
  std::optional<Returner> returner;
  if (record.facts != nullptr) {
    returner.emplace(Returner{std::move(*record.facts), member.seen,
                              books_.waker.Rejected(uid) || !member.sound()});
    if (member.slot >= 0 && group.slot(member.slot).state == SlotState::kBound) {
      // The watch may not have shown yet what a 201 has proved.
      returner->pod.node_name = books_.ledger.model().NodeName(group.slot(member.slot).node);
      for (auto& [key, value] : plans_.Annotations(group, member.slot))
        SetLabel(returner->pod.annotations, key, std::move(value));
    }
  }
  plans_.ForgetMember(uid);
  books_.waker.Forget(uid);
  group.Remove(uid);
  return returner;
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

// Its words are others now. A gang of this one pod is another group then, of which people were told
// the same so far.
void Roster::Rejoin(absl::Time now, const PodFacts& pod) {
  const GroupId id = books_.pods.At(pod.uid).group;
  const GroupKey key = books_.groups.Find(id)->key();
  const int32_t told_nice = books_.groups.Find(id)->past().told_nice;
  LeaveGroup(now, id, pod.uid, "has other words now");
  Judge(now, pod);
  Group* again = books_.groups.Find(books_.pods.At(pod.uid).group);
  const bool anew = again != nullptr && again->key() == key && books_.groups.Find(id) == nullptr;
  if (!anew) return;
  GroupPast past = again->past();
  past.told_nice = told_nice;
  again->SetPast(past);
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
    const bool stale = !books_.groups.Find(record->group)->stale().empty();
    const bool made = IsBeingMade(record->group);
    if (stale && !made) continue;
    if (made || books_.desk.AttemptOf(uid) != nullptr) {
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
