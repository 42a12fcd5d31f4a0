// What pods of no gang do to the racks: a simulated week of gangs that need a rack, gangs that may
// stand anywhere, and lone pods, with and without our scores (`prioritize`). Told: how long gangs
// that need a rack waited, and how much of the cluster ran. Same output each time.
#include <cstdio>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/bench/week.h"
#include "tests/bench/workloads.h"

namespace gangplan {
namespace {

struct Column {
  std::string_view name;
  bool steers;
  bool kueue;  // gangs are placed as Kueue places them
};
constexpr Column kColumns[] = {{"no scores of ours", false, false},
                               {"steered", true, false},
                               {"none, Kueue's places", false, true}};

bool Line(const WeekCluster& cluster, bool most, const Column& column) {
  const std::vector<WeekKind> kinds = {
      {"rack", 0.6, absl::Hours(6), cluster.rack, cluster.rack, kWeekGpus, "rack=pack!"},
      {"anywhere", 0.2, absl::Hours(4), 2, 6, kWeekGpus, "rack=pack"},
      {"lone", 0.08, absl::Hours(2), 1, 1, 0, ""}};
  PlannerOptions options;
  options.topologies[0].topology = {cluster.topology};
  if (column.kueue) {
    options.engine_for_all = Strategy::kTas;
    options.tas.compatibility = KueueCompatibility::kExact;
  }
  Week week(cluster, kinds, {most, column.steers}, std::move(options));
  if (!week.Run()) return false;
  const std::vector<double> waits = week.WaitsOf(0);
  if (waits.empty()) return false;
  fmt::print(
      "  {} allocated first, {}: {} gangs of {} nodes waited {:.1f} min (median), {:.1f} (p90); "
      "{} still wait; {:.3f} of the GPUs in use\n",
      most ? "most" : "least", column.name, waits.size(), cluster.rack, WaitAt(waits, 0.5),
      WaitAt(waits, 0.9), week.left[0], week.used);
  std::fflush(stdout);
  return true;
}

}  // namespace

bool SteeringBench() {
  for (const WeekCluster& cluster : {RealCluster(), EvenCluster()}) {
    fmt::print("{}; a week, of which the first day is not counted\n", cluster.name);
    for (const bool most : {false, true}) {
      for (const Column& column : kColumns) {
        if (!Line(cluster, most, column)) return false;
      }
    }
  }
  return true;
}

}  // namespace gangplan
