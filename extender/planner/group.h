// A group as the planner keeps it: members, slots, plan. Plain data and the counts over it, which
// answer the life table's guards in O(1); the planner owns and changes it, under its thread rule.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "algorithms/result.h"
#include "extender/planner/effects.h"
#include "extender/planner/life.h"
#include "extender/planner/membership.h"
#include "topology/model.h"

namespace gangplan {

// A bind call that waits for the group.
struct HeldCall {
  CallId id = 0;
  absl::Time call_off;   // answered with an error at this moment
  absl::Time not_after;  // no Binding is written later than this
};

struct Member {
  PodRef pod;
  int32_t pod_set = 0;     // index into pod_sets, where there is no problem
  int32_t rank = -1;       // asked for, within the pod set; -1: any slot of it
  bool indexed = false;    // the rank is the owner's index, which a Kueue group shifts
  int32_t slot = -1;       // index into slots; -1: none is free
  bool slotless = false;   // every slot was taken when it came
  std::string problem;     // not empty: can not be a member, and why
  std::string nominated;   // status.nominatedNodeName as last seen
  bool confirmed = false;  // the watch has shown it
  absl::Time seen;
  bool rejected = false;  // was told to wait; only an event wakes it
  bool asked = false;     // the scheduler has asked for it since its group gave its plan back
  bool finished = false;  // has succeeded: has no slot any more, but shows that the group ran
  std::optional<HeldCall> call;
  bool doubtful = false;  // posting, and its Binding's outcome could not be learned yet
  // The nomination of this slot: how often it was sent, and when it may be sent again.
  int nominations = 0;
  bool nomination_stood = false;  // the watch has shown it
  absl::Time nominate_at = absl::InfiniteFuture();
};

enum class SlotState : uint8_t {
  kEmpty,     // no node
  kHeld,      // a hold in the model
  kPosting,   // a hold in the model; its Binding's outcome is open
  kBound,     // a pod in the model
  kFinished,  // its pod has succeeded
};
inline constexpr int kSlotStates = 5;

struct Slot {
  SlotState state = SlotState::kEmpty;
  NodeIndex node = kNoNode;
  std::string member;  // UID; empty: vacant
  // The node could not keep it while its Binding was open: the rest may stand elsewhere by now, so
  // the slot is given up when the Binding proves not to be written.
  bool lost = false;

  bool open() const { return state == SlotState::kEmpty || state == SlotState::kHeld; }
};

// Members of one template. Its first sound member tells the template.
struct GroupPodSet {
  std::string name;  // empty: the only one, without a name
  int32_t first = 0;
  int32_t count = 0;    // its slots are first .. first + count - 1; slot first + r is its rank r
  int32_t members = 0;  // sound ones
  bool known = false;   // the template was told; the rest says nothing before
  std::string place;
  PlaceRules rules;
  LabelSet kueue;  // Kueue's words; empty: none
  ResourceList demand;
  NodeFilter filter;
  std::vector<PreferredTerm> preferred_terms;
  ShapeId shape = -1;        // demand and filter, less the avoided nodes; made by the first solve
  int32_t kueue_group = -1;  // two of one number go together
  int32_t first_index = 0;   // the owner's index of its rank 0

  // Nodes that the scheduler proved useless for this shape, and until when that is believed.
  std::vector<std::pair<std::string, absl::Time>> avoided;

  bool Has(int32_t slot) const { return slot >= first && slot < first + count; }
};

// What the object that describes a group is told of it, and how that goes on.
struct GroupResults {
  std::optional<absl::Time> begin;  // the first pod was seen; nothing: found begun by a restart
  std::optional<absl::Time> end;    // the last one was bound
  absl::Duration solver_time;
  // As things stood when it was looked at last; what differs is written after a while.
  using Mark = std::tuple<GroupState, int32_t, int32_t, size_t, int32_t>;
  Mark mark;
  absl::Time due = absl::InfiniteFuture();
  int tries = 0;  // since the group itself has changed
  int open = 0;   // writes on their way: the next one waits for them, since order may be lost
};

struct Group {
  int64_t id = 0;  // in order of arrival
  GroupKey key;
  std::string name;  // namespace/name
  std::optional<OwnerRef> owner;
  int32_t size = 0;                   // members of all pod sets; 0: no sound member was seen
  std::vector<GroupPodSet> pod_sets;  // in the order of their slots
  int32_t unseen = 0;                 // pod sets whose template is not known
  std::string fault;                  // not empty: what the pod sets contradict each other in
  bool sakkara = false;               // in Sakkara's words: ranks follow the distance from rank 0
  int32_t object_priority = 0;        // among groups of one priority the greatest goes first
  GroupResults results;               // of a group in Sakkara's words
  int32_t priority = 0;               // the greatest of the templates seen

  GroupState state = GroupState::kNew;
  std::map<std::string, Member> members;  // by UID; a sorted map, so that order never varies
  // Size of them, pod set by pod set. Their states are changed by SetSlot and SetState only.
  std::vector<Slot> slots;
  std::array<int32_t, kSlotStates> slots_in = {};  // by state
  int32_t in_bind = 0;                             // members with a call
  int32_t finished = 0;                            // members that have succeeded
  int32_t slotless = 0;                            // members that wait for a vacant slot
  absl::Time deadline = absl::InfiniteFuture();
  int32_t plans = 0;  // how many plans this group has had

  // Why it waits: frozen while it is blocked.
  Outcome outcome = Outcome::kPlaced;
  std::string reason;
  uint64_t tried_at = 0;    // the model's gain_version at the last solve
  std::string stale;        // not empty: why its words are read anew; nothing moves until they are
  bool tell_owner = false;  // an Event with the whole evidence is due

  size_t SetIndex(int32_t slot) const {
    size_t set = 0;
    while (!pod_sets[set].Has(slot)) ++set;
    return set;
  }
  GroupPodSet& SetOf(int32_t slot) { return pod_sets[SetIndex(slot)]; }
  const GroupPodSet& SetOf(int32_t slot) const { return pod_sets[SetIndex(slot)]; }
  // A placement can be asked for: a group that has started may be repaired without the pod sets of
  // which nothing is left.
  bool Placeable() const { return size > 0 && (unseen == 0 || Started()); }
  int32_t In(SlotState of) const { return slots_in[static_cast<size_t>(of)]; }
  // Something of it is bound, may become so, or has run.
  bool Started() const {
    return In(SlotState::kPosting) + In(SlotState::kBound) + In(SlotState::kFinished) + finished >
           0;
  }
  void SetState(int32_t index, SlotState next) {
    --slots_in[static_cast<size_t>(slots[index].state)];
    slots[index].state = next;
    ++slots_in[static_cast<size_t>(next)];
  }
  void SetSlot(int32_t index, Slot slot) {
    SetState(index, slot.state);
    slots[index] = std::move(slot);
  }
};

}  // namespace gangplan
