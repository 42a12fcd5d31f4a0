#include "extender/frontends/gangplan/identity.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "extender/frontends/gangplan/pod_set_words.h"
#include "extender/frontends/leader_worker.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/named_group.h"
#include "extender/protocol/counted_kinds.h"
#include "extender/protocol/jobset_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// Who owns the workers of a LeaderWorkerSet, where no StatefulSet makes them.
constexpr std::string_view kPodKind = "Pod";
constexpr std::string_view kAllMembers = "all-members";
constexpr std::string_view kFirstMember = "first-member";
constexpr std::string_view kOneMember = "1";

constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
// Of a StatefulSet's pod: it counts from spec.ordinals.start on.
constexpr std::string_view kOrdinal = "apps.kubernetes.io/pod-index";
// Of a pod of a Kueue pod group, and the annotation that names the label of which Kueue's webhook
// makes it.
constexpr std::string_view kKueueIndex = "kueue.x-k8s.io/pod-group-pod-index";
constexpr std::string_view kKueueIndexLabel = "kueue.x-k8s.io/pod-group-pod-index-label";
// The first that is there counts: a LeaderWorkerSet's pods have the index of a StatefulSet as well.
constexpr std::string_view kIndexLabels[] = {
    kCompletionIndex,
    "training.kubeflow.org/replica-index",
    "leaderworkerset.sigs.k8s.io/worker-index",
    kKueueIndex,
    "volcano.sh/task-index",
    kOrdinal,
};

// Each of the Jobs of a JobSet counts from 0: the index in its Job becomes the one in the pod set,
// Job after Job, as in Kueue. Without a rank where the numbers do not agree with the pod set's.
absl::Status CountSubGroups(const PodFacts& pod, GroupSpec& spec) {
  const std::string* sub_group = FindOn(pod, kJobSetJobIndex);
  if (sub_group == nullptr) return absl::OkStatus();
  const int32_t index = std::exchange(spec.rank, -1);
  const std::string* sub_groups = FindOn(pod, kReplicatedJobReplicas);
  if (sub_groups == nullptr) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t at,
                            ParseCount(kJobSetJobIndex, *sub_group, 0, INT32_MAX));
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t of,
                            ParseCount(kReplicatedJobReplicas, *sub_groups, 1, INT32_MAX));
  const int32_t size = spec.pod_sets[spec.pod_set].count / of;
  if (index < size && at < of) spec.rank = index + at * size;
  return absl::OkStatus();
}

// Of a gang that is the owner's own. One from before its first number was another one has no rank.
void TakeOrdinal(int64_t first, GroupSpec& spec) {
  spec.rank = spec.rank < first ? -1 : static_cast<int32_t>(spec.rank - first);
}

// As the label has it that the word names.
absl::Status ReadRankLabel(const PodFacts& pod, std::string_view word, std::string_view key,
                           GroupSpec& spec) {
  const std::string* rank = FindOn(pod, key);
  if (rank == nullptr) return Invalid("{}: the pod has no label \"{}\"", word, Shown(key));
  spec.origins.ranks = fmt::format("{} ({})", Shown(key), word);
  GANGPLAN_ASSIGN_OR_RETURN(spec.rank, ParseCount(Shown(key), *rank, 0, kMaxGroupSize - 1));
  return absl::OkStatus();
}

// Who tells the size, or would.
OwnerRef ToldBy(const PodFacts& pod, const OwnersShare& share) {
  return share.owner != nullptr ? *share.owner : OwnerOf(pod).value_or(OwnerRef());
}

// Of a Kueue pod group, where its webhook has not copied that label; null: none is named.
const std::string* KueuesIndexLabel(const PodFacts& pod, const OwnersShare& share) {
  const bool kueues = share.named.kind == kKueuePodGroupKind;
  return kueues ? FindLabel(pod.annotations, kKueueIndexLabel) : nullptr;
}

