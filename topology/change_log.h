// Which nodes changed, and when: what each shape's counts are brought up to date from when they are
// read, so that a change costs the same however many shapes there are. Of each node only the last
// change is kept, so memory follows the nodes.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/model.h"

namespace gangplan {

class ChangeLog {
 public:
  // Grows with every change.
  using Position = uint64_t;

  struct Change {
    NodeIndex node = kNoNode;
    bool facts = false;  // else only what is used or held on it
    bool freed = false;  // some shape may fit now that did not before
  };

  Position position() const { return position_; }
  // Of the last change that freed something.
  Position last_freed() const { return last_freed_; }

  void Note(const Change& change);
  // No node changed, but shapes may fit all the same.
  void NoteFreed() { last_freed_ = ++position_; }

  // At least as many as the nodes that changed after `since`. O(log nodes).
  size_t MostAfter(Position since) const { return entries_.end() - After(since); }

  // visit(const Change&) for each node that changed after `since`, once, with all that happened to
  // it.
  template <typename Visit>
  void VisitAfter(Position since, Visit visit) const {
    for (auto entry = After(since); entry != entries_.end(); ++entry) {
      const Last& last = last_[entry->node];
      if (last.change != entry->position) continue;  // visited later
      visit(Change{entry->node, last.facts > since, last.freed > since});
    }
  }

 private:
  struct Entry {
    Position position = 0;
    NodeIndex node = kNoNode;
  };
  // Positions of a node's last change, and of the last of each kind; 0: none.
  struct Last {
    Position change = 0;
    Position facts = 0;
    Position freed = 0;
  };

  std::vector<Entry>::const_iterator After(Position since) const {
    return std::upper_bound(entries_.begin(), entries_.end(), since,
                            [](Position p, const Entry& entry) { return p < entry.position; });
  }

  std::vector<Entry> entries_;  // by position; at most about twice as many as nodes
  std::vector<Last> last_;      // by node
  Position position_ = 0;
  Position last_freed_ = 0;
};

}  // namespace gangplan
