#include "extender/planner/road.h"

namespace gangplan {

std::string_view Name(Road road) {
  constexpr std::string_view kNames[] = {"none",     "suspended", "gated", "nominated",
                                         "offered",  "rejected",  "error", "unasked",
                                         "released", "ungated"};
  return kNames[static_cast<int>(road)];
}

std::string_view Meaning(Road road) {
  switch (road) {
    case Road::kNone:
      return "";
    case Road::kSuspended:
      return "its pods are made when there is room for all, with their nodes in the template";
    case Road::kGated:
      return "its pods wait behind a gate and are released to their nodes when there is room for "
             "all";
    case Road::kNominated:
      return "each pod is pointed to its node and waits in bind for the others";
    case Road::kOffered:
      return "each pod is let through to its node and waits in bind for the others";
    case Road::kRejected:
      return "the scheduler tries its pods again with every change in the cluster; behind a gate, "
             "or as a suspended Job, it would cost nothing (docs/roads.md)";
    case Road::kError:
      return "too many pods wait to be woken by changes (waiting.rejectMax), so the scheduler "
             "tries its pods again every few seconds; behind a gate, or as a suspended Job, it "
             "would cost nothing (docs/roads.md)";
    case Road::kUnasked:
      return "the scheduler has not asked for its pods yet";
    case Road::kReleased:
      return "its pods were released to their nodes, and the scheduler that they name is to bind "
             "them";
    case Road::kUngated:
      return "nobody calls Gangplan here (server.verbs), so its pods go where their scheduler puts "
             "them: behind the gate gangplan.io/gang, or as a suspended Job, they would go "
             "together (docs/gates.md)";
  }
  return "";
}

}  // namespace gangplan
