// The writes that release pods from their gates, or delete them, and what comes of them.
#include <utility>

#include "extender/planner/gate_pin.h"
#include "extender/planner/gates.h"
#include "extender/planner/limits.h"
#include "extender/planner/write_errors.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

const PodRef& RefOf(const std::variant<PodRelease, PodDelete>& what) {
  return std::visit([](const auto& one) -> const PodRef& { return one.pod; }, what);
}

}  // namespace

void Gates::Send(std::string_view uid, std::variant<PodRelease, PodDelete> what, std::string node) {
  Write& write = writes_[std::string(uid)];
  write.what = std::move(what);
  write.node = std::move(node);
  Again(std::string(uid), write);
}

void Gates::Again(const std::string& uid, Write& write) {
  due_.Clear(uid);
  write.attempt = ++attempts_;
  write.sent = true;
  SetMayLand(uid, write, true);
  ++sent_;
  const KnownPod& record = books_.pods.At(uid);
  std::visit(
      [&](auto& one) {
        one.attempt = write.attempt;
        if (record.facts != nullptr) one.resource_version = record.facts->resource_version;
        books_.outbox.Push(std::decay_t<decltype(one)>(one));
      },
      write.what);
}

// While a release may land, its pod may go to the nodes that it gives: whatever becomes of the plan
// and of the group, they are kept for it.
void Gates::SetMayLand(const std::string& uid, Write& write, bool may_land) {
  write.may_land = may_land;
  const auto [record, group, member] = Find(uid);
  if (record == nullptr || !std::holds_alternative<PodRelease>(write.what)) return;
  const bool shown = !record->going;  // by the watch, that it has landed
  record->going = may_land;
  if (member != nullptr) {
    group->SetGoing(uid, may_land && member->gated);
    plans_.NoteFreeToGo(*group);
  }
  const bool released = shown || (record->facts != nullptr && !record->facts->gated());
  if (may_land || !released) plans_.SetPledge(uid, *record, may_land ? write.node : std::string());
}

// ---- what came of it

// Null: of another write than the last one.
Gates::Write* Gates::Answered(std::string_view uid, int64_t attempt) {
  const auto it = writes_.find(uid);
  if (it == writes_.end() || it->second.attempt != attempt || !it->second.sent) return nullptr;
  it->second.sent = false;
  --sent_;
  return &it->second;
}

void Gates::OnReleased(absl::Time now, std::string_view uid, int64_t attempt,
                       const absl::Status& status) {
  Write* write = Answered(uid, attempt);
  if (write == nullptr) return;
  const std::string pod(uid);
  if (status.ok()) {
    SetMayLand(pod, *write, false);
    const PodRelease release = std::get<PodRelease>(write->what);
    writes_.erase(pod);
    TakeGate(now, pod, release);
  } else if (absl::IsNotFound(status)) {
    SetMayLand(pod, *write, false);
    writes_.erase(pod);
  } else if (absl::IsAborted(status)) {
    NotDone(now, pod, *write);
    due_.Set(pod, now + kReleaseRetry);
  } else if (WasRefused(status)) {
    NotDone(now, pod, *write);
    Refused(now, pod, "released from their gates", Message(status));
  } else {
    write->doubted_until = now + kLandsWithin;
    due_.Set(pod, now + kReleaseRetry);
  }
}

// Of one that was in doubt before the watch tells whether it was done, or somebody else was first.
void Gates::NotDone(absl::Time now, const std::string& uid, Write& write) {
  if (now >= write.doubted_until) SetMayLand(uid, write, false);
}

Gates::Known Gates::Find(std::string_view uid) const {
  Known known{books_.pods.Find(uid)};
  if (known.record != nullptr) known.group = books_.groups.Find(known.record->group);
  if (known.group != nullptr) known.member = known.group->Find(uid);
  return known;
}

