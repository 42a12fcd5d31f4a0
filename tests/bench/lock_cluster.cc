#include "tests/bench/lock_cluster.h"

#include <iterator>
#include <random>

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/kueue/words.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr int32_t kRacksOfBlock = 32;
constexpr int32_t kNodesOfRack = 160;
constexpr int64_t kGpusOfNode = 8;
constexpr std::string_view kGpu = "nvidia.com/gpu";

// All pods of the app, whoever owns them.
PodAffinityTerm TermOf(std::string_view app, std::string_view topology_key) {
  return {std::string(topology_key),
          {{}, true, {{"app.kubernetes.io/name", SelectorOperator::kIn, {std::string(app)}}}}};
}

// A kind of gang; those of one kind differ in how many cores a member asks for.
struct Kind {
  int64_t gpus;
  std::string_view place;
  std::string_view tas;
  bool leader;
};
constexpr Kind kKinds[] = {{8, "block=pack!", "", false},
                           {8, "rack=pack!", "", false},
                           {4, "rack=pack!", "", false},
                           {2, "block=pack!; rack=spread", "", false},
                           {8, "block=pack!", "", true},
                           {8, "", "example.com/rack", false},
                           {1, "rack=pack; node=spread", "", false},
                           {8, "block=pack partitions=4; node=pack", "", false}};

}  // namespace

Topology LockLevels() {
  return *CompleteTopology({"default",
                            {{"block", "example.com/block"},
                             {"rack", "example.com/rack"},
                             {"node", std::string(kHostnameLabel)}}});
}

NodeScope LockRings() { return {{{"net", SelectorOperator::kIn, {"rings"}}}}; }

std::string LockNodeName(int32_t number) {
  const int32_t rack = number / kNodesOfRack;
  return fmt::format("b{:02}-r{:02}-n{:03}", rack / kRacksOfBlock, rack % kRacksOfBlock,
                     number % kNodesOfRack);
}

NodeFacts LockNode(int32_t number) {
  NodeFacts node;
  node.name = LockNodeName(number);
  node.labels = {{"example.com/block", node.name.substr(0, 3)},
                 {"example.com/instance", "gpu-8"},
                 {"example.com/rack", node.name.substr(0, 7)},
                 {std::string(kHostnameLabel), node.name}};
  node.allocatable = {{"cpu", 96'000},
                      {"memory", int64_t{1024} << 30},
                      {std::string(kGpu), kGpusOfNode},
                      {"pods", 110}};
  node.ready = true;
  return node;
}

std::vector<NodeFacts> LockNodes(int32_t nodes) {
  std::vector<NodeFacts> made;
  for (int32_t i = 0; i < nodes; ++i) made.push_back(LockNode(i));
  return made;
}

std::vector<PodFacts> LockForeignPods(int32_t nodes) {
  std::mt19937 random(7);
  std::vector<PodFacts> pods;
  for (int32_t i = 0; i < nodes; ++i) {
    const auto gpus = static_cast<int64_t>(1 + random() % kGpusOfNode);
    if (random() % 10 == 0) continue;
    pods.push_back(LockForeignPod("load-" + LockNodeName(i), gpus));
    pods.back().node_name = LockNodeName(i);
    pods.back().phase = PodPhase::kRunning;
  }
  return pods;
}

std::vector<LockGang> LockGangs(int32_t count) {
  std::vector<LockGang> gangs;
  for (int32_t i = 0; i < count; ++i) {
    const Kind& kind = kKinds[static_cast<size_t>(i) % std::size(kKinds)];
    LockGang gang;
    gang.name = fmt::format("train-{:04}", i);
    gang.gpus = kind.gpus;
    gang.cpus = 4 + i / 8 % 5;
    gang.place = kind.place;
    gang.tas = kind.tas;
    gang.leader = kind.leader;
    gang.priority = i % 3 * 100;
    gangs.push_back(gang);
  }
  return gangs;
}

OwnerFacts LockOwner(const LockGang& gang) {
  OwnerFacts owner;
  owner.ref = {"batch/v1", "Job", gang.name, "job-" + gang.name};
  owner.ns = gang.ns();
  owner.size = gang.size;
  return owner;
}

PodFacts LockPod(const LockGang& gang, int32_t index) {
  PodFacts pod;
  pod.ns = gang.ns();
  pod.name = fmt::format("{}-{}-x7k2p", gang.name, index);
  pod.uid = fmt::format("4f6d1c0e-{}-{:05}", gang.name, index);
  pod.scheduler_name = "gangplan";
  pod.priority = gang.priority;
  const bool leads = gang.leader && index == 0;
  pod.requests = LockRequests(leads ? 0 : gang.gpus, leads ? 16 : gang.cpus);
  pod.labels = {{"app.kubernetes.io/name", gang.name},
                {"batch.kubernetes.io/job-name", gang.name},
                {"team", pod.ns}};
  if (!gang.apart_from.empty()) pod.affinity.apart = {TermOf(gang.apart_from, kHostnameLabel)};
  if (!gang.near.empty()) pod.affinity.near = {TermOf(gang.near, "example.com/rack")};
  const auto say = [&](std::string_view word, std::string text) {
    SetLabel(pod.annotations, word, std::move(text));
  };
  if (!gang.place.empty()) say(kPlaceWord, gang.place);
  if (!gang.tas.empty()) say(kKueueRequired, gang.tas);
  if (gang.leader) {
    say(kPodSetsWord, fmt::format("leader=1,workers={}", gang.size - 1));
    say(kPodSetWord, leads ? "leader" : "workers");
  }
  if (gang.job) {
    pod.controller = LockOwner(gang).ref;
    const bool own = gang.leader && index > 0;
    say("batch.kubernetes.io/job-completion-index", fmt::format("{}", own ? index - 1 : index));
  } else {
    say(kGroupWord, gang.name);
    if (!gang.leader) say(kSizeWord, fmt::format("{}", gang.size));
  }
  return pod;
}

ResourceList LockRequests(int64_t gpus, int64_t cpus) {
  ResourceList requests = {{"cpu", cpus * 1000}, {"memory", int64_t{8} << 30}};
  if (gpus > 0) requests.push_back({std::string(kGpu), gpus});
  requests.push_back({"pods", 1});
  return requests;
}

PodFacts LockForeignPod(std::string_view name, int64_t gpus, int32_t priority) {
  PodFacts pod;
  pod.ns = "others";
  pod.name = name;
  pod.uid = fmt::format("8a20b7e4-{}", name);
  pod.scheduler_name = "gangplan";
  pod.priority = priority;
  pod.requests = LockRequests(gpus, 4);
  pod.labels = {{"app.kubernetes.io/name", "load"}};
  return pod;
}

}  // namespace gangplan