// By its words, else the owner's own index of this pod.
absl::Status ReadRank(const PodFacts& pod, const OwnersShare& share, GroupSpec& spec) {
  const auto& rank = share.words.rank;
  if (rank) {
    spec.origins.ranks = kRankWord;
    GANGPLAN_ASSIGN_OR_RETURN(spec.rank, ParseCount(kRankWord, *rank, 0, kMaxGroupSize - 1));
    return absl::OkStatus();
  }
  const auto& label = share.words.rank_label;
  if (label) return ReadRankLabel(pod, kRankLabelWord, *label, spec);
  if (share.rank) {
    spec.origins.ranks = fmt::format("the names and labels of the pods of a {}",
                                     share.key ? share.key->kind : ToldBy(pod, share).kind);
    spec.rank = *share.rank;
    return absl::OkStatus();
  }
  for (std::string_view key : kIndexLabels) {
    const std::string* index = FindOn(pod, key);
    if (index == nullptr && key == kKueueIndex) {
      const std::string* named = KueuesIndexLabel(pod, share);
      if (named != nullptr) return ReadRankLabel(pod, kKueueIndexLabel, *named, spec);
    }
    if (index == nullptr) continue;
    GANGPLAN_ASSIGN_OR_RETURN(spec.rank, ParseCount(key, *index, 0, INT32_MAX));
    spec.origins.ranks = key;
    spec.indexed = true;
    if (key == kOrdinal && !share.words.group) TakeOrdinal(share.first_index, spec);
    // Else each Job is a group of its own.
    const bool of_several = share.words.group || share.key;
    return key == kCompletionIndex && of_several ? CountSubGroups(pod, spec) : absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::StatusOr<int32_t> CheckSize(const PodFacts& pod, const OwnersShare& share, int64_t size) {
  if (size >= 1 && size <= kMaxGroupSize) return static_cast<int32_t>(size);
  const OwnerRef owner = ToldBy(pod, share);
  return Invalid("{} {}: {} members; expected 1 to {}",
                 share.told_by_pod ? share.key->kind : owner.kind,
                 share.told_by_pod ? share.key->name : owner.name, size, kMaxGroupSize);
}

// Why nobody has told it who could.
std::string WhyUnread(const OwnerRef& owner, Unread why) {
  const CountedKind* kind = FindCountedKind(owner.api_version, owner.kind);
  const std::string rights =
      kind == nullptr || kind->part.empty()
          ? ""
          : fmt::format(" (its rights: ClusterRole gangplan-{})", kind->part);
  const std::string denied =
      fmt::format("gangplan may not get {} of {}{}", owner.kind, owner.api_version, rights);
  switch (why) {
    case Unread::kNo:
      return fmt::format("it is gone, or {}", denied);
    case Unread::kDenied:
      return denied;
    case Unread::kGone:
      return "it does not exist";
    case Unread::kFaulty:
      return "it is not as expected";
    case Unread::kUnserved:
      return fmt::format("the cluster serves no {} of {}", owner.kind, owner.api_version);
  }
  return {};
}

absl::Status UnreadOwner(const OwnerRef& owner, Unread why) {
  return Invalid("{}: missing, and {} {} could not be read: {}", kSizeWord, owner.kind, owner.name,
                 WhyUnread(owner, why));
}

// A worker of a LeaderWorkerSet whose run of the replica nobody knows.
absl::Status StrayWorker(const OwnerRef& maker, const OwnerFacts* owner) {
  if (owner != nullptr && owner->unread == Unread::kNo) {
    return Invalid("{} {}: no pod owns it; expected that the leader does, whose worker this is",
                   maker.kind, maker.name);
  }
  return Invalid(
      "{} {}: could not be read, and it alone tells of which leader the pod is a worker: {}",
      maker.kind, maker.name, WhyUnread(maker, owner == nullptr ? Unread::kNo : owner->unread));
}

// Its owner is its controller. Where it is a PodGroup that the pod names no run is told.
bool IsOfRun(const PodFacts& pod, const OwnersShare& share) {
  return share.key && IsReplica(*share.key) && pod.controller &&
         OwnerUidOf(pod) == pod.controller->uid;
}

absl::Status OwnersFault(const PodFacts& pod, const OwnersShare& share) {
  const OwnerRef owner = ToldBy(pod, share);
  return Invalid("{} {}: {}", owner.kind, owner.name, share.fault);
}

absl::StatusOr<int32_t> FindSize(const PodFacts& pod, const OwnersShare& share) {
  if (share.words.size) return ParseCount(kSizeWord, *share.words.size, 1, kMaxGroupSize);
  const NamedGroup& named = share.named;
  if (named.count != nullptr) return ParseCount(named.count_key, *named.count, 1, kMaxGroupSize);
  if (!share.fault.empty()) return OwnersFault(pod, share);
  const bool readable = named && named.object != nullptr && !share.owner_read;
  if (readable && !share.size) return UnreadOwner(ToldBy(pod, share), share.unread);
  if (named && !share.size) {
    return Invalid("{}: names a {} whose size is not known; expected {}{}{} beside it", named.key,
                   named.kind, named.count_key, named.count_key.empty() ? "" : " or ", kSizeWord);
  }
  const OwnerRef owner = ToldBy(pod, share);
  const bool together = share.words.start != kFirstMember && share.words.start != kOneMember;
  if (share.size && *share.size > 1 && share.one_by_one && together) {
    return Invalid(
        "{} {}: makes its next pod when the one before is ready, so its pods never wait "
        "for each other; expected spec.podManagementPolicy: Parallel, or {}: {}",
        owner.kind, owner.name, kStartWord, kFirstMember);
  }
  if (share.size) return CheckSize(pod, share, *share.size);
  if (!owner.kind.empty() && !share.owner_read) return UnreadOwner(owner, share.unread);
  return Invalid("{}: missing, and no owner tells how many members start together", kSizeWord);
}

// As the JobSet has them.
absl::Status TakePodSets(const PodFacts& pod, const OwnersShare& share, GroupSpec& spec) {
  int64_t members = 0;
  for (const PodSetCount& set : share.pod_sets) members += set.count;
  GANGPLAN_RETURN_IF_ERROR(CheckSize(pod, share, members).status());
  if (share.pod_sets.size() > kMaxPodSets) {
    return Invalid("{} {}: {} pod sets in one gang; expected {} at most", share.key->kind,
                   share.key->name, share.pod_sets.size(), kMaxPodSets);
  }
  spec.pod_sets = share.pod_sets;
  spec.pod_set = share.pod_set;
  return absl::OkStatus();
}

// As listed, else one for all members.
absl::Status ReadPodSets(const PodFacts& pod, const OwnersShare& share, GroupSpec& spec) {
  const GroupWords& words = share.words;
  if (!words.pod_sets) {
    GANGPLAN_ASSIGN_OR_RETURN(const int32_t size, FindSize(pod, share));
    spec.pod_sets = {{words.pod_set.value_or(""), size}};
    if (!words.pod_set) return absl::OkStatus();
    return CheckPodSetName(kPodSetWord, *words.pod_set);
  }
  GANGPLAN_ASSIGN_OR_RETURN(spec.pod_sets, ParsePodSets(*words.pod_sets));
  if (!words.size) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int32_t size, FindSize(pod, share));
  if (size == MembersOf(spec.pod_sets)) return absl::OkStatus();
  return Invalid("{}: the pod sets {} are {} members, but {} says {}", kPodSetsWord,
                 PodSetsText(spec.pod_sets), MembersOf(spec.pod_sets), kSizeWord, size);
}

absl::Status ReadPodSet(const GroupWords& words, GroupSpec& spec) {
  if (!words.pod_set) {
    if (spec.pod_sets.size() == 1) return absl::OkStatus();
    return Invalid("{}: missing; expected one of {}", kPodSetWord, PodSetNames(spec.pod_sets));
  }
  const auto set = std::find_if(spec.pod_sets.begin(), spec.pod_sets.end(),
                                [&](const auto& one) { return one.name == *words.pod_set; });
  if (set == spec.pod_sets.end()) {
    return Invalid("{}: \"{}\": expected one of {}", kPodSetWord, Shown(*words.pod_set),
                   PodSetNames(spec.pod_sets));
  }
  spec.pod_set = static_cast<int32_t>(set - spec.pod_sets.begin());
  return absl::OkStatus();
}

// "Job train (spec.parallelism and completions)".
std::string OriginOf(const OwnerRef& owner) {
  const CountedKind* kind = FindCountedKind(owner.api_version, owner.kind);
  const std::string name = fmt::format("{} {}", owner.kind, owner.name);
  return kind == nullptr ? name : fmt::format("{} ({})", name, kind->fields);
}

// Who has told how many there are, as the size was found.
std::string SizedBy(const PodFacts& pod, const OwnersShare& share) {
  const GroupWords& words = share.words;
  if (words.pod_sets) return std::string(kPodSetsWord);
  if (words.size) return std::string(kSizeWord);
  if (share.named.count != nullptr) return std::string(share.named.count_key);
  if (share.told_by_pod && share.key) return fmt::format("the pods of {}", share.key->kind);
  const std::string origin = OriginOf(ToldBy(pod, share));
  if (!share.of_deployment) return origin;
  return fmt::format(
      "{}, of the {} of its Deployment: its rollout makes some after others, which start by "
      "themselves; strategy Recreate, or maxUnavailable: 100% with maxSurge: 0, makes all at once",
      origin, *share.of_deployment);
}

// When who starts: as the group's own word has it.
absl::Status ReadStart(const OwnersShare& share, GroupSpec& spec) {
  if (!share.words.start) return absl::OkStatus();
  const std::string& word = *share.words.start;
  if (word == kAllMembers || word == kFirstMember) {
    spec.sizing.one_by_one = word == kFirstMember;
    return absl::OkStatus();
  }
  const absl::StatusOr<int32_t> least = ParseCount(kStartWord, word, 1, kMaxGroupSize);
  if (!least.ok()) {
    return Invalid("{}: \"{}\": expected {}, {} or a number from 1 to {}", kStartWord, Shown(word),
                   kAllMembers, kFirstMember, kMaxGroupSize);
  }
  if (spec.pod_sets.size() > 1) {
    return Invalid("{}: {}: a number is for gangs of one pod set; this one has {}", kStartWord,
                   *least, PodSetNames(spec.pod_sets));
  }
  const bool beyond = *least > spec.size() && !spec.sizing.at_least;
  if (beyond && !spec.sizing.by_owner)
    return Invalid("{}: {}: the gang has {} members", kStartWord, *least, spec.size());
  // An owner that was scaled down since has all that it makes start.
  spec.pod_sets.front().count = beyond ? spec.size() : *least;
  spec.sizing.of_owner = std::exchange(spec.sizing.by_owner, false);
  spec.sizing.at_least = true;
  spec.sizing.least = *least;
  spec.origins.size = fmt::format("{}, of {}", kStartWord, spec.origins.size);
  return absl::OkStatus();
}

// With the words that ask for the same, where a level has the label.
absl::Status RefuseExclusive(const ExclusiveDomain& asked, const Topology& topology) {
  if (asked.jobs == nullptr) {
    return Invalid(
        "{}: its workers are made when the leader has a node, so they never wait for each "
        "other; expected {} in its place",
        kExclusiveTopology, kPlaceWord);
  }
  std::string instead(kPlaceWord);
  const auto level = std::find_if(topology.levels.begin(), topology.levels.end(),
                                  [&](const Level& one) { return one.label == asked.label; });
  if (level != topology.levels.end()) {
    instead =
        fmt::format("{}: \"job={} {}\" and {}: \"{}=pack max={}\" on the template of {} alone",
                    kRanksWord, asked.jobs->each, level->name, kPlaceWord, level->name,
                    asked.jobs->each, Shown(asked.jobs->name));
  }
  return Invalid(
      "{}: the pods of a Job of {} are made when its first one has a node, so they never wait for "
      "each other; expected {} in its place",
      kJobSetExclusive, Shown(asked.jobs->name), instead);
}

}  // namespace

