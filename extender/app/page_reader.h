// Reads what the page shows from the planner, in turns as short as those of other reports. Where
// gangs stand is the costly part: it is read of those that have changed, and of the others now and
// then, so many members at most in one reading; what was known of the rest is told again. So is by
// which resource nodes are shown.
//
// Thread rule: one thread at a time; not within a turn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "extender/app/locked_planner.h"
#include "extender/web/page_state.h"
#include "topology/base/clock.h"

namespace gangplan {

class PageReader {
 public:
  // Both outlive the reader.
  PageReader(LockedPlanner& planner, const Clock& clock);

  // As of now; generations count from 1.
  PageState Read();
  // The tree of the last state, and what its nodes' use is told by.
  std::string TreeJson() const;

 private:
  // Where a gang was seen to stand, when it was like `as`.
  struct Standing {
    PageGang as;  // but for `where`
    std::string where;
    std::vector<std::string> nodes;  // each once
    absl::Time at;
    int64_t seen_in = 0;  // generation
  };

  void TakeTree();
  bool TakeResource(const std::vector<std::shared_ptr<const Tree>>& parts);
  void ReadGangs(PageState& state);
  void ReadNodes(PageState& state);
  void Look(const PageGang& gang, Standing& standing);
  std::vector<GroupReport> Listed(int64_t& more);
  int64_t IdOf(const GroupReport& report);

  LockedPlanner& planner_;
  const Clock& clock_;
  const std::string start_;                         // tells the trees of two processes apart
  std::vector<std::shared_ptr<const Tree>> parts_;  // of the topologies
  std::shared_ptr<const Tree> tree_;                // all of them
  int64_t trees_ = 0;
  int64_t generation_ = 0;
  std::string resource_;
  absl::Time resource_at_;                                 // it was asked for
  absl::flat_hash_map<std::string_view, int32_t> leaves_;  // of tree_, by name
  std::map<int64_t, Standing> standings_;                  // by gang
  std::map<std::string, int64_t> alone_;  // ids of those that have none: owners without a group
  int64_t last_alone_ = 0;
};

}  // namespace gangplan
