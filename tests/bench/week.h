// A simulated week of a cluster: gangs and lone pods arrive, are placed by the planner and by a
// scheduler's own scores, run, and end. For benches; the same input gives the same week.
//
// The scheduler looks at as many nodes that fit as kube-scheduler does by default, in turn, and
// takes the best by NodeResourcesFit, least or most allocated, plus our score at weight 2. Gangs
// are placed by the planner; their pods run from the moment at which there is room.
//
// Thread rule: one caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/planner.h"

namespace gangplan {

inline constexpr int64_t kWeekGpus = 8;  // of a node
inline constexpr absl::Duration kWeek = absl::Hours(24 * 7);
inline constexpr absl::Duration kWarmUp = absl::Hours(24);  // not counted

struct WeekCluster {
  std::string name;
  std::vector<NodeFacts> nodes;
  Topology topology;
  int32_t rack = 0;  // nodes that a gang needs of one rack
};
// 4,096 nodes, 16 in a rack and 32 racks in a block; a gang needs 12 of a rack.
WeekCluster EvenCluster();
// 847 hosts, racks of 2 to 8; a gang needs 6 of a rack.
WeekCluster RealCluster();

// What arrives of one kind: `share` of all GPUs would run of it, if none waited.
struct WeekKind {
  std::string_view name;
  double share;
  absl::Duration runs;     // on average
  int32_t least, most;     // pods
  int64_t gpus;            // of each; 0: 1 to 4
  std::string_view place;  // empty: a lone pod
  int32_t priority = 0;
};

struct WeekOptions {
  bool most_allocated = false;
  bool steers = false;      // our `prioritize` is asked
  bool tells_ends = false;  // all say how long they run, and it is true
};

// One week of one cluster.
class Week {
 public:
  Week(const WeekCluster& cluster, const std::vector<WeekKind>& kinds, const WeekOptions& week,
       PlannerOptions options);

  // False: the planner did not take the cluster.
  bool Run();

  // A gang or a lone pod that arrived after the warm-up and began.
  struct Start {
    int32_t kind = 0;
    absl::Time arrived;
    absl::Time began;
    std::optional<absl::Time> promised;  // the first time by which it was told to begin
  };
  std::vector<Start> starts;
  std::vector<int64_t> left;  // by kind: gangs that never began
  double used = 0;            // share of all GPUs, on average

  // Minutes that those of the kind waited, the shortest first.
  std::vector<double> WaitsOf(int32_t kind) const;

 private:
  struct Arrival {
    absl::Time at;
    absl::Duration runs;
    int32_t kind = 0;
    int32_t pods = 0;
    int64_t gpus = 0;
  };
  struct Job {
    Arrival arrival;
    std::vector<PodFacts> pods;
    std::optional<absl::Time> promised;
  };
  using End = std::pair<absl::Time, size_t>;

  static void InSeconds(Arrival& arrival);
  std::vector<Arrival> Arrivals() const;
  const WeekKind& KindOf(size_t job) const {
    return kinds_[static_cast<size_t>(jobs_[job].arrival.kind)];
  }
  PodFacts Pod(size_t job, int32_t index) const;
  void Arrive(size_t job);
  void PlaceLone(size_t job);
  size_t BestFor(const PodFacts& pod);
  int64_t ScoreOf(size_t node, int64_t gpus) const;
  void Begin(size_t job, const std::vector<size_t>& nodes);
  bool BeginsNow(size_t job);
  void Settle();
  void LookAtWaiting();
  void EndOf(size_t job);
  void EndUntil(absl::Time at);
  void PassTo(absl::Time at);

  const WeekCluster& cluster_;
  const std::vector<WeekKind> kinds_;
  const WeekOptions week_;
  Planner planner_;
  const absl::Time start_ = absl::FromUnixSeconds(1'700'000'000);
  absl::Time now_ = start_;
  std::vector<int64_t> free_;  // GPUs, by node
  std::map<std::string, size_t> index_;
  size_t next_node_ = 0;  // where the scheduler looks first
  std::vector<Job> jobs_;
  std::vector<size_t> waiting_;  // gangs
  std::vector<size_t> lone_;     // pods without a node
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  int64_t in_use_ = 0;
  double gpu_seconds_ = 0;
};

// That share of them waited no longer than this: 0 the shortest, 1 the longest. 0 where there are
// none. REQUIRES: from WaitsOf.
double WaitAt(const std::vector<double>& waits, double share);

}  // namespace gangplan
