#include "extender/planner/owner_book.h"

#include <algorithm>

#include "extender/cluster/annotations.h"
#include "extender/frontends/find_group.h"
#include "extender/frontends/owner.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

// But for what starting and suspending a Job changes of it.
LabelSet Words(LabelSet set) {
  std::erase_if(set, [](const auto& word) {
    return word.first == kSuspendedLabel || word.first == kPinnedAnnotation ||
           word.first == kNotBeforeAnnotation;
  });
  return set;
}

// How many there are is no word.
std::vector<OwnerPodSet> Uncounted(std::vector<OwnerPodSet> sets) {
  for (OwnerPodSet& set : sets) set.jobs = set.each = 1;
  return sets;
}

bool SayTheSame(const OwnerFacts& a, const OwnerFacts& b) {
  return Words(a.labels) == Words(b.labels) && Words(a.annotations) == Words(b.annotations) &&
         Uncounted(a.pod_sets) == Uncounted(b.pod_sets) && a.in_order == b.in_order &&
         a.min_resources == b.min_resources && a.patience == b.patience && a.unmet == b.unmet &&
         a.first_index == b.first_index && a.fault == b.fault && a.leader == b.leader;
}

// A pod waits once, as bound or not. `waiting`: a map by these, const or not.
auto FindWaiting(auto& waiting, std::string_view uid) {
  const auto bound = waiting.find({false, std::string(uid)});
  return bound != waiting.end() ? bound : waiting.find({true, std::string(uid)});
}

}  // namespace

std::string_view OwnerBook::AddUser(const PodFacts& pod) {
  const std::optional<OwnerRef> ref = OwnerOf(pod);
  if (!ref) return {};
  const std::string key = OwnerKey(pod.ns, ref->uid);
  if (key.empty()) return {};
  const auto [made, fresh] = owners_.Make(key);
  Owner& owner = *made;
  const bool same = owner.ref.kind == ref->kind && owner.ref.name == ref->name;
  if (!fresh && !same) return {};  // anybody may write any UID
  ++owner.users;
  owner.ns = pod.ns;
  owner.ref = *ref;
  return owners_.KeptKey(key);
}

int32_t OwnerBook::Users(std::string_view owner_key) const {
  const Owner* owner = owners_.Find(owner_key);
  return owner == nullptr ? 0 : owner->users;
}

void OwnerBook::DropUser(std::string_view owner_key, std::string_view pod_uid) {
  Owner* owner = owners_.Find(owner_key);
  if (owner == nullptr) return;
  StopWaiting(owner_key, pod_uid);
  --owner->users;
  DropUnused(owner_key, *owner);
}

void OwnerBook::DropUnused(std::string_view owner_key, const Owner& owner) {
  if (owner.users > 0 || owner.foretold) return;
  const std::string key(owner_key);
  read_.Clear(key);
  to_judge_.erase(key);
  NoteFacts(key, *owners_.Find(key), std::nullopt);
  owners_.Erase(key);
}

void OwnerBook::NoteFacts(std::string_view owner_key, Owner& owner,
                          std::optional<OwnerFacts> facts) {
  const auto whole = [&owner](const std::optional<OwnerFacts>& one) {
    return one && one->part_of && one->unread == Unread::kNo ? OwnerKey(owner.ns, one->part_of->uid)
                                                             : std::string();
  };
  const std::string before = whole(owner.facts), after = whole(facts);
  if (before != after) {
    if (const auto parts = parts_.find(before); parts != parts_.end()) {
      parts->second.erase(std::string(owner_key));
      if (parts->second.empty()) parts_.erase(parts);
    }
    if (!after.empty()) parts_[after].insert(std::string(owner_key));
  }
  owner.facts = std::move(facts);
}

void OwnerBook::ReadPartsAgain(absl::Time now, std::string_view owner_key) {
  const auto parts = parts_.find(owner_key);
  if (parts == parts_.end()) return;
  for (const std::string& part : parts->second) ReadAgain(part, now);
}

bool OwnerBook::ReadForRunAfter(std::string_view owner_key, GroupId run) {
  Owner* owner = owners_.Find(owner_key);
  if (owner == nullptr || std::exchange(owner->after, run) == run) return false;
  owner->known = false;
  return true;
}

void OwnerBook::Expire(std::string_view owner_key) {
  if (Owner* owner = owners_.Find(owner_key)) owner->known = false;
}

