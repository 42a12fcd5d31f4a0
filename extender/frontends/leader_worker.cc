#include "extender/frontends/leader_worker.h"

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/limits.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kReplica = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::string_view kWorker = "leaderworkerset.sigs.k8s.io/worker-index";
constexpr std::string_view kRevision = "leaderworkerset.sigs.k8s.io/template-revision-hash";
constexpr std::string_view kSubGroupSize = "leaderworkerset.sigs.k8s.io/subgroup-size";
constexpr std::string_view kSize = "leaderworkerset.sigs.k8s.io/size";

// Whether Kueue's words take leader and workers for two pod sets: they are tied, or the workers'
// indices are said to begin behind the leader's.
bool KueueTellsApart(const PodFacts& pod) {
  return FindLabel(pod.annotations, kKueueGroupName) != nullptr ||
         FindLabel(pod.annotations, kKueueIndexOffset) != nullptr;
}

int32_t CountOf(const std::string* text, int32_t low) {
  if (text == nullptr) return low - 1;
  return ParseCount("", *text, low, kMaxGroupSize).value_or(low - 1);
}

void TakePodSets(const PodFacts& pod, int32_t size, int32_t worker, LeaderWorkerGroup& group) {
  const bool apart = !HasKueueTopology(pod.annotations) || KueueTellsApart(pod);
  const bool slices = FindLabel(pod.annotations, kKueueSliceLevel) != nullptr ||
                      FindLabel(pod.annotations, kKueueSliceLayers) != nullptr;
  if (!apart && slices) {
    group.pod_sets = {{"", size}};
    return;
  }
  group.pod_sets = {{"leader", size > 0 ? 1 : 0}};
  if (size > 1) group.pod_sets.push_back({"workers", size - 1});
  if (worker < 1 || size < 2) return;
  group.pod_set = 1;
  if (!KueueTellsApart(pod)) group.rank = worker - 1;
}

std::optional<SubGroups> SubGroupsOf(const PodFacts& pod) {
  const std::string* label = FindLabel(pod.annotations, kSubGroupTopology);
  const int32_t size = CountOf(FindLabel(pod.annotations, kSubGroupSize), 1);
  if (label == nullptr || size < 1) return std::nullopt;
  return SubGroups{*label, size};
}

}  // namespace

std::optional<LeaderWorkerGroup> LeaderWorkerGroupOf(const PodFacts& pod) {
  const std::string* name = FindLabel(pod.labels, kLeaderWorkerSet);
  const std::string* replica = FindLabel(pod.labels, kReplica);
  const std::string* revision = FindLabel(pod.labels, kRevision);
  const int32_t worker = CountOf(FindLabel(pod.labels, kWorker), 0);
  if (name == nullptr || replica == nullptr || worker < 0) return std::nullopt;
  LeaderWorkerGroup group;
  group.key = {std::string(kLeaderWorkerKind), pod.ns, fmt::format("{}-{}", *name, *replica),
               revision == nullptr ? "" : *revision};
  group.leads = worker == 0;
  const int32_t size = CountOf(FindLabel(pod.annotations, kSize), 1);
  TakePodSets(pod, size, worker, group);
  group.exclusive = size > 1 && FindLabel(pod.annotations, kExclusiveTopology) != nullptr;
  if (size > 1) group.sub_groups = SubGroupsOf(pod);
  return group;
}

}  // namespace gangplan
