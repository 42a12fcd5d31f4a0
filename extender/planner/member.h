// A member of a group, and a slot of its plan: plain data that the group alone changes; and the
// orders in which members wait for something.
//
// Thread rule: the planner's.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/cluster/pod_ref.h"
#include "extender/frontends/group_spec.h"
#include "topology/model.h"

namespace gangplan {

struct Member {
  PodRef pod;
  int32_t pod_set = 0;   // where there is no problem
  int32_t rank = -1;     // asked for, within the pod set; -1: any slot of it
  bool indexed = false;  // the rank is the owner's index, which tied pod sets shift
  int32_t slot = -1;     // -1: none, or the group has no plan
  std::string problem;   // not empty: can not be a member, and why
  int64_t judged = 0;    // by which templates, as Group counts them
  // Of what kind its problem is.
  Misfit misfit = Misfit::kNone;
  absl::Time seen;
  int64_t asked = 0;       // the scheduler has asked for it since its group has asked so often
  bool gave_back = false;  // its room was given back and it was not asked for since
  int32_t given_back = 0;  // rooms of it that came to nothing in a row
  absl::Time not_before = absl::InfinitePast();  // asked for earlier, it gets no room
  bool in_bind = false;                          // its bind call is held
  bool runs = false;                             // is bound, or has succeeded
  bool gated = false;                            // waits behind gates of ours
  bool going = false;                            // ... and a release of it may land
  bool may_disown = false;                       // nobody applies fields of it
  bool deleted = false;                          // we delete it: it goes nowhere any more
  bool held = false;                             // it, or its owner, says that its group waits
  int32_t nice = 0;                              // likewise, how far behind others
  bool released = false;  // was released from them to certain nodes, and may go nowhere else
  std::string own_node;   // it is this one alone, where there is one
  bool finished = false;  // has succeeded: has no slot any more, but shows that the group ran
  bool given_up = false;  // goes for others, and whoever comes in its place joins those that stay
  bool over = false;      // ... once: nothing stood beside it, and the rest has begun anew since
  int32_t refusals = 0;   // Bindings refused in a row
  absl::Time refused_since = absl::InfiniteFuture();  // the first since its room was given back

  bool sound() const { return problem.empty(); }
  bool live() const { return problem.empty() && !finished; }
};

enum class SlotState : uint8_t {
  kEmpty,     // no node
  kHeld,      // room in the ledger
  kPosting,   // room in the ledger, pinned: its Binding's outcome is open
  kBound,     // a pod in the model
  kFinished,  // its pod has succeeded
};
inline constexpr int kSlotStates = 5;

struct Slot {
  SlotState state = SlotState::kEmpty;
  // The node could not keep it while its Binding was open: given up when that was not written.
  bool lost = false;
  NodeIndex node = kNoNode;
  uint32_t ends = 0;  // of a bound one: Unix seconds, its pod is gone by then; 0: nobody knows

  const Member* member() const { return member_; }  // null: vacant
  bool open() const { return state == SlotState::kEmpty || state == SlotState::kHeld; }
  bool taken() const { return state == SlotState::kHeld || state == SlotState::kPosting; }

 private:
  friend class Group;
  Member* member_ = nullptr;  // of the group, whose members stay where they are
};

// Whose turn comes when a slot is vacant: who asks for a rank first, then by age. The texts are the
// member's own.
struct SeatTurn {
  int32_t pod_set = 0;
  bool unranked = false;
  absl::Time seen = absl::InfinitePast();
  std::string_view name;
  std::string_view uid;
  friend std::strong_ordering operator<=>(const SeatTurn&, const SeatTurn&) = default;

  static SeatTurn Of(const Member& member) {
    return {member.pod_set, member.rank < 0, member.seen, member.pod.name, member.pod.uid};
  }
};

// A member with a problem: who was judged longest ago first, then who runs, then by age. The texts
// are the member's own.
struct UnsoundMember {
  int64_t judged = 0;  // by which templates
  bool waits = true;
  absl::Time seen;
  std::string_view name;
  std::string_view uid;
  friend std::strong_ordering operator<=>(const UnsoundMember&, const UnsoundMember&) = default;

  static UnsoundMember Of(const Member& member) {
    return {member.judged, !member.runs, member.seen, member.pod.name, member.pod.uid};
  }
};

}  // namespace gangplan
