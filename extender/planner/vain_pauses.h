// Gangs for which others have gone in vain: they ask nobody else to go for a while, which doubles
// each time, until they have started. By the names under which they would rest (Yielding), so that
// one that the same owner makes anew goes on where the last one was. What has been over for the
// longest pause is forgotten.
//
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "extender/planner/group.h"
#include "extender/planner/timers.h"

namespace gangplan {

class VainPauses {
 public:
  // `most`: names that are remembered; of more those are forgotten whose time is over first.
  explicit VainPauses(size_t most) : most_(most) {}

  void Note(absl::Time now, const Group& group);
  void End(const Group& group);
  // InfinitePast: it has not paused lately. O(makers) while some gang has.
  absl::Time Until(const Group& group) const;
  void Tick(absl::Time now);

 private:
  struct Pause {
    absl::Time until = absl::InfinitePast();
    int32_t times = 0;
  };
  Pause Of(const Group& group) const;

  const size_t most_;
  std::map<std::string, Pause> pauses_;
  Timers<std::string> forget_;
};

}  // namespace gangplan
