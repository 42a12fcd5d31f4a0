#include "topology/change_log.h"

namespace gangplan {

void ChangeLog::Note(const Change& change) {
  ++position_;
  if (change.freed) last_freed_ = position_;
  if (static_cast<size_t>(change.node) >= last_.size()) last_.resize(change.node + 1);
  Last& last = last_[change.node];
  last.change = position_;
  if (change.facts) last.facts = position_;
  if (change.freed) last.freed = position_;
  entries_.push_back({position_, change.node});
  if (entries_.size() <= 2 * last_.size() + 64) return;
  std::erase_if(entries_, [&](const Entry& entry) {
    return last_[entry.node].change != entry.position;
  });
}

}  // namespace gangplan
