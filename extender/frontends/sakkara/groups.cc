#include "extender/frontends/sakkara/groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include "extender/frontends/sakkara/find_sakkara_group.h"
#include "extender/frontends/sakkara/front_end.h"
#include "extender/frontends/sakkara/group_results.h"
#include "extender/frontends/sakkara/objects.h"
#include "extender/protocol/sakkara_results.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

OwnerRef RefOf(const SakkaraObject& object) {
  return {"v1", "ConfigMap", object.facts.name, object.facts.uid};
}

EventNote NoteOn(const SakkaraObject& object, std::string_view reason, std::string text) {
  return {object.facts.ns, RefOf(object), true, std::string(reason), kPlanAction, std::move(text)};
}

// What its author should hear of an object: why it is refused, or what of it counts for nothing.
std::string TextOf(const SakkaraObject& object, const SakkaraObject* counting) {
  if (!object.words.ok())
    return fmt::format("group {} is refused: {}", object.group, Message(object.words.status()));
  std::string text;
  auto add = [&](std::string line) { text += (text.empty() ? "" : "\n") + line; };
  if (counting != &object) {
    add(fmt::format("counts for nothing: ConfigMap {} tells of group {} already",
                    counting->facts.name, object.group));
  }
  for (const std::string& note : object.words->notes) add(note);
  return text;
}

// A restart finds a group that lacks a pod as one that has not started wholly yet: whether it had
// tells its object.
bool HadStarted(const GroupStanding& group, const SakkaraObject* object) {
  if (group.begin || object == nullptr) return false;
  const std::string* status = FindLabel(object->facts.data, "status");
  return status != nullptr && *status == Name(SakkaraStatus::kBound);
}

SakkaraStatus StatusOf(const GroupStanding& group, const SakkaraObject* object) {
  switch (group.phase) {
    case GroupPhase::kWaiting:
      return SakkaraStatus::kWaiting;
    case GroupPhase::kNotPlaced:
      return SakkaraStatus::kFailed;
    case GroupPhase::kPlanned:
      return SakkaraStatus::kAssigned;
    case GroupPhase::kBinding:
      return HadStarted(group, object) ? SakkaraStatus::kBound : SakkaraStatus::kPermitted;
    case GroupPhase::kStarted:
      return SakkaraStatus::kBound;
  }
  return SakkaraStatus::kWaiting;
}

// By rank, also those that have succeeded: who looks when the work is done finds them. Empty while
// a rank has no pod, or a pod none of the ranks: what was written before stays.
std::vector<SakkaraPlacedPod> PlacedPods(const GroupStanding& group) {
  if (group.members.size() != static_cast<size_t>(group.size)) return {};
  std::vector<SakkaraPlacedPod> pods(group.members.size());
  for (const MemberStanding& member : group.members) {
    if (member.rank < 0 || member.rank >= group.size) return {};
    SakkaraPlacedPod& pod = pods[static_cast<size_t>(member.rank)];
    if (!pod.name.empty()) return {};
    pod = {member.pod.name, member.path};
  }
  return pods;
}

// How these pods lie in the tree; nothing where one of them has no place in it.
void AddShape(const GroupStanding& group, SakkaraGroupResults& results) {
  const size_t depth = group.levels.size();
  const auto placed = [&](const SakkaraPlacedPod& pod) { return pod.path.size() == depth; };
  const auto& pods = results.by_rank;
  if (pods.empty() || depth == 0 || !std::all_of(pods.begin(), pods.end(), placed)) return;
  for (size_t level = 0; level < depth; ++level) {
    std::set<std::vector<std::string_view>> domains;
    for (const SakkaraPlacedPod& pod : pods)
      domains.emplace(pod.path.begin(), pod.path.begin() + static_cast<ptrdiff_t>(level) + 1);
    results.levels.emplace_back(group.levels[level], static_cast<int32_t>(domains.size()));
    if (domains.size() > 1) results.distance += 2;
  }
  results.quality = group.quality;
}

