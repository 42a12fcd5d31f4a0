// What a pod says of its group, whichever front end it says it to: which group, of which pod sets,
// where they may go, and the pod's own place among them. Values; a spec is read from one pod (and
// its owner, or the object that describes the group), so the specs of one group may differ.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "algorithms/request.h"
#include "topology/labels.h"
#include "topology/model_ids.h"

namespace gangplan {

class FrontEnd;

// Source kind ("Job", "JobSet", "group", ...), namespace, name, and the incarnation: the owner's
// UID, with "/N" where that has started all its pods anew N times; empty for a group that is only a
// name.
struct GroupKey {
  std::string kind;
  std::string ns;
  std::string name;
  std::string incarnation;

  bool IsOf(std::string_view owner_uid) const {
    return !owner_uid.empty() && incarnation.substr(0, incarnation.find('/')) == owner_uid;
  }
  // "ns/name/uid": the same however often its owner has started all its pods anew.
  std::string LastingName() const;
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

struct PodSetCount {
  std::string name;  // empty: the only one of its group, and it was given no name
  int32_t count = 0;
  friend bool operator==(const PodSetCount&, const PodSetCount&) = default;
};

// Members in all.
int32_t MembersOf(const std::vector<PodSetCount>& pod_sets);
// "leader=1,workers=8"; "8 members" for one without a name.
std::string PodSetsText(const std::vector<PodSetCount>& pod_sets);
// "leader, workers"
std::string PodSetNames(const std::vector<PodSetCount>& pod_sets);

// What a gang asks for once it has waited so long.
struct Rung {
  absl::Duration after;  // zero of the first one
  std::string place;     // for people
  LevelRules rules;
  friend bool operator==(const Rung&, const Rung&) = default;
};

// Where one pod set may go, as a pod of it says.
struct PodSetSpec {
  std::string name;
  int32_t count = 0;
  TopologyIndex topology = 0;  // whose levels the rules are about; the same of all pod sets
  std::string topology_name;   // where there are several
  std::string place;           // for people
  LevelRules rules;            // of the rung in force, where it has a ladder
  // The front end's own words, where its rules are about one pod set; only the front end reads
  // them, two sets are equal or not.
  LabelSet words;
  const FrontEnd* front_end = nullptr;  // null: no pod of it was seen yet
  std::vector<Rung> ladder = {};        // by rising `after`; empty: the rules are what they are
  // Beside those of the gang, for this one by itself; empty: none.
  std::string own_place = {};
  LevelRules own_rules = {};
  std::string reservation = {};  // whose room the gang asks for, by name; empty: none
  bool nodes_asked = false;      // by somebody else, for its pods: see NodesAskedFor
};

// Why a pod that speaks of a group is no member of it, in kinds that can be counted.
enum class Misfit : uint8_t {
  kNone,
  kUnknownWord,   // nobody reads a word of it where it stands
  kUnsizedGroup,  // it names a group of others of which nobody tells the size
  kBadWords,      // its words contradict themselves, or ask for what there is not
  kUnlikeGang,    // they are others than its gang's
};
inline constexpr int kMisfits = 5;
// "unknown_word", as it stands in metrics.
std::string_view Name(Misfit misfit);

// Which pod sets of its owner a group has, where it has them from there.
enum class OwnersList : uint8_t {
  kNone,
  kPart,  // one of them
  kWhole,
};

// Who tells how many there are.
struct Sizing {
  bool by_owner = false;  // by its own count, which may become another one
  bool at_least = false;  // so many start, and more may join them then; one pod set
  int32_t least = 0;      // with at_least: told by its pods, else 0
  bool of_owner = false;  // and is out of those that its owner counts
  OwnersList list = OwnersList::kNone;
  // Its room waits so long for members that are missing; nothing: as long as that of all others.
  std::optional<absl::Duration> patience = {};
  // Each starts as it comes, or nobody before all; nothing: as the operator has it.
  std::optional<bool> one_by_one = {};

  absl::Duration Patience(absl::Duration usual) const { return patience.value_or(usual); }
  bool OneByOne(bool usual) const { return one_by_one.value_or(usual); }
  friend bool operator==(const Sizing&, const Sizing&) = default;
};

// Where a pod's size and ranks come from, for people.
struct Origins {
  std::string size;   // and the pod sets: "Job train (spec.parallelism and completions)"
  std::string ranks;  // "batch.kubernetes.io/job-completion-index"; empty: from nobody
  friend bool operator==(const Origins&, const Origins&) = default;
};

struct GroupSpec {
  enum class Kind {
    kForeign,     // a pod of no group
    kNeedsOwner,  // ask again with the owner's facts
    kMember,
    kInvalid,  // asks for a group, but contradicts itself: see problem
  };
  Kind kind = Kind::kForeign;
  // Of kMember and kInvalid.
  GroupKey key;
  const FrontEnd* front_end = nullptr;
  std::string problem;
  Misfit misfit = Misfit::kNone;  // of kInvalid
  // Of kMember.
  std::vector<PodSetCount> pod_sets;  // of the group; one at least
  int32_t pod_set = 0;                // the pod's, by its place in the list
  TopologyIndex topology = 0;         // whose levels its rules are about
  std::string topology_name;          // where there are several
  int32_t rank = -1;                  // within the pod set; -1: any slot will do
  bool indexed = false;               // the rank is the owner's index, which ties may shift
  std::string place;                  // of the pod set, as are those below: see PodSetSpec
  LevelRules rules;                   // of the first rung, where it has a ladder
  std::vector<Rung> ladder;
  std::string own_place;
  LevelRules own_rules;
  LabelSet words;
  int32_t object_priority = 0;  // among groups of one priority the greatest goes first
  int32_t nice = 0;             // so far behind others of one priority, as the pod has it
  int32_t spares = 0;           // nodes that it keeps for what it may lose, as the pod has it
  int64_t room_taken = 0;       // see RoomTaken in gangplan/runtime.h
  // It is not planned for as long as somebody says so, and what they say of it; nothing: nobody.
  std::optional<std::string> hold;
  std::string reservation;  // by name, whose room is where it goes; empty: it asks for none
  bool nodes_asked = false;

  Sizing sizing;
  Origins origins;

  int32_t size() const { return MembersOf(pod_sets); }
  friend bool operator==(const GroupSpec&, const GroupSpec&) = default;
  // What it says of its own pod set. REQUIRES: kMember.
  PodSetSpec Own() const;
};

// The front end that a group goes by: that of the first pod set that brings words of its own, else
// of the first of which a pod was seen; null when none was.
const FrontEnd* FrontEndOf(std::span<const PodSetSpec> pod_sets);

// What a pod says otherwise than the group does, for people; empty: nothing.
// Of the list of pod sets.
std::string ListDifference(const std::vector<PodSetCount>& group, const GroupSpec& spec);
// Of the rules of its own pod set.
std::string OwnDifference(const PodSetSpec& own, const GroupSpec& spec);
// Of the rules of another pod set, which its own has to agree with before it is known.
std::string OtherDifference(const PodSetSpec& other, const GroupSpec& spec);

}  // namespace gangplan