GroupKey KeyOf(const PodFacts& pod, const OwnersShare& share) {
  if (share.key) return *share.key;
  if (share.words.group) return {"group", pod.ns, *share.words.group, ""};
  const NamedGroup& named = share.named;
  if (named) return {std::string(named.kind), pod.ns, std::string(named.name), ""};
  if (pod.controller)
    return {pod.controller->kind, pod.ns, pod.controller->name, pod.controller->uid};
  return {"Pod", pod.ns, pod.name, pod.uid};
}

bool AsksForLeader(const PodFacts& pod, const OwnersShare& share) {
  return IsOfRun(pod, share) && pod.controller->kind != kPodKind && !share.leads;
}

// Each leader begins a run, and what comes of the StatefulSet that it owns is of that one. What
// still runs of one that was gone before anybody read it is of a run that is over.
absl::Status TellRun(const PodFacts& pod, const OwnerFacts* owner, OwnersShare& share) {
  if (!IsOfRun(pod, share)) return absl::OkStatus();
  const bool told = owner != nullptr && !owner->leader.empty();
  const bool asks = AsksForLeader(pod, share);
  share.key->incarnation += "/" + (share.leads    ? pod.uid
                                   : asks && told ? owner->leader
                                                  : pod.controller->uid);
  const bool over = owner != nullptr && owner->unread == Unread::kGone && !pod.node_name.empty();
  return !asks || told || over ? absl::OkStatus() : StrayWorker(*pod.controller, owner);
}

