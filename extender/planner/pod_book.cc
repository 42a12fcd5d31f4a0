#include "extender/planner/pod_book.h"

#include "extender/planner/limits.h"

namespace gangplan {

// Shared where it can be.
ProfileRef PodBook::ProfileOf(const PodFacts& pod, const ProfileRef& before) {
  PodProfile profile = pod.profile();
  if (before != nullptr && *before == profile) return before;
  if (last_profile_ == nullptr || *last_profile_ != profile)
    last_profile_ = std::make_shared<const PodProfile>(std::move(profile));
  return last_profile_;
}

KnownPod& PodBook::Note(const PodFacts& pod) {
  const auto [known, made] = pods_.Make(pod.uid);
  KnownPod& record = *known;
  if (made) record.ref = {pod.ns, pod.name, pod.uid};
  if (made) record.created = pod.created;
  record.requests = pod.requests;
  record.profile = ProfileOf(pod, record.profile);
  record.priority = pod.priority;
  faulty_ -= record.faulty ? 1 : 0;
  record.faulty = !pod.fault.empty();
  faulty_ += record.faulty ? 1 : 0;
  return record;
}

void PodBook::AwaitConfirmation(std::string_view uid, absl::Time until) {
  unconfirmed_.Set(std::string(uid), until);
}

void PodBook::Confirm(std::string_view uid) {
  KnownPod& record = At(uid);
  if (!record.confirmed) unconfirmed_.Clear(std::string(uid));
  record.confirmed = true;
}

void PodBook::Erase(std::string_view uid) {
  const KnownPod* record = pods_.Find(uid);
  if (record == nullptr) return;
  if (!record->confirmed) unconfirmed_.Clear(record->ref.uid);
  faulty_ -= record->faulty ? 1 : 0;
  pods_.Erase(uid);
}

void PodBook::Bury(std::string_view uid) {
  if (tombstones_.Make(uid).second) buried_.emplace_back(uid);
  if (buried_.size() <= kMaxTombstones) return;
  tombstones_.Erase(buried_.front());
  buried_.pop_front();
}

}  // namespace gangplan
