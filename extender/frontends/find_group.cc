#include "extender/frontends/find_group.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "algorithms/pod_sets.h"
#include "algorithms/rule_text.h"
#include "extender/cluster/provisioning_words.h"
#include "extender/frontends/gangplan/front_end.h"
#include "extender/frontends/gangplan/identity.h"
#include "extender/frontends/gangplan/ladder.h"
#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/ranks.h"
#include "extender/frontends/gangplan/runtime.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/draft_words.h"
#include "extender/frontends/kueue/front_end.h"
#include "extender/frontends/kueue/rules.h"
#include "extender/frontends/leader_worker.h"
#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "extender/frontends/sakkara/find_sakkara_group.h"
#include "extender/frontends/topology_choice.h"
#include "extender/frontends/unknown_word.h"
#include "extender/protocol/jobset_words.h"
#include "extender/protocol/kueue_words.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// Nothing that the owner might tell is missing.
bool TellsAll(const PodFacts& pod, const GroupWords& words, bool kueue) {
  if (FindLabel(pod.annotations, kJobSetExclusive) != nullptr) return false;  // of how many pods?
  const bool rules = words.place || words.ranks || kueue;
  if (!words.group && rules && LeaderWorkerGroupOf(pod)) return true;
  const bool sized = words.size || words.pod_sets;
  const bool one_set = !words.pod_sets || words.pod_sets->find(',') == std::string::npos;
  const bool told = words.group ? rules : IsSparkExecutor(pod);
  return told && sized && (words.pod_set || one_set);
}

// Kueue reads its words of today on pod templates alone, those of its drafts on owners, too.
// REQUIRES: the pod has none.
std::string Misplaced(const LabelSet& annotations, bool drafts, std::string_view where) {
  const auto word = std::find_if(annotations.begin(), annotations.end(), [&](const auto& one) {
    return HasKueueTopology({one}) && (drafts || !HasDraftWords({one}));
  });
  if (word == annotations.end()) return {};
  return fmt::format("{}: stands on the {} itself; expected on its pod template", word->first,
                     where);
}

// What stands on the owner, or on the Jobs that it has made the pod by, and nobody reads there.
std::string UnreadOn(const PodFacts& pod, const OwnerFacts& owner) {
  const OwnerRef& ref = owner.whole();
  const bool kueue = HasKueueTopology(pod.annotations);
  std::string problem = UnknownWord(owner.annotations, owner.labels);
  if (problem.empty() && !kueue) problem = Misplaced(owner.annotations, false, ref.kind);
  if (!problem.empty()) return fmt::format("{} {}: {}", ref.kind, ref.name, problem);
  const OwnerPodSet* own = OwnPodSet(pod, owner);
  if (own == nullptr) return {};
  problem = UnknownWord(own->annotations, own->labels);
  // Only a JobSet's pods have a template between it and their own.
  const bool jobs = ref.kind == kJobSetKind.kind;
  if (problem.empty() && !kueue && jobs) problem = Misplaced(own->annotations, true, "Job");
  if (problem.empty()) return {};
  return fmt::format("{} {}, {}: {}", ref.kind, ref.name, Shown(own->name), problem);
}

// What stands on the pod or its owner and nobody reads there: whoever wrote it meant something.
absl::Status CheckKeys(const PodFacts& pod, const OwnerFacts* owner) {
  std::string problem = UnknownWord(pod.annotations, pod.labels);
  if (problem.empty() && owner != nullptr) problem = UnreadOn(pod, *owner);
  return problem.empty() ? absl::OkStatus() : Invalid("{}", problem);
}

absl::Status CheckRanked(const PodFacts& pod, const OwnersShare& share, const GroupSpec& spec) {
  if (spec.pod_sets.size() > 1 && !LeaderWorkerGroupOf(pod)) {
    return Invalid(
        "{}: the gang has the pod sets {}; expected one, whose ranks they are, or the leader and "
        "the workers of a LeaderWorkerSet; how many of one pod set go together, its pods say by "
        "{}, such as \"rack=pack factor=8\"",
        kRanksWord, PodSetNames(spec.pod_sets), kPodSetPlaceWord);
  }
  if (spec.own_rules.empty()) return absl::OkStatus();
  return Invalid("{}: stands beside {}; expected one or the other",
                 share.words.ranks ? kRanksWord : kSubGroupTopology, kPodSetPlaceWord);
}

