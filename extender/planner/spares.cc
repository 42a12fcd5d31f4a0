#include "extender/planner/spares.h"

#include <algorithm>
#include <set>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/planner/nobody.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// It was asked, and what it lacks is room.
bool WaitsForRoom(const Group& group) {
  const Verdict& told = group.verdict();
  const bool held_back = told.early || told.kept_back || told.behind || group.hold() != nullptr;
  return group.state() == GroupState::kBlocked && told.outcome == Outcome::kWait && told.decided &&
         !held_back;
}

}  // namespace

int32_t SparesOf(const Group& group) {
  int32_t spares = 0;
  for (const PodSet& set : group.pod_sets().sets()) spares = std::max(spares, set.spares);
  return spares;
}

std::string SparesText(const Books& books, const Group& group) {
  const int32_t wanted = SparesOf(group);
  if (wanted == 0) return {};
  std::vector<std::string> names;
  for (const NodeIndex node : books.ledger.NodesOf(SparesFor(group.id())))
    names.push_back(fmt::format("{}", fmt::join(books.placer.UnitsOf(node), "/")));
  std::string text = fmt::format("{} of {} spare nodes are kept", names.size(), wanted);
  if (!names.empty()) text += fmt::format(": {}", fmt::join(names, ", "));
  return text;
}

int64_t Spares::Tick(absl::Time now) {
  work_ = 0;
  filled_ = false;
  GoOn(now);
  const auto& groups = books_.groups.groups();
  auto next = groups.upper_bound(last_);
  const auto goes_on = [&](size_t looked) {
    return looked < kSparesLooked && work_ < kSparesWork && next != groups.end();
  };
  for (size_t looked = 0; goes_on(looked); ++looked, ++next) {
    last_ = next->first;
    Look(now, *next->second);
  }
  if (next != groups.end()) return work_;
  last_ = 0;
  waits_ = std::exchange(waits_next_, {});
  std::erase_if(again_, [&](const auto& one) { return groups.find(one.first) == groups.end(); });
  return work_;
}

// What is kept goes with its group, and has an end that moves on as long as that is there.
void Spares::GoOn(absl::Time now) {
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    const GroupId group = kept->first;
    ++kept;
    const absl::Time end = books_.ledger.EndOf(SparesFor(group));
    if (books_.groups.Find(group) == nullptr) {
      GiveBack(group);
    } else if (end < now + kSparesEnd / 2) {
      books_.ledger.SetEnd(SparesFor(group), HoldReason::kSparing, now + kSparesEnd);
    }
  }
}

void Spares::GiveBack(GroupId group) {
  books_.ledger.ReleaseOpen(SparesFor(group));
  books_.vacant.CountKept(kept_.at(group).ns, SparesFor(group), 0);
  kept_.erase(group);
  again_.erase(group);
}

// Some of it runs, and nobody greater waits for what it would give back.
bool Spares::MayKeep(const Group& group) const {
  const auto greater = [&](const std::map<TopologyIndex, int32_t>& waits) {
    const auto most = waits.find(group.topology());
    return most != waits.end() && most->second > group.priority();
  };
  const bool evicted = books_.yielding.EvictedFor(group.id()) != nullptr;
  return group.bound() > 0 && group.state() != GroupState::kDone && !evicted &&
         books_.outbox.active() && !greater(waits_) && !greater(waits_next_);
}

void Spares::Look(absl::Time now, const Group& group) {
  if (WaitsForRoom(group)) {
    int32_t& most = waits_next_.try_emplace(group.topology(), INT32_MIN).first->second;
    most = std::max(most, group.priority());
  }
  const auto wanted = static_cast<size_t>(SparesOf(group));
  const GroupId account = SparesFor(group.id());
  size_t have = books_.ledger.HoldCount(account);
  const bool may = wanted > 0 && MayKeep(group);
  const auto kept = kept_.find(group.id());
  if (kept != kept_.end() && (!may || have > wanted || have == 0)) return GiveBack(group.id());
  if (!may || group.state() != GroupState::kRunning || group.WantsSlots()) return;
  if (kept != kept_.end() && now >= kept->second.look) {
    kept->second.look = now + kSparesAgain;
    LeaveUseless(group);
    have = books_.ledger.HoldCount(account);
  }
  const auto again = again_.find(group.id());
  const bool due = again == again_.end() || now >= again->second;
  if (have < wanted && due && !filled_) Fill(now, group);
}

// By its fullest node: the most members, then the first by path.
Spares::Need Spares::NeedOf(const Group& group) {
  work_ += 2 * std::ssize(group.slots());
  std::map<int32_t, std::pair<int32_t, int32_t>> nodes;  // by leaf: members, and a slot
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    const Slot& slot = group.slot(i);
    if (slot.state != SlotState::kBound) continue;
    const int32_t leaf = books_.ledger.model().LeafOfNode(group.topology(), slot.node);
    if (leaf < 0) continue;
    auto& [members, first] = nodes.try_emplace(leaf, 0, i).first->second;
    ++members;
  }
  Need need;
  int32_t most = 0;
  for (const auto& [leaf, there] : nodes) {
    if (there.first <= most) continue;
    most = there.first;
    need.leaf = leaf;
    need.pod_set = group.pod_sets().IndexOf(there.second);
  }
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    const Slot& slot = group.slot(i);
    const bool there = slot.state == SlotState::kBound && need.leaf >= 0 &&
                       books_.ledger.model().LeafOfNode(group.topology(), slot.node) == need.leaf;
    if (there) AddResources(need.room, group.pod_sets().Of(i).demand);
  }
  return need;
}

