// Owners: each is read once, and the pods whose membership hangs on it wait for that.
#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/planner.h"

namespace gangplan {

const Planner::OwnerRecord* Planner::OwnerOf(const PodFacts& pod) {
  if (!pod.controller) return nullptr;
  auto it = owners_.find(pod.controller->uid);
  return it == owners_.end() ? nullptr : &it->second;
}

void Planner::AskOwner(OwnerRecord& owner) {
  if (owner.known || owner.read_again != absl::InfiniteFuture()) return;
  owner.read_again = absl::InfinitePast();  // asked; OnOwner or a later tick clears it
  effects_.push_back(OwnerRead{owner.ns, owner.ref});
}

void Planner::OnOwner(absl::Time now, std::string_view owner_uid,
                      const absl::StatusOr<OwnerFacts>& owner) {
  auto it = owners_.find(owner_uid);
  if (it == owners_.end() || it->second.known) return;
  OwnerRecord& record = it->second;
  bool nothing = absl::IsNotFound(owner.status()) || absl::IsPermissionDenied(owner.status()) ||
                 absl::IsUnimplemented(owner.status());
  if (!owner.ok() && !nothing) {
    record.read_again = now + kOwnerRetry;
    return;
  }
  record.known = true;
  // An owner of this name with another UID is not the owner of these pods.
  if (owner.ok() && owner->ref.uid == owner_uid) record.facts = *owner;
  std::map<std::string, PodFacts> waiting = std::move(record.waiting);
  record.waiting.clear();
  for (const auto& [uid, pod] : waiting) {
    if (pods_.contains(uid)) FindGroup(now, pod);
  }
}

void Planner::DropOwner(const std::string& owner_uid, std::string_view pod_uid) {
  auto it = owners_.find(owner_uid);
  if (it == owners_.end()) return;
  it->second.waiting.erase(std::string(pod_uid));
  if (--it->second.users <= 0) owners_.erase(it);
}

void Planner::TickOwners(absl::Time now) {
  std::vector<std::string> due;
  for (const auto& [uid, owner] : owners_) {
    if (!owner.known && !owner.waiting.empty() && owner.read_again != absl::InfinitePast() &&
        owner.read_again <= now)
      due.push_back(uid);
  }
  std::sort(due.begin(), due.end());
  for (const std::string& uid : due) {
    OwnerRecord& owner = owners_.at(uid);
    owner.read_again = absl::InfiniteFuture();
    AskOwner(owner);
  }
}

}  // namespace gangplan