void OwnerBook::Foretell(const OwnerFacts& facts) {
  const std::string key = OwnerKey(facts.ns, facts.ref.uid);
  Owner& owner = *owners_.Make(key).first;
  owner.ns = facts.ns;
  owner.ref = facts.ref;
  owner.resized |= owner.facts && owner.facts->size != facts.size;
  NoteFacts(key, owner, facts);
  owner.known = owner.foretold = owner.needed = true;
  owner.failures = 0;
}

void OwnerBook::ForgetForetold(std::string_view owner_key) {
  Owner* owner = owners_.Find(owner_key);
  if (owner == nullptr || !owner->foretold) return;
  owner->foretold = false;
  DropUnused(owner_key, *owner);
}

bool OwnerBook::Known(std::string_view owner_key) const {
  const Owner* owner = owners_.Find(owner_key);
  return owner == nullptr || owner->known;
}

bool OwnerBook::IsGone(std::string_view owner_key) const {
  const Owner* owner = owners_.Find(owner_key);
  return owner != nullptr && owner->gone;
}

void OwnerBook::NoteGone(std::string_view owner_key) {
  if (Owner* owner = owners_.Find(owner_key)) owner->gone = true;
}

const OwnerFacts* OwnerBook::Facts(std::string_view owner_key) const {
  const Owner* owner = owners_.Find(owner_key);
  if (owner != nullptr) return owner->facts ? &*owner->facts : nullptr;
  const auto parts = parts_.find(owner_key);
  return parts == parts_.end() ? nullptr : Facts(*parts->second.begin());
}

bool OwnerBook::Failing(std::string_view owner_key) const {
  const Owner* owner = owners_.Find(owner_key);
  return owner != nullptr && owner->failures > 0;
}

bool OwnerBook::Denied(std::string_view owner_key) const {
  const Owner* owner = owners_.Find(owner_key);
  return owner != nullptr && owner->denied;
}

const OwnerFacts* OwnerBook::FactsOrWhy(std::string_view owner_key) const {
  const OwnerFacts* facts = Facts(owner_key);
  const Owner* owner = facts == nullptr ? owners_.Find(owner_key) : nullptr;
  return owner == nullptr || !owner->missing ? facts : &*owner->missing;
}

void OwnerBook::CountAwaited(const PodFacts& pod, int32_t sign) {
  const std::string plan = PlanNameOf(pod);
  if (pod.node_name.empty() || pod.finished() || plan.empty()) return;
  const std::string name = NameInNamespace(pod.ns, plan);
  int32_t& count = awaited_plans_[name];
  count += sign;
  if (count > 0) return;
  awaited_plans_.erase(name);
  ended_plans_.insert(name);
}

void OwnerBook::Need(std::string_view owner_key) {
  if (Owner* owner = owners_.Find(owner_key)) owner->needed = true;
}

void OwnerBook::Wait(const PodFacts& pod) {
  const std::string key = OwnerKey(pod.ns, OwnerUidOf(pod));
  Owner& owner = *owners_.Find(key);
  StopWaiting(key, pod.uid);
  owner.needed = true;
  owner.waiting.emplace(PodKey(pod.node_name.empty(), pod.uid), pod);
  waited_for_.insert(key);
  CountAwaited(pod, 1);
  const bool due = read_.Of(key) != absl::InfiniteFuture();
  const bool settled = owner.known && owner.failures == 0;
  if (!settled && !owner.asked && !due) Ask(owner);
}

void OwnerBook::StopWaiting(std::string_view owner_key, std::string_view pod_uid) {
  Owner* owner = owners_.Find(owner_key);
  if (owner == nullptr) return;
  const auto pod = FindWaiting(owner->waiting, pod_uid);
  if (pod != owner->waiting.end()) Take(*owner, pod);
}

PodFacts OwnerBook::Take(Owner& owner, std::map<PodKey, PodFacts>::iterator pod) {
  PodFacts facts = std::move(pod->second);
  CountAwaited(facts, -1);
  owner.waiting.erase(pod);
  if (owner.waiting.empty()) waited_for_.erase(OwnerKey(owner.ns, owner.ref.uid));
  return facts;
}

const PodFacts* OwnerBook::Waiting(std::string_view owner_key, std::string_view pod_uid) const {
  const Owner* owner = owners_.Find(owner_key);
  if (owner == nullptr) return nullptr;
  const auto pod = FindWaiting(owner->waiting, pod_uid);
  return pod == owner->waiting.end() ? nullptr : &pod->second;
}