// The rank map, of a gang whose pods are one row of ranks, and the sub-groups of a LeaderWorkerSet.
absl::Status ReadRanks(const PodFacts& pod, const OwnersShare& share, const Topology& topology,
                       GroupSpec& spec, std::vector<Rung>& ladder) {
  const auto& text = share.words.ranks;
  if (!text && !share.sub_groups) return absl::OkStatus();
  GANGPLAN_RETURN_IF_ERROR(CheckRanked(pod, share, spec));
  std::vector<RankUnit> units;
  std::string ranks;
  if (text) {
    GANGPLAN_ASSIGN_OR_RETURN(units, ParseRanks(*text, topology));
    ranks = fmt::format("ranks {}", *text);
  }
  if (share.sub_groups) {
    GANGPLAN_RETURN_IF_ERROR(AddSubGroups(*share.sub_groups, spec.size(), topology, units));
    ranks += fmt::format("{}sub-groups of {} by {}", text ? ", " : "", share.sub_groups->size,
                         Shown(share.sub_groups->label));
  }
  GANGPLAN_RETURN_IF_ERROR(AddRanks(units, topology, ladder));
  spec.place = spec.place.empty() ? ranks : fmt::format("{} ({})", spec.place, ranks);
  return absl::OkStatus();
}

// What the pod set asks for by itself; where it is the only one, of the gang.
absl::Status ReadOwnRules(const std::string& text, const Topology& topology, GroupSpec& spec,
                          std::vector<Rung>& ladder) {
  if (text.find('|') != std::string::npos)
    return Invalid("{}: has rungs; expected one list of rules, and rungs in {}", kPodSetPlaceWord,
                   kPlaceWord);
  GANGPLAN_ASSIGN_OR_RETURN(LevelRules own, ParsePlace(kPodSetPlaceWord, text, topology));
  const bool any = std::any_of(own.begin(), own.end(), [](const auto& rule) { return !!rule; });
  if (!any) return absl::OkStatus();
  if (spec.pod_sets.size() > 1) {
    spec.own_place = text;
    spec.own_rules = std::move(own);
    return absl::OkStatus();
  }
  for (Rung& rung : ladder) {
    for (size_t level = 0; level < own.size(); ++level) {
      if (own[level] && rung.rules[level] && own[level] != rung.rules[level])
        return Invalid(
            "{}: says \"{}\" where {} says \"{}\", and the gang has one pod set; "
            "expected one of them",
            kPodSetPlaceWord, RuleText(topology.levels[level].name, *own[level]), kPlaceWord,
            RuleText(topology.levels[level].name, *rung.rules[level]));
    }
    rung.rules = OwnOver(own, std::move(rung.rules));
  }
  spec.place += fmt::format("{}{}", spec.place.empty() ? "" : "; ", text);
  return absl::OkStatus();
}

absl::Status ReadOurRules(const PodFacts& pod, const OwnersShare& share, const Topology& topology,
                          GroupSpec& spec) {
  GANGPLAN_ASSIGN_OR_RETURN(std::vector<Rung> ladder, ParseLadder(spec.place, topology));
  if (share.words.pod_set_place)
    GANGPLAN_RETURN_IF_ERROR(ReadOwnRules(*share.words.pod_set_place, topology, spec, ladder));
  GANGPLAN_RETURN_IF_ERROR(ReadRanks(pod, share, topology, spec, ladder));
  spec.rules = ladder.front().rules;
  if (ladder.size() > 1) spec.ladder = std::move(ladder);
  return absl::OkStatus();
}

// A slice of a JobSet's pods is one of its Jobs where nobody says otherwise, as in Kueue.
void SizeSlices(int64_t job, LabelSet& annotations) {
  const bool told = FindLabel(annotations, kKueueSliceSize) != nullptr ||
                    FindLabel(annotations, kKueueSliceLayers) != nullptr;
  if (FindLabel(annotations, kKueueSliceLevel) != nullptr && !told)
    SetLabel(annotations, kKueueSliceSize, fmt::format("{}", job));
}

