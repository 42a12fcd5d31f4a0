// What owners say of their groups: sizes and words that change while pods wait or run.
#include <algorithm>

#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/runtime.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/pin.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/roster.h"
#include "topology/object_name.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// Of a gang of at least so many, by its owner or by its pods, that runs.
int64_t JoinedTo(const Group& group, int64_t least) {
  return std::max<int64_t>(least, group.live() + group.In(SlotState::kFinished));
}

// Of a gang that runs: nobody lets go for what has succeeded.
Roster::Slots SlotsToKeep(const Group& group, const OwnerFacts& owner, int32_t least) {
  if (owner.at_least) return {JoinedTo(group, owner.size.value_or(0)), false};
  if (!owner.left || !owner.size) return {owner.size.value_or(0), true};
  return {
      std::min(*owner.size, std::max<int64_t>(*owner.left + group.In(SlotState::kFinished), least)),
      false};
}

// A gang that is only a name may have several owners, unless this one has made all of its pods so
// far, and makes as many as its members count.
bool MakesAll(const Group& group, const OwnerFacts& owner) {
  if (!group.key().incarnation.empty()) return group.key().IsOf(owner.whole().uid);
  if (group.makers().size() != 1) return false;
  int64_t told = 0;
  for (const PodSet& set : group.pod_sets().sets()) told += set.claimed() + set.gone;
  return owner.size == told;
}

// What has succeeded is not waited for, where the group is the owner's alone, or has been so far.
Roster::Slots SlotsToStart(const Group& group, const OwnerFacts& owner) {
  const bool named = group.key().incarnation.empty();
  const bool alone = !named || (group.AnyOver() && group.makers().size() == 1);
  if (!owner.left || !owner.size || !alone) return {owner.size.value_or(0), true};
  return {std::min(*owner.size, std::max<int64_t>(*owner.left, 1)), false};
}

}  // namespace

// What waits suspended starts as a whole, on the nodes of that.
GroupSpec Roster::SpecOf(const PodFacts& pod, const OwnerFacts& owner) const {
  GroupSpec spec = FindGroup(pod, &owner, true, options_);
  if (spec.kind != GroupSpec::Kind::kMember || spec.sizing.least == 0) return spec;
  spec.kind = GroupSpec::Kind::kInvalid;
  spec.misfit = Misfit::kBadWords;
  spec.problem = fmt::format("a gang of at least {} ({}): what waits suspended starts as a whole",
                             spec.sizing.least, spec.origins.size);
  return spec;
}

// By what its owner says, where that is known. `failing`: it could not be read, which keeps no pod
// that says nothing itself.
GroupSpec Roster::ReadSpec(const PodFacts& pod, const KnownPod& record, bool failing) {
  const bool known = books_.owners.Known(record.owner_key) || (failing && IsPlain(pod));
  if (known && !TellsAll(pod)) books_.owners.Need(record.owner_key);
  return FindGroup(pod, books_.owners.FactsOrWhy(record.owner_key), known, options_);
}

void Roster::OnOwner(absl::Time now, std::string_view owner_key,
                     const absl::StatusOr<OwnerFacts>& owner) {
  const OwnerBook::Read read = books_.owners.OnRead(now, owner_key, owner);
  JudgeRead(now);
  if (read.changed) OwnerChanged(now, owner_key, read);
}

// An owner that is its gang tells its age; and it may have been started by us, by this instance or
// by another one.
void Roster::TakeOwner(Group& group, const PodFacts& pod, const GroupSpec& spec) const {
  const KnownPod& record = books_.pods.At(pod.uid);
  const OwnerFacts* owner = books_.owners.Facts(record.owner_key);
  if (owner == nullptr || !spec.key.IsOf(owner->whole().uid)) return;
  if (owner->part_of) books_.groups.SetOwner(group, *owner->part_of);
  group.NoteCreated(owner->created);
  const bool whole = spec.sizing.list == OwnersList::kWhole;
  for (const OwnerPodSet& set : owner->pod_sets) {
    if (!whole || !set.last || !group.AwaitsLast(set.name)) continue;
    Foretold told{*set.last, {}, 0};
    ComeTo(pod, told.pod);
    told.spec = SpecOf(told.pod, *owner);
    group.ForetellLast(told);
  }
  const bool may_be_ours = settings_.starts_jobs && group.start() == GroupStart::kByItself &&
                           FindOwnerKind(owner->ref.kind) != nullptr;
  const std::string* words =
      may_be_ours ? FindLabel(owner->annotations, kPinnedAnnotation) : nullptr;
  if (words == nullptr) return;
  group.SetStart(GroupStart::kStarted);
  group.NoteStartedWith(MembersOfPin(*words));
}

