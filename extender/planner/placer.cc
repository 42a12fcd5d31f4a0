#include "extender/planner/placer.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "algorithms/explain.h"
#include "algorithms/pod_sets.h"
#include "algorithms/rank_units.h"
#include "algorithms/refused_view.h"
#include "algorithms/tree_ranks.h"
#include "algorithms/victims.h"
#include "extender/frontends/front_end.h"
#include "extender/planner/limits.h"
#include "extender/planner/model_room.h"
#include "topology/base/check.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Into those that are there, ascending, each once.
void AddLeaves(std::initializer_list<std::span<const int32_t>> more, std::vector<int32_t>& leaves) {
  const size_t before = leaves.size();
  for (const auto some : more) leaves.insert(leaves.end(), some.begin(), some.end());
  if (leaves.size() == before) return;
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
}

}  // namespace

std::vector<NodeIndex> Plan::nodes() const {
  std::vector<NodeIndex> nodes;
  for (const auto& [slot, node] : places) nodes.push_back(node);
  return nodes;
}

struct Placer::Ask {
  PlacementRequest request;
  std::vector<ShapeId> shapes;                // one a pod set of the request, and so are the others
  std::vector<std::vector<int64_t>> scores;   // by leaf; empty: none counts
  std::vector<std::vector<int32_t>> refused;  // leaves, ascending
};

EngineChoice Placer::EngineOf(const Group& group) const {
  if (options_.engine_for_all && !IsNamed(group.id()))
    return {*options_.engine_for_all, "engines.strategy"};
  return group.pod_sets().front_end()->engine();
}

std::string Placer::FaultOf(const Group& group) const {
  if (!group.pod_sets().fault().empty()) return group.pod_sets().fault();
  const bool together =
      !group.sizing().OneByOne(options_.start_at_first_member) && !group.Started();
  if (together && options_.max_held_calls > 0 && group.size() > options_.max_held_calls) {
    return fmt::format(
        "its {} members wait in bind together, but only {} calls can be held "
        "(server.maxHeldCalls); expected a smaller gang, a greater limit, or "
        "gang.startWhen: first-member",
        group.size(), options_.max_held_calls);
  }
  if (together && group.size() > options_.most_within) {
    return fmt::format(
        "its {} Bindings are not written within server.bindTimeout, {} at most are; expected a "
        "smaller gang, a longer server.bindTimeout and httpTimeout of the scheduler's bind entry, "
        "or gang.startWhen: first-member",
        group.size(), options_.most_within);
  }
  if (!options_.engine_for_all) return {};
  return group.pod_sets().front_end()->EngineFault(
      group.pod_sets().Specs(), *options_.engine_for_all, TreeOf(group).topology());
}

std::vector<int32_t> Placer::RefusedTo(const Group& group, int32_t set) const {
  std::vector<int32_t> refused = LeavesOf(group, maintenance_.KeptFrom(group));
  const Neighbours::Ruled ruled = RuledOut(group, group.pod_sets().at(set));
  AddLeaves({LeavesOf(group, refusals_.Of(group.id(), set)), ruled.apart, ruled.near}, refused);
  if (const auto* own = named_.RoomOf(group)) AddLeaves({LeavesBeside(group, *own)}, refused);
  return refused;
}

// Whose gangs go to its nodes alone. O(leaves).
std::vector<int32_t> Placer::LeavesBeside(const Group& group,
                                          const NamedRoom::Reservation& own) const {
  std::vector<int32_t> leaves;
  for (int32_t leaf = 0; leaf < TreeOf(group).leaf_count(); ++leaf) {
    if (!own.pods.contains(ledger_.model().NodeOfLeaf(group.topology(), leaf)))
      leaves.push_back(leaf);
  }
  return leaves;
}

