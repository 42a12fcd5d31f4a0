#include "extender/kube/room_checks.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/object_name.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

const WorkloadFacts::PodSet* FindSet(const WorkloadFacts& facts, std::string_view name) {
  const auto found = std::find_if(facts.pod_sets.begin(), facts.pod_sets.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == facts.pod_sets.end() ? nullptr : &*found;
}

RoomCheck::PodSet SetOf(const WorkloadFacts& facts, const WorkloadFacts::PodSet& admitted) {
  RoomCheck::PodSet set{admitted.name, admitted.flavors, {}};
  for (const WorkloadFacts::Check& check : facts.checks) {
    if (check.state != CheckState::kReady) continue;
    for (const WorkloadFacts::Update& update : check.updates) {
      if (update.pod_set != admitted.name) continue;
      for (const auto& [key, value] : update.node_selector) SetLabel(set.node_selector, key, value);
      set.tolerations.insert(set.tolerations.end(), update.tolerations.begin(),
                             update.tolerations.end());
    }
  }
  return set;
}

// Of a Job fewer of its pods may have quota than it asks for: so many it is started with.
void TakeCount(OwnerFacts& owner, int64_t count) {
  if (owner.size && count > 0) owner.size = std::min(*owner.size, count);
}

// In whose name it speaks while no owner does: its own. Anybody may write any UID of an owner.
JobFacts AsOwner(const WorkloadFacts& facts, std::string fault) {
  JobFacts job;
  job.owner.ns = facts.ns;
  job.owner.ref = {"kueue.x-k8s.io/v1beta2", "Workload", facts.name, facts.uid};
  if (fault.empty()) return job;
  job.pods.emplace_back().name = facts.name;
  job.pods.front().fault = std::move(fault);
  return job;
}

// Null: it cannot be read. A kind of this name may be of another group.
const OwnerKind* KindOf(const OwnerRef& owner) {
  const OwnerKind* kind = FindOwnerKind(owner.kind);
  return kind != nullptr && IsOf(owner, *kind) ? kind : nullptr;
}

// One for each of the owner's templates. False: it has other ones than the Workload.
bool TakeSets(const WorkloadFacts& facts, JobFacts& job, RoomCheck& check) {
  if (job.owner.pod_sets.empty()) {
    if (facts.pod_sets.size() != 1) return false;
    check.pod_sets.push_back(SetOf(facts, facts.pod_sets.front()));
    TakeCount(job.owner, facts.pod_sets.front().count);
    return true;
  }
  for (const OwnerPodSet& set : job.owner.pod_sets) {
    const WorkloadFacts::PodSet* admitted = FindSet(facts, set.name);
    if (admitted == nullptr || admitted->count != set.size()) return false;
    check.pod_sets.push_back(SetOf(facts, *admitted));
  }
  return true;
}

// A JobSet starts its Jobs anew by itself, under the same quota.
bool MayHaveBegunAnew(const WorkloadFacts& facts) {
  return facts.admitted && facts.owner && IsOf(*facts.owner, kJobSetKind);
}

}  // namespace

bool RoomChecks::IsOurs(const std::string& check) const {
  MutexLock lock(checks_mutex_);
  return checks_.contains(check);
}

// Ours are answered last: what others add to the pods is known then, and no room is held while they
// wait.
RoomCheck RoomChecks::Judge(const WorkloadFacts& facts) const {
  RoomCheck check;
  bool others = true, lost = false;
  std::vector<WorkloadFacts::Check> standing;
  for (const WorkloadFacts::Check& one : facts.checks) {
    const bool ready = one.state == CheckState::kReady;
    if (!IsOurs(one.name)) {
      others = others && ready;
    } else if (ready) {
      standing.push_back(one);
    } else {
      if (check.names.empty()) check.message = one.message;
      check.names.push_back(one.name);
      lost = lost || one.state == CheckState::kRetry || one.state == CheckState::kRejected;
    }
  }
  const bool ready = check.names.empty();
  if (ready && !standing.empty()) check.message = standing.front().message;
  if (ready) {
    for (const WorkloadFacts::Check& one : standing) check.names.push_back(one.name);
  } else {
    check.standing = std::move(standing);
  }
  check.workload = facts.name;
  check.uid = facts.uid;
  check.quota_since = facts.quota_since;
  if (!facts.quota || check.names.empty()) return check;
  if (lost) {
    check.state = RoomCheck::State::kLost;
  } else if (ready) {
    check.state = RoomCheck::State::kReady;
  } else if (others) {
    check.state = RoomCheck::State::kWaits;
  }
  return check;
}

