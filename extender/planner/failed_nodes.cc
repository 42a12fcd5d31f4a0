#include "extender/planner/failed_nodes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/write_errors.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr char kRepairAction[] = "Repair";

}  // namespace

void FailedNodes::OnNode(absl::Time now, const NodeFacts& node) {
  deleted_.erase(node.name);
  if (node.ready) return Recovered(node.name);
  Fails(now, node.name);
}

void FailedNodes::Fails(absl::Time now, const std::string& name) {
  const bool fails = not_ready_.insert(name).second && after_ > absl::ZeroDuration();
  if (fails) due_.Set(name, now + after_);
}

void FailedNodes::SetAfter(absl::Time now, absl::Duration after) {
  if (after == after_) return;
  after_ = after;
  CountAnew(now);
}

void FailedNodes::CountAnew(absl::Time now) {
  failed_.clear();
  refused_.clear();
  for (const std::string& name : not_ready_) {
    due_.Clear(name);
    if (after_ > absl::ZeroDuration()) due_.Set(name, now + after_);
  }
}

void FailedNodes::OnNodeDeleted(absl::Time now, std::string_view name) {
  deleted_.emplace(name);
  Fails(now, std::string(name));
}

// The model knows a node that is gone for as long as pods are bound to it.
void FailedNodes::ForgetEmpty() {
  std::vector<std::string> empty;
  for (const std::string& name : deleted_) {
    if (books_.ledger.model().FindNode(name) == kNoNode) empty.push_back(name);
  }
  for (const std::string& name : empty) Recovered(name);
}

void FailedNodes::Recovered(const std::string& name) {
  if (not_ready_.erase(name) == 0) return;
  deleted_.erase(name);
  due_.Clear(name);
  failed_.erase(name);
  if (failed_.empty()) refused_.clear();
  told_.erase(told_.lower_bound({name, 0}), told_.upper_bound({name + '\0', 0}));
}

// That one alone is answered, at once: what else is on its way is not sent a second time.
void FailedNodes::OnDeleted(std::string_view uid, const absl::Status& status) {
  if (!WasRefused(status) || failed_.empty() || !refused_.emplace(uid).second) return;
  const KnownPod* record = books_.pods.Find(uid);
  const Group* group = record == nullptr ? nullptr : books_.groups.Find(record->group);
  const Member* member = group == nullptr ? nullptr : group->Find(uid);
  if (member == nullptr || member->slot < 0 || record->leaving || !MayAct()) return;
  const Slot& slot = group->slot(member->slot);
  const bool stands = slot.state == SlotState::kBound &&
                      failed_.contains(books_.ledger.model().NodeName(slot.node));
  if (stands && books_.yielding.EvictedFor(group->id()) == nullptr) Send(member->pod);
}

void FailedNodes::Send(const PodRef& pod) {
  const bool refused = refused_.contains(pod.uid);
  books_.outbox.Push(PodDelete{.pod = pod,
                               .attempt = kAttempt,
                               .how = refused ? PodDelete::How::kForce : PodDelete::How::kEvict});
}

void FailedNodes::Tick(absl::Time now) {
  if (!books_.sight.sees()) return;
  ForgetEmpty();
  for (std::string& name : due_.TakeDue(now)) {
    failed_.insert(std::move(name));
    look_ = now;
  }
  if (failed_.empty() || now < look_ || !books_.outbox.active()) return;
  TellOutage();
  if (IsOutage()) return;
  look_ = now + kFailedRetry;
  sent_ = 0;
  std::set<NodeIndex> nodes;
  for (const std::string& name : failed_) {
    const NodeIndex node = books_.ledger.model().FindNode(name);
    if (node != kNoNode) nodes.insert(node);
  }
  const Place last = reached_;  // so all have their turn, however many cannot be deleted
  reached_ = {};
  if (ClearBetween(last, kEnd, nodes)) ClearBetween({}, last, nodes);
}

bool FailedNodes::ClearBetween(const Place& from, const Place& until,
                               const std::set<NodeIndex>& failed) {
  const auto& groups = books_.groups.groups();
  for (auto next = groups.lower_bound(from.first); next != groups.end(); ++next) {
    const auto& [id, group] = *next;
    if (id > until.first) return true;
    const bool there = group->bound() > 0 && books_.yielding.EvictedFor(id) == nullptr;
    if (there && !Clear(*group, from, until, failed)) return false;
  }
  return true;
}

bool FailedNodes::IsOutage() const {
  const int64_t nodes = books_.ledger.model().node_count();
  const int64_t lost = Lost();
  return lost * 100 > nodes * kOutagePercent && lost > kLeastOutage;
}

// Once each time.
void FailedNodes::TellOutage() {
  if (std::exchange(outage_told_, IsOutage()) || !outage_told_) return;
  std::string note = fmt::format(
      "{} of {} nodes are not ready: no pod is deleted for that, as long as they are more than "
      "{} %",
      Lost(), books_.ledger.model().node_count(), kOutagePercent);
  books_.outbox.Push(EventNote{"", {}, true, kManyNodesNotReady, kRepairAction, std::move(note)});
}

bool FailedNodes::Clear(const Group& group, const Place& from, const Place& until,
                        const std::set<NodeIndex>& failed) {
  for (int32_t i = 0; i < std::ssize(group.slots()); ++i) {
    const Slot& slot = group.slots()[static_cast<size_t>(i)];
    const Member* member = group.At(i);
    const Place here(group.id(), i);
    if (here < from || here >= until) continue;
    if (slot.state != SlotState::kBound || member == nullptr || !failed.contains(slot.node))
      continue;
    const KnownPod& record = books_.pods.At(member->pod.uid);
    if (record.leaving || !record.controlled) continue;
    if (sent_ >= kDeletedAtOnce) {
      reached_ = here;
      return false;
    }
    ++sent_;
    Send(member->pod);
    Tell(group, slot.node);
  }
  return true;
}

void FailedNodes::Tell(const Group& group, NodeIndex node) {
  const std::string& name = books_.ledger.model().NodeName(node);
  if (!group.owner() || !told_.emplace(name, group.id()).second) return;
  std::string note = fmt::format(
      "gang {} of {}: node {} has not been ready for {}: its pods there are evicted, to be made "
      "anew where there is room; the others stay",
      group.name(), group.size(), name, absl::FormatDuration(after_));
  books_.outbox.Push(EventNote{group.key().ns, *group.owner(), true, kGangRepaired, kRepairAction,
                               std::move(note)});
}

}  // namespace gangplan
