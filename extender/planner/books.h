// The classes that own the planner's facts, as those between them see them.
//
// Thread rule: the planner's.
#pragma once

#include "extender/planner/bind_desk.h"
#include "extender/planner/fair_shares.h"
#include "extender/planner/group_book.h"
#include "extender/planner/kueue_room.h"
#include "extender/planner/ledger.h"
#include "extender/planner/left_gated.h"
#include "extender/planner/lifecycle.h"
#include "extender/planner/named_room.h"
#include "extender/planner/nominations.h"
#include "extender/planner/owner_book.h"
#include "extender/planner/placer.h"
#include "extender/planner/pod_book.h"
#include "extender/planner/refusals.h"
#include "extender/planner/results.h"
#include "extender/planner/room_line.h"
#include "extender/planner/sight.h"
#include "extender/planner/solve_queue.h"
#include "extender/planner/vacant_room.h"
#include "extender/planner/waker.h"
#include "extender/planner/yielding.h"

namespace gangplan {

struct Books {
  Ledger& ledger;
  GroupBook& groups;
  PodBook& pods;
  LeftGated& left;
  OwnerBook& owners;
  Lifecycle& lifecycle;
  SolveQueue& queue;
  BindDesk& desk;
  Refusals& refusals;
  Waker& waker;
  Nominations& nominations;
  Outbox& outbox;
  VacantRoom& vacant;
  Yielding& yielding;
  RoomLines& lines;
  FairShares& shares;
  NamedRoom& named;
  KueueRoom& kueue;
  const Placer& placer;
  Results& results;
  const Sight& sight;
};

}  // namespace gangplan