// Our own words, or Kueue's: never both.
absl::Status ReadRules(const PodFacts& pod, const OwnersShare& share, const Topology& topology,
                       GroupSpec& spec) {
  if (share.kueue == nullptr) return ReadOurRules(pod, share, topology, spec);
  if (share.words.place || share.words.pod_set_place || share.words.ranks) {
    const std::string_view other = share.words.pod_set_place ? kPodSetPlaceWord : kRanksWord;
    return Invalid("{}: stands beside a topology word of Kueue; expected one or the other",
                   share.words.place ? kPlaceWord : other);
  }
  if (share.sub_groups) {
    return Invalid("{}: stands beside a topology word of Kueue; expected {} in its place",
                   kSubGroupTopology, kPlaceWord);
  }
  spec.front_end = &KueueFrontEnd();
  GANGPLAN_ASSIGN_OR_RETURN(LabelSet annotations, SayDraftWords(*share.kueue, topology));
  const bool of_set = share.list != OwnersList::kNone && share.owner->kind == kJobSetKind.kind;
  if (of_set && share.size) SizeSlices(*share.size, annotations);
  GANGPLAN_ASSIGN_OR_RETURN(
      KueueRules kueue, ReadKueueRules(annotations, spec.pod_sets[spec.pod_set].count, topology));
  spec.place = std::move(kueue.text);
  spec.rules = std::move(kueue.rules);
  spec.words = KueueWords(annotations);
  if (LeaderWorkerGroupOf(pod) && spec.pod_sets.size() > 1) TieReplica(spec.words);
  return absl::OkStatus();
}

absl::Status ReadSpares(const OwnersShare& share, GroupSpec& spec) {
  if (!share.words.spares) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(spec.spares,
                            ParseCount(kSparesWord, *share.words.spares, 0, kMaxSpares));
  return absl::OkStatus();
}

absl::Status ReadNice(const OwnersShare& share, GroupSpec& spec) {
  if (!share.words.nice) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(spec.nice, ParseCount(kNiceWord, *share.words.nice, 0, kMaxNice));
  return absl::OkStatus();
}

absl::StatusOr<const Topology*> TopologyFor(const PodFacts& pod,
                                            const std::optional<std::string>& word,
                                            const FindGroupOptions& options, GroupSpec& spec) {
  GANGPLAN_ASSIGN_OR_RETURN(spec.topology, ChooseTopology(word, pod.filter, options.topologies,
                                                          options.default_topology));
  const Topology* topology = &options.topologies[static_cast<size_t>(spec.topology)];
  if (options.topologies.size() > 1) spec.topology_name = topology->name;
  return topology;
}

absl::Status ReadReservation(const OwnersShare& share, GroupSpec& spec) {
  if (!share.words.reservation) return absl::OkStatus();
  spec.reservation = *share.words.reservation;
  if (!spec.reservation.empty() && spec.reservation.size() <= kMaxGroupNameBytes)
    return absl::OkStatus();
  return Invalid("{}: \"{}\": expected the name of a reservation, of 1 to {} characters",
                 kReservationWord, Shown(spec.reservation), kMaxGroupNameBytes);
}

absl::Status ReadMember(const PodFacts& pod, const OwnerFacts* owner, const OwnersShare& share,
                        const FindGroupOptions& options, GroupSpec& spec) {
  GANGPLAN_ASSIGN_OR_RETURN(const Topology* chosen,
                            TopologyFor(pod, share.words.topology, options, spec));
  const Topology& topology = *chosen;
  GANGPLAN_RETURN_IF_ERROR(CheckIdentity(pod, share, topology));
  GANGPLAN_RETURN_IF_ERROR(ReadIdentity(pod, share, spec));
  GANGPLAN_RETURN_IF_ERROR(CheckRuntime(pod, owner));
  GANGPLAN_RETURN_IF_ERROR(ReadSpares(share, spec));
  GANGPLAN_RETURN_IF_ERROR(ReadNice(share, spec));
  GANGPLAN_RETURN_IF_ERROR(ReadReservation(share, spec));
  return ReadRules(pod, share, topology, spec);
}

bool Names(const LabelSet& labels, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return FindLabel(labels, key) != nullptr; });
}

