// What 29 namespaces have to wait when the thirtieth is hostile: each of its attacks beside the
// same gangs without it. Time goes by as the planner's lock is kept (LockWorld::RunClock): it is
// what the calm gangs would wait in a service with one core for the lock and one for copies. To
// that comes what a scheduler needs for their pods. Each attack runs in a process of its own, so
// that its memory is told apart.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <list>
#include <optional>
#include <string>
#include <type_traits>

#include "config/settings.h"
#include "fmt/format.h"
#include "tests/bench/latency.h"
#include "tests/bench/lock_world.h"
#include "tests/bench/tenant_attacks.h"
#include "tests/bench/workloads.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

constexpr int32_t kSteps = 200;
constexpr absl::Duration kStep = absl::Milliseconds(50);
constexpr int32_t kCalm = 29;         // namespaces
constexpr int32_t kLives = 40;        // steps until a gang that runs ends
constexpr double kCycle = 1;          // ms that a scheduler needs for a pod, at the least
constexpr size_t kAskedInAStep = 10;  // hostile pods, by the scheduler
// The budgets.
constexpr double kMostRatio = 2;
constexpr double kLongestHold = 5;  // ms
constexpr int64_t kMostMegabytes = 512;

struct Figures {
  int32_t made = 0;
  int32_t started = 0;
  // In ms from the first pod to a plan, and to the last Binding, by the step in which the gang was
  // made; 0: none was, or it did not come to that.
  double plan[kSteps] = {};
  double start[kSteps] = {};
  double longest_hold = 0;  // ms
  char longest_kind[64] = {};
  double locked = 0;  // share of the time
  int32_t overfull = 0;
  int64_t megabytes = 0;  // that became resident after the start, at the most
};
static_assert(std::is_trivially_copyable_v<Figures>);

// As a new installation has them.
PlannerOptions ShippedOptions() {
  const Settings settings;
  PlannerOptions options;
  options.hold_from = settings.gang.hold_from_percent;
  options.vacant_share = settings.namespace_limits.vacant_percent;
  options.claims = {settings.namespace_limits.groups, settings.namespace_limits.claimed_members};
  options.reject_max = settings.reject_max;
  options.max_held_calls = settings.server.max_held_calls;
  return options;
}

// The gangs of the other namespaces: one in a step, of three kinds, for which there is room.
class CalmGangs {
 public:
  CalmGangs(LockWorld& world, Figures& figures) : world_(world), figures_(figures) {}

  // Those whose time is over end.
  void End(int32_t number) {
    while (!running_.empty() && running_.front().step + kLives <= number) {
      world_.Tell("pods: calm, deleted", Deleted(running_.front().gang), kWatched);
      running_.pop_front();
    }
  }

  void Make(int32_t number, absl::Time due) {
    if (number % (kCalm + 4) >= kCalm) return;
    Waiting gang{Gang(number), number, due};
    world_.Tell("pods: calm", world_.Make(gang.gang), kWatched);
    waiting_.push_back(std::move(gang));
    ++figures_.made;
  }

  // After each turn: who has a plan is asked for by the scheduler, and bound.
  void Look() {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      it = Started(*it) ? waiting_.erase(it) : std::next(it);
    }
  }

  bool AnyWaits() const { return !waiting_.empty(); }

 private:
  struct Waiting {
    LockGang gang;
    int32_t step = 0;
    absl::Time since;
  };

  static LockGang Gang(int32_t number) {
    constexpr std::string_view kPlaces[] = {"rack=pack!", "block=pack!; rack=pack", ""};
    LockGang gang;
    gang.name = fmt::format("calm-{}", number);
    gang.team = fmt::format("calm-{:02}", number % (kCalm + 4));
    gang.size = 16 << number % 3;
    gang.gpus = 1 + number % 4;
    gang.cpus = 4 + number % 5;
    gang.place = kPlaces[number % 3];
    gang.job = false;
    return gang;
  }

  bool Started(const Waiting& waiting) {
    if (world_.PlannedNodes(waiting.gang).size() != static_cast<size_t>(waiting.gang.size))
      return false;
    const auto waited = [&] { return absl::ToDoubleMilliseconds(world_.now() - waiting.since); };
    double& plan = figures_.plan[waiting.step];
    if (plan == 0) plan = waited();
    if (!world_.Run(waiting.gang)) return false;
    figures_.start[waiting.step] = waited() + kCycle * waiting.gang.size;
    ++figures_.started;
    running_.push_back(waiting);
    return true;
  }

  LockWorld& world_;
  Figures& figures_;
  std::list<Waiting> waiting_;
  std::list<Waiting> running_;
};

