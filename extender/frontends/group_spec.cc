#include "extender/frontends/group_spec.h"

#include <algorithm>

#include "extender/frontends/front_end.h"
#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// Whatever rung is in force.
bool SameRules(const GroupSpec& spec, const PodSetSpec& set) {
  if (spec.ladder.empty() && set.ladder.empty()) return spec.rules == set.rules;
  return spec.ladder == set.ladder;
}

std::string AsksForOther(const GroupSpec& spec, const PodSetSpec& set) {
  return fmt::format("asks for \"{}\" where the group has \"{}\"", spec.place, set.place);
}

std::string GoesElsewhere(const GroupSpec& spec, const PodSetSpec& set) {
  return fmt::format("goes to topology {} where the group goes to {}; expected {} on all its pods",
                     spec.topology_name, set.topology_name, kTopologyWord);
}

}  // namespace

std::string GroupKey::LastingName() const {
  return fmt::format("{}/{}/{}", ns, name, incarnation.substr(0, incarnation.find('/')));
}

std::string_view Name(Misfit misfit) {
  constexpr std::string_view kNames[] = {"none", "unknown_word", "unsized_group", "bad_words",
                                         "unlike_gang"};
  return kNames[static_cast<int>(misfit)];
}

int32_t MembersOf(const std::vector<PodSetCount>& pod_sets) {
  int32_t members = 0;
  for (const PodSetCount& set : pod_sets) members += set.count;
  return members;
}

std::string PodSetsText(const std::vector<PodSetCount>& pod_sets) {
  std::string text;
  for (const PodSetCount& set : pod_sets) {
    text += text.empty() ? "" : ",";
    text += set.name.empty() ? fmt::format("{} members", set.count)
                             : fmt::format("{}={}", set.name, set.count);
  }
  return text;
}

std::string PodSetNames(const std::vector<PodSetCount>& pod_sets) {
  std::string names;
  for (const PodSetCount& set : pod_sets) names += (names.empty() ? "" : ", ") + set.name;
  return names;
}

PodSetSpec GroupSpec::Own() const {
  const PodSetCount& own = pod_sets[static_cast<size_t>(pod_set)];
  return {own.name,  own.count, topology,  topology_name, place,       rules,      words,
          front_end, ladder,    own_place, own_rules,     reservation, nodes_asked};
}

const FrontEnd* FrontEndOf(std::span<const PodSetSpec> pod_sets) {
  const FrontEnd* first = nullptr;
  for (const PodSetSpec& set : pod_sets) {
    if (!set.words.empty()) return set.front_end;
    if (first == nullptr) first = set.front_end;
  }
  return first;
}

std::string ListDifference(const std::vector<PodSetCount>& group, const GroupSpec& spec) {
  if (group == spec.pod_sets) return {};
  const bool alone = group.size() == 1 && spec.pod_sets.size() == 1;
  if (alone && spec.size() != MembersOf(group)) {
    return fmt::format("asks for {} members where the group has {}", spec.size(), MembersOf(group));
  }
  return fmt::format("{}: \"{}\" where the group has \"{}\"", kPodSetsWord,
                     PodSetsText(spec.pod_sets), PodSetsText(group));
}

std::string OwnDifference(const PodSetSpec& own, const GroupSpec& spec) {
  if (spec.topology != own.topology) return GoesElsewhere(spec, own);
  if (!SameRules(spec, own) || spec.words.empty() != own.words.empty())
    return AsksForOther(spec, own);
  if (spec.own_rules != own.own_rules) {
    const auto shown = [](const std::string& place) {
      return place.empty() ? std::string("none") : fmt::format("\"{}\"", place);
    };
    return fmt::format("{}: {} where its pod set has {}", kPodSetPlaceWord, shown(spec.own_place),
                       shown(own.own_place));
  }
  if (spec.words == own.words) return {};
  return fmt::format("has other words of {} than the rest of its pod set", spec.front_end->name());
}

// Rules about the group are the same on all its pod sets; those about a pod set are its own.
std::string OtherDifference(const PodSetSpec& other, const GroupSpec& spec) {
  if (spec.topology != other.topology) return GoesElsewhere(spec, other);
  const bool own_words = !spec.words.empty();
  const bool other_words = !other.words.empty();
  if (!own_words && !other_words && !SameRules(spec, other)) return AsksForOther(spec, other);
  const std::string& about_the_group = own_words ? other.place : spec.place;
  if (own_words == other_words || about_the_group.empty()) return {};
  return fmt::format(
      "asks for \"{}\" where pod set {} has \"{}\"; expected gangplan.io/place on both, or Kueue's "
      "topology words",
      spec.place, other.name, other.place);
}

}  // namespace gangplan
