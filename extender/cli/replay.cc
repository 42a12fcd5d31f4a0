#include "extender/cli/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/frontends/limits.h"
#include "extender/planner/pin.h"
#include "extender/protocol/jobset_words.h"
#include "extender/web/view.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

// What was written when a pod was started, by the pod, its owner, or the JobSet of that.
class Pins {
 public:
  explicit Pins(const std::vector<OwnerFacts>& owners) {
    for (const OwnerFacts& owner : owners) {
      const std::string* words = FindLabel(owner.annotations, kPinnedAnnotation);
      if (words == nullptr) continue;
      by_uid_[owner.ref.uid] = *words;
      by_name_[NameInNamespace(owner.ns, owner.ref.name)] = *words;
    }
  }

  NodeFilter Without(const PodFacts& pod) const {
    if (const std::string* words = FindLabel(pod.annotations, kPinnedAnnotation))
      return WithoutPin(pod.filter, words);
    if (pod.controller) {
      const auto owner = by_uid_.find(pod.controller->uid);
      if (owner != by_uid_.end()) return WithoutPin(pod.filter, &owner->second);
    }
    const std::string* set = FindLabel(pod.labels, kJobSetName);
    const auto found =
        set == nullptr ? by_name_.end() : by_name_.find(NameInNamespace(pod.ns, *set));
    return found == by_name_.end() ? pod.filter : WithoutPin(pod.filter, &found->second);
  }

 private:
  std::map<std::string, std::string> by_uid_;
  std::map<std::string, std::string> by_name_;
};

void TakeBack(PodFacts& pod, const Pins& pins) {
  pod.filter = pins.Without(pod);
  pod.gates = {};
  pod.node_name.clear();
  pod.nominated_node_name.clear();
  pod.phase = PodPhase::kPending;
  pod.run.started = 0;
  pod.scheduler_words.clear();
  std::erase_if(pod.annotations, [](const auto& entry) {
    return entry.first == kAssignedRankAnnotation || entry.first == kAssignedDomainAnnotation ||
           entry.first == kPlanAnnotation || entry.first == kAssignedRungAnnotation ||
           entry.first == kPinnedAnnotation || entry.first == kEvictedForAnnotation;
  });
}

constexpr std::string_view kBound = "bound", kFinished = "finished";  // states of slots

int64_t CountIn(const GroupReport& gang, std::string_view state) {
  return std::count_if(gang.slots.begin(), gang.slots.end(),
                       [&](const auto& slot) { return slot.state == state; });
}

// `most`: members that it had before, which is how many are missed at the most.
GangPlace PlaceOf(const GroupReport& gang, int64_t most) {
  GangPlace place;
  for (const auto& slot : gang.slots) {
    if (!slot.node.empty() && slot.state != kFinished) place.nodes.push_back(slot.node);
  }
  std::sort(place.nodes.begin(), place.nodes.end());
  const std::string why =
      gang.problems.empty() ? std::string(BareReason(gang)) : gang.problems.front();
  place.text = WhereText(gang);
  place.wanted = std::min(gang.size - CountIn(gang, kFinished), most);
  if (place.text.empty() && place.wanted == 0 && gang.size > 0) place.text = "has finished";
  if (std::ssize(place.nodes) >= place.wanted && gang.size > 0) return place;
  if (!place.nodes.empty())
    place.text += fmt::format("; {} of {} members", place.nodes.size(), place.wanted);
  if (!why.empty()) place.text += (place.text.empty() ? "waits: " : "; ") + why;
  if (place.text.empty())
    place.text = fmt::format("waits: {} of {} members seen", gang.seen, gang.size);
  return place;
}

}  // namespace

std::set<std::string> MembersOf(const std::vector<GroupReport>& gangs) {
  std::set<std::string> members;
  for (const GroupReport& gang : gangs) {
    for (const auto& slot : gang.slots) {
      if (!slot.pod.empty()) members.insert(NameInNamespace(gang.key.ns, slot.pod));
    }
  }
  return members;
}

bool Stays(const GroupReport& gang) {
  if (CountIn(gang, kBound) == 0) return false;
  const int32_t fresh = gang.least > 0 ? gang.least : gang.size;
  return CountIn(gang, kFinished) > 0 || gang.seen != fresh;
}

ObjectList Unplaced(ObjectList objects, const std::vector<GroupReport>& gangs,
                    const std::set<std::string>* nodes) {
  std::vector<GroupReport> anew = gangs;
  if (nodes == nullptr) std::erase_if(anew, Stays);
  const std::set<std::string> members = MembersOf(anew);
  const Pins pins(objects.owners);
  for (PodFacts& pod : objects.pods) {
    if (pod.finished() || pod.terminating) continue;
    if (nodes != nullptr && !nodes->contains(pod.node_name)) continue;
    if (members.contains(NameInNamespace(pod.ns, pod.name))) TakeBack(pod, pins);
  }
  return objects;
}

void WritePlace(JsonText& json, std::string_view key, const GangPlace& place) {
  json.Key(key).Begin().Field("text", place.text).Key("nodes").BeginList();
  for (const std::string& node : place.nodes) json.Value(node);
  json.EndList().End();
}

std::vector<ReplayedGang> CompareGangs(const std::vector<GroupReport>& before,
                                       const std::vector<GroupReport>& after) {
  const GangPlace none{"no gang", {}, kMaxGroupSize};
  std::map<std::tuple<std::string, GroupKey>, ReplayedGang> all;
  for (const auto& [gangs, side] :
       {std::pair(&before, &ReplayedGang::before), std::pair(&after, &ReplayedGang::after)}) {
    for (const GroupReport& gang : *gangs) {
      const auto [entry, news] =
          all.try_emplace({gang.name, gang.key}, ReplayedGang{gang.name, gang.key, none, none});
      entry->second.*side = PlaceOf(gang, entry->second.before.wanted);
      entry->second.stays |= gangs == &before && Stays(gang);
    }
  }
  std::vector<ReplayedGang> gangs;
  for (auto& [key, gang] : all) gangs.push_back(std::move(gang));
  return gangs;
}

}  // namespace gangplan
