// Reservations by name: who uses them, who waits for them, and who passes.
#include <algorithm>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/group_room.h"
#include "extender/planner/named_room.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/base/time_text.h"

namespace gangplan {

void NamedRoom::NoteUser(const Group& group) {
  if (all_.empty()) return;
  const std::string& name = group.pod_sets().reservation();
  const auto before = users_.find(group.id());
  if (name == (before == users_.end() ? std::string_view() : before->second)) return;
  VisitRoom(group, [this](NodeIndex node, const PodSet&) { to_fit_.insert(node); });
  if (name.empty()) {
    users_.erase(before);
  } else {
    users_[group.id()] = name;
  }
}

std::vector<const Group*> NamedRoom::UsersOf(const Reservation& reservation) const {
  std::vector<const Group*> users;
  for (const auto& [id, name] : users_) {
    const Group* group = name == reservation.name ? groups_.Find(id) : nullptr;
    if (group != nullptr && RoomOf(*group) == &reservation) users.push_back(group);
  }
  return users;
}

const NamedRoom::Reservation* NamedRoom::RoomOf(const Group& group) const {
  if (all_.empty()) return nullptr;
  const std::string& name = group.pod_sets().reservation();
  const Reservation* own = name.empty() ? nullptr : Named(name);
  const bool uses = own != nullptr && own->started && WhyNot(group).empty();
  return uses ? own : nullptr;
}

std::string NamedRoom::WhyNot(const Group& group) const {
  const std::string& name = group.pod_sets().reservation();
  if (name.empty()) return {};
  const Reservation* own = Named(name);
  const auto& topologies = ledger_.model().topologies();
  const auto text = [&](std::string why) {
    return fmt::format("gang {} of {}: reservation {}: {}", group.name(), group.size(), Shown(name),
                       std::move(why));
  };
  if (own == nullptr)
    return text(fmt::format("there is none of that name, or it is over ({})", kReservationWord));
  for (const PodSet& set : group.pod_sets().sets()) {
    if (!set.known || set.profile == nullptr) continue;
    if (group.topology() != own->words.topology)
      return text(fmt::format("it is in topology {}, and the gang goes by {} ({})",
                              topologies[static_cast<size_t>(own->words.topology)].name,
                              topologies[static_cast<size_t>(group.topology())].name,
                              kTopologyWord));
    const std::string why = own->words.WhyNot(group.key().ns, set.profile->labels);
    if (!why.empty()) return text(why);
  }
  if (own->started) return {};
  return text(fmt::format("it begins at {}; the gang is planned then", UtcText(own->words.from)));
}

// Only what holds something: a question looks behind that.
std::vector<GroupId> NamedRoom::OpenTo(const Group& group, int64_t end) const {
  std::vector<GroupId> accounts;
  const Reservation* own = RoomOf(group);
  for (const auto& [account, one] : all_) {
    const bool passes = !one.started && end > 0 && end <= absl::ToUnixSeconds(one.words.from);
    if (!one.held.empty() && (&one == own || (own == nullptr && passes)))
      accounts.push_back(account);
  }
  return accounts;
}

std::vector<GroupId> NamedRoom::MovableFor(const Group& group) const {
  std::vector<GroupId> accounts;
  if (RoomOf(group) != nullptr) return accounts;
  for (const auto& [account, one] : all_) {
    if (one.movable && !one.started && !one.held.empty()) accounts.push_back(account);
  }
  return accounts;
}

std::set<GroupId> NamedRoom::TakeGainers() {
  std::set<std::string_view> names;
  for (const GroupId account : std::exchange(gained_, {}))
    if (const Reservation* one = Find(account)) names.insert(one->name);
  std::set<GroupId> gainers;
  if (names.empty()) return gainers;
  for (const auto& [id, name] : users_)
    if (names.contains(name)) gainers.insert(id);
  return gainers;
}

}  // namespace gangplan
