// What is asked of an engine: pod sets, one rule per level, and what already stands. Every front
// end translates into this. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

// One rule at one level, in Sakkara's words (KEP 4986). No rule at a level means soft pack.
struct LevelRule {
  enum class Kind {
    kPack,
    kSpread,
    kAny,  // no choice of domains: only what else the rule says
  };
  Kind kind = Kind::kPack;
  bool hard = false;
  std::optional<int32_t> partitions;  // exactly this many children of each used parent
  std::optional<int32_t> min;         // members a used domain has at least
  std::optional<int32_t> max;         // ... and at most
  std::optional<int32_t> factor;      // members of a used domain are a multiple of this
  bool ranked = false;                // ... and each so many ranks, from 0 on, stand in one domain
  friend bool operator==(const LevelRule&, const LevelRule&) = default;
};

using LevelRules = std::vector<std::optional<LevelRule>>;  // one per level, coarsest first

// A member that already has its node and keeps it; its room is not counted as free.
struct FixedMember {
  int32_t pod_set = 0;
  int32_t rank = 0;
  int32_t leaf = 0;
  friend bool operator==(const FixedMember&, const FixedMember&) = default;
};

// Members with one template. Ranks of a pod set are first_rank .. first_rank + count - 1.
struct PodSetRequest {
  std::string name;
  int32_t count = 0;
  int32_t first_rank = 0;
  int32_t group = -1;  // kTas: two pod sets of one number go together, the smaller leads; -1: alone
  LevelRules rules = {};  // its own: with kTas in place of those of the request, else beside them
  // Ranks of the members to place, ascending; empty: the lowest that nobody has who stands.
  std::vector<int32_t> missing = {};
  friend bool operator==(const PodSetRequest&, const PodSetRequest&) = default;
};

// Which engine answers.
enum class Strategy {
  kTas,    // Kueue's words: Kueue's answers
  kExact,  // every rule in any mix: finds what exists, and the best of it
};

constexpr std::string_view Name(Strategy strategy) {
  constexpr std::string_view kNames[] = {"tas", "exact"};
  return kNames[static_cast<int>(strategy)];
}

// Kueue's answers bug for bug, or without the defects that README.md lists.
enum class KueueCompatibility { kExact, kFixed };

// Which domains are taken first (KEP 2724, "Selecting the algorithm" and "MostFreeCapacity
// algorithm").
enum class TasFill {
  kBestFit,    // the most free capacity first, and the last one as tight as can be
  kMostFree,   // the most free capacity first, the last one too
  kLeastFree,  // the least free capacity first
};
constexpr bool MostFirst(TasFill fill) { return fill != TasFill::kLeastFree; }

// The same for all that is asked; mixed: the least free capacity where no level is, else best fit.
enum class TasProfile { kMixed, kBestFit, kMostFree, kLeastFree };

// What an operator sets for the `tas` engine.
struct TasOptions {
  TasProfile profile = TasProfile::kMixed;
  bool balanced = false;  // preferred: balanced placement is tried first
  KueueCompatibility compatibility = KueueCompatibility::kFixed;
  friend bool operator==(const TasOptions&, const TasOptions&) = default;
};

struct PlacementRequest {
  Strategy strategy = Strategy::kExact;
  TasOptions tas;
  std::vector<PodSetRequest> pod_sets;
  LevelRules rules;                // of all pod sets together, but for those with their own
  std::vector<FixedMember> fixed;  // members that stand; ranks unique per pod set
  friend bool operator==(const PlacementRequest&, const PlacementRequest&) = default;
};

// The most an engine may do before it ends with the best that it has (PlacementResult::proven), in
// steps of about one time each, so that the same input gives the same answer on any machine. By
// default what the planner allows beside its lock: nothing is asked more.
struct Budget {
  int64_t steps = 20'000'000;
};

}  // namespace gangplan
