#include "extender/planner/named_room.h"

#include <algorithm>
#include <tuple>

#include "extender/planner/group_room.h"
#include "extender/planner/limits.h"
#include "extender/planner/nobody.h"
#include "extender/planner/rest_of.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// Only what the cluster itself runs gets the room of a reservation.
constexpr int32_t kNamedPriority = kSystemPriority - 1;

// Its holds go back in parts then.
absl::Time EndOf(const ReservationWords& words) { return words.until + kNamedAgain; }

// Nothing of it is less than in the other.
bool Covers(const ResourceList& more, const ResourceList& less) {
  return std::all_of(less.begin(), less.end(), [&](const ResourceAmount& one) {
    return AmountOf(more, one.name) >= one.amount;
  });
}

ResourceList Times(const ResourceList& requests, int32_t pods) {
  ResourceList sum;
  AddResources(sum, requests, pods);
  return sum;
}

// Of its pods than there are to be on each node, while that is still to be fitted.
void CountNoMore(NamedRoom::Reservation& own) {
  for (auto& [node, there] : own.there) {
    const auto pods = own.pods.find(node);
    const int32_t most = pods == own.pods.end() ? 0 : pods->second;
    own.missing += std::max(0, there - most);
    there = std::min(there, most);
  }
  std::erase_if(own.there, [](const auto& one) { return one.second == 0; });
}

}  // namespace

const NamedRoom::Reservation* NamedRoom::Find(GroupId account) const {
  const auto found = all_.find(account);
  return found == all_.end() ? nullptr : &found->second;
}

const NamedRoom::Reservation* NamedRoom::Named(std::string_view name) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) {
    return !one.second.over && one.second.name == name;
  });
  return found == all_.end() ? nullptr : &found->second;
}

// ---- its life

void NamedRoom::Put(GroupId account, std::string name, ReservationWords words) {
  Reservation& own = all_[account];
  own.account = account;
  own.name = std::move(name);
  own.missing += words.count - own.words.count;
  own.words = std::move(words);
  for (const auto& [node, pods] : own.pods) to_fit_.insert(node);
  int32_t left = own.words.count;
  for (auto& [node, pods] : own.pods) left -= pods = std::min(pods, left);
  std::erase_if(own.pods, [](const auto& one) { return one.second == 0; });
  CountNoMore(own);
  ledger_.SetEnd(account, HoldReason::kNamed, EndOf(own.words));
  for (const auto& [id, one] : groups_.groups()) NoteUser(*one);
}

void NamedRoom::Place(GroupId account, std::map<NodeIndex, int32_t> pods) {
  Reservation& own = all_.at(account);
  for (const auto* nodes : {&own.pods, &pods}) {
    for (const auto& [node, count] : *nodes) to_fit_.insert(node);
  }
  own.pods = std::move(pods);
  CountNoMore(own);
}

void NamedRoom::SetStarted(GroupId account, bool started) {
  Reservation& own = all_.at(account);
  if (own.started == started) return;
  own.started = started;
  for (const auto& [node, pods] : own.pods) to_fit_.insert(node);
}

void NamedRoom::Wish(GroupId account, const std::vector<NodeIndex>& nodes) {
  Reservation& own = all_.at(account);
  own.wish = nodes;
  own.movable = false;
}

void NamedRoom::End(GroupId account) {
  Place(account, {});
  Reservation& own = all_.at(account);
  own.over = true;
  if (own.held.empty()) all_.erase(account);
}

// ---- room

std::vector<NodeIndex> NamedRoom::LackingBeside(const Group& group) const {
  std::set<NodeIndex> lacking;
  const Reservation* self = Find(group.id());
  const Reservation* own = self == nullptr ? RoomOf(group) : self;
  for (const auto& [account, one] : all_) {
    const bool apart = self != nullptr && (IsBefore(*self, one) || IsBefore(one, *self));
    if (&one == own || apart) continue;
    for (const auto& [node, pods] : one.pods) {
      const auto held = one.held.find(node);
      const ResourceList need = Times(one.words.requests, pods);
      if (held == one.held.end() || !Covers(held->second, need)) lacking.insert(node);
    }
  }
  return {lacking.begin(), lacking.end()};
}

