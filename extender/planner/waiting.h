// How a group waits: why, who has its pods made, and what its members were told. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/result.h"

namespace gangplan {

// How filter has answered the members of a group without a plan.
enum class WaitAnswer : uint8_t { kNone, kRejection, kError };
// The problem of a member that was released to other nodes than those before it.
inline constexpr std::string_view kAstray =
    "was released from its gate to other nodes than the rest of its gang";

// Why a group waits, as it is told.
struct Verdict {
  Outcome outcome = Outcome::kPlaced;
  std::string reason;  // frozen for as long as the group waits for it
  bool decided = true;
  bool early = false;         // too few of its members exist for room to be held for all
  bool fits = false;          // and there would be room
  bool behind = false;        // it was not asked: others come before it
  bool short_in_all = false;  // the cluster has too little free, wherever that is
  bool kept_back = false;     // somebody says that it waits, or it rests since it was evicted
  bool given_up = false;      // it runs, but for members whose room was given back
  bool none_joins = false;    // not one more has room beside those that run
  int32_t most_joins = 0;     // so many were found to be too many but for these; 0: nobody was
  bool hope_open = false;     // whether it could stand in the empty cluster is not decided
};

// Who has its pods made.
enum class GroupStart : uint8_t {
  kByItself,   // whoever makes them
  kSuspended,  // we: its owner waits suspended, and it has no member
  kComing,     // we have: members are to come
  kStarted,    // some of them run, or have run; its owner may be suspended again
  kEnding,     // its owner is to be suspended again: what is left goes, and nothing is planned
};

}  // namespace gangplan
