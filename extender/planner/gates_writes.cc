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

bool IsGone(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsAborted(status);
}

const PodRef& RefOf(const std::variant<PodRelease, PodDelete>& what) {
  return std::visit([](const auto& one) -> const PodRef& { return one.pod; }, what);
}

}  // namespace

void Gates::Send(std::string_view uid, std::variant<PodRelease, PodDelete> what) {
  Write& write = writes_[std::string(uid)];
  write.what = std::move(what);
  Again(std::string(uid), write);
}

void Gates::Again(const std::string& uid, Write& write) {
  due_.Clear(uid);
  write.attempt = ++attempts_;
  write.sent = write.may_land = true;
  ++sent_;
  std::visit(
      [&](auto& one) {
        one.attempt = write.attempt;
        books_.outbox.Push(std::decay_t<decltype(one)>(one));
      },
      write.what);
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
    const PodRelease release = std::get<PodRelease>(write->what);
    writes_.erase(pod);
    TakeGate(pod, release);
  } else if (IsGone(status)) {
    writes_.erase(pod);
  } else if (WasRefused(status)) {
    // Of one that was in doubt the watch tells whether it was done, or somebody else was first.
    Refused(now, pod, "released from their gates", Message(status));
  } else {
    due_.Set(pod, now + kReleaseRetry);
  }
}

Gates::Known Gates::Find(std::string_view uid) const {
  Known known{books_.pods.Find(uid)};
  if (known.record != nullptr) known.group = books_.groups.Find(known.record->group);
  if (known.group != nullptr) known.member = known.group->Find(uid);
  return known;
}

// As the watch will show it.
void Gates::TakeGate(const std::string& uid, const PodRelease& release) {
  const auto [record, group, member] = Find(uid);
  if (member == nullptr || !member->gated) return;
  if (record->facts != nullptr) {
    record->facts->gates = {};
    if (!release.required_terms.empty())
      record->facts->filter.required_terms = release.required_terms;
    for (const auto& [key, value] : release.annotations)
      SetLabel(record->facts->annotations, key, value);
  }
  group->SetUngated(uid, !release.required_terms.empty(),
                    record->facts == nullptr ? std::string() : OwnNodeOf(*record->facts));
  plans_.Nominate(*group, uid);
  told_.erase(group->id());
}

void Gates::Refused(absl::Time now, const std::string& uid, std::string_view done,
                    std::string_view why) {
  writes_.at(uid).may_land = false;
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
  if (Answered(uid, attempt) == nullptr) return;
  const std::string pod(uid);
  if (WasRefused(status)) {
    Refused(now, pod, "deleted, to be made anew", Message(status));
  } else {
    due_.Set(pod, now + (status.ok() || IsGone(status) ? kReleaseAgain : kReleaseRetry));
    writes_.at(pod).may_land = !status.ok() && !IsGone(status);
  }
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
  if (member == nullptr || !member->gated || !plans_.MayGo(*group, *member)) return false;
  if (!MayRelease(*group)) return false;
  const PodSet& set = group->pod_sets().at(member->pod_set);
  const std::string& node = books_.ledger.model().NodeName(group->slot(member->slot).node);
  return release->required_terms == (options_.verbs ? set.pin : PinToOne(set.filter, node).terms);
}

// One in doubt is done again. What was refused, or not seen to be done, may be wanted still.
void Gates::LookAtWrite(const std::string& uid) {
  const auto found = writes_.find(uid);
  if (found == writes_.end() || found->second.sent) return;
  Write& write = found->second;
  const auto [record, group, member] = Find(uid);
  const bool there = record != nullptr && !record->leaving;
  if (there && MayRepeat(write)) return Again(uid, write);
  const bool was_delete = std::holds_alternative<PodDelete>(write.what);
  writes_.erase(uid);
  if (!there || group == nullptr) return;
  if (was_delete && member != nullptr) group->SetDeleted(uid, false);
  waiting_.insert(group->id());
  if (was_delete) plans_.AskAnew(group->id());
}

}  // namespace gangplan