absl::Status CheckIdentity(const PodFacts& pod, const OwnersShare& share,
                           const Topology& topology) {
  const GroupWords& words = share.words;
  if (share.exclusive) return RefuseExclusive(*share.exclusive, topology);
  if (share.unread == Unread::kFaulty) return OwnersFault(pod, share);
  if (!share.unlisted.empty()) return Invalid("{}", share.unlisted);
  if (!share.unmet.empty()) return Invalid("{}", share.unmet);
  if (share.sub_groups && (words.group || words.size || words.pod_sets || words.pod_set)) {
    return Invalid("{}: the gang is counted by {}; expected it to be the replica, or no sub-groups",
                   kSubGroupTopology,
                   words.group      ? kGroupWord
                   : words.size     ? kSizeWord
                   : words.pod_sets ? kPodSetsWord
                                    : kPodSetWord);
  }
  const bool named = words.group || share.named;
  const std::string_view name = words.group ? std::string_view(*words.group) : share.named.name;
  if (named && (name.empty() || name.size() > kMaxGroupNameBytes)) {
    return Invalid("{}: expected a name of 1 to {} characters",
                   words.group ? kGroupWord : share.named.key, kMaxGroupNameBytes);
  }
  const bool several = words.pod_sets || (words.size && *words.size != "1");
  if (!named && !pod.controller && several)
    return Invalid("{}: missing on a pod without an owner", kGroupWord);
  return absl::OkStatus();
}

absl::Status ReadIdentity(const PodFacts& pod, const OwnersShare& share, GroupSpec& spec) {
  spec.sizing.by_owner = !share.words.size && !share.words.pod_sets && !share.told_by_pod;
  spec.sizing.at_least = spec.sizing.by_owner ? share.at_least : share.told_least();
  if (spec.sizing.by_owner) spec.sizing.list = share.list;
  spec.sizing.patience = share.patience;
  if (!share.pod_sets.empty()) {
    GANGPLAN_RETURN_IF_ERROR(TakePodSets(pod, share, spec));
  } else {
    GANGPLAN_RETURN_IF_ERROR(ReadPodSets(pod, share, spec));
    GANGPLAN_RETURN_IF_ERROR(ReadPodSet(share.words, spec));
  }
  if (share.told_least()) spec.sizing.least = spec.size();
  spec.origins.size = SizedBy(pod, share);
  // Ranks are of all that there are, however many of them start together.
  GANGPLAN_RETURN_IF_ERROR(ReadRank(pod, share, spec));
  return ReadStart(share, spec);
}

}  // namespace gangplan
