// What pods of no gang do to the racks: a simulated week of gangs that need a rack, gangs that may
// stand anywhere, and lone pods, which a scheduler places by its own scores, with and without ours
// (`prioritize`). Told: how long gangs that need a rack waited, and how much of the cluster ran.
//
// The scheduler looks at as many nodes that fit as kube-scheduler does by default, in turn, and
// takes the best by NodeResourcesFit, least or most allocated, plus our score at weight 2. Gangs
// are placed by the planner; their pods run from the moment at which there is room. What arrives,
// and how long it runs, is the same in each run of a cluster. Same output each time.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/planner.h"
#include "extender/planner/steering.h"
#include "fmt/format.h"
#include "tests/bench/workloads.h"

namespace gangplan {
namespace {

constexpr std::string_view kGpu = "example.com/gpu";
constexpr int64_t kGpus = 8;  // of a node
constexpr absl::Duration kWeek = absl::Hours(24 * 7);
constexpr absl::Duration kWarmUp = absl::Hours(24);  // not counted
constexpr int64_t kWeight = 2;                       // of the extender

class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}
  // Above 0, below 1. SplitMix64.
  double Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
  }
  absl::Duration About(absl::Duration mean) { return -std::log(Next()) * mean; }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Next() * static_cast<double>(high - low + 1));
  }

 private:
  uint64_t state_;
};

struct Cluster {
  std::string name;
  std::vector<NodeFacts> nodes;
  Topology topology;
  int32_t rack = 0;  // nodes that a gang needs of one rack
};