// What stands, and the wanted slots, pod set by pod set; a set with neither is left out. Ranks of
// the request are slots where rules count ranks; else they only order the answer: in each set what
// stands comes first, then the wanted slots.
Placer::Ask Placer::AskFor(const Group& group, const std::vector<int32_t>& wanted) const {
  const Model& model = ledger_.model();
  const PodSets& sets = group.pod_sets();
  Ask ask;
  PlacementRequest& request = ask.request;
  request.strategy = EngineOf(group).strategy;
  request.tas = options_.tas;
  const bool together = sets.sets().size() == 1 || request.strategy != Strategy::kTas;
  const auto told = std::find_if(sets.sets().begin(), sets.sets().end(),
                                 [](const PodSet& set) { return set.known; });
  request.rules = together ? sets.RulesInForce(*told) : LevelRules(TreeOf(group).level_count());
  const bool ranked = CountsRanks(request.rules);
  if (request.strategy == Strategy::kExact) AddAffinityRules(group, request.rules);
  auto next = wanted.begin();
  for (size_t i = 0; i < sets.sets().size(); ++i) {
    const PodSet& set = sets.sets()[i];
    const auto index = static_cast<int32_t>(request.pod_sets.size());
    const size_t others = request.fixed.size();
    const auto stand = [&] { return static_cast<int32_t>(request.fixed.size() - others); };
    for (int32_t s = set.first; group.planned() && s < set.first + set.count; ++s) {
      const Slot& slot = group.slot(s);
      if (slot.state == SlotState::kEmpty || slot.state == SlotState::kFinished) continue;
      const int32_t leaf = model.LeafOfNode(group.topology(), slot.node);
      if (leaf >= 0) request.fixed.push_back({index, ranked ? s : stand(), leaf});
    }
    int32_t count = stand();
    const auto first = next;
    for (; next != wanted.end() && set.Has(*next); ++next) ++count;
    if (count == 0) continue;
    request.pod_sets.push_back({set.name, count, 0, set.tie});
    if (ranked) {
      request.pod_sets.back().first_rank = set.first;
      request.pod_sets.back().missing.assign(first, next);
    }
    request.pod_sets.back().rules = together ? sets.OwnRulesInForce(set) : sets.RulesInForce(set);
    ask.shapes.push_back(set.shape);
    ask.scores.emplace_back();
    if (request.strategy == Strategy::kTas) ask.scores.back() = PreferenceOf(group, set);
    ask.refused.push_back(RefusedTo(group, static_cast<int32_t>(i)));
  }
  // Where nothing else of the group stands or is wanted, the rules of a pod set are those of all.
  if (!together && request.pod_sets.size() == 1)
    request.rules = std::exchange(request.pod_sets.front().rules, {});
  sets.front_end()->Translate(request);
  JoinOwnRules(request);
  return ask;
}

// Ascending. O(leaves), of no nodes O(1).
std::vector<int32_t> Placer::LeavesOf(const Group& group, std::span<const NodeIndex> nodes) const {
  if (nodes.empty()) return {};
  std::vector<char> among(static_cast<size_t>(TreeOf(group).leaf_count()), 0);
  for (NodeIndex node : nodes) {
    const int32_t leaf = ledger_.model().LeafOfNode(group.topology(), node);
    if (leaf >= 0) among[static_cast<size_t>(leaf)] = 1;
  }
  std::vector<int32_t> leaves;
  for (size_t leaf = 0; leaf < among.size(); ++leaf)
    if (among[leaf] != 0) leaves.push_back(static_cast<int32_t>(leaf));
  return leaves;
}

// The score of every leaf that the set may use; empty where none counts. O(nodes x terms).
std::vector<int64_t> Placer::PreferenceOf(const Group& group, const PodSet& set) const {
  if (!options_.preferred_affinity || set.preferred_terms.empty()) return {};
  const Model& model = ledger_.model();
  std::vector<int64_t> scores(static_cast<size_t>(TreeOf(group).leaf_count()));
  for (size_t leaf = 0; leaf < scores.size(); ++leaf) {
    const NodeIndex node = model.NodeOfLeaf(group.topology(), static_cast<int32_t>(leaf));
    if (model.MayUse(node, set.shape))
      scores[leaf] = PreferenceScore(set.preferred_terms, *model.Facts(node));
  }
  return scores;
}

Plan Placer::Place(const Group& group, const std::vector<int32_t>& wanted,
                   const Budget& budget) const {
  const Ask ask = AskFor(group, wanted);
  const auto liked = [&](PlacementView view) {
    view.affinity.assign(ask.scores.begin(), ask.scores.end());
    return view;
  };
  const ModelRoom now(ledger_.model(), CountKind::kNow, ask.shapes);
  const ModelRoom empty(ledger_.model(), CountKind::kEmpty, ask.shapes);
  const RefusedView seen(liked(now.View()), ask.refused);
  const Solved solved = options_.engine(
      seen.view(), [&] { return liked(empty.View()); }, ask.request, budget);
  return PlanFrom(group, ask.request, wanted, solved);
}

// The search for a mixed group grows with the leaves and the pods beside those of its main shape.
// Of a set with rules of its own no other pods are of the same kind, and it takes some questions.
bool Placer::IsShort(const Group& group) const {
  constexpr int64_t kOfOwnRules = 4;
  std::map<std::pair<ShapeId, int32_t>, int64_t> pods;
  int64_t times = 1;
  for (const PodSet& set : group.pod_sets().sets()) {
    const bool own = !set.own_rules.empty();
    pods[{set.shape, own ? set.first : -1}] += set.count;
    if (own) times = kOfOwnRules;
  }
  int64_t all = 0, most = 0;
  for (const auto& [kind, count] : pods) {
    all += count;
    most = std::max(most, count);
  }
  return (all - most) * times * TreeOf(group).leaf_count() <= options_.leaves_of_several;
}

