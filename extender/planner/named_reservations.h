// The life of reservations by name: ConfigMaps that reserve room for pods of a shape from one time
// until another, for the gangs of some namespaces or with some labels. From its lead before the
// start on room is looked for where it is free soonest by the ends that are known, as for the first
// in line, and kept as it comes free; until the start that may be elsewhere the next time. At the
// start its users get it, whatever is there of it; at the end what they do not have is given back,
// and they stay.
//
// Words that cannot be read are told on the object, and what was read before stays in force. One is
// asked about at a time, on a copy. After a restart all of them are found again before anybody who
// has not started is planned.
//
// Costs nothing where there are none. Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/plans.h"
#include "extender/planner/reservation_report.h"
#include "topology/config_map_facts.h"

namespace gangplan {

class NamedReservations {
 public:
  // `usual`: the topology of those that name none.
  NamedReservations(TopologyIndex usual, const Books& books, Plans& plans)
      : usual_(usual), books_(books), plans_(plans) {}

  // It stands as it is here, or is gone.
  void OnObject(const ConfigMapFacts& object, bool stands);
  // Levels have other names: all words are read anew.
  void ReadAnew();
  // Groups are about to be planned, after a restart: not before these are found.
  void BeginToPlan(absl::Time now);
  // Of each input, once the levels are known.
  void Follow(absl::Time now);

  std::vector<ReservationReport> List() const;  // by name
  ReservationCounts Counts() const;             // for metrics

 private:
  struct Entry {
    ConfigMapFacts object;
    bool unread = true;
    bool waits = false;  // refused since there are so many: it is read once there are fewer
    bool gone = false;
    std::string problem;
    ReservationState state = ReservationState::kAhead;
    GroupId account = 0;                // 0: it has no room
    bool seeks = false;                 // it is to be asked about
    bool apart = false;                 // who uses it elsewhere is no part of it
    bool to_be_empty = false;           // also nodes are in question that are, after its end
    bool tells_start = false;           // once its room is fitted
    bool tells_plan = false;            // likewise
    bool drops = false;                 // the answer that is on its way is that to another question
    std::vector<NodeIndex> avoid = {};  // it may move off these, for others
    absl::Time look = absl::InfinitePast();
    absl::Time again = absl::InfinitePast();  // no earlier it is looked for once more
    absl::Time moves = absl::InfinitePast();  // no earlier it moves for others
    int32_t vain = 0;                         // times in a row that it could not
    std::optional<int64_t> by = {};
    bool known_end = false;                // `by` is known
    std::string why = {};                  // nothing was found
    std::string domain = {};               // of its nodes
    std::vector<std::string> places = {};  // of each of them, in order, as it was when it was found
    std::string told = {};                 // the domain, or why there is none, that was told last
  };

  void Read(absl::Time now, const std::string& name, Entry& entry);
  void Refuse(Entry& entry, std::string problem);
  void Obey(absl::Time now, const std::string& name, Entry& entry, ReservationWords words);
  void LeaveUnfit(const Entry& entry);
  static std::unique_ptr<Group> GroupOf(const Entry& entry, const ReservationWords& words);
  void Take(absl::Time now, Entry& entry, const Plans::Foreseen& found);
  void Look(absl::Time now, const std::string& name, Entry& entry);
  void LookAtNext(absl::Time now);
  void SetDomain(Entry& entry);
  void LookAtRoom(absl::Time now, Entry& entry);
  void Ask(absl::Time now);
  bool StandsAll(const Entry& entry, const NamedRoom::Reservation& own) const;
  std::string PlaceOf(NodeIndex node) const;
  ReservationState StateOf(const Entry& entry) const;
  void Finish(const std::string& name, Entry& entry);
  void AskUsers(const std::string& name);
  void AskWhoWaits();
  void Tell(const Entry& entry, bool warning, std::string_view reason, std::string text);
  void TellPlanned(Entry& entry);
  void TellStart(Entry& entry, const NamedRoom::Reservation& own);
  std::string TextOf(const Entry& entry) const;

  const TopologyIndex usual_;
  const Books books_;
  Plans& plans_;
  std::map<std::string, Entry, std::less<>> entries_;
  int64_t last_ = 0;     // of the numbers of accounts
  size_t live_ = 0;      // entries with an account
  GroupId asked_ = 0;    // the account that is asked about
  absl::Time seeks_by_;  // those who wait are planned then in any case
};

}  // namespace gangplan
