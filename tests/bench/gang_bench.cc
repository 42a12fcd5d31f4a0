#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/planner.h"
#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/workloads.h"

namespace gangplan {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr int32_t kRacks = 64;
constexpr int32_t kNodesOfRack = 32;
constexpr int32_t kGpusOfNode = 8;

PlannerOptions Options() {
  PlannerOptions options;
  options.topologies[0].topology = {*CompleteTopology(
      {"default", {{"rack", "example.com/rack"}, {"node", std::string(kHostnameLabel)}}})};
  return options;
}

void AddNodes(Planner& planner, absl::Time now) {
  for (int32_t i = 0; i < kRacks * kNodesOfRack; ++i) {
    NodeFacts node;
    node.name = fmt::format("r{}-n{}", i / kNodesOfRack, i % kNodesOfRack);
    node.labels = {{"example.com/rack", fmt::format("r{}", i / kNodesOfRack)},
                   {std::string(kHostnameLabel), node.name}};
    node.allocatable = {{std::string(kGpu), kGpusOfNode}};
    node.ready = true;
    (void)planner.OnNode(now, node);
  }
}

PodFacts MemberPod(int32_t index, int32_t size, bool ranked) {
  PodFacts pod;
  pod.ns = "team";
  pod.name = fmt::format("train-{}", index);
  pod.uid = fmt::format("9f3c{:06}", index);
  pod.scheduler_name = "gangplan";
  pod.annotations = {{std::string(kGroupWord), "train"},
                     {std::string(kSizeWord), fmt::format("{}", size)}};
  if (ranked) pod.annotations.emplace_back(kRankWord, fmt::format("{}", index));
  std::sort(pod.annotations.begin(), pod.annotations.end());
  pod.requests = {{std::string(kGpu), 1}};
  return pod;
}

// Carries out what one bind call may have asked for, as a cluster without delay.
void CarryOut(Planner& planner, absl::Time now, Latency& committed) {
  for (Effects effects = planner.TakeEffects(); !effects.empty(); effects = planner.TakeEffects()) {
    for (const Effect& effect : effects) {
      if (const auto* ready = std::get_if<CommitReady>(&effect))
        committed.Time([&] { planner.Commit(now, ready->group, {}); });
      const auto* all = std::get_if<WriteBindings>(&effect);
      for (size_t i = 0; all != nullptr && i < all->writes.size(); ++i) {
        const BindingWrite& post = *all->writes[i];
        planner.OnBindResult(now, post.pod, post.node, post.attempt, {BindOutcome::kBound, ""});
      }
    }
  }
}

// The whole life of one gang, step by step as the watch and the scheduler bring it.
bool GangOf(int32_t size, bool ranked) {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  Planner planner(Options());
  AddNodes(planner, now);
  planner.OnSynced(now);
  std::vector<PodFacts> pods;
  for (int32_t i = 0; i < size; ++i) pods.push_back(MemberPod(i, size, ranked));
  std::vector<std::string> nodes;
  for (int32_t i = 0; i < kRacks * kNodesOfRack; ++i)
    nodes.push_back(fmt::format("r{}-n{}", i / kNodesOfRack, i % kNodesOfRack));
  Latency seen, asked, bound, committed, ticked;
  for (const PodFacts& pod : pods) seen.Time([&] { planner.OnPod(now, pod); });
  std::vector<std::string> chosen;
  for (const PodFacts& pod : pods) {
    const std::string planned = planner.Report("team/train")->slots[chosen.size()].node;
    const Offer offer = {planned};
    FilterDecision decision;
    asked.Time([&] { decision = planner.Filter(now, pod, offer); });
    if (decision.passed.size() != 1) return false;
    chosen.push_back(planned);
  }
  ticked.Time([&] { planner.Tick(now); });
  for (int32_t i = 0; i < size; ++i) {
    bound.Time([&] {
      planner.Bind(now, i + 1, {pods[i].ns, pods[i].name, pods[i].uid}, chosen[i], now);
      CarryOut(planner, now, committed);
    });
  }
  const std::string name = fmt::format("gang/{} members, {}", size, ranked ? "ranked" : "unranked");
  Print(name + ", seen by the watch", seen);
  Print(name + ", filter", asked);
  Print(name + ", bind until all are bound", bound);
  Print(name + ", commit", committed);
  Print(name + ", one tick", ticked);
  return planner.Report("team/train")->bound == size;
}

}  // namespace

bool GangBench() {
  bool done = true;
  for (int32_t size : {512, 4'096, 16'384}) {
    for (bool ranked : {true, false}) done = GangOf(size, ranked) && done;
  }
  return done;
}

}  // namespace gangplan
