#include "extender/planner/advice_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "algorithms/engine.h"
#include "algorithms/packs.h"
#include "algorithms/pod_sets.h"
#include "extender/planner/end_search.h"
#include "extender/planner/ending_pods.h"
#include "fmt/format.h"
#include "topology/device.h"

namespace gangplan {
namespace {

constexpr size_t kToldHolders = 5;
// Nodes that are looked at one by one for what pods of no gang use there.
constexpr int32_t kMostNodesHeld = 10'000;

// The first device that it asks for, else cpu, else whatever comes first.
std::string ResourceOf(const Group& group) {
  const ResourceList& demand = group.pod_sets().sets().front().demand;
  const auto device = std::find_if(demand.begin(), demand.end(), IsDevice);
  if (device != demand.end()) return device->name;
  return AmountOf(demand, "cpu") > 0 || demand.empty() ? "cpu" : demand.front().name;
}

// It asks for some nodes by their names or places, which a new one like these would not have: no
// node's name but to be kept off it, and no label of a level.
bool NamesPlaces(const NodeFilter& filter, const Topology& topology) {
  const auto is_place = [&](std::string_view key) {
    return std::any_of(topology.levels.begin(), topology.levels.end(),
                       [&](const Level& level) { return level.label == key; });
  };
  const auto asks = [&](const SelectorRequirement& one) {
    if (one.key == kHostnameLabel) return one.op != SelectorOperator::kNotIn;
    return is_place(one.key);
  };
  const LabelSet& selector = filter.node_selector;
  const bool selects = std::any_of(selector.begin(), selector.end(), [&](const auto& label) {
    return label.first == kHostnameLabel || is_place(label.first);
  });
  if (selects || !filter.required_terms) return selects;
  return std::any_of(filter.required_terms->begin(), filter.required_terms->end(),
                     [&](const NodeSelectorTerm& term) {
                       return !term.fields.empty() ||
                              std::any_of(term.labels.begin(), term.labels.end(), asks);
                     });
}

// All of it has gone by then, in Unix seconds; 0: of some of it nobody knows.
int64_t EndOf(absl::Time now, const Ledger& ledger, const Group& group) {
  int64_t last = EndSearch::EndOfHolds(now, ledger, group);
  if (group.holds() > 0 && last == 0) return 0;
  for (const Slot& slot : group.slots()) {
    if (slot.state != SlotState::kBound) continue;
    if (slot.ends <= absl::ToUnixSeconds(now)) return 0;
    last = std::max(last, int64_t{slot.ends});
  }
  return last;
}

// Where all members have to be, and most of them fit now; level -1: they may be anywhere.
Tree::Domain NearestOf(const SolveTask& task) {
  const PlacementRequest& request = task.request;
  const size_t largest = LargestPodSet(request);
  const auto set = static_cast<int32_t>(largest);
  const PlacementRequest only = OnlyPodSet(request, largest);
  const int level = request.strategy == Strategy::kTas ? HardLevel(only) : HardFromTop(request);
  if (level < 0) return {-1, -1};
  const SnapshotRoom now = task.Room(CountKind::kNow);
  const SnapshotRoom empty = task.Room(CountKind::kEmpty);
  for (const LevelEvidence& entry : Explain(now.View(), empty.View(), request)) {
    if (entry.pod_set == set && entry.level == level && entry.best_domain >= 0)
      return {level, entry.best_domain};
  }
  return {-1, -1};
}

}  // namespace

bool AdviceSearch::LacksRoomAlone(const Group& group) const {
  const Verdict& told = group.verdict();
  const bool goes = books_.yielding.EvictedFor(group.id()) != nullptr;
  const RoomLine& line = books_.lines.of(group.topology());
  const bool passed = line.reserved() == nullptr && line.PositionOf(group.id()) > 1;
  return !told.early && !told.kept_back && !told.behind && !goes && !passed;
}

std::shared_ptr<AdviceQuestion> AdviceSearch::Ask(absl::Time now, const Group& group,
                                                  const std::vector<int32_t>& wanted) const {
  const VictimSearch victims(false, false, books_);
  int64_t work = 0;  // of a report it is not counted
  auto question = std::make_shared<AdviceQuestion>();
  question->task = books_.placer.VictimCopyOf(group, wanted, 0);
  std::vector<VictimSearch::Single> singles;
  question->lower = victims.AddAll(group, *question->task, singles, work);
  AddSingles(singles, *question);
  question->ends = EndSearch(books_, victims).Ask(now, group, wanted, work);
  books_.placer.AvoidMaintenance(group, absl::InfiniteFuture(), *question->ends);  // later than now
  const auto& sets = group.pod_sets().sets();
  question->any_node = std::all_of(sets.begin(), sets.end(), [&](const PodSet& set) {
    return !set.known || MayStandOnNew(group, set);
  });
  const bool never =
      std::any_of(sets.begin(), sets.end(), [](const PodSet& set) { return set.never_preempts; });
  if (never || group.Started()) question->lower = 0;  // nobody gives way to it
  const auto known =
      std::find_if(sets.begin(), sets.end(), [](const PodSet& set) { return set.known; });
  question->told = group.pod_sets().RulesInForce(*known);
  AddHolders(now, group, *question);
  return question;
}

// Who reads of them knows each by its name, as kubectl has it.
void AdviceSearch::AddSingles(const std::vector<VictimSearch::Single>& singles,
                              AdviceQuestion& question) const {
  for (const auto& [leaf, pod] : singles) {
    const std::string_view uid = PodBook::UidOf(*pod->record);
    Advice::Gang told{kSinglePod,
                      fmt::format("{}/{}", pod->record->profile->ns, pod->name()),
                      pod->priority,
                      0,
                      1,
                      int64_t{pod->record->ends}};
    question.state = absl::HashOf(question.state, leaf, uid, pod->priority, told.ends);
    question.singles.emplace(uid, std::move(told));
  }
}

// A new node that is like one that the pods may use, but for its name and its place. Whose like it
// is passes what they ask of nodes; where they ask for places, or neighbours, it may not.
bool AdviceSearch::MayStandOnNew(const Group& group, const PodSet& set) const {
  const Neighbours::Ruled ruled = books_.placer.RuledOut(group, set);
  const Topology& topology = books_.ledger.model().tree(group.topology()).topology();
  return !NamesPlaces(set.Where(), topology) && ruled.apart.empty() && ruled.near.empty();
}

// Of what the group itself has there nobody is told. O(slots of all groups).
void AdviceSearch::AddHolders(absl::Time now, const Group& group, AdviceQuestion& question) const {
  const Model& model = books_.ledger.model();
  const TopologyIndex topology = group.topology();
  const Tree& tree = model.tree(topology);
  const Tree::Domain domain = NearestOf(*question.task);
  const Tree::Range leaves = domain.level < 0 ? Tree::Range{0, tree.leaf_count()}
                                              : tree.leaves(domain.level, domain.index);
  Advice& held = question.held;
  if (domain.level >= 0) held.domain = tree.Path(domain.level, domain.index);
  held.resource = ResourceOf(group);
  std::vector<int64_t> of_gangs(static_cast<size_t>(leaves.end - leaves.begin));
  for (const auto& [id, other] : books_.groups.groups()) {
    Advice::Gang gang{other->key().kind, other->name(), other->priority(), 0, 0, 0};
    std::vector<int32_t> own;
    for (const PodSet& set : other->pod_sets().sets()) {
      const int64_t each = AmountOf(set.demand, held.resource);
      for (int32_t i = set.first; other->planned() && i < set.first + set.count; ++i) {
        const Slot& slot = other->slot(i);
        const bool bound = slot.state == SlotState::kBound;
        if (!bound && !slot.taken()) continue;
        const int32_t leaf = model.LeafOfNode(topology, slot.node);
        question.state = absl::HashOf(question.state, id, leaf, slot.ends, bound);
        if (leaf < leaves.begin || leaf >= leaves.end) continue;
        if (bound) of_gangs[static_cast<size_t>(leaf - leaves.begin)] += each;
        gang.amount += each;
        own.push_back(leaf);
      }
    }
    if (other->bound() == 0 && own.empty()) continue;
    gang.ends = EndOf(now, books_.ledger, *other);
    std::sort(own.begin(), own.end());
    gang.nodes = static_cast<int32_t>(std::unique(own.begin(), own.end()) - own.begin());
    question.state = absl::HashOf(question.state, gang.priority, other->object_priority());
    question.running.emplace(id, gang);
    if (gang.amount > 0 && id != group.id()) held.holders.push_back(std::move(gang));
  }
  AddAlone(now, leaves, of_gangs, question);
  std::sort(held.holders.begin(), held.holders.end(), [](const auto& a, const auto& b) {
    return std::make_tuple(-a.amount, a.kind.empty(), std::string_view(a.name)) <
           std::make_tuple(-b.amount, b.kind.empty(), std::string_view(b.name));
  });
  if (held.holders.size() <= kToldHolders) return;
  held.untold_holders = static_cast<int64_t>(held.holders.size() - kToldHolders);
  held.holders.resize(kToldHolders);
}

// What is used there and is no gang's.
void AdviceSearch::AddAlone(absl::Time now, Tree::Range leaves,
                            const std::vector<int64_t>& of_gangs, AdviceQuestion& question) const {
  const Model& model = books_.ledger.model();
  const TopologyIndex topology = question.task->snapshot.topology();
  Advice& held = question.held;
  if (leaves.end - leaves.begin > kMostNodesHeld) return;
  Advice::Gang alone;
  for (int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
    const int64_t used = model.Use(model.NodeOfLeaf(topology, leaf), held.resource).used -
                         of_gangs[static_cast<size_t>(leaf - leaves.begin)];
    if (used <= 0) continue;
    alone.amount += used;
    ++alone.nodes;
  }
  VisitEnding(books_.pods, now, [&](uint32_t end, const std::string& uid) {
    const NodeIndex node = books_.ledger.NodeOf(uid);
    const int32_t leaf = node == kNoNode ? -1 : model.LeafOfNode(topology, node);
    question.state = absl::HashOf(question.state, end, leaf, std::string_view(uid));
    if (leaf < leaves.begin || leaf >= leaves.end) return true;
    const int64_t amount = AmountOf(*books_.pods.At(uid).requests, held.resource);
    if (amount <= 0) return true;
    held.ending_alone += amount;
    held.ending_alone_by = end;
    return true;
  });
  if (alone.amount > 0) held.holders.push_back(std::move(alone));
}

}  // namespace gangplan
