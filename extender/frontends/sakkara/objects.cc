#include "extender/frontends/sakkara/objects.h"

#include <optional>

namespace gangplan {
namespace {

// What counts for a group, to be compared with what counts later.
using Counting = std::optional<std::pair<std::string, absl::StatusOr<SakkaraGroup>>>;

Counting CountingOf(const SakkaraObjects& objects, const std::string& ns,
                    const std::string& group) {
  const SakkaraObject* object = objects.Find(ns, group);
  if (object == nullptr) return std::nullopt;
  return std::make_pair(object->facts.name, object->words);
}

}  // namespace

std::vector<std::string> SakkaraObjects::Put(ConfigMapFacts facts) {
  const Name key(facts.ns, facts.name);
  const std::string group = SakkaraGroupName(facts.data);
  const auto known = objects_.find(key);
  const std::string old_group = known == objects_.end() ? group : known->second.group;
  const Counting before = CountingOf(*this, facts.ns, group);
  const Counting old_before = CountingOf(*this, facts.ns, old_group);
  if (known != objects_.end()) Unlist(key, old_group);
  absl::StatusOr<SakkaraGroup> words = ReadSakkaraGroup(facts.data);
  by_group_[{facts.ns, group}].insert(facts.name);
  const std::string ns = facts.ns;
  objects_.insert_or_assign(key, SakkaraObject{std::move(facts), group, std::move(words)});
  std::vector<std::string> changed;
  if (CountingOf(*this, ns, group) != before) changed.push_back(group);
  if (old_group != group && CountingOf(*this, ns, old_group) != old_before)
    changed.push_back(old_group);
  return changed;
}

std::vector<std::string> SakkaraObjects::Erase(std::string_view ns, std::string_view name) {
  const auto known = objects_.find(Name(ns, name));
  if (known == objects_.end()) return {};
  const Name key = known->first;
  const std::string group = known->second.group;
  const bool counted = Find(ns, group) == &known->second;
  Unlist(key, group);
  objects_.erase(known);
  if (!counted) return {};
  return {group};
}

void SakkaraObjects::Unlist(const Name& object, const std::string& group) {
  const auto listed = by_group_.find({object.first, group});
  listed->second.erase(object.second);
  if (listed->second.empty()) by_group_.erase(listed);
}

const SakkaraObject* SakkaraObjects::Find(std::string_view ns, std::string_view group) const {
  const auto listed = by_group_.find(Name(ns, group));
  return listed == by_group_.end() ? nullptr : At(ns, *listed->second.begin());
}

const SakkaraObject* SakkaraObjects::At(std::string_view ns, std::string_view name) const {
  const auto known = objects_.find(Name(ns, name));
  return known == objects_.end() ? nullptr : &known->second;
}

}  // namespace gangplan