// The leaves of the domain that must hold the gang.
Tree::Range Spares::DomainOf(const Group& group, const Need& need) const {
  const Tree& tree = books_.ledger.model().tree(group.topology());
  const int level = books_.placer.OneDomainOfSet(group, group.pod_sets().at(need.pod_set));
  if (level < 0 || level == tree.leaf_level()) return {0, tree.leaf_count()};
  return tree.leaves(level, tree.Ancestor(need.leaf, level));
}

// Leaves to which it may not go, ascending.
std::vector<int32_t> Spares::RefusedTo(const Group& group, const Need& need) {
  std::vector<int32_t> refused = books_.placer.RefusedTo(group, need.pod_set);
  std::sort(refused.begin(), refused.end());
  work_ += std::ssize(refused);
  return refused;
}

// Gives those back, one by one, where a member that is lost could not go by now.
void Spares::LeaveUseless(const Group& group) {
  const Need need = NeedOf(group);
  if (need.pod_set < 0) return;
  const GroupId account = SparesFor(group.id());
  const Tree::Range leaves = DomainOf(group, need);
  const std::vector<int32_t> refused = RefusedTo(group, need);
  const auto is_of_use = [&](NodeIndex node) {
    const int32_t leaf = books_.ledger.model().LeafOfNode(group.topology(), node);
    return leaf >= leaves.begin && leaf < leaves.end &&
           !std::binary_search(refused.begin(), refused.end(), leaf);
  };
  const std::vector<NodeIndex> nodes = books_.ledger.NodesOf(account);
  const std::vector<HoldId> holds = books_.ledger.HoldsOf(account);
  size_t left = holds.size();
  for (size_t i = 0; i < holds.size(); ++i) {
    if (is_of_use(nodes[i])) continue;
    books_.ledger.Release(holds[i]);
    --left;
  }
  if (left == holds.size()) return;
  // The first in line may be promised them: nobody passes before its room is found anew.
  books_.lines.of(group.topology()).Unreserve();
  if (left == 0) return GiveBack(group.id());
  const int64_t share = books_.ledger.ShareOf(need.room) * static_cast<int64_t>(left);
  books_.vacant.CountKept(group.key().ns, account, share);
  again_.erase(group.id());
}

// Nodes of the domain that must hold the gang, to which it may go, on which nothing of it stands
// and there is room: the tightest first, then by path.
std::vector<NodeIndex> Spares::Find(const Group& group, const Need& need, ShapeId shape,
                                    size_t most) {
  const Model& model = books_.ledger.model();
  const Tree::Range leaves = DomainOf(group, need);
  std::set<NodeIndex> taken;
  for (const Slot& slot : group.slots()) taken.insert(slot.node);
  for (const NodeIndex node : books_.ledger.NodesOf(SparesFor(group.id()))) taken.insert(node);
  const std::vector<int32_t>& fits = model.Counts(shape, CountKind::kNow).levels.back();
  work_ += 2 * (leaves.end - leaves.begin);
  const std::vector<int32_t> refused = RefusedTo(group, need);
  std::vector<std::pair<int32_t, int32_t>> found;
  for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
    if (fits[leaf] > 0 && !taken.contains(model.NodeOfLeaf(group.topology(), leaf)) &&
        !std::binary_search(refused.begin(), refused.end(), leaf))
      found.emplace_back(fits[leaf], leaf);
  std::sort(found.begin(), found.end());
  if (found.size() > most) found.resize(most);
  std::vector<NodeIndex> nodes;
  for (const auto& [room, leaf] : found) nodes.push_back(model.NodeOfLeaf(group.topology(), leaf));
  return nodes;
}

void Spares::Fill(absl::Time now, const Group& group) {
  filled_ = true;
  again_[group.id()] = now + kSparesAgain;
  const Need need = NeedOf(group);
  if (need.pod_set < 0) return;
  const PodSet& set = group.pod_sets().at(need.pod_set);
  const GroupId account = SparesFor(group.id());
  const size_t have = books_.ledger.HoldCount(account);
  const size_t wanted = static_cast<size_t>(SparesOf(group));
  const ShapeId shape = books_.ledger.AcquireShape(group.topology(), need.room, set.Where());
  std::set<int32_t> numbers;
  for (const HoldId& hold : books_.ledger.HoldsOf(account)) numbers.insert(hold.slot);
  int32_t number = 0;
  auto count = static_cast<int64_t>(have);
  for (const NodeIndex node : Find(group, need, shape, wanted - have)) {
    const int64_t share = books_.ledger.ShareOf(need.room) * ++count;
    if (!books_.vacant.CountKept(group.key().ns, account, share)) break;
    while (!numbers.insert(number).second) ++number;
    books_.ledger.Hold({account, number}, node, shape, group.priority(), Nobody());
    kept_.try_emplace(group.id(), Kept{group.key().ns, now + kSparesAgain});
  }
  if (books_.ledger.HoldCount(account) > 0)
    books_.ledger.SetEnd(account, HoldReason::kSparing, now + kSparesEnd);
  books_.ledger.ReleaseShape(shape);
}

}  // namespace gangplan
