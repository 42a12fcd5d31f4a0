#include "tests/bench/lock_large.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extender/app/limits.h"
#include "fmt/format.h"
#include "tests/bench/lock_cluster.h"

namespace gangplan {
namespace {

constexpr int32_t kLarge = 8'000;

LockGang Large(std::string name) {
  LockGang gang;
  gang.name = std::move(name);
  gang.size = kLarge;
  gang.cpus = 2;
  gang.place = "rack=pack";
  gang.priority = 1'000;
  return gang;
}

void Come(LockWorld& world, const LockGang& gang) {
  world.Tell("8,000: pods added, 8 of a watch", world.Make(gang), kWatched);
  world.CarryOut();
  world.Rest("8,000: ticks until it is placed");
}

void Go(LockWorld& world, const LockGang& gang, std::string_view kind) {
  world.Tell(kind, Deleted(gang), kWatched);
  world.CarryOut();
  world.Rest("8,000: ticks after it was deleted");
}

// The lines about it are missing.
void TellOff(LockWorld& world, const LockGang& gang) {
  const std::optional<GroupReport> report = world.planner().Report(gang.key());
  fmt::print("lock/{} is not held: {}\n", gang.name, report ? report->reason : "unknown");
}

// ---- while it is held

void Ask(LockWorld& world, const LockGang& gang) {
  const Offer some = world.OfferWith("");
  const Offer all(world.node_names().begin(), world.node_names().end());
  for (int32_t i = 0; i < 20; ++i) {
    world.Filter("8,000: filter: a member, not offered", LockPod(gang, 100 + i), some);
    world.Filter("8,000: filter: a member, all nodes but its own", LockPod(gang, 200 + i), some);
    const PodFacts greater = LockForeignPod(fmt::format("greater-{}", i), 8, 2'000);
    world.Filter("8,000: filter: a greater foreign pod, 51,200 names", greater, all);
    const PodFacts lesser = LockForeignPod(fmt::format("lesser-{}", i), 8, 0);
    world.Filter("8,000: filter: a lesser foreign pod, 51,200 names", lesser, all);
  }
  for (int32_t i = 0; i < 5; ++i) {
    world.Turn("8,000: report with its question", [&](Planner& planner) {
      return std::pair(planner.Report(gang.key()), planner.Question(gang.key()));
    });
  }
}

void Preempt(LockWorld& world, const LockGang& gang) {
  std::vector<PreemptCandidate> candidates;
  const std::map<std::string, std::string> held = world.PlannedNodes(gang);
  const std::vector<PodFacts> loads = LockForeignPods();
  constexpr size_t kMost = 5'120;
  for (const auto& [pod, node] : held) {
    if (candidates.size() < kMost / 2) candidates.push_back({node, {}});
  }
  for (const PodFacts& load : loads) {
    if (candidates.size() < kMost) candidates.push_back({load.node_name, {load.uid}});
  }
  for (int32_t i = 0; i < 5; ++i) {
    const PodFacts pod = LockForeignPod(fmt::format("urgent-of-{}-{}", gang.name, i), 8, 3'000);
    world.Turn("8,000: preempt, 5,120 candidates",
               [&](Planner& planner) { return planner.Preempt(world.now(), pod, candidates); });
    world.CarryOut();
  }
}

// Half of its calls come, and their peers are gone.
void Close(LockWorld& world, const LockGang& gang) {
  std::vector<CallId> calls = world.Call(gang, gang.size / 2);
  while (!calls.empty()) {
    const size_t some = std::min(calls.size(), kClosedAtOnce);
    const std::vector<CallId> closed(calls.end() - static_cast<ptrdiff_t>(some), calls.end());
    calls.resize(calls.size() - some);
    world.Turn("8,000: calls closed",
               [&](Planner& planner) { planner.OnCallsClosed(world.now(), closed); });
    world.CarryOut();
  }
}

void Held(LockWorld& world, const LockGang& gang) {
  Come(world, gang);
  Ask(world, gang);
  Preempt(world, gang);
  Close(world, gang);
  const std::map<std::string, std::string> held = world.PlannedNodes(gang);
  if (held.empty()) return TellOff(world, gang);
  world.Tell("8,000: a node of it is tainted", {world.Tainted(held.begin()->second)});
  world.Rest("8,000: ticks after a node was lost");
  world.Pass(absl::Minutes(6));
  world.Tick("8,000: its time is over");
  world.Rest("8,000: ticks after its time was over");
}

// ---- while its words or its size change

void Changes(LockWorld& world) {
  LockGang gang = Large("large-words");
  Come(world, gang);
  world.SetOwner(gang, {{"gangplan.io/place", "block=pack"}}, gang.size);
  world.ReadOwner("8,000: its Job has other words", gang);
  world.Rest("8,000: ticks after other words");
  world.SetOwner(gang, {}, gang.size - 1);
  world.ReadOwner("8,000: its Job has another size", gang);
  world.Rest("8,000: ticks after another size");
  PodFacts bound = LockPod(gang, 0);
  const std::map<std::string, std::string> held = world.PlannedNodes(gang);
  const auto first = held.find(bound.name);
  if (first == held.end()) return TellOff(world, gang);
  bound.node_name = first->second;
  world.Tell("8,000: one member is bound", {bound});
  world.Rest("8,000: ticks after one was bound");
  NodeFacts moved = world.node(bound.node_name);
  SetLabel(moved.labels, "example.com/rack", "elsewhere");
  const NodeFacts before = world.node(bound.node_name);
  world.Tell("8,000: the node of that member moves", {moved});
  world.Rest("8,000: ticks after it has moved");
  world.Tell("8,000: and returns", {before});
  world.Rest("8,000: ticks after it has moved");
  Go(world, gang, "8,000: deleted, of which one runs");
}

}  // namespace

void LargeGangs(LockWorld& world) {
  LockGang gang = Large("large-job");
  Held(world, gang);
  Go(world, gang, "8,000: deleted while it waits");
  gang = Large("large-spread");
  gang.place = "node=spread";
  gang.job = false;
  Held(world, gang);
  Go(world, gang, "8,000: deleted while it waits");
  Changes(world);
}

void GangsWithAffinity(LockWorld& world) {
  constexpr int32_t kTimes = 8;
  for (int32_t i = 0; i < kTimes; ++i) {
    LockGang gang;
    gang.name = fmt::format("apart-{}", i);
    gang.cpus = 3;
    gang.job = false;
    gang.place = "rack=pack";
    (i % 2 == 0 ? gang.apart_from : gang.near) = "load";
    const std::string kind = i % 2 == 0 ? "apart" : "near";
    const std::vector<ClusterEvent> pods = world.Make(gang);
    world.Filter(fmt::format("{}: filter: a first pod", kind), LockPod(gang, 0),
                 world.OfferWith(""));
    world.Tell(fmt::format("{}: pods added, 8 of a watch", kind), pods, kWatched);
    world.Rest(fmt::format("{}: ticks", kind));
    world.Filter(fmt::format("{}: filter: a later pod, not offered", kind), LockPod(gang, 1),
                 world.OfferWith(""));
    if (!world.Run(gang)) fmt::print("lock/{} did not run\n", gang.name);
  }
  // Somebody whom they keep off comes and goes.
  for (int32_t i = 0; i < kTimes; ++i) {
    PodFacts load = LockForeignPod(fmt::format("late-load-{}", i), 1);
    load.node_name = LockNodeName(i);
    world.Tell("apart: a pod of others comes", {load});
    world.Tell("apart: a pod of others goes", {PodDeleted{load.uid}});
    world.Rest("apart: ticks");
  }
}

void LeaveLargeGangs(LockWorld& world) {
  for (const std::string_view name : {"large-runs-on", "large-is-held", "large-waits"}) {
    LockGang gang = Large(std::string(name));
    gang.job = false;
    if (name == "large-waits") gang.gpus = 16;
    Come(world, gang);
    if (name == "large-runs-on" && !world.Run(gang)) fmt::print("lock/{} did not run\n", name);
  }
}

}  // namespace gangplan
