#include "topology/resource_table.h"

#include <algorithm>

#include "topology/base/check.h"
#include "topology/implied_resource.h"

namespace gangplan {
namespace {

// A slot for a new entry: one that is not used any more, else a new one at the end.
template <typename Entry>
int32_t TakeSlot(std::vector<Entry>& entries, std::vector<int32_t>& unused) {
  if (unused.empty()) {
    entries.emplace_back();
    return static_cast<int32_t>(entries.size()) - 1;
  }
  int32_t slot = unused.back();
  unused.pop_back();
  return slot;
}

}  // namespace

// What no object can say is ours (implied_resource.h).
bool ResourceTable::Excludes(std::string_view name) const {
  return !IsImplied(name) &&
         std::any_of(excluded_.begin(), excluded_.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

ResourceId ResourceTable::Acquire(std::string_view name) {
  if (auto it = ids_.find(name); it != ids_.end()) {
    ++entries_[it->second].users;
    return it->second;
  }
  ResourceId resource = TakeSlot(entries_, unused_);
  entries_[resource] = {std::string(name), 1};
  ids_.emplace(name, resource);
  return resource;
}

void ResourceTable::Release(ResourceId resource) {
  Entry& entry = entries_[resource];
  GANGPLAN_CHECK(entry.users > 0);
  if (--entry.users > 0) return;
  ids_.erase(entry.name);
  entry = {};
  unused_.push_back(resource);
}

ResourceId ResourceTable::Find(std::string_view name) const {
  auto it = ids_.find(name);
  return it == ids_.end() ? kNoResource : it->second;
}

DemandId DemandTable::Acquire(const ResourceList& list, ResourceTable& resources) {
  if (auto it = ids_.find(list); it != ids_.end()) {
    ++entries_[it->second].users;
    return it->second;
  }
  DemandId demand = TakeSlot(entries_, unused_);
  Entry& entry = entries_[demand];
  entry = {list, {}, 1};
  for (const ResourceAmount& part : list) {
    if (resources.Excludes(part.name)) continue;
    entry.amounts.push_back(
        {resources.Acquire(part.name), part.amount, ImpliedAmount(part.name)});
  }
  ids_.emplace(list, demand);
  return demand;
}

void DemandTable::Release(DemandId demand, ResourceTable& resources) {
  Entry& entry = entries_[demand];
  GANGPLAN_CHECK(entry.users > 0);
  if (--entry.users > 0) return;
  for (const InternedAmount& part : entry.amounts) resources.Release(part.resource);
  ids_.erase(entry.list);
  entry = {};
  unused_.push_back(demand);
}

}  // namespace gangplan