// The one that has begun has what two of them want, else the one that begins first.
std::vector<NamedRoom::Reservation*> NamedRoom::InOrder() {
  std::vector<Reservation*> order;
  for (auto& [account, one] : all_) order.push_back(&one);
  std::sort(order.begin(), order.end(), [](const Reservation* a, const Reservation* b) {
    return std::tuple(!a->started, a->words.from, -a->account) <
           std::tuple(!b->started, b->words.from, -b->account);
  });
  return order;
}

NamedRoom::Used NamedRoom::UsedOn(const std::set<NodeIndex>& nodes, int64_t& looked) const {
  Used used;
  for (const auto& [id, name] : users_) {
    const Group* group = groups_.Find(id);
    const Reservation* own = group == nullptr ? nullptr : RoomOf(*group);
    if (own == nullptr) continue;
    looked += std::ssize(group->slots());
    VisitRoom(*group, [&](NodeIndex node, const PodSet& set) {
      if (nodes.contains(node)) AddResources(used[{own->account, node}], set.demand);
    });
  }
  return used;
}

ResourceList NamedRoom::WantedOf(const Reservation& reservation, NodeIndex node,
                                 const Used& used) const {
  const auto pods = reservation.pods.find(node);
  if (pods == reservation.pods.end()) return {};
  ResourceList need = Times(reservation.words.requests, pods->second);
  const auto own = used.find({reservation.account, node});
  return own == used.end() ? need : Without(need, own->second);
}

// As much of it as is free there, with what is given back, less what others have taken of that.
ResourceList NamedRoom::FreeOf(NodeIndex node, const ResourceList& wanted, const ResourceList& back,
                               const ResourceList& taken) const {
  ResourceList free;
  for (const auto& [name, amount] : wanted) {
    const ResourceUse use = ledger_.model().Use(node, name);
    const int64_t left =
        use.allocatable - use.used - use.held + AmountOf(back, name) - AmountOf(taken, name);
    if (left > 0) free.push_back({name, std::min(amount, left)});
  }
  return free;
}

void NamedRoom::LetGo(Reservation& reservation, NodeIndex node, bool gain) {
  const HoldId id{reservation.account, node};
  if (!gain) {
    ledger_.LiftOne(id);
  } else {
    ledger_.Release(id);
  }
  reservation.held.erase(node);
}

void NamedRoom::Hold(Reservation& reservation, NodeIndex node, const ResourceList& room) {
  const ShapeId shape =
      ledger_.AcquireShape(reservation.words.topology, room, reservation.words.filter);
  if (ledger_.model().MayUse(node, shape)) {
    ledger_.Hold({reservation.account, node}, node, shape, kNamedPriority, Nobody());
    ledger_.SetEnd(reservation.account, HoldReason::kNamed, EndOf(reservation.words));
    reservation.held[node] = room;
  }
  ledger_.ReleaseShape(shape);
}

void NamedRoom::FitOne(NodeIndex node, const Used& used, const std::vector<Reservation*>& order) {
  ResourceList back, taken;
  bool watched = false;
  for (Reservation* one : order) {
    const bool stands = ledger_.Has({one->account, node}, node, false);
    if (!stands) one->held.erase(node);  // a node that shrank has let it go
    if (stands) AddResources(back, one->held.at(node));
    watched |= one->pods.contains(node);
  }
  ledger_.SetWatched(node, watched);
  std::vector<std::pair<Reservation*, ResourceList>> changes;
  for (Reservation* one : order) {
    ResourceList room = FreeOf(node, WantedOf(*one, node, used), back, taken);
    AddResources(taken, room);
    const auto held = one->held.find(node);
    const bool same = held == one->held.end() ? room.empty() : held->second == room;
    if (!same) changes.emplace_back(one, std::move(room));
  }
  for (const auto& [one, room] : changes) {
    const auto held = one->held.find(node);
    if (held != one->held.end()) LetGo(*one, node, !Covers(room, held->second));
  }
  for (const auto& [one, room] : changes) {
    if (!room.empty()) Hold(*one, node, room);
    if (one->started && !room.empty()) gained_.insert(one->account);
  }
  for (Reservation* one : order) Count(*one, node, used);
}

