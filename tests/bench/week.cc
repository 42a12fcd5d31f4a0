#include "tests/bench/week.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <variant>

#include "extender/demo/seeded.h"
#include "extender/frontends/gangplan/runtime.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/solve_task.h"
#include "extender/planner/steering.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kGpu = "example.com/gpu";
constexpr int64_t kWeight = 2;  // of the extender

// Choices of a week.
class Chance {
 public:
  explicit Chance(uint64_t seed) : seeded_(seed) {}
  // Above 0, below 1.
  double Next() { return (static_cast<double>(seeded_.Next() >> 11) + 0.5) / 9007199254740992.0; }
  absl::Duration About(absl::Duration mean) { return -std::log(Next()) * mean; }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Next() * static_cast<double>(high - low + 1));
  }

 private:
  Seeded seeded_;
};

NodeFacts Node(int number, std::string_view block, std::string_view rack) {
  NodeFacts node;
  node.name = fmt::format("n{:05}", number);
  node.labels = {{"example.com/block", std::string(block)},
                 {"example.com/rack", std::string(rack)},
                 {std::string(kHostnameLabel), node.name}};
  node.allocatable = {{"cpu", 96'000}, {std::string(kGpu), kWeekGpus}, {"pods", 110}};
  node.ready = true;
  return node;
}

Topology Levels() {
  return *CompleteTopology({"default",
                            {{"block", "example.com/block"},
                             {"rack", "example.com/rack"},
                             {"node", std::string(kHostnameLabel)}}});
}

}  // namespace

WeekCluster EvenCluster() {
  WeekCluster cluster{"4,096 nodes, racks of 16", {}, Levels(), 12};
  for (int i = 0; i < 4'096; ++i) {
    const int rack = i / 16;
    cluster.nodes.push_back(Node(i, fmt::format("b{}", rack / 32), fmt::format("r{}", rack % 32)));
  }
  return cluster;
}

WeekCluster RealCluster() {
  WeekCluster cluster{"847 hosts of a real cluster, racks of 2 to 8", {}, Levels(), 6};
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

Week::Week(const WeekCluster& cluster, const std::vector<WeekKind>& kinds, const WeekOptions& week,
           PlannerOptions options)
    : cluster_(cluster),
      kinds_(kinds),
      week_(week),
      planner_(std::move(options)),
      free_(cluster.nodes.size(), kWeekGpus) {}

std::vector<double> Week::WaitsOf(int32_t kind) const {
  std::vector<double> waits;
  for (const Start& start : starts) {
    if (start.kind == kind) waits.push_back(absl::ToDoubleMinutes(start.began - start.arrived));
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

double WaitAt(const std::vector<double>& waits, double share) {
  if (waits.empty()) return 0;
  return waits[static_cast<size_t>(share * static_cast<double>(waits.size() - 1))];
}

// What pods can tell.
void Week::InSeconds(Arrival& arrival) {
  arrival.at = absl::FromUnixSeconds(absl::ToUnixSeconds(arrival.at));
  arrival.runs = absl::Ceil(arrival.runs, absl::Seconds(1));
}

std::vector<Week::Arrival> Week::Arrivals() const {
  std::vector<Arrival> all;
  const double gpus = static_cast<double>(cluster_.nodes.size() * kWeekGpus);
  for (size_t i = 0; i < kinds_.size(); ++i) {
    const WeekKind& kind = kinds_[i];
    Chance chance(17 + i);
    const auto each = (kind.least + kind.most) / 2.0 * (kind.gpus == 0 ? 2.5 : 8.0);
    const absl::Duration gap = kind.runs * (each / (gpus * kind.share));
    for (absl::Time at = start_ + chance.About(gap); at < start_ + kWeek; at += chance.About(gap)) {
      const int64_t taken = kind.gpus == 0 ? chance.Between(1, 4) : kind.gpus;
      all.push_back({at, chance.About(kind.runs), static_cast<int32_t>(i),
                     static_cast<int32_t>(chance.Between(kind.least, kind.most)), taken});
      if (week_.tells_ends) InSeconds(all.back());
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  return all;
}

PodFacts Week::Pod(size_t job, int32_t index) const {
  const Arrival& arrival = jobs_[job].arrival;
  const WeekKind& kind = KindOf(job);
  PodFacts pod;
  pod.ns = "team";
  pod.name = fmt::format("{}-{}-{}", kind.name, job, index);
  pod.uid = "uid-" + pod.name;
  pod.scheduler_name = "gangplan";
  pod.created = absl::ToUnixSeconds(arrival.at);
  pod.requests = {{"cpu", 1'000}, {std::string(kGpu), arrival.gpus}, {"pods", 1}};
  pod.priority = kind.priority;
  if (week_.tells_ends)
    SetLabel(pod.annotations, kRuntimeWord, fmt::format("{}s", absl::ToInt64Seconds(arrival.runs)));
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
  (KindOf(job).place.empty() ? lone_ : waiting_).push_back(job);
}

// As NodeResourcesFit has it, of the device alone.
int64_t Week::ScoreOf(size_t node, int64_t gpus) const {
  const int64_t rest = free_[node] - gpus;
  return week_.most_allocated ? (kWeekGpus - rest) * 100 / kWeekGpus : rest * 100 / kWeekGpus;
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
  if (week_.steers) ours = planner_.Prioritize(now_, pod, passed);
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
    pod.run.started = absl::ToUnixSeconds(now_);
    planner_.OnPod(now_, pod);
    free_[nodes[i]] -= one.arrival.gpus;
    in_use_ += one.arrival.gpus;
  }
  ends_.emplace(now_ + one.arrival.runs, job);
  if (one.arrival.at >= start_ + kWarmUp)
    starts.push_back({one.arrival.kind, one.arrival.at, now_, one.promised});
}

// All that the planner has to do at this moment, and what it asks to be solved beside it.
void Week::Settle() {
  bool asked = true;
  while (asked || planner_.busy()) {
    planner_.Tick(now_);
    asked = false;
    for (const Effect& effect : planner_.TakeEffects()) {
      const auto* solve = std::get_if<SolveOnCopy>(&effect);
      if (solve == nullptr) continue;
      solve->task->Run();
      planner_.OnSolved(now_, *solve->task);
      asked = true;
    }
  }
}

// Whether it has room by now: it begins then.
bool Week::BeginsNow(size_t job) {
  const std::optional<GroupReport> report =
      planner_.Report(fmt::format("team/{}-{}", KindOf(job).name, job));
  if (!report) return false;
  if (!jobs_[job].promised) jobs_[job].promised = report->expected_by;
  if (report->slots.empty()) return false;
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
}

void Week::LookAtWaiting() {
  Settle();
  std::erase_if(waiting_, [&](size_t job) { return BeginsNow(job); });
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

void Week::EndUntil(absl::Time at) {
  while (!ends_.empty() && ends_.top().first <= at) {
    PassTo(ends_.top().first);
    const size_t job = ends_.top().second;
    ends_.pop();
    EndOf(job);
    LookAtWaiting();
  }
  PassTo(at);
}

bool Week::Run() {
  for (size_t i = 0; i < cluster_.nodes.size(); ++i) {
    if (!planner_.OnNode(now_, cluster_.nodes[i]).ok()) return false;
    index_[cluster_.nodes[i].name] = i;
  }
  planner_.SetActive(now_, true);
  planner_.OnSynced(now_);
  for (const Arrival& arrival : Arrivals()) {
    EndUntil(arrival.at);
    jobs_.push_back({arrival, {}, {}});
    Arrive(jobs_.size() - 1);
    LookAtWaiting();
  }
  left.assign(kinds_.size(), 0);
  for (size_t job : waiting_) ++left[static_cast<size_t>(jobs_[job].arrival.kind)];
  const double all = static_cast<double>(cluster_.nodes.size() * kWeekGpus);
  used = gpu_seconds_ / (absl::ToDoubleSeconds(kWeek - kWarmUp) * all);
  return true;
}

}  // namespace gangplan
