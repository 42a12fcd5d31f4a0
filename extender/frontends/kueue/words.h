// Kueue's topology words: the kueue.x-k8s.io/* annotations on a pod template, read and checked by
// Kueue's own rules. Nothing here knows the topology: whether a level exists, and whether layers go
// from coarse to fine, is found when the group is placed. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/protocol/kueue_constraints.h"
#include "topology/labels.h"

namespace gangplan {

inline constexpr std::string_view kKueueRequired = "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view kKueuePreferred = "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr std::string_view kKueueUnconstrained =
    "kueue.x-k8s.io/podset-unconstrained-topology";
inline constexpr std::string_view kKueueSliceLevel =
    "kueue.x-k8s.io/podset-slice-required-topology";
inline constexpr std::string_view kKueueSliceSize = "kueue.x-k8s.io/podset-slice-size";
inline constexpr std::string_view kKueueSliceLayers =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
inline constexpr std::string_view kKueueGroupName = "kueue.x-k8s.io/podset-group-name";
inline constexpr std::string_view kKueueIndexOffset = "kueue.x-k8s.io/pod-index-offset";
inline constexpr size_t kMaxSliceLayers = 3;

// By which labels the kind of the owner counts its pods; none of its own where it does not.
struct KueueIndices {
  std::optional<std::string> pod;        // of one pod in its pod set, or in its sub-group
  std::optional<std::string> sub_group;  // of its sub-group in the pod set
  std::optional<int32_t> sub_groups;     // how many there are
  friend bool operator==(const KueueIndices&, const KueueIndices&) = default;
};

// What the words of one pod set ask for. At most one of the first three is set; none with slices
// only, or with nothing but indices. Levels are node label keys.
struct KueueTopology {
  std::optional<std::string> required;
  std::optional<std::string> preferred;
  std::optional<bool> unconstrained;
  std::vector<SliceConstraint> slices;  // outermost first
  KueueIndices indices = {};
  std::optional<std::string> group = {};  // with required or preferred only
  friend bool operator==(const KueueTopology&, const KueueTopology&) = default;
};

// Which of Kueue's gates the words are read under.
struct KueueGates {
  bool multi_layer_topology = true;  // off: the list of slice layers is not known
};

// The request that Kueue builds from the annotations and from what the owner's kind says of its
// pods: none when neither says anything, the first of required, preferred, unconstrained when there
// are several, and the list of layers before the two slice keys. Slices need both of their keys; a
// list of layers that is not known asks for nothing, but is a word. Only what cannot be read is an
// error: InvalidArgument, and OutOfRange for a list of layers of the wrong length; it names the key
// and what was expected. Words that contradict each other are found by CheckKueueWords.
absl::StatusOr<std::optional<KueueTopology>> ReadKueueTopology(const LabelSet& annotations,
                                                               const KueueGates& gates,
                                                               const KueueIndices& indices = {});

// One broken rule: which annotation, or which part of it, and what was expected.
struct KueueWordFault {
  enum class Type { kInvalid, kForbidden, kRequired, kDuplicate };
  std::string_view key;  // of the annotation; empty: the annotations together
  std::string part;      // within its value: "[1].size"; empty: the whole value
  Type type = Type::kInvalid;
  std::string expected;
  friend bool operator==(const KueueWordFault&, const KueueWordFault&) = default;
};

// "kueue.x-k8s.io/podset-slice-size: expected a whole number of at least 1, found \"0\"".
std::string Describe(const KueueWordFault& fault);

// Every rule that the annotations of one pod set break, in a fixed order. Empty: accepted.
std::vector<KueueWordFault> CheckKueueWords(const LabelSet& annotations, const KueueGates& gates);

// As it stands in a group: for the rules that need the count, or the other pod sets.
struct KueuePodSet {
  std::string name;
  int32_t count = 0;
  LabelSet annotations;
};
// The rules of CheckKueueWords, and that no slice is larger than the pod set.
std::vector<KueueWordFault> CheckKueuePodSet(const KueuePodSet& pod_set, const KueueGates& gates);

struct KueuePodSetFault {
  size_t pod_set = 0;
  KueueWordFault fault;
};
// The rules of CheckKueuePodSet for each pod set, and that a group of pod sets is two, one of them
// a single pod, that ask for the same level. By pod set for the former, then by group in order of
// first appearance.
std::vector<KueuePodSetFault> CheckKueuePodSets(std::span<const KueuePodSet> pod_sets,
                                                const KueueGates& gates);

}  // namespace gangplan
