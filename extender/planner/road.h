// By which road the members of a group that has not begun, or not wholly, come to their nodes. It
// follows from what the group is and how it stands; nobody sets it. Pure data.
#pragma once

#include <cstdint>
#include <string_view>

namespace gangplan {

enum class Road : uint8_t {
  kNone,       // nobody of it waits
  kSuspended,  // its Job waits without pods, and is started with its place
  kGated,      // its pods wait behind a gate, and are released to their nodes
  kNominated,  // the scheduler, which offers a sample, is pointed to each member's node
  kOffered,    // the scheduler offers all nodes, each member is let through to its own
  kRejected,   // without a plan: filter refused, so that events wake its members
  kError,      // without a plan: filter answered with Error, so that the scheduler polls
  kUnasked,    // without a plan, and the scheduler has not asked for it
  kReleased,   // nobody calls us; its pods were released to their nodes
  kUngated,    // likewise, and its pods wait behind no gate of ours: they go anywhere
};
inline constexpr int kRoads = 10;

// Lower case, one word; label values and JSON.
std::string_view Name(Road road);
// For people, after the name: what that means, and what would be better. Empty: nothing to say.
std::string_view Meaning(Road road);

}  // namespace gangplan