bool OwnerBook::AnyAwaited() const {
  return std::any_of(waited_for_.begin(), waited_for_.end(), [this](const std::string& uid) {
    const Owner& owner = *owners_.Find(uid);
    return owner.failures == 0 ||
           std::any_of(owner.waiting.begin(), owner.waiting.end(),
                       [](const auto& entry) { return SpeaksOfGroup(entry.second); });
  });
}

bool OwnerBook::AwaitsPlan(std::string_view plan) const { return awaited_plans_.contains(plan); }

void OwnerBook::Ask(Owner& owner) {
  owner.asked = true;
  outbox_.Push(OwnerRead{owner.ns, owner.ref});
}

void OwnerBook::NoteMissing(Owner& owner, const absl::Status& why) {
  OwnerFacts missing;
  missing.ref = owner.ref;
  missing.ns = owner.ns;
  missing.unread = absl::IsPermissionDenied(why) ? Unread::kDenied
                   : absl::IsNotFound(why)       ? Unread::kGone
                                                 : Unread::kUnserved;
  owner.missing = std::move(missing);
}

OwnerBook::Read OwnerBook::OnRead(absl::Time now, std::string_view owner_key,
                                  const absl::StatusOr<OwnerFacts>& owner) {
  Read read;
  Owner* known = owners_.Find(owner_key);
  if (known == nullptr) return read;
  Owner& record = *known;
  record.asked = false;
  const Unread unread = owner.ok() ? owner->unread : Unread::kNo;
  record.denied = absl::IsPermissionDenied(owner.status()) || unread == Unread::kDenied;
  const bool nothing =
      record.denied || absl::IsNotFound(owner.status()) || absl::IsUnimplemented(owner.status());
  if (record.denied || (!owner.ok() && !nothing)) {
    const int64_t times = int64_t{1} << std::min(record.failures++, 8);
    read_.Set(std::string(owner_key), now + std::min(kOwnerRetry * times, kMaxOwnerRetry));
  } else {
    record.failures = 0;
  }
  if (owner.ok() || nothing) {
    std::optional<OwnerFacts> facts;
    // An owner of this name with another UID is not the owner of these pods.
    if (owner.ok() && owner->ref.uid == record.ref.uid) facts = *owner;
    record.gone = absl::IsNotFound(owner.status()) || (owner.ok() && !facts);
    const bool told = record.known && record.facts && record.facts->unread == Unread::kNo;
    if (unread != Unread::kNo && told) facts.reset();
    // One that is gone has said its last word.
    read.changed =
        (record.known || !record.needed) && facts && !(record.facts && *facts == *record.facts);
    read.tells_more = read.changed && !(record.facts && SayTheSame(*facts, *record.facts));
    read.other_words = read.tells_more && record.needed;
    read.resized = read.changed && !(record.facts && facts->size == record.facts->size &&
                                     facts->pod_sets == record.facts->pod_sets);
    if (facts && std::exchange(record.resized, false)) read.changed = read.resized = true;
    if (nothing) NoteMissing(record, owner.status());
    if (!record.known || facts) NoteFacts(owner_key, record, std::move(facts));
    record.known = true;
  }
  if (read.changed) ReadPartsAgain(now, owner_key);
  if (!record.waiting.empty()) to_judge_[std::string(owner_key)] = {};
  return read;
}

std::vector<PodFacts> OwnerBook::TakeRead(size_t most) {
  std::vector<PodFacts> pods;
  if (!to_judge_.empty()) pods.reserve(most);
  while (!to_judge_.empty() && pods.size() < most) {
    auto& [uid, last] = *to_judge_.begin();
    Owner& owner = *owners_.Find(uid);
    const auto next = owner.waiting.upper_bound(last);
    if (next == owner.waiting.end()) {
      to_judge_.erase(to_judge_.begin());
      continue;
    }
    last = next->first;
    pods.push_back(Take(owner, next));
  }
  return pods;
}

void OwnerBook::ReadAgain(std::string_view owner_key, absl::Time at) {
  Owner* owner = owners_.Find(owner_key);
  if (owner == nullptr) return ReadPartsAgain(at, owner_key);
  if (!owner->known && owner->needed) return;
  owner->denied = false;
  read_.SetEarlier(std::string(owner_key), at);
}

void OwnerBook::Tick(absl::Time now) {
  for (const std::string& uid : read_.TakeDue(now)) {
    Owner& owner = *owners_.Find(uid);
    const bool of_use = !owner.denied || !owner.waiting.empty();
    if (!owner.asked && of_use) Ask(owner);
  }
}

}  // namespace gangplan
