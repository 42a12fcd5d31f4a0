// Who waits for room and may gain by what came free, or may be had that could not: these are asked
// once more, and nobody else. The groups are passed over, in rounds, when there is anything new.
//
// Invariant: whoever waits and would fit is in the queue, or stands before the place where the pass
// is, or is met by the next one.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "extender/planner/books.h"
#include "extender/planner/lesser_room.h"
#include "extender/planner/limits.h"
#include "extender/planner/round.h"
#include "extender/planner/victim_search.h"

namespace gangplan {

class Gains {
 public:
  Gains(const Books& books, Round& round, LesserRoom& lesser, VictimSearch& victims)
      : books_(books), round_(round), lesser_(lesser), victims_(victims) {}

  // The version of all that the group may gain by: when it is another one, something came free.
  uint64_t VersionOf(const Group& group) const;
  // More of its shapes fit somewhere than when it was tried, and enough of them for it where its
  // members must share a domain. What is of no use now will be of use when more comes free beside
  // it, and not before.
  bool MayGain(Group& group);
  // What came free may be enough together with the room of those who give way, where no count grew.
  bool MayTakeFromLesser(const Group& group) const;

  // Who waits is asked once more, though nothing has come free.
  void AskAll() { ask_all_ = true; }
  // Some group's room yields now.
  void NoteYields() { yields_ = true; }
  // Grows when either has reached those who wait.
  uint64_t asked_all() const { return asked_all_; }

  // Fires for those who may gain. O(groups) when something was gained at all, in several rounds
  // where these are many or much has changed; what is gained meanwhile begins it anew, so that the
  // first who may gain by it is the first who is asked, kMostLooks times before as much is solved.
  // `must_wait`: others come before the group. False: it is not over yet.
  bool Look(absl::FunctionRef<bool(const Group&)> must_wait);
  // There is something to look at, beside what is due with the next tick.
  bool busy() const { return pass_ || (AnyNews() && pass_work_ < kEagerPassWork); }

  // --- Of the queue.
  // The group is to be solved. Where that is for room that came free and nothing else, it need not
  // be when others have taken it meanwhile.
  void NoteMarked(GroupId group);
  // Its turn has come. True: for that room, and nothing else.
  bool TakeAgain(GroupId group) { return again_.erase(group) > 0; }
  // A solve has taken so much work.
  void NoteSolved(int64_t work);
  // No event is left.
  void EndEvents() { gained_.clear(); }
  void Forget(GroupId group) { again_.erase(group); }

 private:
  // Over the groups, by id: the last that was looked at, and what it is about.
  struct Pass {
    GroupId last = 0;
    bool all = false;
    bool yields = false;
    std::set<std::string> claims = {};  // namespaces that may claim more than they could
  };

  std::vector<ShapeId> ShapesOf(const Group& group) const;
  uint64_t Version() const {
    return books_.ledger.model().gain_version() + books_.ledger.neighbours().version();
  }
  bool AnyNews() const;
  bool Begin();
  bool LookOn(absl::FunctionRef<bool(const Group&)> must_wait);
  void LookAt(Group& group, absl::FunctionRef<bool(const Group&)> must_wait);

  const Books books_;
  Round& round_;
  LesserRoom& lesser_;
  VictimSearch& victims_;
  bool ask_all_ = false, yields_ = false;
  uint64_t asked_all_ = 0;
  std::optional<Pass> pass_;
  // Passes that were begun since the solves took as long as one, or everybody was asked.
  int32_t looks_ = 0;
  int64_t pass_work_ = 0;   // of the last one, or of this one so far
  int64_t solve_work_ = 0;  // of all solves since it ended
  // Who is asked once more for room that came free, and nothing else: of the events, of the queue.
  std::set<GroupId> gained_, again_;
  uint64_t line_version_ = 0;  // of the line for room, when the groups were looked through last
  uint64_t gain_version_ = 0;  // of model and neighbours, likewise
};

}  // namespace gangplan
