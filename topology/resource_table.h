// Interned resource names and demands, so that the model compares and adds small integers. A
// demand is a whole ResourceList: the pods of one template share one entry. Both are counted by
// their users and forgotten with the last, so names from outside do not pile up.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/base/text_map.h"
#include "topology/resources.h"

namespace gangplan {

using ResourceId = int32_t;
using DemandId = int32_t;
inline constexpr ResourceId kNoResource = -1;
inline constexpr DemandId kNoDemand = -1;

struct InternedAmount {
  ResourceId resource = kNoResource;
  int64_t amount = 0;
  int64_t implied = 0;  // what a node has of it that does not list it
};

class ResourceTable {
 public:
  ResourceTable() = default;
  // `excluded`: beginnings of names that are no resource here.
  explicit ResourceTable(std::vector<std::string> excluded) : excluded_(std::move(excluded)) {}

  // O(excluded). Nobody acquires such a name.
  bool Excludes(std::string_view name) const;
  ResourceId Acquire(std::string_view name);
  void Release(ResourceId resource);
  ResourceId Find(std::string_view name) const;  // kNoResource when nobody uses the name
  const std::string& name(ResourceId resource) const { return entries_[resource].name; }

 private:
  struct Entry {
    std::string name;
    int32_t users = 0;
  };
  std::vector<Entry> entries_;
  std::vector<ResourceId> unused_;
  TextMap<ResourceId> ids_;
  std::vector<std::string> excluded_;
};

class DemandTable {
 public:
  // Equal lists give the same id. No allocation for a list that is known. What is excluded has no
  // amount.
  DemandId Acquire(const ResourceList& list, ResourceTable& resources);
  void Retain(DemandId demand) { ++entries_[demand].users; }
  void Release(DemandId demand, ResourceTable& resources);

  const ResourceList& list(DemandId demand) const { return entries_[demand].list; }
  std::span<const InternedAmount> amounts(DemandId demand) const {
    return entries_[demand].amounts;
  }

 private:
  struct Entry {
    ResourceList list;
    std::vector<InternedAmount> amounts;
    int64_t users = 0;
  };
  std::vector<Entry> entries_;
  std::vector<DemandId> unused_;
  absl::flat_hash_map<ResourceList, DemandId> ids_;
};

}  // namespace gangplan
