// Which group a pod belongs to: from its own words, its owner's, and its owner's kind. Groups are
// opt-in: without a word on the pod or its owner a pod is foreign (unless every Job is a group).
// Pure; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "extender/planner/pod_set_words.h"
#include "extender/planner/words.h"
#include "extender/sakkara/group_objects.h"
#include "topology/pod_facts.h"
#include "topology/tree.h"

namespace gangplan {

// The kind of a group in Sakkara's words.
inline constexpr std::string_view kSakkaraKind = "sakkara";

// Source kind ("Job", "group", ...), namespace, name, and the incarnation: the owner's UID, empty
// for a group that is only a name.
struct GroupKey {
  std::string kind;
  std::string ns;
  std::string name;
  std::string incarnation;
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

struct MembershipOptions {
  std::vector<std::string> scheduler_names;  // only pods of these are members
  bool all_jobs = false;                     // a Job without a word is a group too
  Topology topology;
  const GroupObjects* objects = nullptr;  // of Sakkara's users; null: they are not read
};

struct Membership {
  enum class Kind {
    kForeign,
    kNeedsOwner,  // ask again with the owner's facts
    kMember,
    kInvalid,  // asks for a group, but contradicts itself: see problem
  };
  Kind kind = Kind::kForeign;
  GroupKey key;
  std::vector<PodSetCount> pod_sets;  // of the group; one at least
  int32_t pod_set = 0;                // the pod's, by its place in the list
  int32_t rank = -1;                  // within the pod set; -1: any slot will do
  bool indexed = false;               // the rank is the owner's index: Kueue's groups may shift it
  std::string place;                  // of the pod set, for people
  PlaceRules rules;
  Strategy strategy = Strategy::kPack;
  LabelSet kueue;        // Kueue's words on the pod; empty: none
  bool sakkara = false;  // in Sakkara's words
  int32_t object_priority = 0;
  std::string problem;

  int32_t size() const { return MembersOf(pod_sets); }
};

// `owner`: null when it was not read (yet); `owner_known`: it was read, or there is none to read.
Membership FindMembership(const PodFacts& pod, const OwnerFacts* owner, bool owner_known,
                          const MembershipOptions& options);

}  // namespace gangplan
