// Pods of no gang that run, by their nodes: those that may have to go for a gang, each by itself. A
// pod that has joined a group since stays here until it is told of again: whoever asks looks at its
// record.
//
// There may be half a million: each takes one piece of memory of 24 bytes and its name. Put and
// Erase are O(pods of the node).
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "topology/model_ids.h"

namespace gangplan {

struct KnownPod;

class SinglePods {
 public:
  struct Pod {
    const KnownPod* record = nullptr;
    int32_t priority = 0;
    int32_t grace = 0;        // seconds that it may take to stop
    uint32_t name_bytes = 0;  // right behind this

    std::string_view name() const { return {reinterpret_cast<const char*>(this + 1), name_bytes}; }
  };
  struct DeletePod {
    void operator()(Pod* pod) const { ::operator delete(pod); }
  };
  using PodPtr = std::unique_ptr<Pod, DeletePod>;

  // REQUIRES: the record is on no node here, and lives until its Erase.
  void Put(NodeIndex node, const KnownPod& record, std::string_view name, int32_t priority,
           int64_t grace);
  // Nothing when it is not on the node.
  void Erase(NodeIndex node, const KnownPod& record);
  // By priority, then by name.
  std::span<const PodPtr> On(NodeIndex node) const;
  // Null: it is not on the node.
  const Pod* Find(NodeIndex node, const KnownPod& record) const;
  bool AnyBelow(int32_t priority) const {
    return !priorities_.empty() && priorities_.begin()->first < priority;
  }

 private:
  std::vector<std::vector<PodPtr>> by_node_;  // as far as some node had one
  std::map<int32_t, int64_t> priorities_;     // how many there are of each
};

}  // namespace gangplan
