#include "topology/gain_trail.h"

namespace gangplan {

void GainTrail::Raise(uint64_t version, GainKind kind) {
  room_ = version;
  if (kind == GainKind::kCount) count_ = version;
}

void GainTrail::Note(uint64_t version, NodeIndex node, GainKind kind) {
  Raise(version, kind);
  const Entry entry{version, node, kind};
  if (entries_.size() < kMaxGains) {
    entries_.push_back(entry);
    return;
  }
  known_since_ = entries_[next_].version;
  entries_[next_] = entry;
  next_ = (next_ + 1) % kMaxGains;
}

void GainTrail::Forget(uint64_t version, GainKind kind) {
  Raise(version, kind);
  entries_.clear();
  next_ = 0;
  known_since_ = version;
}

void GainTrail::AppendNodes(uint64_t since, GainKind kind, std::vector<NodeIndex>& nodes) const {
  for (const Entry& entry : entries_) {
    if (entry.version > since && entry.kind >= kind) nodes.push_back(entry.node);
  }
}

}  // namespace gangplan
