// Groups that pods name in the words of other systems: Kueue's pod groups and Koordinator's gangs,
// which also tell their size, PodGroups, whose objects tell it, and those of other schedulers of
// gangs, whose sizes stand elsewhere. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/protocol/pod_group_words.h"
#include "topology/pod_facts.h"

namespace gangplan {

inline constexpr std::string_view kKueuePodGroupKind = "Kueue pod group";

// The pod's label of that key, else its annotation; null: it has neither. One without a name is on
// no pod.
const std::string* FindOn(const PodFacts& pod, std::string_view key);

// By what a pod names a group of others.
struct NamedGroup {
  std::string_view key;                 // a label or an annotation
  std::string_view name;                // of the group, in the pod's namespace
  std::string_view kind;                // of the group's key
  const NamedObject* object = nullptr;  // that tells its size; null: none does
  std::string_view count_key = {};  // the annotation that tells how many start together; or empty
  const std::string* count = nullptr;  // what it tells
  bool at_least = false;               // more may join those
  // How long room waits for members that are missing; nothing: nobody has told.
  std::optional<absl::Duration> patience = {};

  explicit operator bool() const { return !key.empty(); }
};

// The first in a fixed order of systems; none: the pod names no such group. What it points to is
// the pod's. Pods of one that serve (a StatefulSet that Kueue queues) come and go one by one, and
// are none.
NamedGroup NamedGroupOf(const PodFacts& pod);
// A pod with these names a PodGroup, whose object tells its size.
bool NamesPodGroup(const LabelSet& annotations, const LabelSet& labels);
// Somebody else looks after it as a part of more, by its labels, annotations or controller: KAI or
// YuniKorn as one of a gang, the controller of a kind that starts its pods together, or Kueue,
// which has admitted its workload as a whole. It may be of no group here.
bool IsPartOfMore(const PodFacts& pod);
// An executor of a run of Spark's. Its driver, which makes it, says nothing of it.
bool IsSparkExecutor(const PodFacts& pod);
// The group's key is of such a kind.
bool IsNamedGroup(std::string_view kind);
// The object that tells the size, where neither the pod does nor its controller's kind: without a
// UID of its own, it has NamedUid.
std::optional<OwnerRef> PodGroupOf(const PodFacts& pod);
// What the pod, or the object that the group is of (null: none was read), asks for in that system's
// words and nobody here reads, for people; empty: nothing.
std::string UnmetOf(const NamedGroup& group, const PodFacts& pod, const OwnerFacts* object);

}  // namespace gangplan
