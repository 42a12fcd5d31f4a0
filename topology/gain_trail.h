// When a shape last gained and on which nodes, as far back as a limit allows.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/model.h"

namespace gangplan {

// What a node may have gained for a shape: room beside members of other shapes, or also a count.
enum class GainKind : uint8_t { kRoom, kCount };

class GainTrail {
 public:
  // Versions never go down.
  void Note(uint64_t version, NodeIndex node, GainKind kind);
  // Nobody knows on which nodes, and from now on not since when before `version` either.
  void Forget(uint64_t version, GainKind kind);

  // The version of the last gain of this kind; a gain of a count is one of room too.
  uint64_t last(GainKind kind) const { return kind == GainKind::kCount ? count_ : room_; }
  // All gains later than this one are known.
  uint64_t known_since() const { return known_since_; }
  // Appends the nodes with gains of this kind later than `since`, some perhaps twice.
  // REQUIRES: since >= known_since().
  void AppendNodes(uint64_t since, GainKind kind, std::vector<NodeIndex>& nodes) const;

 private:
  struct Entry {
    uint64_t version = 0;
    NodeIndex node = kNoNode;
    GainKind kind = GainKind::kRoom;
  };
  void Raise(uint64_t version, GainKind kind);

  std::vector<Entry> entries_;  // at most kMaxGains, the oldest one at next_ when it is full
  size_t next_ = 0;
  uint64_t known_since_ = 0;
  uint64_t count_ = 0;
  uint64_t room_ = 0;
};

}  // namespace gangplan