// The next run under a name goes by what its owner says then: it is read once more before that
// begins. True: the pod waits for it.
bool Roster::AwaitsNextRun(absl::Time now, const PodFacts& pod, const GroupSpec& spec) {
  KnownPod& record = books_.pods.At(pod.uid);
  if (!IsKnownByName(record.owner_key)) return false;
  const Group* before = books_.groups.RunBefore(spec, pod);
  if (before == nullptr || !books_.owners.ReadForRunAfter(record.owner_key, before->id()))
    return false;
  books_.pods.SetKin(record, Kin::kWaitsForOwner);
  books_.owners.Wait(pod);
  if (pod.gated()) LeaveUnread(now, pod);
  return true;
}

// A pod that one controller has left may be taken by another one.
void Roster::TakeController(KnownPod& record, const PodFacts& pod) {
  if (record.owner_key == OwnerKey(pod.ns, OwnerUidOf(pod))) return;
  books_.owners.DropUser(record.owner_key, pod.uid);
  record.owner_key = books_.owners.AddUser(pod);
}

void Roster::JudgeRead(absl::Time now) {
  for (const PodFacts& pod : books_.owners.TakeRead(kJoinedAtOnce)) {
    plans_.round().Spend(kJoinWork);
    const KnownPod* record = books_.pods.Find(pod.uid);
    if (record != nullptr && record->group == 0) Judge(now, pod);
    // Whose plan had bound it may have waited for it.
    const Group* group = books_.groups.FindByName(NameInNamespace(pod.ns, PlanNameOf(pod)));
    if (group != nullptr) books_.lifecycle.Fire(group->id(), GroupEvent::kCapacityGained);
  }
}

// A group that has its size from its owner and has not started has as many slots as the owner has
// use for; one of at least so many has, once it has started, as many as there are members.
void Roster::FollowOwner(absl::Time now, GroupId id) {
  Group* group = books_.groups.Find(id);
  if (group == nullptr || books_.groups.Retired(id)) return;
  const bool started = group->Started();
  FollowGone(*group);
  if (started && group->sizing().at_least) to_follow_.insert(id);
  if (!started && group->sizing().least > 0) TakeSize(*group, 0, LeastOf(*group, books_.owners));
  if (!started) FollowLeft(*group);
  if (!group->owner() || (started && group->sizing().list == OwnersList::kNone)) return;
  const OwnerFacts* owner = SizedBy(*group);
  if (!started) recheck_.SetEarlier(id, now + kOwnerRecheck);
  if (owner != nullptr) TakeSizes(*group, *owner, started ? Slots() : SlotsToStart(*group, *owner));
}

// Whose pods tell how many there are, and whose owner tells that fewer are left: when all of these
// are there nobody comes for those that have succeeded and are gone.
void Roster::FollowLeft(Group& group) {
  const Sizing& sizing = group.sizing();
  if (!group.owner() || sizing.by_owner || sizing.at_least || group.pod_sets().empty()) return;
  const OwnerFacts* owner = books_.owners.Facts(OwnerKeyOf(group));
  if (owner == nullptr || !owner->left || !MakesAll(group, *owner)) return;
  const bool all = owner->size && *owner->left < *owner->size && *owner->left == group.live();
  for (size_t i = 0; i < group.pod_sets().sets().size(); ++i) {
    const PodSet& set = group.pod_sets().sets()[i];
    const int32_t told = set.claimed() + set.gone;
    const int32_t size = all ? std::min(told, set.members) : told;
    if (size == set.claimed()) continue;
    const auto index = static_cast<int32_t>(i);
    TakeSize(group, index, size);
    if (group.pod_sets().at(index).claimed() == size) group.SetGone(index, told - size);
  }
}

