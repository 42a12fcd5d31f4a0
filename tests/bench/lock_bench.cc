// How long one call keeps the planner's lock: every input of its facade at 51,200 nodes and 1,000
// gangs, by kind.
#include <malloc.h>

#include <optional>
#include <string>
#include <vector>

#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"
#include "tests/bench/lock_cluster.h"
#include "tests/bench/lock_large.h"
#include "tests/bench/lock_world.h"
#include "tests/bench/workloads.h"
#include "topology/base/time_text.h"

namespace gangplan {
namespace {

constexpr absl::Duration kMost = absl::Milliseconds(5);
constexpr int32_t kGangs = 1'000;
constexpr int32_t kRunning = 60;
constexpr int32_t kLarge = 8'000;

// ---- the calls of the scheduler

struct FirstPod {
  std::string_view kind;
  int32_t size;
  int64_t gpus;
  int64_t cpus;  // of the first gang; each later one asks for one more where `differ` says so
  bool differ;
  std::string_view place;
  int32_t priority;
};
constexpr FirstPod kFirstPods[] = {
    {"filter: a first pod, fits", 64, 1, 4, false, "rack=pack", 0},
    {"filter: a first pod of a new shape, fits", 64, 1, 12, true, "rack=pack", 0},
    {"filter: a first pod, no room now", 64, 8, 4, false, "rack=pack!", 0},
    {"filter: a first pod of a new shape, no room", 64, 8, 12, true, "rack=pack!", 0},
    {"filter: a first pod, impossible", 64, 16, 4, false, "rack=pack!", 0},
    {"filter: a first pod, impossible in a rack", 200, 8, 4, false, "rack=pack!", 0},
    {"filter: a first pod, lesser gangs give way", 64, 8, 4, false, "block=pack!", 500},
};

// The calls come before the watch shows the pods.
void FilterFirstPods(LockWorld& world) {
  constexpr int32_t kTimes = 5;
  for (const FirstPod& first : kFirstPods) {
    for (int32_t i = 0; i < kTimes; ++i) {
      const auto row = static_cast<int32_t>(&first - kFirstPods);
      LockGang gang;
      gang.name = fmt::format("first-{}-{}", row, i);
      gang.size = first.size;
      gang.gpus = first.gpus;
      gang.cpus = first.cpus + (first.differ ? i : 0);
      gang.place = first.place;
      gang.priority = first.priority;
      gang.job = false;
      world.Filter(first.kind, LockPod(gang, 0), world.OfferWith(""));
    }
    world.Rest("tick: while gangs are placed");
  }
}

void FilterOthers(LockWorld& world, const LockGang& waiting, const LockGang& held) {
  const Offer all(world.node_names().begin(), world.node_names().end());
  for (int32_t i = 0; i < 40; ++i) {
    const PodFacts foreign = LockForeignPod(fmt::format("other-{}", i), 1 + i % 8);
    world.Filter("filter: a foreign pod, 2,560 names", foreign, world.OfferWith(""));
    world.Filter("filter: a foreign pod, 51,200 names", foreign, all);
    for (const auto& [kind, offer] :
         {std::pair("prioritize: 2,560 names", world.OfferWith("")),
          std::pair("prioritize: 10,000 names", Offer(all.begin(), all.begin() + 10'000))}) {
      world.Turn(kind, [&](Planner& p) { return p.Prioritize(world.now(), foreign, offer); });
    }
    world.Filter("filter: a pod of a gang that waits", LockPod(waiting, i), world.OfferWith(""));
    world.Filter("filter: a later pod, all 51,200 names", LockPod(held, i), all);
    world.Filter("filter: a later pod, not offered", LockPod(held, i), world.OfferWith(""));
  }
}

void Preempt(LockWorld& world) {
  const std::vector<PodFacts> loads = LockForeignPods();
  for (size_t i = 0; i < 20; ++i) {
    const PodFacts pod = LockForeignPod(fmt::format("urgent-{}", i), 8, 1'000);
    std::vector<PreemptCandidate> candidates;
    for (size_t k = 0; k < 100; ++k) {
      const PodFacts& load = loads[i * 100 + k];
      candidates.push_back({load.node_name, {load.uid}});
    }
    world.Turn("preempt: 100 candidates",
               [&](Planner& planner) { return planner.Preempt(world.now(), pod, candidates); });
    world.CarryOut();
  }
}

// ---- events

void PodsComeAndGo(LockWorld& world) {
  for (int32_t i = 0; i < 4; ++i) {
    LockGang gang;
    gang.name = fmt::format("new-{}", i);
    gang.gpus = i % 2 == 0 ? 1 : 8;
    gang.cpus = 20 + i;
    gang.place = i % 2 == 0 ? "rack=pack" : "rack=pack!";
    std::vector<ClusterEvent> pods = world.Make(gang);
    for (size_t k = 0; k < pods.size(); k += kWatched) {
      const auto begin = pods.begin() + static_cast<ptrdiff_t>(k);
      world.Tell("pods: added, 8 of a watch", {begin, begin + kWatched});
      world.CarryOut();
    }
    world.Rest("tick: while gangs are placed");
    for (ClusterEvent& event : pods)
      std::get<PodFacts>(event).scheduler_words = "0/51200 nodes are available";
    world.Tell("pods: changed, 8 of a watch", pods, kWatched);
    world.Tell("pods: deleted, 8 of a watch", Deleted(gang), kWatched);
    world.Rest("tick: while gangs are placed");
  }
}

void NodesComeAndGo(LockWorld& world, const LockGang& held) {
  int32_t number = 0;
  for (const auto& [pod, name] : world.PlannedNodes(held)) {
    if (++number > 3) break;
    const NodeFacts node = world.node(name);
    NodeFacts other = node;
    other.labels.emplace_back("zone", "east");
    world.Tell("node: another label", {other});
    world.Tick("tick: after another label");
    other = node;
    other.allocatable[2].amount = 4;
    world.Tell("node: shrinks below what is held", {other});
    world.Tick("tick: after a node shrank");
    other.taints.push_back({"broken", "yes", TaintEffect::kNoExecute});
    world.Tell("node: a taint", {other});
    world.Tick("tick: after a taint");
    world.Tell("node: whole again", {node});
    world.Tick("tick: after a node grew");
    world.Rest("tick: while gangs are placed");
    world.Tell("node: deleted", {NodeDeleted{name}});
    world.Tick("tick: after a node was deleted");
    world.Tell("node: added", {node});
    world.Tick("tick: after a node was added");
    world.Rest("tick: while gangs are placed");
  }
}

// As by new labels, or by a file that says something else.
void NodesChangeTopology(LockWorld& world) {
  std::vector<ClusterEvent> there, back;
  for (int32_t i = 0; i < 5'120; ++i) {
    NodeFacts node = world.node(LockNodeName(i));
    back.emplace_back(node);
    SetLabel(node.labels, LockRings().labels.front().key, "rings");
    there.emplace_back(std::move(node));
  }
  world.Tell("nodes: 5,120 come to another topology", there);
  world.Rest("tick: while gangs are placed");
  world.Tell("nodes: 5,120 come back to their topology", back);
  world.Rest("tick: while gangs are placed");
}

// Pods of others end, `count` between two ticks.
void RoomComesFree(LockWorld& world, size_t count, size_t& next) {
  static const std::vector<PodFacts> loads = LockForeignPods();
  std::vector<ClusterEvent> events;
  for (size_t i = 0; i < count; ++i) events.emplace_back(PodDeleted{loads[next += 7].uid});
  world.Tell("pods: others' deleted, 8 of a watch", events, kWatched);
  world.Tick(fmt::format("tick: after {} pods ended", count));
  // Events come while those who gained are asked.
  for (int32_t i = 0; i < 5; ++i) {
    std::vector<ClusterEvent> more;
    for (size_t k = 0; k < kWatched; ++k) more.emplace_back(PodDeleted{loads[next += 7].uid});
    world.Tell("pods: 8 of a watch, while gangs are placed", more);
    world.CarryOut();
  }
  world.Rest("tick: while gangs are placed");
}

// ---- reads

void Read(LockWorld& world, const std::vector<const LockGang*>& gangs) {
  for (int32_t times = 0; times < 10; ++times) {
    for (GroupId after = 0;;) {
      const std::vector<GroupReport> page = world.Turn(
          "report: 500 groups", [&](Planner& planner) { return planner.List(after, 500); });
      if (page.empty()) break;
      after = page.back().id;
    }
    world.Turn("report: figures for metrics", [&](Planner& planner) { return planner.Stats(); });
    for (const LockGang* gang : gangs) {
      world.Turn("report: one group with its question", [&](Planner& planner) {
        return std::pair(planner.Report(gang->key()), planner.Question(gang->key()));
      });
      world.Turn("report: what would start a gang",
                 [&](Planner& planner) { return planner.AskAdvice(world.now(), gang->key()); });
    }
  }
}

// ---- a large gang

void LargeGang(LockWorld& world, bool runs, bool at_once) {
  LockGang gang;
  gang.name = fmt::format("large-{}-{}", runs ? "runs" : "held", at_once ? 1 : 0);
  gang.size = kLarge;
  gang.cpus = 2;
  gang.priority = 1'000;
  gang.job = false;
  world.Tell("pods: added, 8 of a gang of 8,000", world.Make(gang), kWatched);
  world.CarryOut();
  world.Rest("tick: while gangs are placed");
  if (runs && !world.Run(gang)) fmt::print("lock/the large gang did not run\n");
  const std::string_view how = runs ? "runs" : "is held";
  if (at_once) {
    world.Tell(fmt::format("pods: a gang of 8,000 that {}, deleted in a list", how), Deleted(gang));
  } else {
    world.Tell(fmt::format("pods: 8 of 8,000 deleted, the gang {}", how), Deleted(gang), kWatched);
  }
  world.Tick("tick: after a gang of 8,000 was deleted");
  world.CarryOut();
  world.Rest("tick: while gangs are placed");
}

// ---- room that is reserved by name: as many as there may be, one of them as large as it may be

ConfigMapFacts Reserved(const LockWorld& world, int32_t number) {
  ConfigMapFacts object;
  object.ns = "gangplan";
  object.name = fmt::format("reserved-{:02}", number);
  object.uid = "uid-" + object.name;
  object.labels = {{std::string(kReservationWord), ""}};
  object.data = {{"count", number == 0 ? "8192" : "256"},
                 {"from", UtcText(world.now() + absl::Hours(1))},
                 {"namespaces", "nobody"},
                 {"requests", "nvidia.com/gpu=1"},
                 {"until", UtcText(world.now() + absl::Hours(2))}};
  return object;
}

void Reservations(LockWorld& world) {
  constexpr int32_t kReservations = 64;
  for (int32_t i = 0; i < kReservations; ++i) {
    world.Turn("reservation: written", [&](Planner& planner) {
      planner.OnReservation(world.now(), Reserved(world, i), true);
    });
    world.CarryOut();
  }
  for (int32_t i = 0; i < 2 * kReservations; ++i) {
    world.Pass(absl::Seconds(5));
    world.Rest("tick: while room is found for reservations");
  }
  for (int32_t i = 0; i < 20; ++i) {
    world.Turn("report: 64 reservations",
               [](Planner& planner) { return planner.ListReservations(); });
    world.Turn("report: figures for metrics", [](Planner& planner) { return planner.Stats(); });
    world.Tick("tick: idle, with 64 reservations");
  }
  int32_t missing = 0;
  for (const ReservationReport& one : world.planner().ListReservations()) missing += one.missing;
  fmt::print("lock/reservations: {} pods of 24,320 have no room\n", missing);
  for (int32_t i = 0; i < kReservations; ++i) {
    world.Turn("reservation: deleted", [&](Planner& planner) {
      planner.OnReservation(world.now(), Reserved(world, i), false);
    });
    world.CarryOut();
  }
  world.Rest("tick: while room of reservations is given back");
}

// ---- who gives way, as soon as that is allowed: gangs that run, and pods of no gang, on nine in
// ten of all nodes

void OthersGiveWay(LockWorld& world) {
  PlannerOptions options;
  options.preempts = options.preempts_pods = true;
  world.Turn("preemption: turned on",
             [&](Planner& planner) { planner.Reconfigure(world.now(), options); });
  world.CarryOut();
  world.Rest("preemption: ticks while those that wait ask");
  for (int32_t i = 0; i < 5; ++i) {
    LockGang gang;
    gang.name = fmt::format("evicts-{}", i);
    gang.gpus = 8;
    gang.cpus = 40 + i;
    gang.place = "rack=pack!";
    gang.priority = 2'000 + i;
    gang.job = false;
    world.Tell("preemption: pods added, 8 of a watch", world.Make(gang), kWatched);
    world.CarryOut();
    world.Rest("preemption: ticks while a gang asks");
    const std::optional<GroupReport> report = world.planner().Report(gang.key());
    if (i == 0) fmt::print("lock/{}: {}\n", gang.name, report ? report->reason : "unknown");
  }
}

// All are asked while this instance stands by; the first call makes it the active one.
void BecomeActive(LockWorld& world, std::string_view as) {
  world.Rest(fmt::format("{}: ticks until all were asked", as));
  world.Filter(fmt::format("{}: the first call", as), LockForeignPod("first", 1),
               world.OfferWith(""));
  world.Tick(fmt::format("{}: the tick after the first call", as));
  world.Rest(fmt::format("{}: later ticks", as));
}

}  // namespace

bool LockBench() {
  mallopt(M_MXFAST, 0);  // as the service does
  LockWorld world;
  const std::vector<LockGang> gangs = LockGangs(kGangs);
  for (const LockGang& gang : gangs) world.Make(gang);
  world.Start("start");
  BecomeActive(world, "start");
  const LockGang *waiting = nullptr, *held = nullptr;
  int32_t running = 0;
  for (const LockGang& gang : gangs) {
    if (running < kRunning && world.Run(gang)) {
      ++running;
    } else {
      (world.PlannedNodes(gang).empty() ? waiting : held) = &gang;
    }
  }
  if (running < kRunning || waiting == nullptr || held == nullptr) return false;
  world.Rest("tick: while gangs are placed");
  FilterFirstPods(world);
  FilterOthers(world, *waiting, *held);
  Preempt(world);
  PodsComeAndGo(world);
  NodesComeAndGo(world, *held);
  NodesChangeTopology(world);
  size_t next = 0;
  for (int32_t i = 0; i < 3; ++i) RoomComesFree(world, 1, next);
  for (const size_t count : {500, 3'000}) RoomComesFree(world, count, next);
  for (int32_t i = 0; i < 100; ++i) world.Tick("tick: idle");
  Read(world, {waiting, held, &gangs.front()});
  LargeGang(world, false, true);
  LargeGang(world, true, false);
  LargeGangs(world);
  GangsWithAffinity(world);
  LeaveLargeGangs(world);
  Reservations(world);
  world.Start("restart");
  BecomeActive(world, "restart");
  OthersGiveWay(world);
  world.times().Print(kMost);
  return true;
}

}  // namespace gangplan