// In MB.
int64_t StatusOf(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t kilobytes = 0;
    if (word == key && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

void Begin(LockWorld& world) {
  world.Start("start", ShippedOptions());
  world.Rest("start: ticks until all were asked");
  world.Filter("start: the first call", LockForeignPod("first", 1), world.OfferWith(""));
  world.Rest("start: later ticks");
  world.times() = {};
  world.RunClock();
}

Figures Play(const TenantAttack& attack, int32_t nodes) {
  LockWorld world(nodes);
  Begin(world);
  Figures figures;
  Hostile hostile(world, nodes);
  CalmGangs calm(world, figures);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const int64_t resident = StatusOf("VmRSS:");
  const absl::Time begin = world.now();
  for (int32_t step = 0; step < kSteps || (calm.AnyWaits() && step < 2 * kSteps); ++step) {
    calm.End(step);
    if (step < kSteps) {
      attack.step(hostile, step);
      hostile.Ask(kAskedInAStep);
      calm.Make(step, begin + step * kStep);
    }
    world.RunUntil(begin + (step + 1) * kStep, [&] { calm.Look(); });
  }
  figures.megabytes = StatusOf("VmHWM:") - resident;
  const auto [kind, longest] = world.times().Longest();
  figures.longest_hold = absl::ToDoubleMilliseconds(longest);
  std::strncpy(figures.longest_kind, kind.c_str(), sizeof(figures.longest_kind) - 1);
  figures.locked = absl::FDivDuration(world.times().locked(), world.now() - begin);
  figures.overfull = static_cast<int32_t>(world.Overfull().size());
  return figures;
}

// In a process of its own.
std::optional<Figures> Measured(const TenantAttack& attack, int32_t nodes) {
  int ends[2];
  GANGPLAN_CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  GANGPLAN_CHECK(child >= 0);
  if (child == 0) {
    const Figures figures = Play(attack, nodes);
    _exit(write(ends[1], &figures, sizeof(figures)) == sizeof(figures) ? 0 : 1);
  }
  close(ends[1]);
  Figures figures;
  const bool told = read(ends[0], &figures, sizeof(figures)) == sizeof(figures);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return told ? std::optional(figures) : std::nullopt;
}

// ---- the table

// Of those that are there.
Latency Of(const double (&times)[kSteps]) {
  Latency some;
  for (const double time : times) {
    if (time > 0) some.Add(time);
  }
  return some;
}

// How many times longer each gang took than without the attack.
Latency Ratios(const Figures& figures, const Figures& without) {
  Latency ratios;
  for (int32_t i = 0; i < kSteps; ++i) {
    if (figures.start[i] > 0 && without.start[i] > 0)
      ratios.Add(figures.start[i] / without.start[i]);
  }
  return ratios;
}

std::string Told(double value, bool beyond) {
  return fmt::format("{:.2f}{}", value, beyond ? "!" : " ");
}

void PrintHead(int32_t nodes) {
  fmt::print("tenant/{} nodes and 29 calm namespaces; `!`: beyond its budget\n", nodes);
  fmt::print(
      "tenant/{:<14} {:>8} {:>7} {:>7} {:>7} {:>7} {:>6} {:>7} {:>7} {:>6} {:>4} {:>4}  {}\n",
      "attack", "started", "plan", "longest", "start", "longest", "ratio", "most", "hold", "lock",
      "MB", "over", "longest hold");
}

bool PrintLine(std::string_view name, const Figures& figures, const Figures& without) {
  const Latency plans = Of(figures.plan), starts = Of(figures.start);
  const Latency ratios = Ratios(figures, without);
  const double most = ratios.Quantile(1), hold = figures.longest_hold;
  const bool kept =
      most <= kMostRatio && hold <= kLongestHold && figures.megabytes <= kMostMegabytes;
  fmt::print(
      "tenant/{:<14} {:>8} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>6.2f} {:>7} {:>7} {:>5.1f}% "
      "{:>4}{}{:>4}  {}\n",
      name, fmt::format("{}/{}", figures.started, figures.made), plans.Quantile(0.5),
      plans.Quantile(1), starts.Quantile(0.5), starts.Quantile(1), ratios.Quantile(0.5),
      Told(most, most > kMostRatio), Told(hold, hold > kLongestHold), 100 * figures.locked,
      figures.megabytes, figures.megabytes > kMostMegabytes ? "!" : " ", figures.overfull,
      figures.longest_kind);
  std::fflush(stdout);
  return kept && figures.started == figures.made && figures.overfull == 0;
}

bool PlayAll(int32_t nodes) {
  PrintHead(nodes);
  std::fflush(stdout);
  std::optional<Figures> without;
  bool kept = true;
  for (const TenantAttack& attack : TenantAttacks()) {
    const std::optional<Figures> figures = Measured(attack, nodes);
    if (!figures) return false;
    if (!without) without = figures;
    kept = PrintLine(attack.name, *figures, *without) && kept;
  }
  return kept;
}

}  // namespace

bool TenantBench() {
  const bool small = PlayAll(5'120);
  return PlayAll(kLockNodes) && small;
}

}  // namespace gangplan
