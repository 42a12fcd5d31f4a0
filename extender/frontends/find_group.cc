#include "extender/frontends/find_group.h"

#include <algorithm>
#include <array>

#include "extender/frontends/gangplan/front_end.h"
#include "extender/frontends/gangplan/identity.h"
#include "extender/frontends/gangplan/known_keys.h"
#include "extender/frontends/gangplan/ladder.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/front_end.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/owner.h"
#include "extender/frontends/sakkara/find_sakkara_group.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// By which others name a group of pods.
constexpr std::array<std::string_view, 4> kGroupLabels = {
    kSakkaraPodGroup,
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "kueue.x-k8s.io/pod-group-name",
};

// Nothing that the owner might tell is missing.
bool TellsAll(const GroupWords& words, bool kueue) {
  const bool sized = words.size || words.pod_sets;
  const bool one_set = !words.pod_sets || words.pod_sets->find(',') == std::string::npos;
  return words.group && sized && (words.place || kueue) && (words.pod_set || one_set);
}

// A key of the pod or its owner that nobody reads: whoever wrote it meant something by it.
absl::Status CheckKeys(const PodFacts& pod, const OwnerFacts* owner) {
  std::string problem = UnknownKey(pod.annotations, pod.labels);
  if (problem.empty() && owner != nullptr) {
    problem = UnknownKey(owner->annotations, owner->labels);
    if (!problem.empty())
      problem = fmt::format("{} {}: {}", owner->ref.kind, owner->ref.name, problem);
  }
  return problem.empty() ? absl::OkStatus() : Invalid("{}", problem);
}

// Our own words, or Kueue's: never both.
absl::Status ReadRules(const PodFacts& pod, const GroupWords& words, const Topology& topology,
                       GroupSpec& spec) {
  if (!HasKueueTopology(pod.annotations)) {
    GANGPLAN_ASSIGN_OR_RETURN(std::vector<Rung> ladder, ParseLadder(spec.place, topology));
    spec.rules = ladder.front().rules;
    if (ladder.size() > 1) spec.ladder = std::move(ladder);
    return absl::OkStatus();
  }
  if (words.place) {
    return Invalid("{}: stands beside a topology word of Kueue; expected one or the other",
                   kPlaceWord);
  }
  spec.front_end = &KueueFrontEnd();
  GANGPLAN_ASSIGN_OR_RETURN(
      KueueRules kueue,
      ReadKueueRules(pod.annotations, spec.pod_sets[spec.pod_set].count, topology));
  spec.place = std::move(kueue.text);
  spec.rules = std::move(kueue.rules);
  spec.words = KueueWords(pod.annotations);
  return absl::OkStatus();
}

absl::Status ReadMember(const PodFacts& pod, const OwnersShare& share, const OwnerFacts* owner,
                        const Topology& topology, GroupSpec& spec) {
  GANGPLAN_RETURN_IF_ERROR(CheckKeys(pod, owner));
  GANGPLAN_RETURN_IF_ERROR(CheckIdentity(pod, share.words, topology));
  GANGPLAN_RETURN_IF_ERROR(ReadIdentity(pod, share, spec));
  return ReadRules(pod, share.words, topology, spec);
}

}  // namespace

bool NamesUs(const PodFacts& pod, const FindGroupOptions& options) {
  const auto& names = options.scheduler_names;
  return std::find(names.begin(), names.end(), pod.scheduler_name) != names.end();
}

GroupSpec FindGroup(const PodFacts& pod, const OwnerFacts* owner, bool owner_known,
                    const FindGroupOptions& options) {
  GroupSpec spec;
  if (!NamesUs(pod, options)) return spec;
  if (FindLabel(pod.labels, kSakkaraPodGroup)) {
    return options.objects == nullptr ? FindSakkaraGroup(pod, nullptr, options.topology)
                                      : options.objects->FindGroup(pod, options.topology);
  }
  const GroupWords own = ReadWords(pod.annotations, pod.labels);
  const bool kueue = HasKueueTopology(pod.annotations);
  if (pod.controller && !owner_known && !TellsAll(own, kueue)) {
    spec.kind = GroupSpec::Kind::kNeedsOwner;
    return spec;
  }
  const OwnersShare share = ShareOf(pod, owner, options.all_jobs);
  const bool job = pod.controller && pod.controller->kind == kJobKind.kind;
  const bool meant = share.words.any() || kueue || !CheckKeys(pod, owner).ok();
  if (share.silent || (!meant && !(options.all_jobs && job))) return spec;

  spec.key = share.key.value_or(KeyOf(pod, share.words));
  spec.front_end = &GangplanFrontEnd();
  spec.place = share.words.place.value_or("");
  spec.problem = Message(ReadMember(pod, share, owner, options.topology, spec));
  spec.kind = spec.problem.empty() ? GroupSpec::Kind::kMember : GroupSpec::Kind::kInvalid;
  return spec;
}

bool SpeaksOfGroup(const PodFacts& pod) {
  return ReadWords(pod.annotations, pod.labels).any() || HasKueueTopology(pod.annotations) ||
         !UnknownKey(pod.annotations, pod.labels).empty() ||
         std::any_of(kGroupLabels.begin(), kGroupLabels.end(),
                     [&](std::string_view key) { return FindLabel(pod.labels, key) != nullptr; });
}

}  // namespace gangplan