NodeFacts Node(int number, std::string_view block, std::string_view rack) {
  NodeFacts node;
  node.name = fmt::format("n{:05}", number);
  node.labels = {{"example.com/block", std::string(block)},
                 {"example.com/rack", std::string(rack)},
                 {std::string(kHostnameLabel), node.name}};
  node.allocatable = {{"cpu", 96'000}, {std::string(kGpu), kGpus}, {"pods", 110}};
  node.ready = true;
  return node;
}

Topology Levels() {
  return *CompleteTopology({"default",
                            {{"block", "example.com/block"},
                             {"rack", "example.com/rack"},
                             {"node", std::string(kHostnameLabel)}}});
}

// 4,096 nodes, 16 in a rack and 32 racks in a block; a gang needs 12 of a rack.
Cluster Even() {
  Cluster cluster{"4,096 nodes, racks of 16", {}, Levels(), 12};
  for (int i = 0; i < 4'096; ++i) {
    const int rack = i / 16;
    cluster.nodes.push_back(Node(i, fmt::format("b{}", rack / 32), fmt::format("r{}", rack % 32)));
  }
  return cluster;
}

// 847 hosts, racks of 2 to 8; a gang needs 6 of a rack.
Cluster Real() {
  Cluster cluster{"847 hosts of a real cluster, racks of 2 to 8", {}, Levels(), 6};
  std::ifstream file(GANGPLAN_SOURCE_DIR "/tests/bench/data/lingjun-2023.csv");
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    const size_t pod = line.find(','), rack = line.rfind(',');
    const auto number = static_cast<int>(cluster.nodes.size());
    cluster.nodes.push_back(
        Node(number, line.substr(pod + 1, rack - pod - 1), line.substr(rack + 1)));
  }
  return cluster;
}

// What arrives of one kind: `share` of all GPUs would run of it, if none waited.
struct Kind {
  std::string_view name;
  double share;
  absl::Duration runs;  // on average
  int32_t least, most;  // pods
  int64_t gpus;         // of each; 0: 1 to 4
  std::string_view place;
};

struct Arrival {
  absl::Time at;
  absl::Duration runs;
  int32_t kind = 0;
  int32_t pods = 0;
  int64_t gpus = 0;
};

std::vector<Arrival> Arrivals(const Cluster& cluster, const std::vector<Kind>& kinds,
                              absl::Time start) {
  std::vector<Arrival> all;
  const double gpus = static_cast<double>(cluster.nodes.size() * kGpus);
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Kind& kind = kinds[i];
    Chance chance(17 + i);
    const auto each = (kind.least + kind.most) / 2.0 * (kind.gpus == 0 ? 2.5 : 8.0);
    const absl::Duration gap = kind.runs * (each / (gpus * kind.share));
    for (absl::Time at = start + chance.About(gap); at < start + kWeek; at += chance.About(gap)) {
      const int64_t taken = kind.gpus == 0 ? chance.Between(1, 4) : kind.gpus;
      all.push_back({at, chance.About(kind.runs), static_cast<int32_t>(i),
                     static_cast<int32_t>(chance.Between(kind.least, kind.most)), taken});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  return all;
}

// One week of one cluster.
class Week {
 public:
  Week(const Cluster& cluster, bool most_allocated, bool steers, PlannerOptions options)
      : cluster_(cluster),
        most_allocated_(most_allocated),
        steers_(steers),
        planner_(std::move(options)),
        kinds_{{"rack", 0.6, absl::Hours(6), cluster.rack, cluster.rack, kGpus, "rack=pack!"},
               {"anywhere", 0.2, absl::Hours(4), 2, 6, kGpus, "rack=pack"},
               {"lone", 0.08, absl::Hours(2), 1, 1, 0, ""}},
        free_(cluster.nodes.size(), kGpus) {}

  bool Run();
  // In minutes, of that share of the gangs that need a rack. REQUIRES: Run.
  double WaitAt(double share) const {
    return waits[static_cast<size_t>(share * static_cast<double>(waits.size() - 1))];
  }
  std::vector<double> waits;  // of gangs that need a rack, in minutes
  int64_t left = 0;           // of them, that never ran
  double used = 0;            // share of all GPUs, on average

 private:
  struct Job {
    Arrival arrival;
    std::vector<PodFacts> pods;
  };
  using End = std::pair<absl::Time, size_t>;

  PodFacts Pod(size_t job, int32_t index) const;
  void Arrive(size_t job);
  void PlaceLone(size_t job);
  size_t BestFor(const PodFacts& pod);
  int64_t ScoreOf(size_t node, int64_t gpus) const;
  void Begin(size_t job, const std::vector<size_t>& nodes);
  void LookAtWaiting();
  void EndOf(size_t job);
  void PassTo(absl::Time at);

  const Cluster& cluster_;
  const bool most_allocated_, steers_;
  Planner planner_;
  const std::vector<Kind> kinds_;
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

PodFacts Week::Pod(size_t job, int32_t index) const {
  const Arrival& arrival = jobs_[job].arrival;
  const Kind& kind = kinds_[static_cast<size_t>(arrival.kind)];
  PodFacts pod;
  pod.ns = "team";
  pod.name = fmt::format("{}-{}-{}", kind.name, job, index);
  pod.uid = "uid-" + pod.name;
  pod.scheduler_name = "gangplan";
  pod.created = absl::ToUnixSeconds(arrival.at);
  pod.requests = {{"cpu", 1'000}, {std::string(kGpu), arrival.gpus}, {"pods", 1}};
  if (kind.place.empty()) return pod;
  SetLabel(pod.annotations, kGroupWord, fmt::format("{}-{}", kind.name, job));
  SetLabel(pod.annotations, kPlaceWord, std::string(kind.place));
  SetLabel(pod.annotations, kSizeWord, fmt::format("{}", arrival.pods));
  return pod;
}

void Week::Arrive(size_t job) {
  for (int32_t i = 0; i < jobs_[job].arrival.pods; ++i) {
    jobs_[job].pods.push_back(Pod(job, i));
    planner_.OnPod(now_, jobs_[job].pods.back());
  }
  const bool gang = !kinds_[static_cast<size_t>(jobs_[job].arrival.kind)].place.empty();
  (gang ? waiting_ : lone_).push_back(job);
}

// As NodeResourcesFit has it, of the device alone.
int64_t Week::ScoreOf(size_t node, int64_t gpus) const {
  const int64_t rest = free_[node] - gpus;
  return most_allocated_ ? (kGpus - rest) * 100 / kGpus : rest * 100 / kGpus;
}

// kube-scheduler's numFeasibleNodesToFind, from where it looked last; the first of the best. The
// number of nodes: there is none.
size_t Week::BestFor(const PodFacts& pod) {
  const size_t all = free_.size();
  const size_t percent = std::max<size_t>(5, 50 - all / 125);
  const size_t most = std::max<size_t>(100, all * percent / 100);
  const int64_t gpus = AmountOf(pod.requests, kGpu);
  std::vector<size_t> feasible;
  size_t looked = 0;
  for (; looked < all && feasible.size() < most; ++looked) {
    const size_t node = (next_node_ + looked) % all;
    if (free_[node] >= gpus) feasible.push_back(node);
  }
  next_node_ = (next_node_ + looked) % all;
  if (feasible.empty()) return all;
  Offer offer;
  for (size_t node : feasible) offer.push_back(cluster_.nodes[node].name);
  FilterDecision decision = planner_.Filter(now_, pod, offer);
  Split(decision, offer);
  if (decision.passed.empty()) return all;
  Offer passed;
  for (int32_t index : decision.passed) passed.push_back(offer[static_cast<size_t>(index)]);
  std::vector<int32_t> ours;
  if (steers_) ours = planner_.Prioritize(now_, pod, passed);
  size_t best = all;
  int64_t most_points = -1;
  for (size_t i = 0; i < decision.passed.size(); ++i) {
    const size_t node = feasible[static_cast<size_t>(decision.passed[i])];
    const int64_t points =
        ScoreOf(node, gpus) + (ours.empty() ? 0 : ours[i] * kWeight * 100 / Steering::kBest);
    if (points <= most_points) continue;
    most_points = points;
    best = node;
  }
  return best;
}

void Week::PlaceLone(size_t job) {
  const size_t node = BestFor(jobs_[job].pods[0]);
  if (node < free_.size()) Begin(job, {node});
}

void Week::Begin(size_t job, const std::vector<size_t>& nodes) {
  Job& one = jobs_[job];
  for (size_t i = 0; i < nodes.size(); ++i) {
    PodFacts& pod = one.pods[i];
    pod.node_name = cluster_.nodes[nodes[i]].name;
    pod.phase = PodPhase::kRunning;
    planner_.OnPod(now_, pod);
    free_[nodes[i]] -= one.arrival.gpus;
    in_use_ += one.arrival.gpus;
  }
  ends_.emplace(now_ + one.arrival.runs, job);
  if (one.arrival.kind == 0 && one.arrival.at >= start_ + kWarmUp)
    waits.push_back(absl::ToDoubleMinutes(now_ - one.arrival.at));
}

// Those that have room by now begin.
void Week::LookAtWaiting() {
  planner_.Tick(now_);
  planner_.TakeEffects();
  std::erase_if(waiting_, [&](size_t job) {
    const std::string name =
        fmt::format("team/{}-{}", kinds_[static_cast<size_t>(jobs_[job].arrival.kind)].name, job);
    const std::optional<GroupReport> report = planner_.Report(name);
    if (!report || report->slots.empty()) return false;
    std::map<std::string, std::string> nodes;
    for (const auto& slot : report->slots) nodes[slot.pod] = slot.node;
    std::vector<size_t> places;
    for (const PodFacts& pod : jobs_[job].pods) {
      const auto node = nodes.find(pod.name);
      if (node == nodes.end() || node->second.empty()) return false;
      places.push_back(index_.at(node->second));
    }
    Begin(job, places);
    return true;
  });
  std::erase_if(lone_, [&](size_t job) {
    PlaceLone(job);
    return !jobs_[job].pods[0].node_name.empty();
  });
}

void Week::EndOf(size_t job) {
  for (const PodFacts& pod : jobs_[job].pods) {
    free_[index_.at(pod.node_name)] += jobs_[job].arrival.gpus;
    in_use_ -= jobs_[job].arrival.gpus;
    planner_.OnPodDeleted(now_, pod.uid);
  }
  jobs_[job].pods.clear();
}

void Week::PassTo(absl::Time at) {
  const absl::Time from = std::max(now_, start_ + kWarmUp);
  if (at > from) gpu_seconds_ += absl::ToDoubleSeconds(at - from) * static_cast<double>(in_use_);
  now_ = at;
}

bool Week::Run() {
  for (size_t i = 0; i < cluster_.nodes.size(); ++i) {
    if (!planner_.OnNode(now_, cluster_.nodes[i]).ok()) return false;
    index_[cluster_.nodes[i].name] = i;
  }
  planner_.SetActive(now_, true);
  planner_.OnSynced(now_);
  for (const Arrival& arrival : Arrivals(cluster_, kinds_, start_)) {
    while (!ends_.empty() && ends_.top().first <= arrival.at) {
      PassTo(ends_.top().first);
      const size_t job = ends_.top().second;
      ends_.pop();
      EndOf(job);
      LookAtWaiting();
    }
    PassTo(arrival.at);
    jobs_.push_back({arrival, {}});
    Arrive(jobs_.size() - 1);
    LookAtWaiting();
  }
  left = std::count_if(waiting_.begin(), waiting_.end(),
                       [&](size_t job) { return jobs_[job].arrival.kind == 0; });
  const double all = static_cast<double>(cluster_.nodes.size() * kGpus);
  used = gpu_seconds_ / (absl::ToDoubleSeconds(kWeek - kWarmUp) * all);
  std::sort(waits.begin(), waits.end());
  return true;
}

}  // namespace

bool SteeringBench() {
  struct Column {
    std::string_view name;
    bool steers;
    bool kueue;  // gangs are placed as Kueue places them
  };
  constexpr Column kColumns[] = {{"no scores of ours", false, false},
                                 {"steered", true, false},
                                 {"none, Kueue's places", false, true}};
  for (const Cluster& cluster : {Real(), Even()}) {
    fmt::print("{}; a week, of which the first day is not counted\n", cluster.name);
    for (const bool most : {false, true}) {
      for (const Column& column : kColumns) {
        PlannerOptions options;
        options.topologies[0].topology = {cluster.topology};
        if (column.kueue) {
          options.engine_for_all = Strategy::kTas;
          options.tas.compatibility = KueueCompatibility::kExact;
        }
        Week week(cluster, most, column.steers, options);
        if (!week.Run() || week.waits.empty()) return false;
        fmt::print(
            "  {} allocated first, {}: {} gangs of {} nodes waited {:.1f} min (median), {:.1f} "
            "(p90); {} still wait; {:.3f} of the GPUs in use\n",
            most ? "most" : "least", column.name, week.waits.size(), cluster.rack, week.WaitAt(0.5),
            week.WaitAt(0.9), week.left, week.used);
        std::fflush(stdout);
      }
    }
  }
  return true;
}

}  // namespace gangplan
