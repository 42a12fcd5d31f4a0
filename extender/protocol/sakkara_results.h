// What Sakkara's users read back: the results in a group's ConfigMap and the labels of its pods, as
// texts of the form that Sakkara writes, and as changes of the data and the labels. Unlike
// Sakkara's patches, which replace keys that may not be there, these set what holds and remove what
// does not. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "topology/labels.h"

namespace gangplan {

enum class SakkaraStatus {
  kInit,  // of members only, as is kScheduled
  kWaiting,
  kReady,
  kAssigned,
  kScheduled,
  kPermitted,
  kBound,
  kPreempting,
  kPreempted,
  kFailed,
};

constexpr std::string_view Name(SakkaraStatus status) {
  constexpr std::string_view kNames[] = {"Init",      "Waiting",   "Ready", "Assigned",
                                         "Scheduled", "Permitted", "Bound", "Preempting",
                                         "Preempted", "Failed"};
  return kNames[static_cast<int>(status)];
}

struct SakkaraPlacedPod {
  std::string_view name;
  std::vector<std::string_view> path;  // the units that hold it from the top, its node last
};

// {"root":{"rack-0":{"node-0":{"pod-0":{},"pod-1":{}}}}}: every object's keys in byte order,
// without blanks, whatever the order of the pods is. REQUIRES: different names, none also a unit
// beside it.
std::string SakkaraPlacementText(std::span<const SakkaraPlacedPod> pods);

// [(pod-0,0) (pod-1,1)]: pods in order of their ranks; no quotes.
std::string SakkaraRankText(std::span<const SakkaraPlacedPod> by_rank);

// RFC 3339 in UTC, nanoseconds without zeros at their end: 2024-07-02T14:53:58.62352Z.
std::string SakkaraTimeText(absl::Time time);

// Whole milliseconds, rounded down; what is below zero is zero.
std::string SakkaraMilliText(absl::Duration duration);

// A group's results. What is empty or not there is removed from the ConfigMap, with one exception:
// what is not known of a bound group (its times when it was found bound after a restart, its places
// when some pods have finished or are being replaced) stays as it was written before.
struct SakkaraGroupResults {
  SakkaraStatus status = SakkaraStatus::kWaiting;
  std::vector<SakkaraPlacedPod> by_rank;      // of a group that is bound
  std::optional<absl::Time> begin;            // the first pod was seen
  std::optional<absl::Time> end;              // the last one was bound
  std::optional<absl::Duration> solver_time;  // of all solves
  std::string_view preemptor;                 // the group that it was evicted for
  // Keys that Sakkara does not have, of a bound group: how its nodes lie in the tree (from the top:
  // level and domains of it), and how near that is to the best. Nothing of them where `levels` is
  // empty.
  int32_t distance = 0;
  std::vector<std::pair<std::string, int32_t>> levels = {};
  std::string_view quality = {};  // empty: not known
};

// The change of the ConfigMap's data. Only a bound group has times; the total is written when both
// its ends are known.
LabelPatch SakkaraGroupData(const SakkaraGroupResults& results);

// The results of one pod. Without a rank its label is removed.
struct SakkaraMemberResults {
  SakkaraStatus status = SakkaraStatus::kInit;
  int64_t retries = 0;  // how often its group was placed anew
  std::optional<int64_t> rank;
};
LabelPatch SakkaraMemberLabels(const SakkaraMemberResults& results);

}  // namespace gangplan
