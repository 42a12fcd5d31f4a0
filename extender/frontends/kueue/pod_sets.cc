// The rules of Kueue's words that look at the count of a pod set or at its group.
#include <algorithm>

#include "extender/frontends/kueue/go_text.h"
#include "extender/frontends/kueue/words.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

using Type = KueueWordFault::Type;

// The size that the words give to a slice, of the outermost layer, where it can be read.
struct SliceWord {
  std::string_view key;
  int32_t size = 0;
};

std::optional<SliceWord> OutermostSlice(const LabelSet& annotations, const KueueGates& gates) {
  if (const std::string* size = FindLabel(annotations, kKueueSliceSize)) {
    const std::optional<int32_t> number = ReadGoInteger(*size);
    if (number) return SliceWord{kKueueSliceSize, *number};
  }
  const std::string* layers = FindLabel(annotations, kKueueSliceLayers);
  if (layers == nullptr || !gates.multi_layer_topology) return std::nullopt;
  const absl::StatusOr<std::vector<SliceConstraint>> list = DecodeSliceConstraints(*layers);
  if (!list.ok() || list->empty()) return std::nullopt;
  return SliceWord{kKueueSliceLayers, list->front().size};
}

void CheckCount(const KueuePodSet& pod_set, const KueueGates& gates,
                std::vector<KueueWordFault>& faults) {
  const std::optional<SliceWord> slice = OutermostSlice(pod_set.annotations, gates);
  if (!slice || slice->size <= pod_set.count) return;
  faults.push_back({slice->key, "", Type::kInvalid,
                    fmt::format("expected at most the {} pods of the pod set, found {}",
                                pod_set.count, slice->size)});
}

struct Group {
  std::string name;
  std::vector<size_t> members;  // by place among the pod sets
};

std::vector<Group> FindGroups(std::span<const KueuePodSet> pod_sets) {
  std::vector<Group> groups;
  for (size_t i = 0; i < pod_sets.size(); ++i) {
    const std::string* name = FindLabel(pod_sets[i].annotations, kKueueGroupName);
    if (name == nullptr) continue;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& known) { return known.name == *name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {*name, {}});
    group->members.push_back(i);
  }
  return groups;
}

bool SameWord(const LabelSet& a, const LabelSet& b, std::string_view key) {
  const std::string* first = FindLabel(a, key);
  const std::string* second = FindLabel(b, key);
  if (first == nullptr || second == nullptr) return first == second;
  return *first == *second;
}

bool AsksForLevel(const LabelSet& set) {
  return FindLabel(set, kKueueRequired) != nullptr || FindLabel(set, kKueuePreferred) != nullptr;
}

void CheckGroup(std::span<const KueuePodSet> pod_sets, const Group& group,
                std::vector<KueuePodSetFault>& faults) {
  const auto add = [&](std::string_view key, const std::string& expected) {
    for (size_t member : group.members)
      faults.push_back({member, {key, "", Type::kInvalid, expected}});
  };
  if (group.members.size() != 2) {
    return add(kKueueGroupName, fmt::format("expected two pod sets in group \"{}\", found {}",
                                            group.name, group.members.size()));
  }
  const KueuePodSet& first = pod_sets[group.members[0]];
  const KueuePodSet& second = pod_sets[group.members[1]];
  if (first.count != 1 && second.count != 1) {
    add(kKueueGroupName,
        fmt::format("expected a pod set of one pod in group \"{}\", found {} and {} pods",
                    group.name, first.count, second.count));
  }
  if (!AsksForLevel(first.annotations) || !AsksForLevel(second.annotations) ||
      !SameWord(first.annotations, second.annotations, kKueueRequired) ||
      !SameWord(first.annotations, second.annotations, kKueuePreferred)) {
    add("", fmt::format("expected the same {} or {} on both pod sets of group \"{}\"",
                        kKueueRequired, kKueuePreferred, group.name));
  }
}

}  // namespace

std::vector<KueueWordFault> CheckKueuePodSet(const KueuePodSet& pod_set, const KueueGates& gates) {
  std::vector<KueueWordFault> faults = CheckKueueWords(pod_set.annotations, gates);
  CheckCount(pod_set, gates, faults);
  return faults;
}

std::vector<KueuePodSetFault> CheckKueuePodSets(std::span<const KueuePodSet> pod_sets,
                                                const KueueGates& gates) {
  std::vector<KueuePodSetFault> faults;
  for (size_t i = 0; i < pod_sets.size(); ++i) {
    for (KueueWordFault& fault : CheckKueuePodSet(pod_sets[i], gates))
      faults.push_back({i, std::move(fault)});
  }
  for (const Group& group : FindGroups(pod_sets)) CheckGroup(pod_sets, group, faults);
  return faults;
}

}  // namespace gangplan