Plan Placer::PlanFrom(const Group& group, const PlacementRequest& request,
                      const std::vector<int32_t>& wanted, const Solved& solved) const {
  const PlacementResult& result = solved.result;
  ++solves_[static_cast<size_t>(result.outcome)];
  Plan plan;
  plan.took = solved.took;
  plan.verdict.outcome = result.outcome;
  if (result.outcome == Outcome::kPlaced) {
    GANGPLAN_CHECK(result.members.size() == wanted.size());
    const std::vector<int32_t> leaves = LeavesInOrder(group, result);
    for (size_t i = 0; i < wanted.size(); ++i)
      plan.places.emplace_back(wanted[i], ledger_.model().NodeOfLeaf(group.topology(), leaves[i]));
    if (request.strategy == Strategy::kExact) plan.quality = PlanQuality{result.proven, result.gap};
    return plan;
  }
  plan.verdict.hope_open = result.outcome == Outcome::kWait && !result.hope_proven;
  plan.verdict.decided =
      result.outcome != Outcome::kWait || (result.proven && !plan.verdict.hope_open);
  plan.verdict.reason = ShortReason(TreeOf(group), request, result, WhoText(group));
  if (const auto* own = named_.RoomOf(group))
    plan.verdict.reason += fmt::format("; it goes to the {} nodes of reservation {} alone",
                                       own->pods.size(), own->name);
  if (result.outcome == Outcome::kImpossible) plan.verdict.reason += UnlistedText(group);
  if (result.outcome == Outcome::kWait)
    plan.verdict.reason += NeighbourText(group) + RefusedText(group) + MaintenanceText(group);
  return plan;
}

// For the beginning of a reason.
std::string Placer::WhoText(const Group& group) const {
  std::string text = fmt::format("gang {}", group.name());
  if (ledger_.model().topologies().size() == 1) return text;
  return fmt::format("{} in topology {}", text, TreeOf(group).topology().name);
}

// Of what there is none in the cluster, whatever its rules are, behind the reason.
std::string Placer::UnlistedText(const Group& group) const {
  if (ledger_.model().node_count() == 0) return {};
  for (const PodSet& set : group.pod_sets().sets()) {
    const std::string_view resource = ledger_.UnlistedOf(set.demand);
    if (resource.empty()) continue;
    return fmt::format(
        "; no node lists {}: where others than nodes serve it, resources.excludeResourcePrefixes "
        "is to name it",
        Shown(resource));
  }
  return {};
}

// What the scheduler would not take, behind the reason.
std::string Placer::RefusedText(const Group& group) const {
  std::string text;
  for (size_t i = 0; i < group.pod_sets().sets().size(); ++i) {
    const std::string refused = refusals_.TextOf(group.id(), static_cast<int32_t>(i));
    if (!refused.empty()) text += fmt::format("; {}", refused);
  }
  return text;
}

// Of nodes that its pods could use.
std::string Placer::MaintenanceText(const Group& group) const {
  const auto& sets = group.pod_sets().sets();
  const std::string text = maintenance_.TextFor(group, [&](NodeIndex node) {
    return std::any_of(sets.begin(), sets.end(), [&](const PodSet& set) {
      return set.shape >= 0 && ledger_.model().MayUse(node, set.shape);
    });
  });
  return text.empty() ? text : "; " + text;
}

bool Placer::MeetsMaintenance(const Group& group, absl::Time begins, const Plan& plan) const {
  return maintenance_.Meets(group, begins, plan.nodes());
}

void Placer::AvoidMaintenance(const Group& group, absl::Time begins, SolveTask& task) const {
  const std::span<const NodeIndex> kept = maintenance_.KeptFrom(group, begins);
  Avoid(group, kept, task);
}

void Placer::Avoid(const Group& group, std::span<const NodeIndex> nodes, SolveTask& task) const {
  const std::vector<int32_t> leaves = LeavesOf(group, nodes);
  if (leaves.empty()) return;
  for (std::vector<int32_t>& refused : task.refused) AddLeaves({leaves}, refused);
}

std::shared_ptr<SolveTask> Placer::CopyOf(const Group& group, const std::vector<int32_t>& wanted,
                                          const std::vector<PromisedRoom>& behind) const {
  std::shared_ptr<SolveTask> task = Copy(group, wanted, !behind.empty());
  const Model& model = ledger_.model();
  std::map<ShapeId, size_t> known;
  task->behind.reserve(behind.size());
  for (const PromisedRoom& hold : behind) {
    const int32_t leaf = model.LeafOfNode(group.topology(), hold.node);
    if (leaf < 0) continue;
    const auto [amounts, added] = known.try_emplace(hold.shape, known.size());
    if (added) task->behind_amounts.push_back(task->snapshot.AmountsOf(model.demand(hold.shape)));
    task->behind.push_back({leaf, amounts->second});
  }
  return task;
}

