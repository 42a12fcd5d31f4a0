// A reservation as it stands, for people and programs. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace gangplan {

enum class ReservationState : uint8_t {
  kRefused,  // its words cannot be read
  kAhead,    // no room is kept for it yet
  kSought,   // room is looked for
  kKept,     // room is kept as it comes free
  kStarted,  // its users have the room
  kOver,
};
// "kept", as it stands in reports and metrics.
const char* Name(ReservationState state);
inline constexpr int kReservationStates = 6;

struct ReservationCounts {
  int64_t reservations[kReservationStates] = {};
  int64_t there = 0, missing = 0;  // pods of those that keep room, or have started
};

struct ReservationReport {
  std::string name;
  ReservationState state = ReservationState::kAhead;
  std::string problem;  // of its words; what was read before stays in force
  // Of one that was read:
  absl::Time from, until;
  absl::Duration lead;
  int32_t pods = 0;
  std::string topology;  // where there are several
  std::string place;
  std::vector<std::string> namespaces;
  std::string labels;              // "team=ml,tier=a"
  std::string domain;              // the deepest that holds all of its nodes; empty: it has none
  int32_t nodes = 0;               // where it goes
  int32_t missing = 0;             // pods for which there is no room there yet
  std::optional<int64_t> by;       // Unix seconds: all of it is free then, as far as is known
  std::vector<std::string> users;  // gangs that may use it now
  std::string text;                // how it stands, for people
};

}  // namespace gangplan
