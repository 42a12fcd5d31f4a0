#include "topology/model.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "topology/base/check.h"
#include "topology/base/text.h"
#include "topology/model_state.h"

namespace gangplan {
namespace {

bool LevelLabelsDiffer(const std::vector<ScopedTopology>& topologies, const NodeHome& home,
                       const NodeFacts& a, const NodeFacts& b) {
  if (home.topology == kNoTopology) return false;
  const std::vector<Level>& levels = topologies[static_cast<size_t>(home.topology)].levels;
  return std::any_of(levels.begin(), levels.end() - 1, [&](const Level& level) {
    const std::string* in_a = FindLabel(a.labels, level.label);
    const std::string* in_b = FindLabel(b.labels, level.label);
    return in_a == nullptr || in_b == nullptr ? in_a != in_b : *in_a != *in_b;
  });
}

bool IsComplete(const Topology& topology) {
  return !topology.levels.empty() && topology.levels.back().label == kHostnameLabel;
}

// Some shape may use the node now that could not before (allocatable apart). A taint with another
// value counts as one lost and one gained.
bool OpensUp(const NodeFacts& before, const NodeFacts& after) {
  if (after.ready && !before.ready) return true;
  if (before.unschedulable && !after.unschedulable) return true;
  if (before.labels != after.labels) return true;
  return std::any_of(before.taints.begin(), before.taints.end(), [&](const Taint& taint) {
    return taint.effect != TaintEffect::kPreferNoSchedule &&
           std::find(after.taints.begin(), after.taints.end(), taint) == after.taints.end();
  });
}

// `after` asks for less than `before` of some resource.
bool Shrinks(std::span<const InternedAmount> before, std::span<const InternedAmount> after) {
  return std::any_of(before.begin(), before.end(), [&](const InternedAmount& old) {
    auto same = std::find_if(after.begin(), after.end(),
                             [&](const InternedAmount& a) { return a.resource == old.resource; });
    return old.amount > (same == after.end() ? 0 : same->amount);
  });
}

}  // namespace

void Model::State::Occupy(const PodRecord& pod) {
  nodes.Use(pod.node, demands.amounts(pod.demand), 1);
  ++nodes.at(pod.node).pods;
}

void Model::State::Vacate(const PodRecord& pod) {
  nodes.Use(pod.node, demands.amounts(pod.demand), -1);
  --nodes.at(pod.node).pods;
}

Model::Model(std::vector<ScopedTopology> topologies, std::vector<std::string> excluded)
    : state_(std::make_unique<State>()) {
  GANGPLAN_CHECK(!topologies.empty());
  GANGPLAN_CHECK(std::all_of(topologies.begin(), topologies.end(), IsComplete));
  state_->places.resize(topologies.size());
  state_->topologies = std::move(topologies);
  state_->resources = ResourceTable(std::move(excluded));
}
Model::Model(const Model& other) : state_(std::make_unique<State>(*other.state_)) {}
Model& Model::operator=(const Model& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

absl::Status Model::UpsertNode(const NodeFacts& node) {
  State& s = *state_;
  NodeIndex known = s.nodes.Find(node.name);
  bool existed = known != kNoNode && s.nodes.at(known).exists;
  if (existed && s.nodes.at(known).facts == node) return absl::OkStatus();
  if (!existed && s.nodes.existing() == kMaxNodes)
    return absl::ResourceExhaustedError(ToAbsl(fmt::format(
        "node {}: there are {} nodes already, no more are taken", node.name, kMaxNodes)));
  s.BeginChange();
  NodeIndex index = s.nodes.FindOrAdd(node.name);
  const NodeFacts& before = s.nodes.at(index).facts;
  bool opens = !existed || OpensUp(before, node);
  const NodeHome home = gangplan::HomeOf(s.topologies, node.labels);
  if (!existed || home != s.nodes.home(index) ||
      LevelLabelsDiffer(s.topologies, home, before, node))
    s.SetHome(index, home);
  bool grew = s.nodes.SetFacts(index, node, s.resources);
  s.FactsChanged(index, opens || grew);
  return absl::OkStatus();
}

void Model::RemoveNode(std::string_view name) {
  State& s = *state_;
  NodeIndex node = s.nodes.Find(name);
  if (node == kNoNode || !(s.nodes.at(node).exists || s.nodes.at(node).foreign)) return;
  s.BeginChange();
  s.SetHome(node, {});
  s.nodes.ClearFacts(node, s.resources);
  s.FactsChanged(node, false);
  s.nodes.Tidy(node);
}

absl::Status Model::PutForeign(std::string_view name, const LabelSet& labels) {
  State& s = *state_;
  const NodeIndex known = s.nodes.Find(name);
  const bool foreign = known != kNoNode && s.nodes.at(known).foreign;
  if (foreign && s.nodes.at(known).facts.labels == labels) return absl::OkStatus();
  if (!foreign && s.nodes.foreign() == kMaxNodes) {
    RemoveNode(name);
    return absl::ResourceExhaustedError(ToAbsl(fmt::format(
        "node {}: {} nodes of others are known already, no more are", name, kMaxNodes)));
  }
  s.BeginChange();
  const NodeIndex node = s.nodes.FindOrAdd(name);
  s.SetHome(node, {});
  s.nodes.SetForeign(node, labels, s.resources);
  s.FactsChanged(node, false);
  return absl::OkStatus();
}

void Model::PutPod(std::string_view uid, std::string_view node_name, const ResourceList& requests) {
  State& s = *state_;
  s.BeginChange();
  PodRecord fresh{s.nodes.FindOrAdd(node_name), s.demands.Acquire(requests, s.resources)};
  const auto [known, added] = s.pods.Make(uid);
  const PodRecord before = std::exchange(*known, fresh);
  if (added) {
    s.Occupy(fresh);
    s.UsageChanged(fresh.node, false);
    return;
  }
  if (before.node == fresh.node && before.demand == fresh.demand) {
    s.demands.Release(fresh.demand, s.resources);
    return;
  }
  const bool moves = before.node != fresh.node;
  const bool shrinks = Shrinks(s.demands.amounts(before.demand), s.demands.amounts(fresh.demand));
  s.Occupy(fresh);
  s.Vacate(before);
  s.UsageChanged(before.node, moves || shrinks);
  if (moves) s.UsageChanged(fresh.node, false);
  s.demands.Release(before.demand, s.resources);
  s.nodes.Tidy(before.node);
}

void Model::ErasePod(std::string_view uid) { state_->Remove(uid, true); }

void Model::LiftPod(std::string_view uid) { state_->Remove(uid, false); }

void Model::State::Remove(std::string_view uid, bool freed) {
  const PodRecord* known = pods.Find(uid);
  if (known == nullptr) return;
  BeginChange();
  const PodRecord pod = *known;
  pods.Erase(uid);
  Vacate(pod);
  UsageChanged(pod.node, freed);
  demands.Release(pod.demand, resources);
  nodes.Tidy(pod.node);
}

void Model::SetTopology(TopologyIndex index, Topology topology) {
  GANGPLAN_CHECK(IsComplete(topology));
  State& s = *state_;
  s.BeginChange();
  static_cast<Topology&>(s.topologies[static_cast<size_t>(index)]) = std::move(topology);
  s.place(index).stale = true;
  s.place(index).moves.reset();
  s.shapes.LevelsChanged(index);
}

ShapeId Model::AcquireShape(TopologyIndex topology, const ResourceList& demand,
                            const NodeFilter& filter) {
  return state_->shapes.Acquire(topology, demand, filter, state_->demands, state_->resources);
}

void Model::RetainShape(ShapeId shape) { state_->shapes.Retain(shape); }

void Model::ReleaseShape(ShapeId shape) {
  state_->shapes.Release(shape, state_->demands, state_->resources);
}

const ResourceList& Model::demand(ShapeId shape) const {
  return state_->demands.list(state_->shapes.demand(shape));
}

TopologyIndex Model::TopologyOf(ShapeId shape) const { return state_->shapes.topology(shape); }

void Model::AddHold(NodeIndex node, ShapeId shape) {
  State& s = *state_;
  s.BeginChange();
  const DemandId demand = s.shapes.demand(shape);
  s.demands.Retain(demand);
  s.nodes.Hold(node, demand, s.demands.amounts(demand));
  s.UsageChanged(node, false);
}

void Model::RemoveHold(NodeIndex node, ShapeId shape) { state_->Unhold(node, shape, true); }

void Model::LiftHold(NodeIndex node, ShapeId shape) { state_->Unhold(node, shape, false); }

void Model::State::Unhold(NodeIndex node, ShapeId shape, bool freed) {
  BeginChange();
  const DemandId demand = shapes.demand(shape);
  nodes.Unhold(node, demand, demands.amounts(demand));
  UsageChanged(node, freed);
  demands.Release(demand, resources);
  nodes.Tidy(node);
}

int32_t Model::HoldCount(NodeIndex node) const { return state_->nodes.at(node).holds; }

NodeIndex Model::FindNode(std::string_view name) const { return state_->nodes.Find(name); }
const std::string& Model::NodeName(NodeIndex node) const {
  return state_->nodes.at(node).facts.name;
}
const NodeFacts* Model::Facts(NodeIndex node) const {
  const NodeRecord& record = state_->nodes.at(node);
  return record.exists ? &record.facts : nullptr;
}
const LabelColumn& Model::Label(std::string_view key, LabelColumn& made) const {
  return state_->nodes.labels().Of(key, made);
}
std::vector<const NodeFacts*> Model::AllFacts() const {
  std::vector<const NodeFacts*> facts;
  for (NodeIndex node = 0; node < state_->nodes.size(); ++node) {
    if (const NodeFacts* known = Facts(node)) facts.push_back(known);
  }
  return facts;
}
int32_t Model::node_count() const { return state_->nodes.existing(); }
const LabelSet* Model::ForeignLabels(NodeIndex node) const {
  const NodeRecord& record = state_->nodes.at(node);
  return record.foreign ? &record.facts.labels : nullptr;
}
int32_t Model::foreign_count() const { return state_->nodes.foreign(); }
const FitCounts& Model::Counts(ShapeId shape) const {
  return state_->shapes.Counts(shape, CountKind::kNow, state_->ContextOf(shape));
}

const FitCounts& Model::EmptyCounts(ShapeId shape) const {
  return state_->shapes.Counts(shape, CountKind::kEmpty, state_->ContextOf(shape));
}

int32_t Model::FitBeside(int32_t leaf, CountKind kind, ShapeId shape,
                         std::span<const ShapeId> beside, std::span<const int32_t> taken) const {
  const NodeIndex node = NodeOfLeaf(TopologyOf(shape), leaf);
  return state_->shapes.CountBeside(shape, kind, node, beside, taken, state_->ContextOf(shape));
}

void Model::LimitBeside(CountKind kind, ShapeId shape, std::span<const ShapeId> beside,
                        std::span<const int32_t> taken, std::span<int32_t> counts) const {
  state_->shapes.LimitBeside(shape, kind, beside, taken, counts, state_->ContextOf(shape));
}

int64_t Model::work() const { return state_->work + state_->shapes.work(); }

uint64_t Model::gain_version() const { return state_->shapes.gain_version(); }

uint64_t Model::Gain(std::span<const ShapeId> together) const {
  const TopologyIndex topology = together.empty() ? 0 : TopologyOf(together.front());
  return state_->shapes.Gain(together, state_->context(topology));
}

std::optional<std::vector<int32_t>> Model::GainedLeaves(std::span<const ShapeId> together,
                                                        uint64_t since) const {
  const TopologyIndex topology = together.empty() ? 0 : TopologyOf(together.front());
  auto gained = state_->shapes.GainedNodes(together, since, state_->context(topology));
  if (!gained) return std::nullopt;
  std::transform(gained->begin(), gained->end(), gained->begin(),
                 [&](NodeIndex node) { return LeafOfNode(topology, node); });
  std::sort(gained->begin(), gained->end());
  gained->erase(std::unique(gained->begin(), gained->end()), gained->end());
  if (!gained->empty() && gained->front() < 0) gained->erase(gained->begin());
  return gained;
}

}  // namespace gangplan
