// Whether nodes and pods are shown as they are. While they are not nobody goes for what was seen
// before: it may be otherwise by now.
//
// Thread rule: the planner's.
#pragma once

#include <utility>

#include "absl/time/time.h"

namespace gangplan {

class Sight {
 public:
  // True: they are again.
  bool Set(absl::Time now, bool sees) {
    const bool again = !std::exchange(sees_, sees) && sees;
    if (again) since_ = now;
    return again;
  }
  bool sees() const { return sees_; }
  // When they were again; InfinitePast: they have always been.
  absl::Time since() const { return since_; }

 private:
  bool sees_ = true;
  absl::Time since_ = absl::InfinitePast();
};

}  // namespace gangplan
