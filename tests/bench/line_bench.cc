// What the line for room is worth and what its promises hold: a simulated week of gangs of several
// sizes and two priorities that all say how long they run, in each `queue.mode`. Told: how long the
// largest and the smallest waited, how much of the cluster ran, and of the starts that a time was
// told for, how many came by then. And what it does for a namespace beside one that sends more than
// there is room for, when both share it (`queue.fairness`). Same output each time.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/bench/week.h"
#include "tests/bench/workloads.h"

namespace gangplan {
namespace {

struct Mode {
  std::string_view name;
  QueueMode mode;
  bool urgent = true;  // some come before all that wait
};
constexpr Mode kModes[] = {{"greedy", QueueMode::kGreedy},
                           {"strict", QueueMode::kStrict},
                           {"backfill", QueueMode::kBackfill},
                           {"backfill, one priority", QueueMode::kBackfill, false}};

// Some that need many racks of one block, some that need most of a rack, and small ones.
std::vector<WeekKind> KindsOf(const WeekCluster& cluster, bool urgent) {
  const int32_t rack = cluster.rack;
  return {
      {"large", 0.28, absl::Hours(8), 6 * rack, 8 * rack, kWeekGpus, "block=pack!"},
      {"rack", 0.32, absl::Hours(6), rack, rack, kWeekGpus, "rack=pack!"},
      {"urgent", 0.05, absl::Hours(2), rack / 2, rack, kWeekGpus, "block=pack!", urgent ? 100 : 0},
      {"small", 0.3, absl::Hours(3), 1, 4, kWeekGpus, "rack=pack"}};
}

// "many" sends more than the cluster has, the whole week; "few" a fifth of it, all gangs alike.
std::vector<WeekKind> TwoNamespaces(const WeekCluster& cluster) {
  const int32_t rack = cluster.rack;
  return {{"of-many", 0.95, absl::Hours(6), rack, rack, kWeekGpus, "rack=pack!", 0, "many"},
          {"of-few", 0.2, absl::Hours(6), rack, rack, kWeekGpus, "rack=pack!", 0, "few"}};
}

void TellWaits(const Week& week, const std::vector<WeekKind>& kinds) {
  for (size_t i = 0; i < kinds.size(); ++i) {
    const std::vector<double> waits = week.WaitsOf(static_cast<int32_t>(i));
    fmt::print(
        "    {}: {} waited {:.0f} min (median), {:.0f} (p90), {:.0f} (longest); {} still wait\n",
        kinds[i].name, waits.size(), WaitAt(waits, 0.5), WaitAt(waits, 0.9), WaitAt(waits, 1),
        week.left[i]);
  }
}

void TellPromises(const Week& week) {
  int64_t told = 0, kept = 0;
  absl::Duration latest;
  for (const Week::Start& start : week.starts) {
    if (!start.promised) continue;
    ++told;
    if (start.began <= *start.promised) ++kept;
    latest = std::max(latest, start.began - *start.promised);
  }
  fmt::print("    told a time: {}; began by then: {} ({:.1f} %), the latest {:.0f} min after it\n",
             told, kept,
             told == 0 ? 100.0 : 100.0 * static_cast<double>(kept) / static_cast<double>(told),
             absl::ToDoubleMinutes(latest));
}

bool Line(const WeekCluster& cluster, const Mode& mode) {
  const std::vector<WeekKind> kinds = KindsOf(cluster, mode.urgent);
  PlannerOptions options;
  options.topologies[0].topology = {cluster.topology};
  options.queue_mode = mode.mode;
  Week week(cluster, kinds, {.tells_ends = true}, std::move(options));
  if (!week.Run()) return false;
  fmt::print("  {}: {:.3f} of the GPUs in use\n", mode.name, week.used);
  TellWaits(week, kinds);
  if (mode.mode == QueueMode::kBackfill) TellPromises(week);
  std::fflush(stdout);
  return true;
}

bool Shared(const WeekCluster& cluster, bool fair) {
  const std::vector<WeekKind> kinds = TwoNamespaces(cluster);
  PlannerOptions options;
  options.topologies[0].topology = {cluster.topology};
  options.fair = fair;
  Week week(cluster, kinds, {}, std::move(options));
  if (!week.Run()) return false;
  fmt::print("  two namespaces, queue.fairness {}: {:.3f} of the GPUs in use\n",
             fair ? "namespace" : "none", week.used);
  TellWaits(week, kinds);
  std::fflush(stdout);
  return true;
}

}  // namespace

bool LineBench() {
  const WeekCluster real = RealCluster();
  for (const WeekCluster& cluster : {real, EvenCluster()}) {
    fmt::print("{}; a week, of which the first day is not counted\n", cluster.name);
    for (const Mode& mode : kModes) {
      if (!Line(cluster, mode)) return false;
    }
  }
  // There alone: a week in which more and more wait takes minutes on the larger one.
  return Shared(real, false) && Shared(real, true);
}

}  // namespace gangplan