// For how many of its pods there is room on the node, with what its users have there.
int32_t NamedRoom::ThereOf(const Reservation& reservation, NodeIndex node, const Used& used) {
  const auto pods = reservation.pods.find(node);
  if (pods == reservation.pods.end()) return 0;
  ResourceList room;
  const auto held = reservation.held.find(node);
  if (held != reservation.held.end()) room = held->second;
  const auto own = used.find({reservation.account, node});
  if (own != used.end()) AddResources(room, own->second);
  int64_t there = pods->second;
  for (const auto& [name, amount] : reservation.words.requests)
    there = std::min(there, AmountOf(room, name) / amount);
  return static_cast<int32_t>(there);
}

void NamedRoom::Count(Reservation& reservation, NodeIndex node, const Used& used) {
  const int32_t there = ThereOf(reservation, node, used);
  int32_t& counted = reservation.there[node];
  reservation.missing += counted - there;
  counted = there;
  if (there == 0) reservation.there.erase(node);
}

void NamedRoom::NoteRoom(const Group& group, const std::vector<NodeIndex>& nodes) {
  if (RoomOf(group) != nullptr) to_fit_.insert(nodes.begin(), nodes.end());
}

int64_t NamedRoom::Fit() {
  if (!AnyToFit()) return 0;
  for (NodeIndex node : ledger_.TakeLeft(kFittedAtOnce)) to_fit_.insert(node);
  std::vector<NodeIndex> nodes;
  while (nodes.size() < kFittedAtOnce && !to_fit_.empty()) {
    nodes.push_back(*to_fit_.begin());
    to_fit_.erase(to_fit_.begin());
  }
  FitAt(nodes);
  std::erase_if(all_, [](const auto& one) { return one.second.over && one.second.held.empty(); });
  return std::ssize(nodes) + std::exchange(looked_, 0);
}

void NamedRoom::LiftAt(const std::vector<GroupId>& accounts, const std::vector<NodeIndex>& nodes) {
  for (const GroupId account : accounts) {
    Reservation& own = all_.at(account);
    for (const NodeIndex node : nodes) {
      if (!own.held.contains(node)) continue;
      if (ledger_.Has({account, node}, node, false)) {
        LetGo(own, node, false);
      } else {
        own.held.erase(node);  // a node that shrank has let it go
      }
    }
  }
}

void NamedRoom::FitAt(const std::vector<NodeIndex>& nodes) {
  if (nodes.empty()) return;
  const Used used = UsedOn({nodes.begin(), nodes.end()}, looked_);
  const std::vector<Reservation*> order = InOrder();
  for (const NodeIndex node : nodes) FitOne(node, used, order);
}

// Nothing is left to be done.
std::string NamedRoom::BrokenInvariant() const {
  if (AnyToFit()) return {};
  for (const auto& [account, one] : all_) {
    if (one.held.size() != ledger_.HoldCount(account))
      return fmt::format("named room: reservation {} does not hold what it has", one.name);
    std::set<NodeIndex> nodes;
    for (const auto& [node, pods] : one.pods) nodes.insert(node);
    int64_t looked = 0;
    const Used used = UsedOn(nodes, looked);
    int32_t missing = one.words.count;
    for (const NodeIndex node : nodes) {
      const int32_t there = ThereOf(one, node, used);
      const auto counted = one.there.find(node);
      if (there != (counted == one.there.end() ? 0 : counted->second))
        return fmt::format("named room: reservation {} counts other pods than {} on {}", one.name,
                           there, ledger_.model().NodeName(node));
      missing -= there;
    }
    if (missing != one.missing)
      return fmt::format("named room: reservation {} counts {} pods as missing, of which {} are",
                         one.name, one.missing, missing);
    for (const NodeIndex node : nodes) {
      const auto held = one.held.find(node);
      ResourceList lacks = WantedOf(one, node, used);
      if (held != one.held.end()) lacks = Without(lacks, held->second);
      const NodeFacts* facts = ledger_.model().Facts(node);
      const bool takes = facts != nullptr && facts->ready && !facts->unschedulable &&
                         ledger_.HomeOf(node) == one.words.topology &&
                         MatchesSelector(one.words.filter, *facts) &&
                         ToleratesTaints(one.words.filter, *facts);
      if (takes && !FreeOf(node, lacks, {}, {}).empty())
        return fmt::format("named room: reservation {} lacks room that is free on {}", one.name,
                           ledger_.model().NodeName(node));
    }
  }
  return {};
}

}  // namespace gangplan
