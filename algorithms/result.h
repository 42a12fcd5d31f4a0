// What an engine answers: one of four outcomes, with evidence as data; text is made last
// (explain.h). Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

enum class Outcome {
  kPlaced,
  kWait,        // would fit with less load
  kImpossible,  // does not fit even on the empty cluster
  kInvalid,     // the request contradicts itself or asks what no engine can do
};

constexpr std::string_view Name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"placed", "wait", "impossible", "invalid"};
  return kNames[static_cast<int>(outcome)];
}

struct PlacedMember {
  int32_t pod_set = 0;
  int32_t rank = 0;
  int32_t leaf = 0;
  friend bool operator==(const PlacedMember&, const PlacedMember&) = default;
};

// How near one pod set came at one level, as if it were alone: its best domain now, and on the
// empty cluster.
struct LevelEvidence {
  int32_t pod_set = 0;
  int level = 0;
  bool hard = false;          // all members must share one domain of this level
  int32_t needed = 0;         // members that one domain would have to hold if it held all
  int32_t domains = 0;        // domains of this level
  int32_t best_domain = -1;   // index; most room now, first by path; where members stand, if hard
  int32_t best_fit = 0;       // members that fit there now
  int32_t empty_domain = -1;  // the same on the empty cluster
  int32_t empty_fit = 0;
  friend bool operator==(const LevelEvidence&, const LevelEvidence&) = default;
};

// How far a placement may be from the best: at the levels above it is as good as the best, and at
// this one no placement goes beyond the bound. Of pack first the used domains count (the fewer the
// better), then the sum of their squared members (the more); of spread that sum alone (the less).
struct PlacementGap {
  int level = 0;
  int64_t domains = 0;  // of pack; else 0, and so is its bound
  int64_t squares = 0;
  int64_t bound_domains = 0;
  int64_t bound_squares = 0;
  friend bool operator==(const PlacementGap&, const PlacementGap&) = default;
};

struct PlacementResult {
  Outcome outcome = Outcome::kInvalid;
  // Members that were not fixed, ordered by (pod_set, rank); ranks follow the tree depth first.
  std::vector<PlacedMember> members;
  // By `exact`: no placement is better (kPlaced), or none exists now (kWait). False when the budget
  // ended before that was known.
  bool proven = true;
  bool hope_proven = true;               // kWait: ... and one exists when all is empty
  std::optional<PlacementGap> gap = {};  // kPlaced and not proven
  // kInvalid: what contradicts what, for people. Of a kWait by `tas`: what is in the way though
  // there is room, else empty.
  std::string problem;
  // kWait, kImpossible: the pod set that found no room; where two go together, the one that is led.
  int32_t deciding_pod_set = 0;
  // Index into levels of the tree of the level that decided a kWait or kImpossible; -1: total room.
  int deciding_level = -1;
  // kWait, kImpossible: members of that pod set that the best domain of that level (or all, for -1)
  // holds when empty; by `exact` up to those that are asked for.
  int32_t most_when_empty = 0;
};

}  // namespace gangplan
