// Room for the first in line, so that those who pass it do not delay it (queue.mode: backfill). By
// the ends that are known it is found where it fits soonest; what of that place is free is kept
// from then on, and what others leave as they go. Where the known ends are not enough, it is the
// place for which the fewest others have to go, whenever they do.
//
// One reservation at a time in a topology's line: for the first, as in EASY backfill (Lifka 1995).
// Nobody behind it is solved while it is being found, also when what was found is not there any
// more: that is asked again, kReservedTries times at the most. It is found anew when some of it is
// lost, when a gang that was let into it has all its pods or has gone, when spares or a reservation
// by name that have some of it have, and after a while.
//
// Thread rule: the planner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/kept_room.h"
#include "extender/planner/plans.h"
#include "extender/planner/told_gang.h"

namespace gangplan {

class Reservations {
 public:
  // Of the line of one topology.
  Reservations(TopologyIndex topology, bool reserves, const Books& books, Plans& plans,
               KeptRoom& kept)
      : topology_(topology), reserves_(reserves), books_(books), plans_(plans), kept_(kept) {}

  // False: what is kept is given back.
  void SetReserves(bool reserves);
  // Of each input.
  void Follow(absl::Time now);

 private:
  // Accounts of room that no pod of theirs leaves, and which go by a time (spares, reservations by
  // name): on which of its nodes they have some of it.
  using Given = std::map<GroupId, std::vector<NodeIndex>>;
  struct Reservation {
    GroupId group = 0;
    bool keeps = false;        // false: no room could be found to keep
    std::set<GroupId> let_in;  // gangs that have not all their pods yet, and end in time
    Given given;               // nothing of it is free before it goes
    absl::Time end;            // found anew then
    absl::Time look = absl::InfinitePast();  // it is asked about what has come free
    uint64_t gain_version = 0;
    std::optional<int64_t> by = {};  // as Foreseen has it
  };
  // Where it was found its maintenance would come before its end: it is found once more, off the
  // nodes that would have been too early then.
  struct Avoided {
    GroupId group = 0;
    absl::Time begins;  // InfiniteFuture: off all where maintenance is to be
    int times = 0;
  };

  // Who leaves room on the plan's nodes by then.
  struct Ends {
    std::string reader;                         // the gang whose readers are told
    std::set<GroupId> let_in = {};              // as Reservation has them
    Given given = {};                           // likewise
    std::map<std::string, uint32_t> last = {};  // the last end that is known, by who it is

    void Note(const std::string& who, uint32_t end) { last[who] = std::max(last[who], end); }
    void NoteGang(const Group& gang, uint32_t end) { Note(ToldTo(reader, gang.name()), end); }
    std::string Text() const;
  };

  void Avoid(const Group& group, absl::Time begins);
  void Begin(absl::Time now, const Group& group, Plans::Foreseen found);
  bool IsOver(absl::Time now, const Group* head) const;
  bool StillGives(const Given& given) const;
  void End();
  void GoOn(absl::Time now);
  void AskWhoMayPass(const Group& first);
  void KeepNothing(const Group& group, absl::Time end, std::string why);
  Ends AwaitEnds(absl::Time now, const Group& reader, const Plans::Foreseen& found,
                 KeptRoom::Draft& draft) const;
  void AwaitForeign(absl::Time now, const Plans::Foreseen& found, const std::vector<bool>& wanted,
                    KeptRoom::Draft& draft, Ends& ends) const;
  void GiveSpares(absl::Time now, const Plans::Foreseen& found, const Group& group, bool all,
                  KeptRoom::Draft& draft, Ends& ends) const;
  void GiveRest(absl::Time now, const Plans::Foreseen& found,
                const VictimSearch::Returning& returning, const Group& group, bool all,
                KeptRoom::Draft& draft, Ends& ends) const;
  void GiveNamed(const Plans::Foreseen& found, KeptRoom::Draft& draft, Ends& ends) const;
  bool GivesInTime(const Plans::Foreseen& found, const Group& group, int32_t slot,
                   KeptRoom::Draft& draft) const;
  std::string Text(const Group& group, const Plans::Foreseen& found, const Ends& ends) const;

  RoomLine& line() const { return books_.lines.of(topology_); }

  TopologyIndex topology_;
  bool reserves_;
  const Books books_;
  Plans& plans_;
  KeptRoom& kept_;
  std::optional<Reservation> reservation_;
  GroupId asked_ = 0;    // of which it is being found
  absl::Time asked_at_;  // and its last question was
  Avoided avoids_;
  int tries_ = 0;  // that found nothing to keep any more, one after the other
};

}  // namespace gangplan
