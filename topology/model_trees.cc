// The trees of the model, one a topology: which node is in which, and how they are brought up to
// date.
#include <algorithm>
#include <utility>

#include "topology/model.h"
#include "topology/model_state.h"

namespace gangplan {
namespace {

// The tree is brought up to date whenever so many nodes came, went or moved, so that it never takes
// long at once.
constexpr size_t kMovesAtOnce = 512;
// What a tree costs, in work, for each leaf: from the last one, or from nothing.
constexpr int64_t kMoveWork = 4;
constexpr int64_t kMakeWork = 40;

}  // namespace

Model::State::Place& Model::State::FreshPlace(TopologyIndex topology) {
  Place& own = place(topology);
  if (!own.stale) return own;
  if (own.moves) {
    MoveNodes(topology);
    work += kMoveWork * own.tree->leaf_count();
  } else {
    MakeTree(topology);
    work += kMakeWork * own.tree->leaf_count();
  }
  own.stale = false;
  own.stale_nodes = 0;
  own.moves.emplace();
  return own;
}

void Model::State::MakeTree(TopologyIndex topology) {
  Place& own = place(topology);
  std::vector<NodeIndex> sources;
  std::vector<const NodeFacts*> facts;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    if (nodes.home(node).topology != topology) continue;
    nodes.SetLeaf(node, -1);
    sources.push_back(node);
    facts.push_back(&nodes.at(node).facts);
  }
  own.tree = std::make_shared<const Tree>(topologies[static_cast<size_t>(topology)], facts);
  own.leaf_nodes.clear();
  for (int32_t source : own.tree->leaf_source()) {
    nodes.SetLeaf(sources[source], static_cast<int32_t>(own.leaf_nodes.size()));
    own.leaf_nodes.push_back(sources[source]);
  }
}

// Most leaves stay as they are.
void Model::State::MoveNodes(TopologyIndex topology) {
  Place& own = place(topology);
  Place::Moves& moves = *own.moves;
  std::sort(moves.gone.begin(), moves.gone.end());
  std::sort(moves.names.begin(), moves.names.end());
  moves.names.erase(std::unique(moves.names.begin(), moves.names.end()), moves.names.end());
  std::vector<NodeIndex> sources = own.leaf_nodes;
  Tree::Moves all{std::move(moves.gone), std::move(moves.names), {}};
  for (const std::string& name : all.names) {
    const NodeIndex node = nodes.Find(name);
    if (node == kNoNode || nodes.home(node).topology != topology) continue;
    sources.push_back(node);
    all.coming.push_back(&nodes.at(node).facts);
  }
  own.tree = std::make_shared<const Tree>(*own.tree, all);
  const auto before = static_cast<int32_t>(own.leaf_nodes.size());
  own.leaf_nodes.resize(own.tree->leaf_source().size());
  for (int32_t leaf = 0; leaf < own.tree->leaf_count(); ++leaf) {
    const int32_t source = own.tree->leaf_source()[leaf];
    own.leaf_nodes[leaf] = sources[source];
    if (source != leaf || source >= before) nodes.SetLeaf(sources[source], leaf);
  }
}

void Model::State::MarkTreeStale(NodeIndex node) {
  const TopologyIndex topology = nodes.home(node).topology;
  if (topology == kNoTopology) return;
  if (place(topology).stale_nodes == kMovesAtOnce) FreshPlace(topology);
  Place& own = place(topology);
  if (!own.stale) shapes.DropCounts(topology);
  own.stale = true;
  ++own.stale_nodes;
  if (!own.moves) return;
  own.moves->names.push_back(nodes.at(node).facts.name);
  if (nodes.leaf(node) >= 0) own.moves->gone.push_back(nodes.leaf(node));
  nodes.SetLeaf(node, -1);
}

// It leaves the tree that it is in and comes to the other one; to none when it is no node any more.
void Model::State::SetHome(NodeIndex node, const NodeHome& home) {
  MarkTreeStale(node);
  nodes.SetLeaf(node, -1);
  const bool moves = nodes.home(node).topology != home.topology;
  nodes.SetHome(node, home);
  if (moves) MarkTreeStale(node);
}

const std::vector<ScopedTopology>& Model::topologies() const { return state_->topologies; }
NodeHome Model::HomeOf(NodeIndex node) const { return state_->nodes.home(node); }
const Tree& Model::tree(TopologyIndex topology) const { return *state_->FreshPlace(topology).tree; }
std::shared_ptr<const Tree> Model::SharedTree(TopologyIndex topology) const {
  return state_->FreshPlace(topology).tree;
}
void Model::MakeTrees() const {
  for (size_t i = 0; i < state_->places.size(); ++i)
    state_->FreshPlace(static_cast<TopologyIndex>(i));
}
NodeIndex Model::NodeOfLeaf(TopologyIndex topology, int32_t leaf) const {
  return state_->FreshPlace(topology).leaf_nodes[leaf];
}
int32_t Model::LeafOfNode(TopologyIndex topology, NodeIndex node) const {
  if (state_->nodes.home(node).topology != topology) return -1;
  state_->FreshPlace(topology);
  return state_->nodes.leaf(node);
}

Model::Strays Model::FindStrays() const {
  Strays strays;
  const auto note = [](int32_t& count, std::string& for_one, const std::string& name) {
    if (count++ == 0 || name < for_one) for_one = name;
  };
  for (NodeIndex node = 0; node < state_->nodes.size(); ++node) {
    const NodeRecord& record = state_->nodes.at(node);
    if (!record.exists) continue;
    const NodeHome& home = state_->nodes.home(node);
    if (home.topology == kNoTopology) note(strays.in_none, strays.none_for_one, record.facts.name);
    if (home.several) note(strays.in_several, strays.several_for_one, record.facts.name);
  }
  return strays;
}

std::vector<std::string> Model::InNone(NodeIndex& next, int32_t most) const {
  std::vector<std::string> names;
  const bool all = state_->topologies.size() == 1 && state_->topologies.front().nodes.all();
  const NodeIndex end = all ? next : std::min(state_->nodes.size(), next + most);
  for (; next < end; ++next) {
    const NodeRecord& record = state_->nodes.at(next);
    if (record.exists && state_->nodes.home(next).topology == kNoTopology)
      names.push_back(record.facts.name);
  }
  if (all || next == state_->nodes.size()) next = kNoNode;
  return names;
}

}  // namespace gangplan
