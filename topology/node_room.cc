// What room a node has: reads of the model that count nothing.
#include <algorithm>
#include <iterator>

#include "topology/implied_resource.h"
#include "topology/model.h"
#include "topology/model_state.h"
#include "topology/usable_nodes.h"

namespace gangplan {
namespace {

// A part of a demand, and what the nodes have of it.
struct LackingPart {
  InternedAmount of;
  const AmountColumn* column = nullptr;
};

std::vector<LackingPart> PartsOf(const ResourceList& demand, const ResourceTable& resources,
                                 const AmountColumns& columns) {
  std::vector<LackingPart> parts;
  for (const ResourceAmount& part : demand) {
    if (part.amount <= 0 || resources.Excludes(part.name)) continue;
    const ResourceId resource = resources.Find(part.name);
    parts.push_back({{resource, part.amount, ImpliedAmount(part.name)}, nullptr});
    if (resource != kNoResource) parts.back().column = columns.Find(resource);
  }
  return parts;
}

// Of what a node has none of, others serve whoever asks for it.
bool Lists(const NodeRecord& record, const InternedAmount& part) {
  const NodeAmount* amount = record.Find(part.resource);
  return (amount == nullptr ? part.implied : amount->allocatable) > 0;
}

}  // namespace

bool Model::MayUse(NodeIndex node, ShapeId shape) const {
  return state_->nodes.home(node).topology == TopologyOf(shape) &&
         MayUseNow(state_->nodes.at(node), state_->shapes.filter(shape));
}

bool Model::Overcommitted(NodeIndex node) const {
  const NodeRecord& record = state_->nodes.at(node);
  return std::any_of(record.amounts.begin(), record.amounts.end(), [&](const NodeAmount& amount) {
    return (amount.allocatable > 0 || !record.exists) && amount.free() < 0;
  });
}

ResourceUse Model::Use(NodeIndex node, std::string_view resource) const {
  const NodeAmount* amount = state_->nodes.at(node).Find(state_->resources.Find(resource));
  if (amount == nullptr) return {ImpliedAmount(resource), 0, 0};
  return {amount->allocatable, Narrow(amount->used), Narrow(amount->held)};
}

bool Model::Excludes(std::string_view resource) const {
  return state_->resources.Excludes(resource);
}

ResourceList Model::Counted(ResourceList amounts) const {
  std::erase_if(amounts, [this](const ResourceAmount& one) { return Excludes(one.name); });
  return amounts;
}

int64_t Model::FreeInAll(std::string_view resource) const {
  const State& s = *state_;
  const ResourceId id = s.resources.Find(resource);
  const InternedAmount part = {id, 0, ImpliedAmount(resource)};
  const WideAmount implied = part.implied;
  if (id == kNoResource) return Narrow(implied * s.nodes.existing());
  const std::span<const BarrierId> barriers = s.nodes.barriers();
  WideAmount free = 0;
  if (const AmountColumn* column = s.nodes.columns().Find(id)) {
    for (NodeIndex node = 0; node < s.nodes.size(); ++node)
      free += barriers[node] == kNoSuchNode ? 0 : column->free[node];
    return Narrow(free);
  }
  int32_t others = s.nodes.existing();
  for (NodeIndex node : s.nodes.columns().Carriers(id)) {
    if (barriers[node] == kNoSuchNode) continue;
    --others;
    free += s.nodes.at(node).Free(part);
  }
  return Narrow(free + implied * others);
}

bool Model::HasRoom(NodeIndex node, const ResourceList& demand,
                    const ResourceList& give_back) const {
  const NodeRecord& record = state_->nodes.at(node);
  if (!record.exists) return false;
  return std::all_of(demand.begin(), demand.end(), [&](const ResourceAmount& part) {
    if (part.amount <= 0) return true;
    const ResourceId resource = state_->resources.Find(part.name);
    if (resource == kNoResource && Excludes(part.name)) return true;
    const NodeAmount* amount = record.Find(resource);
    WideAmount room = amount == nullptr ? ImpliedAmount(part.name) : amount->free();
    for (const ResourceAmount& back : give_back) {
      if (back.name == part.name) room += back.amount;
    }
    return room >= part.amount;
  });
}

std::vector<NodeIndex> Model::Lacking(std::span<const NodeIndex> nodes, const ResourceList& demand,
                                      const GivesBack& gives_back) const {
  const State& s = *state_;
  const std::vector<LackingPart> parts = PartsOf(demand, s.resources, s.nodes.columns());
  std::vector<ShapeId> back;
  NodeIndex asked = kNoNode;
  const auto lacks = [&](NodeIndex node, const LackingPart& part) {
    // The record is looked at last: what is common lies beside it.
    WideAmount room = part.column == nullptr ? 0 : part.column->free[node];
    if (part.column != nullptr && room >= part.of.amount) return false;
    if (part.column == nullptr || part.column->allocatable[node] <= 0) {
      const NodeRecord& record = s.nodes.at(node);
      if (!record.exists || !Lists(record, part.of)) return false;
      room = record.Free(part.of);
      if (room >= part.of.amount) return false;
    }
    if (asked != node) {
      back.clear();
      gives_back(node, back);
      asked = node;
    }
    for (ShapeId shape : back) {
      for (const InternedAmount& amount : s.demands.amounts(s.shapes.demand(shape)))
        room += amount.resource == part.of.resource ? amount.amount : 0;
    }
    return room < part.of.amount;
  };
  std::vector<NodeIndex> lacking;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(lacking), [&](NodeIndex node) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const LackingPart& part) { return lacks(node, part); }) ||
           s.nodes.barriers()[static_cast<size_t>(node)] == kNoSuchNode;
  });
  return lacking;
}

}  // namespace gangplan