// Of groups that have not begun and lack members, or are held, and of those that are kept off nodes
// for want of a word that may stand on their owner.
void Roster::RecheckOwners(absl::Time now) {
  for (GroupId id : recheck_.TakeDue(now)) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr || !group->owner() || group->AllBound()) continue;
    recheck_.Set(id, now + kOwnerRecheck);
    const bool lacks = !group->Complete() || group->hold() != nullptr;
    if ((lacks && !group->Started()) || books_.placer.WantsRuntime(*group))
      books_.owners.ReadAgain(OwnerKeyOf(*group), now);
  }
  RetryGrowth(now);
}

// Some of those that their namespaces' claims keep small: there may be room for them by now.
void Roster::RetryGrowth(absl::Time now) {
  if (now < next_growth_) return;
  next_growth_ = now + kGrowthRetry;
  const std::vector<GroupId> some = books_.groups.KeptSmall(last_grown_, kMaxGrownAtOnce);
  to_follow_.insert(some.begin(), some.end());
  last_grown_ = some.size() == kMaxGrownAtOnce ? some.back() : 0;
}

// Each takes as long as the group is large.
void Roster::FollowSizes(absl::Time now) {
  for (GroupId id : plans_.TakePutOff()) {
    to_follow_.insert(id);
    const Group* group = books_.groups.Find(id);
    if (group != nullptr && group->owner())
      books_.owners.ReadAgain(OwnerKeyOf(*group), now + kOwnerReadAfter);
  }
  for (GroupId id : std::exchange(to_follow_, {})) {
    Group* group = books_.groups.Find(id);
    const bool runs = group != nullptr && group->Started() && !books_.groups.Retired(id);
    if (!runs) FollowOwner(now, id);
    if (runs && group->sizing().least > 0)
      TakeSize(*group, 0, JoinedTo(*group, LeastOf(*group, books_.owners)));
    const auto most = runs ? MostOf(*group, books_.owners) : std::nullopt;
    if (most) group->LimitWhole(*most);
    const OwnerFacts* owner = runs && group->owner() ? SizedBy(*group) : nullptr;
    if (owner != nullptr) TakeSizes(*group, *owner, SlotsToKeep(*group, *owner, group->claimed()));
  }
}

// Null: the group has its size from its own words, or nobody knows the owner's.
const OwnerFacts* Roster::SizedBy(const Group& group) const {
  if (!group.sizing().by_owner) return nullptr;
  const OwnerFacts* owner = books_.owners.Facts(OwnerKeyOf(group));
  return owner == nullptr || (!owner->size && owner->pod_sets.empty()) ? nullptr : owner;
}

// What runs has its slots at once, so that it grows as far as its namespace may claim, and by the
// members that are there in any case; what waits has them with a plan, for which enough of it must
// exist.
void Roster::TakeSize(Group& group, int32_t index, int64_t size) {
  const int32_t now = group.pod_sets().at(index).claimed();
  const int64_t all = group.claimed() - now + size;
  if (size < 0 || all < 1 || all > kMaxGroupSize) return;
  if (group.Started()) {
    const int64_t wanted = std::max<int64_t>(size - now, 0);
    const int64_t there = group.live() + group.finished() - group.claimed();
    const int64_t more = std::max(books_.groups.Grant(group, index, wanted), there);
    if (wanted > 0) size = now + std::min(more, wanted);
  }
  if (size != now) plans_.Resize(group, index, static_cast<int32_t>(size));
}

// `slots`: of the only pod set, where the group has none of its owner's list. Of those it tells
// each by its name: there are none of what it does not tell any more, and what it tells anew is
// another pod set of a gang that runs. One that waits is read anew.
void Roster::TakeSizes(Group& group, const OwnerFacts& owner, Slots slots) {
  const std::vector<PodSet>& sets = group.pod_sets().sets();
  const OwnersList list = group.sizing().list;
  if (list == OwnersList::kNone) {
    if (!owner.size || sets.size() != 1 || slots.size < 1) return;
    if (slots.told) return TakeToldSize(group, 0, slots.size);
    group.SetGone(0, 0);  // it counts those that are over itself
    return TakeSize(group, 0, slots.size);
  }
  if (owner.pod_sets.empty()) return;
  for (const OwnerPodSet& told : owner.pod_sets) {
    const bool there = group.pod_sets().Find(told.name) >= 0;
    if (!there && list == OwnersList::kWhole && group.Started() && told.size() > 0)
      group.AppendSet(told.name);
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto told =
        std::find_if(owner.pod_sets.begin(), owner.pod_sets.end(),
                     [&](const OwnerPodSet& one) { return one.name == sets[i].name; });
    if (told == owner.pod_sets.end()) {
      TakeSize(group, static_cast<int32_t>(i), 0);
    } else {
      TakeToldSize(group, static_cast<int32_t>(i), told->size());
    }
  }
}