std::vector<ClusterEvent> RoomChecks::Take(Events events) {
  MutexLock lock(mutex_);
  Events out;
  for (ClusterEvent& event : events) {
    if (auto* workload = std::get_if<WorkloadFacts>(&event)) {
      NoteWorkload(std::move(*workload), &out);
    } else if (const auto* gone = std::get_if<WorkloadGone>(&event)) {
      ForgetWorkload(gone->name, &out);
    } else if (auto* check = std::get_if<AdmissionCheckFacts>(&event)) {
      NoteCheck(std::move(*check), &out);
    } else if (const auto* left = std::get_if<AdmissionCheckGone>(&event)) {
      ForgetCheck(left->name, &out);
    }
  }
  return out;
}

void RoomChecks::NoteCheck(AdmissionCheckFacts check, Events* out) {
  if (!check.IsOurs()) return ForgetCheck(check.name, out);
  bool fresh = false;
  {
    MutexLock lock(checks_mutex_);
    fresh = !checks_.contains(check.name);
    checks_.insert_or_assign(check.name, check);
  }
  if (check.active != check.MayBeActive()) say_(check);
  if (fresh) TellAll(out);
}

void RoomChecks::ForgetCheck(const std::string& name, Events* out) {
  {
    MutexLock lock(checks_mutex_);
    if (checks_.erase(name) == 0) return;
  }
  TellAll(out);
}

std::vector<ClusterEvent> RoomChecks::ReadAgain() {
  MutexLock lock(mutex_);
  Events out;
  for (auto& [name, kept] : workloads_) {
    if ((!kept.unread && !kept.again) || !kept.told) continue;
    if (kept.unread) kept.owner.reset();
    Tell(name, kept, &out);
  }
  return out;
}

void RoomChecks::SayAgain() {
  std::vector<AdmissionCheckFacts> unsaid;
  {
    MutexLock lock(checks_mutex_);
    for (const auto& [name, check] : checks_) {
      if (check.active != check.MayBeActive()) unsaid.push_back(check);
    }
  }
  for (const AdmissionCheckFacts& check : unsaid) say_(check);
}

void RoomChecks::NoteWorkload(WorkloadFacts facts, Events* out) {
  const std::string name = NameInNamespace(facts.ns, facts.name);
  const auto known = workloads_.find(name);
  if (known != workloads_.end() && known->second.facts.uid != facts.uid) ForgetWorkload(name, out);
  Kept& kept = workloads_[name];
  if (kept.facts.owner != facts.owner) kept.owner.reset();
  kept.again = kept.again || MayHaveBegunAnew(facts);
  kept.facts = std::move(facts);
  Tell(name, kept, out);
}

void RoomChecks::ForgetWorkload(const std::string& name, Events* out) {
  const auto known = workloads_.find(name);
  if (known == workloads_.end()) return;
  TellNone(name, known->second, out);
  workloads_.erase(known);
}

void RoomChecks::TellAll(Events* out) {
  for (auto& [name, kept] : workloads_) Tell(name, kept, out);
}

void RoomChecks::TellNone(const std::string& name, Kept& kept, Events* out) {
  kept.owner.reset();
  TakeBack(name, kept, out);
}