void AddGroupResults(const GroupStanding& group, const SakkaraObject& object,
                     ResultWrites& writes) {
  SakkaraGroupResults results;
  results.status = StatusOf(group, &object);
  if (results.status == SakkaraStatus::kBound) results.by_rank = PlacedPods(group);
  results.begin = group.begin;
  if (results.begin) results.end = group.end;
  if (results.begin) results.solver_time = group.solver_time;
  AddShape(group, results);
  ResultsToWrite found = FindResultsToWrite(object.facts, results);
  if (found.data.empty()) return;
  for (const std::string& key : found.too_big) {
    writes.notes.push_back(
        NoteOn(object, "ResultsTooBig",
               fmt::format("{} is not written: a ConfigMap does not hold it for {} pods", key,
                           results.by_rank.size())));
  }
  writes.object =
      DataWrite{{object.facts.ns, object.facts.name, object.facts.uid}, std::move(found.data)};
}

// Labels that a Binding has brought are there already. How often a group was planned is not known
// any more after a restart: what a pod has is left.
void AddMemberLabels(const GroupStanding& group, ResultWrites& writes) {
  for (const MemberStanding& member : group.members) {
    if (!member.bound) continue;
    LabelPatch changes =
        ChangesOf(*member.labels, SakkaraFrontEnd().MemberLabels(member.rank, group.plans));
    std::erase_if(changes, [&](const auto& change) {
      return !group.begin && FindLabel(*member.labels, change.first) != nullptr &&
             change.first == kSakkaraMemberRetries;
    });
    if (!changes.empty()) writes.members.push_back({member.pod, std::move(changes)});
  }
}

class SakkaraGroups final : public GroupObjects {
 public:
  ObjectChange Put(ConfigMapFacts object) override;
  ObjectChange Erase(std::string_view ns, std::string_view name) override {
    return {KeysOf(ns, objects_.Erase(ns, name)), {}, {}};
  }
  GroupSpec FindGroup(const PodFacts& pod, const Topology& topology) const override {
    return FindSakkaraGroup(pod, &objects_, topology);
  }
  std::optional<OwnerRef> ObjectOf(const GroupKey& key) const override {
    const SakkaraObject* object = Find(key);
    return object == nullptr ? std::nullopt : std::optional(RefOf(*object));
  }
  ResultWrites FindResults(const GroupStanding& group) const override {
    ResultWrites writes;
    const SakkaraObject* object = Find(group.key);
    if (object != nullptr) AddGroupResults(group, *object, writes);
    if (StatusOf(group, object) == SakkaraStatus::kBound) AddMemberLabels(group, writes);
    return writes;
  }

 private:
  const SakkaraObject* Find(const GroupKey& key) const {
    return key.kind == kSakkaraKind ? objects_.Find(key.ns, key.name) : nullptr;
  }
  static std::vector<GroupKey> KeysOf(std::string_view ns, const std::vector<std::string>& groups) {
    std::vector<GroupKey> keys;
    for (const std::string& group : groups) keys.push_back(SakkaraKey(ns, group));
    return keys;
  }
  std::string Told(const SakkaraObject* object) const {
    if (object == nullptr) return {};
    return TextOf(*object, objects_.Find(object->facts.ns, object->group));
  }

  SakkaraObjects objects_;
};

ObjectChange SakkaraGroups::Put(ConfigMapFacts object) {
  const std::string ns = object.ns;
  const std::string name = object.name;
  const std::string before = Told(objects_.At(ns, name));
  ObjectChange change;
  change.reread = KeysOf(ns, objects_.Put(std::move(object)));
  const SakkaraObject& seen = *objects_.At(ns, name);
  change.group = SakkaraKey(ns, seen.group);
  if (std::string text = Told(&seen); !text.empty() && text != before) {
    change.note =
        NoteOn(seen, seen.words.ok() ? "GroupWordsIgnored" : "GroupRefused", std::move(text));
  }
  return change;
}

}  // namespace

std::unique_ptr<GroupObjects> MakeSakkaraGroups() { return std::make_unique<SakkaraGroups>(); }

}  // namespace gangplan
