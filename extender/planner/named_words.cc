// What the objects of reservations by name say, and what becomes of their room when that changes.
#include <algorithm>
#include <memory>
#include <utility>

#include "extender/frontends/gangplan/front_end.h"
#include "extender/frontends/gangplan/place.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/named_reservations.h"
#include "fmt/format.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// One of its pods, as the first of a gang that waits for all of them.
Foretold PodOf(const ConfigMapFacts& object, const ReservationWords& words) {
  Foretold told;
  told.pod.ns = object.ns;
  told.pod.name = object.name;
  told.pod.requests = words.requests;
  told.pod.filter = words.filter;
  told.spec.kind = GroupSpec::Kind::kMember;
  told.spec.key = {"Reservation", object.ns, object.name, object.uid};
  told.spec.front_end = &GangplanFrontEnd();
  told.spec.pod_sets = {{"", words.count}};
  told.spec.topology = words.topology;
  told.spec.topology_name = words.topology_name;
  told.spec.place = words.place;
  told.spec.rules = words.rules;
  told.spec.room_taken = absl::ToInt64Seconds(words.until - words.from);
  return told;
}

// What was read before, by the levels of now: where these have no such place, its pods may go
// anywhere.
ReservationWords ByLevels(ReservationWords words, const Topology& topology) {
  absl::StatusOr<LevelRules> rules = ParsePlace("place", words.place, topology);
  if (!rules.ok()) words.place.clear();
  words.rules = rules.ok() ? *std::move(rules) : LevelRules(topology.levels.size());
  return words;
}

// It asks for the same room.
bool SameRoom(const ReservationWords& a, const ReservationWords& b) {
  return a.count == b.count && a.requests == b.requests && a.filter == b.filter &&
         a.topology == b.topology && a.rules == b.rules && a.from == b.from && a.until == b.until;
}

}  // namespace

// Its pods as those of a gang.
std::unique_ptr<Group> NamedReservations::GroupOf(const Entry& entry,
                                                  const ReservationWords& words) {
  const Foretold told = PodOf(entry.object, words);
  auto group = std::make_unique<Group>(entry.account, told.spec.key, std::nullopt);
  group->Foretell({&told, 1});
  return group;
}

void NamedReservations::OnObject(const ConfigMapFacts& object, bool stands) {
  if (!stands && !entries_.contains(object.name)) return;
  Entry& entry = entries_[object.name];
  entry.gone = !stands;
  if (!stands) return;
  if (!entry.object.uid.empty() && entry.object.uid != object.uid) {
    entry.gone = true;  // it was made anew
    Finish(object.name, entry);
    entry = {};
  }
  entry.object = object;
  entry.unread = true;
}

void NamedReservations::ReadAnew() {
  for (auto& [name, entry] : entries_) entry.unread = true;
}

void NamedReservations::Refuse(Entry& entry, std::string problem) {
  if (entry.account == 0) entry.state = ReservationState::kRefused;
  if (entry.problem == problem) return;
  entry.problem = std::move(problem);
  Tell(entry, true, kReservationRefused,
       fmt::format("reservation {} is refused: {}{}", entry.object.name, entry.problem,
                   entry.account == 0 ? "" : "; what it said before stays in force"));
}

void NamedReservations::Read(absl::Time now, const std::string& name, Entry& entry) {
  entry.unread = false;
  entry.waits = false;
  const std::vector<ScopedTopology>& topologies = books_.ledger.model().topologies();
  absl::StatusOr<ReservationWords> words = ReadReservation(entry.object, topologies, usual_);
  if (!words.ok()) {
    Refuse(entry, Message(words.status()));
    const NamedRoom::Reservation* own = books_.named.Find(entry.account);
    if (own == nullptr) return;
    ReservationWords anew =
        ByLevels(own->words, topologies[static_cast<size_t>(own->words.topology)]);
    if (anew != own->words) Obey(now, name, entry, std::move(anew));
    return;
  }
  words->requests = books_.ledger.model().Counted(std::move(words->requests));
  if (now >= words->until) {
    entry.problem.clear();
    return Finish(name, entry);
  }
  entry.waits = entry.account == 0 && live_ >= kMaxReservations;
  if (entry.waits)
    return Refuse(entry, fmt::format("there are {} reservations already; expected no more at once",
                                     kMaxReservations));
  entry.problem.clear();
  Obey(now, name, entry, *std::move(words));
}

void NamedReservations::Obey(absl::Time now, const std::string& name, Entry& entry,
                             ReservationWords words) {
  if (entry.account == 0) {
    entry.account = NamedFor(++last_);
    ++live_;
  }
  const NamedRoom::Reservation* before = books_.named.Find(entry.account);
  const bool early = now < words.from - words.lead;
  const bool other = before == nullptr || !SameRoom(before->words, words);
  // What it keeps, and until when, may have been promised to the first in line.
  if (before != nullptr && (early || other)) books_.lines.of(before->words.topology).Unreserve();
  if (early || other) {
    entry.state = ReservationState::kAhead;
    entry.seeks = entry.apart = entry.to_be_empty = entry.tells_plan = false;
    entry.drops = asked_ == entry.account;  // what is asked is another question
    entry.avoid.clear();
    entry.again = absl::InfinitePast();
    entry.why.clear();
    entry.told.clear();
  }
  auto group = GroupOf(entry, words);
  books_.named.Put(entry.account, name, std::move(words));
  books_.named.SetMovable(entry.account, false);
  plans_.SetNamed(entry.account, std::move(group));
  if (early) {
    books_.named.Place(entry.account, {});
  } else if (other) {
    LeaveUnfit(entry);
  }
  SetDomain(entry);
  entry.look = absl::InfinitePast();
  AskUsers(name);
}

// Nodes that its pods may not use by what it says now are given back at once: on the others it
// stays until it has its place.
void NamedReservations::LeaveUnfit(const Entry& entry) {
  const NamedRoom::Reservation& own = *books_.named.Find(entry.account);
  const ShapeId shape = own.group->pod_sets().at(0).shape;
  std::map<NodeIndex, int32_t> fit = own.pods;
  std::erase_if(fit, [&](const auto& place) {
    return shape < 0 || !books_.ledger.model().MayUse(place.first, shape);
  });
  if (fit.size() < own.pods.size()) books_.named.Place(entry.account, std::move(fit));
}

}  // namespace gangplan
