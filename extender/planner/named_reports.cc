// What people and programs are told of reservations by name.
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/named_reservations.h"
#include "fmt/format.h"
#include "topology/base/time_text.h"

namespace gangplan {

const char* Name(ReservationState state) {
  constexpr const char* kNames[kReservationStates] = {"refused", "ahead",   "sought",
                                                      "kept",    "started", "over"};
  return kNames[static_cast<int>(state)];
}

void NamedReservations::Tell(const Entry& entry, bool warning, std::string_view reason,
                             std::string text) {
  books_.outbox.Push(EventNote{entry.object.ns,
                               OwnerRef{"v1", "ConfigMap", entry.object.name, entry.object.uid},
                               warning, std::string(reason), kReserveAction, std::move(text)});
}

void NamedReservations::TellPlanned(Entry& entry) {
  if (std::exchange(entry.told, entry.domain) != entry.domain)
    Tell(entry, false, kReservationPlanned, TextOf(entry));
}

void NamedReservations::TellStart(Entry& entry, const NamedRoom::Reservation& own) {
  const bool lacks = own.missing > 0;
  Tell(entry, lacks, lacks ? kReservationShort : kReservationStarted, TextOf(entry));
}

std::string NamedReservations::TextOf(const Entry& entry) const {
  const NamedRoom::Reservation* own = books_.named.Find(entry.account);
  const std::string& name = entry.object.name;
  if (own == nullptr) {
    if (entry.state == ReservationState::kRefused) return entry.problem;
    return fmt::format("reservation {} is over", name);
  }
  if (entry.state == ReservationState::kAhead)
    return fmt::format("reservation {}: room is looked for from {} on", name,
                       UtcText(own->words.from - own->words.lead));
  if (entry.state == ReservationState::kSought)
    return fmt::format("reservation {}: {}", name,
                       entry.why.empty() ? "room is being looked for" : entry.why);
  const int32_t missing = own->missing;
  const size_t nodes = own->pods.size();
  std::string text =
      fmt::format("reservation {}: room for {} of {} pods is {} in {}, on {} node{}", name,
                  own->words.count - missing, own->words.count, own->started ? "there" : "kept",
                  entry.domain, nodes, nodes == 1 ? "" : "s");
  if (missing == 0) return text;
  if (!entry.known_end)
    return text + "; the rest as others end there, of whom nobody has told when that is";
  if (*entry.by == 0) return text + "; the rest as what stops there has gone";
  return text + fmt::format("; the rest as others end there, by {} at the latest",
                            UtcText(absl::FromUnixSeconds(*entry.by)));
}

ReservationCounts NamedReservations::Counts() const {
  ReservationCounts counts;
  for (const auto& [name, entry] : entries_) {
    const NamedRoom::Reservation* own = books_.named.Find(entry.account);
    const bool kept = own != nullptr && entry.state == ReservationState::kKept;
    const bool started = kept && own->started;
    ++counts.reservations[static_cast<size_t>(started ? ReservationState::kStarted : entry.state)];
    if (!kept) continue;
    const int32_t missing = own->missing;
    counts.missing += missing;
    counts.there += own->words.count - missing;
  }
  return counts;
}

std::vector<ReservationReport> NamedReservations::List() const {
  std::vector<ReservationReport> list;
  for (const auto& [name, entry] : entries_) {
    ReservationReport& report = list.emplace_back();
    report.name = name;
    report.state = entry.state;
    report.problem = entry.problem;
    report.text = TextOf(entry);
    const NamedRoom::Reservation* own = books_.named.Find(entry.account);
    if (own == nullptr) continue;
    if (own->started) report.state = ReservationState::kStarted;
    report.from = own->words.from;
    report.until = own->words.until;
    report.lead = own->words.lead;
    report.pods = own->words.count;
    report.topology = own->words.topology_name;
    report.place = own->words.place;
    report.namespaces = own->words.namespaces;
    for (const auto& [key, value] : own->words.labels)
      report.labels += fmt::format("{}{}={}", report.labels.empty() ? "" : ",", key, value);
    report.domain = entry.domain;
    report.nodes = static_cast<int32_t>(own->pods.size());
    report.missing = own->missing;
    if (entry.known_end) report.by = entry.by;
    for (const Group* user : books_.named.UsersOf(*own)) report.users.push_back(user->name());
  }
  return list;
}

}  // namespace gangplan