// As the watch will show it, but for its version.
void Gates::TakeGate(absl::Time now, const std::string& uid, const PodRelease& release) {
  const auto [record, group, member] = Find(uid);
  if (member == nullptr || record->facts == nullptr || !record->facts->gated()) return;
  PodFacts pod = *record->facts;
  pod.resource_version.clear();
  pod.gates = {};
  if (!release.required_terms.empty()) pod.filter.required_terms = release.required_terms;
  for (const auto& [key, value] : release.annotations) SetLabel(pod.annotations, key, value);
  told_.erase(group->id());
  roster_.OnPod(now, pod);
  if (KnownPod* seen = books_.pods.Find(uid)) seen->foreseen = true;
}

void Gates::Refused(absl::Time now, const std::string& uid, std::string_view done,
                    std::string_view why) {
  const auto [record, group, member] = Find(uid);
  const bool done_by_now = member == nullptr || !member->gated;
  const bool releases = std::holds_alternative<PodRelease>(writes_.at(uid).what);
  due_.Set(uid, releases && done_by_now ? now : now + kReleaseAgain);
  if (member == nullptr || (releases && done_by_now)) return;
  const PodRef& pod = RefOf(writes_.at(uid).what);
  Tell(*group, pod,
       fmt::format("gang {} of {}: its pods could not be {}: {}", group->name(), group->size(),
                   done, why));
}

void Gates::OnDeleted(absl::Time now, std::string_view uid, int64_t attempt,
                      const absl::Status& status) {
  Write* write = Answered(uid, attempt);
  if (write == nullptr) return;
  const std::string pod(uid);
  const bool over = status.ok() || absl::IsNotFound(status);
  write->may_land = IsInDoubt(status);
  if (WasRefused(status)) return Refused(now, pod, "deleted, to be made anew", Message(status));
  due_.Set(pod, now + (over ? kReleaseAgain : kReleaseRetry));
}

// Its pod waits still, and its room is where it was. What lands without that is met by the watch.
bool Gates::MayRepeat(const Write& write) const {
  if (!write.may_land) return false;
  const auto* release = std::get_if<PodRelease>(&write.what);
  const std::string& uid = RefOf(write.what).uid;
  const auto [record, group, member] = Find(uid);
  if (release == nullptr) {
    const bool lost =
        member != nullptr && (LacksRoom(*group, *member) || member->problem == kAstray);
    return books_.outbox.active() && !IsBound(uid) && lost;
  }
  if (member == nullptr || !member->gated || !books_.nominations.MayGo(*group, *member))
    return false;
  if (!MayRelease(*group)) return false;
  const PodSet& set = group->pod_sets().at(member->pod_set);
  const std::string& node = books_.ledger.model().NodeName(group->slot(member->slot).node);
  return release->required_terms == (options_.verbs ? set.pin : PinToOne(set.filter, node).terms);
}

// It is in doubt, and the watch has not shown another version since, of which it would not be.
bool Gates::MayLandStill(absl::Time now, const std::string& uid, const Write& write) const {
  const auto* release = std::get_if<PodRelease>(&write.what);
  if (release == nullptr || !write.may_land || now >= write.doubted_until) return false;
  const auto& facts = books_.pods.At(uid).facts;
  return facts == nullptr ||
         (facts->gated() && facts->resource_version == release->resource_version);
}

// One in doubt is done again. What was refused, or not seen to be done, may be wanted still.
void Gates::LookAtWrite(absl::Time now, const std::string& uid) {
  const auto found = writes_.find(uid);
  if (found == writes_.end() || found->second.sent) return;
  Write& write = found->second;
  const auto [record, group, member] = Find(uid);
  const bool there = record != nullptr && !record->leaving;
  if (there && MayRepeat(write)) return Again(uid, write);
  if (there && MayLandStill(now, uid, write)) return due_.Set(uid, now + kReleaseRetry);
  const bool was_delete = std::holds_alternative<PodDelete>(write.what);
  SetMayLand(uid, write, false);
  writes_.erase(uid);
  if (!there || group == nullptr) return;
  if (was_delete && member != nullptr) group->SetDeleted(uid, false);
  waiting_.insert(group->id());
  if (was_delete) plans_.AskAnew(group->id());
}

}  // namespace gangplan
