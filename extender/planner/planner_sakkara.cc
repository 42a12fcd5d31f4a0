// Groups that ConfigMaps of Sakkara's users describe: their words as they come and change, and what
// the objects and the pods are told of the groups' results, some while after things have changed
// and never on the road of a call.
#include <algorithm>

#include "algorithms/tree_ranks.h"
#include "extender/planner/limits.h"
#include "extender/planner/planner.h"
#include "extender/protocol/sakkara_results.h"
#include "extender/protocol/sakkara_words.h"
#include "extender/sakkara/group_results.h"

namespace gangplan {
namespace {

OwnerRef RefOf(const GroupObject& object) {
  return {"v1", "ConfigMap", object.facts.name, object.facts.uid};
}

// What its author should hear of an object: why it is refused, or what of it counts for nothing.
std::string TextOf(const GroupObject& object, const GroupObject* counting) {
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

bool Complete(const Group& group) {
  return std::none_of(group.slots.begin(), group.slots.end(),
                      [](const Slot& slot) { return slot.open() && slot.member.empty(); });
}

// A restart finds a group that lacks a pod as one that has not started wholly yet: whether it had
// tells its object.
bool HadStarted(const Group& group, const GroupObject* object) {
  if (group.results.begin || object == nullptr) return false;
  const std::string* status = FindLabel(object->facts.data, "status");
  return status != nullptr && *status == Name(SakkaraStatus::kBound);
}

SakkaraStatus StatusOf(const Group& group, const GroupObject* object) {
  switch (group.state) {
    case GroupState::kNew:
    case GroupState::kGathering:
    case GroupState::kReleased:
      return SakkaraStatus::kWaiting;
    case GroupState::kBlocked:
      return Complete(group) ? SakkaraStatus::kFailed : SakkaraStatus::kWaiting;
    case GroupState::kPlanned:
      return SakkaraStatus::kAssigned;
    case GroupState::kBinding:
      return HadStarted(group, object) ? SakkaraStatus::kBound : SakkaraStatus::kPermitted;
    case GroupState::kRunning:
    case GroupState::kRepairing:
    case GroupState::kDone:
      return SakkaraStatus::kBound;
  }
  return SakkaraStatus::kWaiting;
}

GroupResults::Mark MarkOf(const Group& group) {
  return {group.state, group.In(SlotState::kBound), group.finished, group.members.size(),
          group.plans};
}

}  // namespace

void Planner::OnGroupObject(absl::Time now, ConfigMapFacts object) {
  const std::string ns = object.ns;
  const std::string name = object.name;
  const auto told = [&](const GroupObject* seen) {
    return seen == nullptr ? std::string() : TextOf(*seen, objects_.Find(ns, seen->group));
  };
  const std::string before = told(objects_.At(ns, name));
  for (const std::string& group : objects_.Put(std::move(object))) RereadGroup(now, ns, group);
  const GroupObject& seen = *objects_.At(ns, name);
  if (std::string text = told(&seen); !text.empty() && text != before) {
    const std::string_view reason = seen.words.ok() ? "GroupWordsIgnored" : "GroupRefused";
    effects_.push_back(EventNote{ns, RefOf(seen), true, std::string(reason), kPlanAction,
                                 std::move(text)});
  }
  if (Group* group = SakkaraGroupOf(ns, seen.group))
    group->results.due = std::min(group->results.due, now + ResultsDelay(group->results.tries));
}

void Planner::OnGroupObjectGone(absl::Time now, std::string_view ns, std::string_view name) {
  for (const std::string& group : objects_.Erase(ns, name)) RereadGroup(now, ns, group);
}

// Whose Events tell of the group: its owner, else the object that describes it.
std::optional<OwnerRef> Planner::ToldFor(const Group& group) const {
  if (group.owner || !group.sakkara) return group.owner;
  const GroupObject* object = objects_.Find(group.key.ns, group.key.name);
  return object == nullptr ? std::nullopt : std::optional(RefOf(*object));
}

Group* Planner::SakkaraGroupOf(std::string_view ns, std::string_view name) {
  const auto found = groups_by_key_.find(
      GroupKey{std::string(kSakkaraKind), std::string(ns), std::string(name), ""});
  return found == groups_by_key_.end() ? nullptr : found->second;
}

void Planner::RereadGroup(absl::Time now, std::string_view ns, std::string_view name) {
  Group* group = SakkaraGroupOf(ns, name);
  if (group == nullptr) return;
  MakeStale(*group, "its ConfigMap says something else now");
  RereadStale(now);
}

// In the order of the wanted slots. Ranks rise with the distance from rank 0: leaves come depth
// first, which is that order from the first of them; from one that stands it is looked for.
std::vector<int32_t> Planner::LeavesInOrder(const Group& group, const PlacementResult& result) {
  std::vector<int32_t> leaves;
  for (const PlacedMember& member : result.members) leaves.push_back(member.leaf);
  if (!group.sakkara || group.slots.front().node == kNoNode) return leaves;
  std::vector<std::string> names = {std::string(kMasterWord)};
  for (size_t i = 0; i < leaves.size(); ++i) names.push_back(fmt::format("{:08}", i));
  std::vector<TreePlace> places = {{names[0], UnitsOf(group.slots.front().node)}};
  for (size_t i = 0; i < leaves.size(); ++i)
    places.push_back({names[i + 1], UnitsOf(model_.NodeOfLeaf(leaves[i]))});
  std::vector<int32_t> ordered;
  for (int32_t place : RankByDistance(places)) {
    if (place > 0) ordered.push_back(leaves[place - 1]);
  }
  return ordered;
}

// The units that hold the node from the top, the node last; the node alone when it has no place.
std::vector<std::string_view> Planner::UnitsOf(NodeIndex node) {
  const int32_t leaf = model_.LeafOfNode(node);
  if (leaf < 0) return {model_.NodeName(node)};
  const Tree& tree = model_.tree();
  std::vector<std::string_view> units;
  for (int level = 0; level < tree.level_count(); ++level)
    units.emplace_back(tree.name(level, tree.Ancestor(leaf, level)));
  return units;
}

LabelPatch Planner::MemberResults(const Group& group, int32_t slot) {
  return SakkaraMemberLabels({SakkaraStatus::kBound, std::max(0, group.plans - 1), slot});
}

// What the Binding brings along, so that a container finds its rank when it starts.
LabelSet Planner::MemberLabels(const Group& group, int32_t slot) {
  LabelSet labels;
  if (group.sakkara) PatchLabels(labels, MemberResults(group, slot));
  return labels;
}

absl::Duration Planner::ResultsDelay(int tries) {
  return std::min(kResultsAfter * (int64_t{1} << std::min(tries, 16)), kMaxResultsAfter);
}

void Planner::TickResults(absl::Time now) {
  for (auto& [id, group] : groups_) {
    if (!group->sakkara || group->size == 0 || !group->stale.empty()) continue;
    GroupResults& results = group->results;
    if (GroupResults::Mark mark = MarkOf(*group); mark != results.mark) {
      results.mark = mark;
      results.tries = 0;
      results.due = std::min(results.due, now + kResultsAfter);
    }
    if (now < results.due || results.open > 0) continue;
    results.due = absl::InfiniteFuture();
    const GroupObject* object = objects_.Find(group->key.ns, group->key.name);
    if (object != nullptr) WriteGroupResults(*group, *object);
    if (StatusOf(*group, object) == SakkaraStatus::kBound) WriteAllLabels(*group);
    results.tries += static_cast<int>(results.open > 0);
  }
}

// By rank, also those that have succeeded: who looks when the work is done finds them. Empty while
// a rank has no pod: what was written before stays.
std::vector<SakkaraPlacedPod> Planner::PlacedPods(const Group& group) {
  std::vector<SakkaraPlacedPod> pods(static_cast<size_t>(group.size));
  int32_t found = 0;
  for (const auto& [uid, member] : group.members) {
    const bool bound = member.slot >= 0 && group.slots[member.slot].state == SlotState::kBound;
    if (!member.finished && !bound) continue;
    SakkaraPlacedPod& pod = pods[static_cast<size_t>(bound ? member.slot : member.rank)];
    if (!pod.name.empty()) return {};
    const std::string& ran_on = pods_.at(uid).facts->node_name;
    const NodeIndex node = bound ? group.slots[member.slot].node : model_.FindNode(ran_on);
    pod = {member.pod.name, {ran_on}};
    if (node != kNoNode) pod.path = UnitsOf(node);
    ++found;
  }
  return found == group.size ? pods : std::vector<SakkaraPlacedPod>();
}

void Planner::WriteGroupResults(Group& group, const GroupObject& object) {
  SakkaraGroupResults results;
  results.status = StatusOf(group, &object);
  if (results.status == SakkaraStatus::kBound) results.by_rank = PlacedPods(group);
  results.begin = group.results.begin;
  if (results.begin) results.end = group.results.end;
  if (results.begin) results.solver_time = group.results.solver_time;
  ResultsToWrite write = FindResultsToWrite(object.facts, results);
  if (write.data.empty()) return;
  for (const std::string& key : write.too_big) {
    effects_.push_back(
        EventNote{group.key.ns, RefOf(object), true, "ResultsTooBig", kPlanAction,
                  fmt::format("{} is not written: a ConfigMap does not hold it for {} pods", key,
                              results.by_rank.size())});
  }
  ++group.results.open;
  effects_.push_back(WriteResults{
      group.id, {{object.facts.ns, object.facts.name, object.facts.uid}, std::move(write.data)}});
}

// Labels that a Binding has brought are there already. How often a group was planned is not known
// any more after a restart: what a pod has is left.
void Planner::WriteAllLabels(Group& group) {
  for (int32_t i = 0; i < group.size; ++i) {
    if (group.slots[i].state != SlotState::kBound) continue;
    const PodRecord& record = pods_.at(group.slots[i].member);
    LabelPatch changes = ChangesOf(record.facts->labels, MemberResults(group, i));
    std::erase_if(changes, [&](const auto& change) {
      return !group.results.begin && FindLabel(record.facts->labels, change.first) != nullptr &&
             change.first == kSakkaraMemberRetries;
    });
    if (changes.empty()) continue;
    ++group.results.open;
    effects_.push_back(WriteMemberLabels{group.id, {record.name, std::move(changes)}});
  }
}

void Planner::OnResultsWritten(absl::Time now, int64_t id, bool again) {
  const auto found = groups_.find(id);
  if (found == groups_.end()) return;
  GroupResults& results = found->second->results;
  --results.open;
  if (again) results.due = std::min(results.due, now + ResultsDelay(results.tries));
}

}  // namespace gangplan