// A pod of a group that an object describes.
GroupSpec FindDescribed(const PodFacts& pod, const FindGroupOptions& options) {
  GroupSpec chosen;
  const std::optional<std::string> word = ReadWords(pod.annotations, pod.labels).topology;
  const absl::StatusOr<const Topology*> topology = TopologyFor(pod, word, options, chosen);
  const Topology& asked = topology.ok() ? **topology : options.topologies.front();
  GroupSpec spec = options.objects == nullptr ? FindSakkaraGroup(pod, nullptr, asked)
                                              : options.objects->FindGroup(pod, asked);
  spec.topology = chosen.topology;
  spec.topology_name = chosen.topology_name;
  spec.nodes_asked = NodesAskedFor(pod, nullptr);
  spec.room_taken = RoomTaken(pod, nullptr);
  const absl::Status words = topology.ok() ? CheckRuntime(pod, nullptr) : topology.status();
  if (words.ok() || spec.kind != GroupSpec::Kind::kMember) return spec;
  spec.kind = GroupSpec::Kind::kInvalid;
  spec.problem = Message(words);
  spec.misfit = Misfit::kBadWords;
  return spec;
}

// With a fault in one or the other, which must be told first; both may be sound.
void Judge(const absl::Status& keys, const absl::Status& words, Misfit of_words, GroupSpec& spec) {
  const absl::Status& first = keys.ok() ? words : keys;
  spec.kind = first.ok() ? GroupSpec::Kind::kMember : GroupSpec::Kind::kInvalid;
  spec.problem = Message(first);
  if (!first.ok()) spec.misfit = keys.ok() ? of_words : Misfit::kUnknownWord;
}

}  // namespace

bool NamesUs(const PodFacts& pod, const FindGroupOptions& options) {
  const auto& names = options.scheduler_names;
  return std::find(names.begin(), names.end(), pod.scheduler_name) != names.end();
}

bool NodesAskedFor(const PodFacts& pod, const OwnerFacts* owner) {
  return Names(pod.annotations, {kConsumeAnnotation, kOldConsumeAnnotation}) ||
         Names(pod.labels, {kKueueQueueLabel, kKueueManagedLabel, kKueuePodSetLabel}) ||
         (owner != nullptr && Names(owner->labels, {kKueueQueueLabel}));
}

GroupSpec FindGroup(const PodFacts& pod, const OwnerFacts* owner, bool owner_known,
                    const FindGroupOptions& options) {
  GroupSpec spec;
  if (!NamesUs(pod, options)) return spec;
  if (FindLabel(pod.labels, kSakkaraPodGroup)) return FindDescribed(pod, options);
  const GroupWords own = ReadWords(pod.annotations, pod.labels);
  const bool kueue = HasKueueTopology(pod.annotations);
  // Who tells all is judged before its owner is read, and by its own words alone.
  const bool tells_all = TellsAll(pod, own, kueue);
  if (OwnerOf(pod) && !owner_known && !tells_all) {
    spec.kind = GroupSpec::Kind::kNeedsOwner;
    return spec;
  }
  const OwnerFacts* const teller = tells_all ? nullptr : owner;
  OwnersShare share = ShareOf(pod, teller, options.all_jobs);
  const absl::Status keys = CheckKeys(pod, teller);
  const bool job = pod.controller && pod.controller->kind == kJobKind.kind;
  const bool untold = !keys.ok() || share.unread == Unread::kFaulty;
  const bool meant = share.speaks() || share.named || untold;
  if ((share.silent && !untold) || (!meant && !(options.all_jobs && job))) return spec;

  if (!owner_known && AsksForLeader(pod, share)) {
    spec.kind = GroupSpec::Kind::kNeedsOwner;
    return spec;
  }
  const absl::Status run = TellRun(pod, owner, share);
  spec.key = KeyOf(pod, share);
  spec.front_end = &GangplanFrontEnd();
  spec.place = share.words.place.value_or("");
  if (share.words.hold) spec.hold = Shown(*share.words.hold);
  spec.nodes_asked = NodesAskedFor(pod, owner);
  const absl::Status words = ReadMember(pod, teller, share, options, spec);
  spec.room_taken = RoomTaken(pod, owner);
  Judge(keys, run.ok() ? words : run, share.unsized() ? Misfit::kUnsizedGroup : Misfit::kBadWords,
        spec);
  return spec;
}

bool TellsAll(const PodFacts& pod) {
  return TellsAll(pod, ReadWords(pod.annotations, pod.labels), HasKueueTopology(pod.annotations));
}

bool SpeaksOfGroup(const PodFacts& pod) {
  return ReadWords(pod.annotations, pod.labels).any() || HasKueueTopology(pod.annotations) ||
         !UnknownWord(pod.annotations, pod.labels).empty() || NamedGroupOf(pod) ||
         FindLabel(pod.labels, kSakkaraPodGroup) != nullptr;
}

}  // namespace gangplan