// More have come than were to be left when some were passed over.
void Roster::FollowGone(Group& group) {
  for (int32_t i = 0; i < static_cast<int32_t>(group.pod_sets().sets().size()); ++i) {
    const PodSet& set = group.pod_sets().at(i);
    if (set.gone > 0 && set.members > set.claimed())
      TakeToldSize(group, i, set.claimed() + set.gone);
  }
}

// Of whom it tells there, some have succeeded and are over, as far as no others have come for them.
void Roster::TakeToldSize(Group& group, int32_t index, int64_t told) {
  const PodSet& set = group.pod_sets().at(index);
  const int64_t gone = std::clamp<int64_t>(told - set.members, 0, set.gone);
  TakeSize(group, index, told - gone);
  group.SetGone(index, static_cast<int32_t>(gone));
}

// After a restart a gang that runs has the owner's full size, also where some have succeeded and
// are gone; and its pods came in any order.
void Roster::DropSpareSlots() {
  for (const auto& [id, group] : books_.groups.groups()) {
    plans_.SeatByRank(*group);
    const bool runs = group->owner() && group->Started();
    const OwnerFacts* owner = runs ? SizedBy(*group) : nullptr;
    if (owner != nullptr)
      TakeSizes(*group, *owner,
                SlotsToKeep(*group, *owner, group->live() + group->In(SlotState::kFinished)));
  }
}

// Another size is that of its group, where the group has its size from it; other words are read by
// groups that have not started, of one that has but how long it runs. What has no member yet is
// read with its first one.
void Roster::OwnerChanged(absl::Time now, std::string_view owner_key, const OwnerBook::Read& read) {
  const OwnerFacts* told = books_.owners.Facts(owner_key);
  const bool whole = told != nullptr && told->unread == Unread::kNo;
  const std::string uid = whole ? told->whole().uid : std::string(UidOf(owner_key));
  for (GroupId id : books_.groups.OfOwner(uid)) {
    FollowOwner(now, id);
    Group& group = *books_.groups.Find(id);
    const OwnerFacts* owner = read.resized && group.Started() ? SizedBy(group) : nullptr;
    if (owner != nullptr) TakeSizes(group, *owner, SlotsToKeep(group, *owner, group.claimed()));
    if (read.resized && group.AnyUnsound()) {
      group.MarkUntold();
      plans_.KeepUntold(id);
    }
    if (read.tells_more && (group.Started() || !read.other_words)) LearnRuntime(group);
    if (read.other_words && !group.Started() && !group.members().empty())
      MakeStale(group, "its owner says something else now");
  }
  ReadStale();
}

// Of a gang that runs, as far as some of it wait: one of each pod set tells.
void Roster::LearnRuntime(Group& group) {
  std::set<int32_t> told;
  bool news = false;
  for (const auto& [uid, member] : group.members()) {
    const auto& facts = books_.pods.At(uid).facts;
    const bool waits = member.sound() && !member.runs && facts != nullptr;
    if (!waits || !told.insert(member.pod_set).second) continue;
    news |= group.LearnRuntime(member.pod_set, SpecOf(*facts).room_taken);
  }
  if (news) plans_.AskAnew(group.id());
}

// Of one whose kubelet has not told when it started: it has only just been bound.
void Roster::NoteEnd(absl::Time now, const PodFacts& pod) {
  const KnownPod* record = books_.pods.Find(pod.uid);
  if (record == nullptr) return;
  // Its Binding is written, and the watch is behind that.
  if (record->ends != 0 && !record->bound && !record->leaving) return;
  const int64_t taken = record->bound ? RoomTaken(pod, books_.owners.Facts(record->owner_key)) : 0;
  int64_t started = absl::ToUnixSeconds(now);
  if (pod.run.started > 0) started = pod.run.started;
  const bool known = taken > 0 && pod.run.started == 0 && record->ends != 0;
  books_.pods.NoteEnd(pod.uid, known ? record->ends : taken == 0 ? 0 : started + taken);
  plans_.NoteEnd(*record, pod.uid);
}

}  // namespace gangplan
