// The product in ten seconds: a whole Gangplan over an embedded cluster of 320 nodes, with other
// pods on it, and the scheduler's side played over real HTTP for four gangs: one fits a rack, one a
// block, one must wait, one can never start. Every claim that it prints is checked.
//
// The cluster, the gangs and all that is printed but the times are the same in every run.
#pragma once

#include <functional>
#include <string_view>

#include "absl/time/time.h"
#include "extender/demo/demo_world.h"
#include "extender/demo/generator.h"

namespace gangplan {

struct DemoOptions {
  absl::Duration pause;  // after each part, for people who watch
  bool colour = false;
  int page_port = 0;  // 0: any free one
};

// The cluster that it is played on.
ClusterPlan DemoPlan();

// True: all went as said. Blocks for a few seconds and the pauses, and for `then`, which has the
// world as it is at the end.
bool PlayDemo(
    const DemoOptions& options, const std::function<void(std::string_view)>& print,
    const std::function<void(DemoWorld&)>& then = [](DemoWorld&) {});

}  // namespace gangplan
