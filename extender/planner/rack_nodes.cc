#include "extender/planner/rack_nodes.h"

#include <algorithm>

#include "extender/planner/limits.h"

namespace gangplan {

void RackNodes::Add(const Values& labels, List& list, const NodeFacts& node) {
  Values values;
  for (const std::string& label : labels) {
    const std::string* value = FindLabel(node.labels, label);
    if (value == nullptr) return;
    values.push_back(*value);
  }
  const auto there = list.nodes.try_emplace(std::move(values)).first;
  there->second.insert(node.name);
  list.of.emplace(node.name, &there->first);
}

void RackNodes::Remove(List& list, std::string_view node) {
  const auto known = list.of.find(node);
  if (known == list.of.end()) return;
  const auto there = list.nodes.find(*known->second);
  there->second.erase(known->first);
  if (there->second.empty()) list.nodes.erase(there);
  list.of.erase(known);
}

void RackNodes::Follow(const Values& labels, const Model& model) {
  const auto [known, added] = lists_.try_emplace(labels);
  ++known->second.users;
  if (!added) return;
  for (const NodeFacts* node : model.AllFacts()) Add(known->first, known->second, *node);
}

void RackNodes::Leave(const Values& labels) {
  const auto known = lists_.find(labels);
  if (--known->second.users == 0 && lists_.size() > kRackListsKept) lists_.erase(known);
}

void RackNodes::OnNode(const NodeFacts& node) {
  for (auto& [labels, list] : lists_) {
    Remove(list, node.name);
    Add(labels, list, node);
  }
}

void RackNodes::OnNodeGone(std::string_view name) {
  for (auto& [labels, list] : lists_) Remove(list, name);
}

const RackNodes::Values* RackNodes::Of(const Values& labels, std::string_view node) const {
  const List& list = lists_.at(labels);
  const auto known = list.of.find(node);
  return known == list.of.end() ? nullptr : known->second;
}

const RackNodes::Nodes& RackNodes::With(const Values& labels, const Values& values) const {
  static const auto& none = *new Nodes();
  const List& list = lists_.at(labels);
  const auto there = list.nodes.find(values);
  return there == list.nodes.end() ? none : there->second;
}

}  // namespace gangplan