// It speaks for nobody. Another Workload may be its owner's, too: that one is told then.
void RoomChecks::TakeBack(const std::string& name, Kept& kept, Events* out) {
  const std::optional<OwnerRef> told = std::exchange(kept.told, std::nullopt);
  if (!told) return;
  const auto of = by_owner_.find(told->uid);
  std::vector<std::string>& names = of->second;
  const bool last = names.back() == name;
  std::erase(names, name);
  if (!names.empty()) {
    const std::string other = names.back();
    if (last) Tell(other, workloads_.at(other), out);
    return;
  }
  by_owner_.erase(of);
  JobFacts job;
  job.owner.ns = kept.facts.ns;
  job.owner.ref = *told;
  job.check.emplace();
  out->push_back(std::move(job));
}

// Once for a quota, however often its Workload is written, but for what may have begun anew. False:
// it is gone.
bool RoomChecks::Read(Kept& kept) const {
  const bool known = kept.owner && kept.read_for == kept.facts.quota_since;
  if (known && !kept.again) return true;
  const bool sound = known && !kept.unread;
  kept.read_for = kept.facts.quota_since;
  kept.unread = false;
  if (!kept.facts.owner) {
    kept.owner = AsOwner(kept.facts, "it has no owner yet, whose pods it is about");
    return true;
  }
  if (KindOf(*kept.facts.owner) == nullptr) {
    kept.owner = AsOwner(kept.facts, "");
    return true;
  }
  absl::StatusOr<JobFacts> read = read_(kept.facts.ns, *kept.facts.owner);
  if (read.ok()) {
    kept.again = false;
    kept.owner = *std::move(read);
    return !kept.owner->terminating && !kept.owner->finished;
  }
  const bool gone = absl::IsNotFound(read.status()) || absl::IsAborted(read.status());
  if (sound && !gone) return true;
  kept.unread = true;
  kept.owner =
      AsOwner(kept.facts, fmt::format("{} {} could not be read: {}", kept.facts.owner->kind,
                                      kept.facts.owner->name, Message(read.status())));
  return !gone;
}

// Empty: it is planned, or waits for what is wrong.
std::string RoomChecks::WhyUnplanned(const Kept& kept, RoomCheck::State state) {
  const std::optional<OwnerRef>& owner = kept.facts.owner;
  if (!owner || kept.unread) return {};
  if (KindOf(*owner) == nullptr) {
    return fmt::format("of a {} ({}) nothing is planned before its pods are there", owner->kind,
                       owner->api_version);
  }
  // A check that is added to a queue comes to those that have passed the others.
  const bool runs = kept.facts.admitted || !kept.owner->suspended;
  if (state != RoomCheck::State::kWaits || !runs) return {};
  return fmt::format("{} {} runs already, and what it gets beside that is planned when it is there",
                     owner->kind, owner->name);
}

// The last one that is told of an owner speaks for it.
void RoomChecks::TellOf(const std::string& name, Kept& kept, const OwnerRef& owner, Events* out) {
  if (kept.told && kept.told->uid != owner.uid) TakeBack(name, kept, out);
  kept.told = owner;
  std::vector<std::string>& names = by_owner_[owner.uid];
  std::erase(names, name);
  names.push_back(name);
}

void RoomChecks::Tell(const std::string& name, Kept& kept, Events* out) {
  RoomCheck check = Judge(kept.facts);
  if (check.state == RoomCheck::State::kNone || !Read(kept)) return TellNone(name, kept, out);
  check.unplanned = WhyUnplanned(kept, check.state);
  JobFacts job = check.unplanned.empty() ? *kept.owner : AsOwner(kept.facts, "");
  job.resource_version = kept.facts.resource_version;
  job.suspended = job.ready = job.stopped = true;
  const bool faulty = job.pods.empty() || !job.pods.front().fault.empty();
  // What has ended of a JobSet has no quota any more, and nothing of it is planned.
  if (!faulty && !job.begun && !TakeSets(kept.facts, job, check)) {
    job.pods.front().fault =
        fmt::format("its pod sets are not those that Workload {} has quota for", kept.facts.name);
  }
  job.check = std::move(check);
  TellOf(name, kept, job.owner.ref, out);
  out->push_back(std::move(job));
}

}  // namespace gangplan
