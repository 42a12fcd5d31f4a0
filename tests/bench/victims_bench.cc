// Who has to go for a gang, in a cluster that is full: 2,000 nodes of 8 GPUs, which some 700 gangs
// of mixed sizes and priorities fill one after the other, or pods of no gang, as many as one
// question looks at, and gangs behind them. Told of each newcomer: the CPU time of
// the turn under the lock that makes the question, that of its answer on a copy, and that of one
// exact placement of the same gang where the victims are gone.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/planner.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"
#include "topology/base/clock.h"

namespace gangplan {
namespace {

constexpr int32_t kBlocks = 10;
constexpr int32_t kRacks = 10;  // of a block
constexpr int32_t kNodes = 20;  // of a rack
constexpr int64_t kGpus = 8;
constexpr std::string_view kGpu = "example.com/gpu";
constexpr int32_t kSizes[] = {4, 8, 12, 16, 24, 32, 48, 40};  // of the gangs that run, in turn
constexpr int kTimes = 9;

struct Newcomer {
  std::string_view name;
  int32_t size;
  std::string_view place;
  int32_t pods = 0;  // of no gang, that may go, too
};
constexpr Newcomer kNewcomers[] = {{"rack", 128, "rack=pack!"},
                                   {"block", 512, "block=pack!"},
                                   {"spread", 256, "block=pack!; rack=spread"},
                                   {"anywhere", 1024, "rack=pack"},
                                   {"pods", 512, "block=pack!", 10'000},
                                   {"podsrack", 128, "rack=pack!", 10'000}};

NodeFacts Node(int32_t number) {
  NodeFacts node;
  const int32_t rack = number / kNodes;
  node.name = fmt::format("b{}-r{}-n{:02}", rack / kRacks, rack % kRacks, number % kNodes);
  node.labels = {{"example.com/block", node.name.substr(0, 2)},
                 {"example.com/rack", node.name.substr(0, 5)},
                 {std::string(kHostnameLabel), node.name}};
  node.allocatable = {{"cpu", 96'000}, {std::string(kGpu), kGpus}, {"pods", 110}};
  node.ready = true;
  return node;
}

PodFacts Pod(std::string_view gang, int32_t size, std::string_view place, int32_t index,
             int32_t priority) {
  PodFacts pod;
  pod.ns = "team";
  pod.name = fmt::format("{}-{}", gang, index);
  pod.uid = "uid-" + pod.name;
  pod.scheduler_name = "gangplan";
  pod.priority = priority;
  pod.requests = {{"cpu", 1'000}, {std::string(kGpu), 1}, {"pods", 1}};
  SetLabel(pod.annotations, kGroupWord, std::string(gang));
  SetLabel(pod.annotations, kPlaceWord, std::string(place));
  SetLabel(pod.annotations, kSizeWord, fmt::format("{}", size));
  return pod;
}

// Of no gang, on one GPU.
PodFacts LonePod(int32_t gpu) {
  PodFacts pod;
  pod.ns = "others";
  pod.name = fmt::format("lone-{}", gpu);
  pod.uid = "uid-" + pod.name;
  pod.scheduler_name = "gangplan";
  pod.priority = gpu * 7 % 10;
  pod.requests = {{"cpu", 1'000}, {std::string(kGpu), 1}, {"pods", 1}};
  pod.node_name = Node(gpu / static_cast<int32_t>(kGpus)).name;
  pod.phase = PodPhase::kRunning;
  return pod;
}

// Every GPU is taken, so many by pods of no gang. Returns how many gangs run.
int32_t Fill(Planner& planner, absl::Time now, int32_t pods) {
  for (int32_t gpu = 0; gpu < pods; ++gpu) planner.OnPod(now, LonePod(gpu));
  int32_t gangs = 0;
  for (int32_t gpu = pods; gpu < kBlocks * kRacks * kNodes * kGpus; ++gangs) {
    const int32_t left = static_cast<int32_t>(kBlocks * kRacks * kNodes * kGpus) - gpu;
    const int32_t size = std::min(left, kSizes[gangs % std::size(kSizes)]);
    const std::string name = fmt::format("gang-{}", gangs);
    for (int32_t i = 0; i < size; ++i, ++gpu) {
      PodFacts pod = Pod(name, size, "node=pack", i, gangs * 7 % 10);
      pod.node_name = Node(gpu / static_cast<int32_t>(kGpus)).name;
      pod.phase = PodPhase::kRunning;
      planner.OnPod(now, pod);
    }
  }
  return gangs;
}

std::shared_ptr<SolveTask> TakeQuestion(Planner& planner) {
  std::shared_ptr<SolveTask> question;
  for (Effect& effect : planner.TakeEffects()) {
    auto* solve = std::get_if<SolveOnCopy>(&effect);
    if (solve != nullptr && solve->task->victims) question = std::move(solve->task);
  }
  return question;
}

double RunTime(SolveTask& task) {
  const absl::Duration start = ThreadCpuTime();
  task.Run();
  return absl::ToDoubleMicroseconds(ThreadCpuTime() - start);
}

// False: nothing was asked.
bool Measure(const Newcomer& one) {
  PlannerOptions options;
  options.topologies[0].topology = {*CompleteTopology({"default",
                                                       {{"block", "example.com/block"},
                                                        {"rack", "example.com/rack"},
                                                        {"node", std::string(kHostnameLabel)}}})};
  options.preempts = true;
  options.preempts_pods = one.pods > 0;
  Planner planner(options);
  absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  for (int32_t i = 0; i < kBlocks * kRacks * kNodes; ++i)
    if (!planner.OnNode(now, Node(i)).ok()) return false;
  const int32_t gangs = Fill(planner, now, one.pods);
  planner.SetActive(now, true);
  planner.OnSynced(now);
  for (int i = 0; i < 20; ++i) planner.Tick(now += absl::Seconds(1));
  planner.TakeEffects();
  std::shared_ptr<SolveTask> question;
  absl::Duration turn;
  for (int32_t i = 0; i < one.size; ++i) {
    const absl::Duration start = ThreadCpuTime();
    planner.OnPod(now, Pod(one.name, one.size, one.place, i, 100));
    turn = ThreadCpuTime() - start;
    question = TakeQuestion(planner);
  }
  if (question == nullptr) return false;
  const double search = RunTime(*question);
  const VictimsResult found = question->victims->result;
  question->victims.reset();
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) times.push_back(RunTime(*question));
  std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
  const double once = times[kTimes / 2];
  fmt::print(
      "victims/{:<9} {} go of {} gangs and {} pods, {}: lock {:.1f} ms, answer {:.1f} ms of {} "
      "questions, one placement {:.2f} ms: {:.0f} times\n",
      one.name, found.victims.size(), gangs, one.pods,
      found.cheapest ? "the cheapest" : "not proven", absl::ToDoubleMilliseconds(turn),
      search / 1000, found.checks, once / 1000, search / once);
  return true;
}

}  // namespace

bool VictimsBench() { return std::all_of(std::begin(kNewcomers), std::end(kNewcomers), Measure); }

}  // namespace gangplan