std::shared_ptr<SolveTask> Placer::VictimCopyOf(const Group& group,
                                                const std::vector<int32_t>& wanted,
                                                size_t rank) const {
  std::shared_ptr<SolveTask> task = Copy(group, wanted, true);
  task->victims.emplace(static_cast<int64_t>(rank), HostsOf(TreeOf(group), task->request));
  Avoid(group, named_.LackingBeside(group), *task);  // what comes free there is somebody's already
  return task;
}

std::shared_ptr<SolveTask> Placer::Copy(const Group& group, const std::vector<int32_t>& wanted,
                                        bool gives_back) const {
  Ask ask = AskFor(group, wanted);
  auto task = std::make_shared<SolveTask>();
  task->group = group.id();
  task->wanted = wanted;
  task->request = std::move(ask.request);
  task->snapshot.Take(ledger_.model(), ask.shapes, gives_back);
  task->shapes = std::move(ask.shapes);
  task->scores = std::move(ask.scores);
  task->refused = std::move(ask.refused);
  task->engine = options_.engine;
  return task;
}

Plan Placer::PlanOf(const Group& group, const SolveTask& task) const {
  Plan plan = PlanFrom(group, task.request, task.wanted, task.solved);
  // Whether it may ever fit was asked with all the steps that there are.
  if (!plan.placed()) plan.verdict.decided |= task.solved.result.proven;
  return plan;
}

// Its slots, its templates, who stands where, and the tree are what they were.
bool Placer::WouldAsk(const Group& group, const SolveTask& task) const {
  const auto& sets = group.pod_sets().sets();
  const bool whole = std::all_of(sets.begin(), sets.end(),
                                 [](const PodSet& set) { return !set.known || set.shape >= 0; });
  if (!whole || !group.Placeable() || group.WantedSlots() != task.wanted) return false;
  if (&task.snapshot.tree() != &TreeOf(group)) return false;
  const Ask ask = AskFor(group, task.wanted);
  return ask.request == task.request && ask.shapes == task.shapes;
}

// In the order of the wanted slots. Ranks follow the tree depth first, or rise with the distance
// from rank 0: leaves come depth first, which is that order from the first of them; from one that
// stands it is looked for.
std::vector<int32_t> Placer::LeavesInOrder(const Group& group,
                                           const PlacementResult& result) const {
  const Model& model = ledger_.model();
  std::vector<int32_t> leaves;
  for (const PlacedMember& member : result.members) leaves.push_back(member.leaf);
  const bool by_distance = group.pod_sets().front_end()->rank_order() == RankOrder::kByDistance;
  if (!by_distance || !group.planned() || group.slot(0).node == kNoNode) return leaves;
  std::vector<std::string> names = {std::string(kMasterWord)};
  for (size_t i = 0; i < leaves.size(); ++i) names.push_back(fmt::format("{:08}", i));
  std::vector<TreePlace> places = {{names[0], UnitsOf(group.slot(0).node)}};
  for (size_t i = 0; i < leaves.size(); ++i)
    places.push_back({names[i + 1], UnitsOf(model.NodeOfLeaf(group.topology(), leaves[i]))});
  std::vector<int32_t> ordered;
  for (int32_t place : RankByDistance(places)) {
    if (place > 0) ordered.push_back(leaves[static_cast<size_t>(place) - 1]);
  }
  return ordered;
}

std::vector<std::string_view> Placer::UnitsOf(NodeIndex node) const {
  const Model& model = ledger_.model();
  const TopologyIndex topology = model.HomeOf(node).topology;
  const int32_t leaf = topology == kNoTopology ? -1 : model.LeafOfNode(topology, node);
  if (leaf < 0) return {model.NodeName(node)};
  const Tree& tree = model.tree(topology);
  std::vector<std::string_view> units;
  for (int level = 0; level < tree.level_count(); ++level)
    units.emplace_back(tree.name(level, tree.Ancestor(leaf, level)));
  return units;
}

std::string Placer::DomainText(const std::vector<NodeIndex>& nodes) const {
  std::vector<std::string_view> common;
  for (const NodeIndex node : nodes) {
    const std::vector<std::string_view> units = UnitsOf(node);
    if (common.empty()) common = units;
    const auto differs = std::mismatch(common.begin(), common.end(), units.begin(), units.end());
    common.erase(differs.first, common.end());
    if (common.empty()) break;
  }
  if (!common.empty()) return fmt::format("{}", fmt::join(common, "/"));
  const TopologyIndex home = nodes.empty() ? kNoTopology : ledger_.HomeOf(nodes.front());
  if (home == kNoTopology || ledger_.model().topologies().size() == 1) return "the cluster";
  return fmt::format("topology {}", ledger_.model().tree(home).topology().name);
}

}  // namespace gangplan
