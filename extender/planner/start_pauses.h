// Owners that were started a while ago. One that is suspended again by whoever it is, with our
// mark, is started again, but not in a fast loop: the first time at once, then after pauses that
// double. What was left alone for the longest pause is forgotten.
//
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/planner/timers.h"
#include "topology/base/text_map.h"

namespace gangplan {

class StartPauses {
 public:
  // `most`: owners that are remembered; of more those are forgotten whose time is over first.
  explicit StartPauses(size_t most) : most_(most) {}

  void NoteStart(absl::Time now, std::string_view uid);
  // How often it was started lately.
  int32_t Starts(std::string_view uid) const;
  // It is not started before.
  absl::Time Until(std::string_view uid) const;
  // Forgets whose time is over.
  void Tick(absl::Time now);
  size_t size() const { return starts_.size(); }

 private:
  struct Start {
    int32_t times = 0;
    absl::Time until = absl::InfinitePast();
  };

  const size_t most_;
  TextMap<Start> starts_;  // by UID
  Timers<std::string> forget_;
};

}  // namespace gangplan
