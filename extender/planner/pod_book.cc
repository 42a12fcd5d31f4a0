#include "extender/planner/pod_book.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// Of apps, and those of others that are like it: a pod's name is its place, and its next one has
// the same, so it is made when that name is free. A LeaderWorkerSet has its pods made by these.
constexpr std::string_view kMakesWhenGone = "StatefulSet";

// `value`, as what the pod had before, or the pod that came last, where these are like it.
template <typename Value>
std::shared_ptr<const Value> Shared(const Value& value, const std::shared_ptr<const Value>& before,
                                    std::shared_ptr<const Value>& last) {
  if (before != nullptr && *before == value) return before;
  if (last == nullptr || *last != value) last = std::make_shared<const Value>(value);
  return last;
}

}  // namespace

KnownPod& PodBook::Note(const PodFacts& pod) {
  const auto [known, made] = pods_.Make(pod.uid);
  KnownPod& record = *known;
  if (made) {
    constexpr int64_t kLast = std::numeric_limits<uint32_t>::max();  // the year 2106
    record.created = static_cast<uint32_t>(std::clamp<int64_t>(pod.created, 0, kLast));
    record.found = !pod.node_name.empty();
    ++kins_[static_cast<size_t>(record.kin)];
  }
  record.requests = Shared(pod.requests, record.requests, last_requests_);
  record.profile = Shared(pod.profile(), record.profile, last_profile_);
  record.priority = pod.priority;
  record.controlled = pod.controller.has_value();
  record.late = record.controlled && pod.controller->kind == kMakesWhenGone;
  faulty_ -= record.faulty ? 1 : 0;
  record.faulty = !pod.fault.empty();
  faulty_ += record.faulty ? 1 : 0;
  return record;
}

bool PodBook::KeepText(std::string_view uid, size_t bytes) {
  const auto known = kept_text_.find(uid);
  const bool is_known = known != kept_text_.end();
  if (!is_known && kept_text_.size() >= kMaxUnconfirmed) return false;
  const size_t others = kept_bytes_ - (is_known ? known->second : 0);
  if (others + bytes > kMaxUnconfirmedBytes) return false;
  kept_bytes_ = others + bytes;
  kept_text_[uid] = bytes;
  return true;
}

void PodBook::ForgetText(std::string_view uid) {
  const auto known = kept_text_.find(uid);
  if (known == kept_text_.end()) return;
  kept_bytes_ -= known->second;
  kept_text_.erase(known);
}

void PodBook::AwaitConfirmation(std::string_view uid, absl::Time until) {
  unconfirmed_.Set(std::string(uid), until);
}

void PodBook::Confirm(std::string_view uid) {
  KnownPod& record = At(uid);
  if (!record.confirmed) unconfirmed_.Clear(std::string(uid));
  ForgetText(uid);
  record.confirmed = true;
}

void PodBook::SetKin(KnownPod& record, Kin kin) {
  --kins_[static_cast<size_t>(record.kin)];
  record.kin = kin;
  ++kins_[static_cast<size_t>(record.kin)];
}

void PodBook::Erase(std::string_view uid) {
  const KnownPod* record = pods_.Find(uid);
  if (record == nullptr) return;
  if (!record->confirmed) unconfirmed_.Clear(std::string(uid));
  ForgetText(uid);
  faulty_ -= record->faulty ? 1 : 0;
  singles_.Erase(record->single_on, *record);
  NoteStopping(uid, false);
  NoteEnd(uid, 0);
  --kins_[static_cast<size_t>(record->kin)];
  pods_.Erase(uid);
}

void PodBook::NoteEnd(std::string_view uid, int64_t until) {
  constexpr int64_t kLast = std::numeric_limits<uint32_t>::max();  // the year 2106
  const auto ends = static_cast<uint32_t>(std::min(until, kLast));
  KnownPod& record = At(uid);
  if (record.ends == 0 && ends == 0) return;
  ending_.erase({record.ends, std::string(uid)});
  if (ends != 0 && record.group == 0) ending_.emplace(ends, uid);
  record.ends = ends;
}

void PodBook::NoteSingle(const PodFacts& pod, NodeIndex node) {
  KnownPod& record = At(pod.uid);
  if (record.single_on == node) return;
  singles_.Erase(record.single_on, record);
  record.single_on = node;
  if (node != kNoNode) singles_.Put(node, record, pod.name, pod.priority, pod.run.grace);
}

void PodBook::NoteStopping(std::string_view uid, bool stops) {
  if (stops) {
    if (!Hangs(uid)) stopping_.emplace(uid);
    return;
  }
  if (const auto found = stopping_.find(uid); found != stopping_.end()) {
    hangs_.Clear(*found);
    stopping_.erase(found);
  } else if (const auto hangs = hanging_.find(uid); hangs != hanging_.end()) {
    hanging_.erase(hangs);
  }
}

void PodBook::HangsAt(std::string_view uid, absl::Time at) {
  const auto found = stopping_.find(uid);
  if (found == stopping_.end() || hangs_.Of(*found) != absl::InfiniteFuture()) return;
  hangs_.Set(*found, at);
}

void PodBook::NoteHanging(absl::Time now) {
  for (std::string& uid : hangs_.TakeDue(now)) {
    stopping_.erase(uid);
    hanging_.insert(std::move(uid));
  }
}

void PodBook::Bury(std::string_view uid) {
  if (tombstones_.Make(uid).second) buried_.emplace_back(uid);
  if (buried_.size() <= kMaxTombstones) return;
  tombstones_.Erase(buried_.front());
  buried_.pop_front();
}

std::string PodBook::BrokenInvariant(const Ledger& ledger) const {
  std::string broken;
  std::array<int64_t, kKins> kins = {};
  pods_.VisitAll([&](std::string_view uid, const KnownPod& pod) {
    ++kins[static_cast<size_t>(pod.kin)];
    if (pod.bound && ledger.NodeOf(uid) == kNoNode)
      broken = fmt::format("pod book: pod {} is bound, and counts nowhere", uid);
    const bool listed = pod.single_on == kNoNode || (ledger.NodeOf(uid) == pod.single_on &&
                                                     singles_.Find(pod.single_on, pod) != nullptr);
    if (!listed) broken = fmt::format("pod book: single pod {} is not where it is listed", uid);
  });
  if (kins != kins_) broken = "pod book: pods of no group are miscounted";
  return broken;
}

}  // namespace gangplan
